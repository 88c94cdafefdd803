package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

// keptAttempts: the newest kept output of exactly this is found until it is used or the instance has moved on.
func keptAttempts(t *testing.T, open Opener) {
	f := start(t, open)
	i := f.begin(newInstance("alice", "demo"))
	keep := func(digest, output string) store.Attempt {
		a := anAttempt(i)
		a.Digest = digest
		f.attempt(a)
		c := closed(a, store.AttemptKept)
		c.Output = []byte(output)
		if err := f.tryClose(c); err != nil {
			t.Fatal(err)
		}
		return f.attemptOf(scope("alice"), a.ID)
	}
	expect := func(what, digest string, version int64, want store.Attempt) {
		t.Helper()
		f.look(func(tx store.Tx) error {
			got, err := tx.KeptAttempt(scope("alice"), i.ID, version, digest)
			if (want.ID == "") != errors.Is(err, store.ErrNotFound) || want.ID == "" && got.ID != "" {
				t.Errorf("%s: %+v, %v", what, got, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
			return nil
		})
	}
	none := store.Attempt{}
	keep("d1", `{"n":1}`)
	second, other := keep("d1", `{"n":2}`), keep("d2", `null`)
	f.reopen()
	expect("the newest", "d1", 1, second)
	expect("another digest", "d2", 1, other)
	expect("a digest that was not tried", "d3", 1, none)
	expect("another version", "d1", 2, none)
	f.noneBlocks(i)
	if err := f.change(func(tx store.Tx) error { // used: closed and moved on at once
		m := after(i, nil)
		return errors.Join(tx.CloseAttempt(closed(second, store.AttemptDone)), tx.Move(m))
	}); err != nil {
		t.Fatal(err)
	}
	for _, digest := range []string{"d1", "d2"} {
		expect("when it has moved on", digest, 1, none)
	}
	if got := f.attemptOf(scope("alice"), other.ID); got.Status != store.AttemptKept || got.Output != nil {
		t.Errorf("its output when the instance has moved on: %+v", got)
	}
	if got := f.attemptOf(scope("alice"), second.ID); got.Status != store.AttemptDone || got.Output != nil {
		t.Errorf("the one that was used: %+v", got)
	}
	if err := f.tryClose(closed(second, store.AttemptDone)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("used twice: %v, want ErrConflict", err)
	}
}

// approvedAttempts: an attempt uses up the approval that it needs, once, in its own transaction.
func approvedAttempts(t *testing.T, open Opener) {
	f := start(t, open)
	s := scope("alice")
	other, others := f.ask(f.begin(newInstance("alice", "demo")))
	i, void := f.ask(f.begin(newInstance("alice", "demo")))
	i, want := f.ask(i)
	attempt := func(approval string, at time.Time) store.Attempt {
		a := anAttempt(i)
		a.Approval, a.Client, a.Created, a.Updated = approval, "a-person", at, at
		return a
	}
	for name, a := range map[string]store.Attempt{
		"void": attempt(void.ID, i.Updated), "of another instance": attempt(others.ID, i.Updated), "unknown": attempt("ap_none", i.Updated),
		"expired": attempt(want.ID, want.Expires), "in the last moment": attempt(want.ID, want.Expires.Add(time.Second)),
	} {
		if err := f.tryAttempt(a); !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: %v, want ErrConflict", name, err)
		}
	}
	if err := f.change(func(tx store.Tx) error {
		if err := tx.OpenAttempt(attempt(want.ID, i.Updated)); err != nil {
			t.Errorf("in an update that fails: %v", err)
		}
		return errOwn
	}); !errors.Is(err, errOwn) {
		t.Error(err)
	}
	if diff := cmp.Diff([]store.Approval{want, others}, []store.Approval{f.approval(s, want.ID), f.approval(s, others.ID)}); diff != "" {
		t.Errorf("what was refused changed something (-want +got):\n%s", diff)
	}
	f.noneBlocks(i)
	a := attempt(want.ID, want.Expires.Add(-time.Millisecond))
	a.Approver = "who-said-yes"
	f.attempt(a)
	a.Approver = "" // the approval has it
	want.Status, want.By, want.Resolved = store.ApprovalConsumed, "who-said-yes", a.Created
	if diff := cmp.Diff(want, f.approval(s, want.ID)); diff != "" {
		t.Errorf("used up (-want +got):\n%s", diff)
	}
	f.end(a, store.AttemptFailed)
	if err := f.tryAttempt(attempt(want.ID, i.Updated)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("used twice: %v, want ErrConflict", err)
	}
	again := after(i, nil)
	again.Consumed = want.ID
	if err := f.tryMove(again); !errors.Is(err, store.ErrConflict) {
		t.Errorf("used by a move: %v, want ErrConflict", err)
	}
	f.move(after(i, nil))
	if diff := cmp.Diff(want, f.approval(s, want.ID)); diff != "" {
		t.Errorf("when the instance moved on (-want +got):\n%s", diff)
	}
	f.askAndAttempt(other)
}

// askAndAttempt: what a move opens, an attempt behind it in the same transaction can use, when it is of that version.
func (f *fixture) askAndAttempt(i store.Instance) {
	f.Helper()
	m := after(i, nil)
	m.Approval = anApproval(m)
	a := anAttempt(m.Next)
	a.Approval = m.Approval.ID
	if err := f.change(func(tx store.Tx) error { return errors.Join(tx.Move(m), tx.OpenAttempt(a)) }); err != nil {
		f.Error(err)
	}
	if got := f.approval(scope(i.User), a.Approval); got.Status != store.ApprovalConsumed {
		f.Errorf("it is %s", got.Status)
	}
	m = after(f.begin(newInstance("alice", "demo")), nil)
	m.Approval = anApproval(m)
	m.Approval.Version-- // of what was, before it was opened
	a = anAttempt(f.move(m))
	a.Approval = m.Approval.ID
	if err := f.tryAttempt(a); !errors.Is(err, store.ErrConflict) {
		f.Errorf("of another version: %v, want ErrConflict", err)
	}
}
