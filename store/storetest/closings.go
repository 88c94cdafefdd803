package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

// possibleClosings is which status follows which.
const possibleClosings = " running>unknown running>done running>kept running>failed unknown>applied unknown>not_applied kept>done kept>failed "

// closings: which end follows which status, what it leaves, and what its fence refuses.
func closings(t *testing.T, open Opener) {
	f := start(t, open)
	ways := map[store.AttemptStatus][]store.AttemptStatus{ // how to get there
		store.AttemptRunning: nil, store.AttemptUnknown: {store.AttemptUnknown}, store.AttemptDone: {store.AttemptDone}, store.AttemptKept: {store.AttemptKept},
		store.AttemptFailed: {store.AttemptFailed}, store.AttemptApplied: {store.AttemptUnknown, store.AttemptApplied}, store.AttemptNotApplied: {store.AttemptUnknown, store.AttemptNotApplied},
	}
	for from, way := range ways {
		for to := range ways {
			a := f.attempt(aDirectAttempt("alice"))
			before := f.end(a, way...)
			c := closed(a, to)
			c.Fence++
			if err := f.tryClose(c); err == nil || to != store.AttemptRunning && !errors.Is(err, store.ErrConflict) {
				t.Errorf("from %s to %s with another fence: %v, want ErrConflict", from, to, err)
			}
			c.Fence--
			err := f.tryClose(c)
			if !strings.Contains(possibleClosings, fmt.Sprintf(" %s>%s ", from, to)) {
				if err == nil || to != store.AttemptRunning && !errors.Is(err, store.ErrConflict) {
					t.Errorf("from %s to %s: %v, want ErrConflict", from, to, err)
				}
				if diff := cmp.Diff(before, f.attemptOf(scope("alice"), a.ID)); diff != "" {
					t.Errorf("from %s to %s (-want +got):\n%s", from, to, diff)
				}
				continue
			}
			if err != nil {
				t.Errorf("from %s to %s: %v", from, to, err)
			}
			expectEnd(t, before, c, f.attemptOf(scope("alice"), a.ID))
		}
	}
	if err := f.tryClose(store.Closing{ID: "at_none", Status: store.AttemptDone, At: dawn}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("one that is not there: %v, want ErrNotFound", err)
	}
	refusedClosings(t, f)
}

// expectEnd checks what a closing left of an attempt.
func expectEnd(t *testing.T, before store.Attempt, c store.Closing, got store.Attempt) {
	t.Helper()
	want := before
	want.Status, want.Updated, want.Output = c.Status, c.At, c.Output
	if c.Class != "" {
		want.Class, want.Message = c.Class, c.Message
	}
	if c.By != "" {
		want.By, want.Note = c.By, c.Note
	}
	if c.Status != store.AttemptUnknown {
		want.Ended, want.Work, want.Grant = c.At, nil, ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("from %s to %s (-want +got):\n%s", before.Status, c.Status, diff)
	}
}

// refusedClosings: what is out of bounds changes nothing, but no message is too long to be told.
func refusedClosings(t *testing.T, f *fixture) {
	a := f.attempt(aDirectAttempt("alice"))
	long := strings.Repeat("x", store.MaxValueBytes)
	for name, test := range map[string]struct {
		change func(*store.Closing)
		want   error // nil: any
	}{
		"no id":               {func(c *store.Closing) { c.ID = "" }, nil},
		"no time":             {func(c *store.Closing) { c.At = time.Time{} }, nil},
		"unknown status":      {func(c *store.Closing) { c.Status = "gone" }, nil},
		"kept without it":     {func(c *store.Closing) { c.Output = nil }, nil},
		"output is no JSON":   {func(c *store.Closing) { c.Output = []byte(`{"a"`) }, nil},
		"output too large":    {func(c *store.Closing) { c.Output = []byte(`"` + long + `"`) }, store.ErrQuota},
		"note too long":       {func(c *store.Closing) { c.Note = long }, store.ErrQuota},
		"note is not UTF-8":   {func(c *store.Closing) { c.Note = "\xff" }, nil},
		"settled by nobody":   {func(c *store.Closing) { c.Status = store.AttemptApplied }, nil},
		"settled by nobody 2": {func(c *store.Closing) { c.Status = store.AttemptNotApplied }, nil},
	} {
		c := closed(a, store.AttemptKept)
		test.change(&c)
		if err := f.tryClose(c); err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		_ = f.change(func(tx store.Tx) error { _ = tx.CloseAttempt(c); return nil })
	}
	if diff := cmp.Diff(a, f.attemptOf(scope("alice"), a.ID)); diff != "" {
		t.Errorf("something changed (-want +got):\n%s", diff)
	}
	c := closed(a, store.AttemptFailed)
	c.Message = strings.Repeat("x", store.MaxEvidenceText-1) + "ééé"
	if err := f.tryClose(c); err != nil {
		t.Errorf("a long message: %v", err)
	}
	if got := f.attemptOf(scope("alice"), a.ID).Message; got != strings.Repeat("x", store.MaxEvidenceText-1) {
		t.Errorf("a long message became one of %d bytes", len(got))
	}
	b := f.attempt(aDirectAttempt("alice"))
	c = closed(b, store.AttemptFailed)
	c.Message = "a\xffb"
	if err := f.tryClose(c); err != nil || f.attemptOf(scope("alice"), b.ID).Message != "a\uFFFDb" {
		t.Errorf("a message that is not UTF-8: %v, %q", err, f.attemptOf(scope("alice"), b.ID).Message)
	}
}
