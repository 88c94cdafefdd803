package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"prax/store"
	"prax/tools"
)

// keeping is what both an Operator and a Client can do for the data.
type keeping interface {
	acts
	Archive(ctx context.Context, to string, before time.Time) (store.Archived, error)
	BackedUp(ctx context.Context, sum string) error
}

// TestArchiveIsAudited: the oldest events move to the file that the operator names, which is on record, as are a
// path that is relative and a file that exists, and a backup.
func TestArchiveIsAudited(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house, a acts) {
		k, able := a.(keeping)
		if !able {
			t.Fatalf("%T cannot archive", a)
		}
		h.note(0, 5)
		to := filepath.Join(h.dir, "audit.jsonl")
		done, err := k.Archive(t.Context(), to, time.Time{})
		if err != nil || done.File != to || done.First != 1 || done.Last < 5 {
			t.Errorf("archived %+v, %v", done, err)
		}
		before, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Archive(t.Context(), to, time.Time{}); !errors.Is(err, fs.ErrExist) || strings.Count(err.Error(), "exists") != 1 {
			t.Errorf("over a file: %v", err)
		}
		if _, err := k.Archive(t.Context(), "audit.jsonl", time.Time{}); err == nil || !strings.Contains(err.Error(), "absolute") {
			t.Errorf("a relative path: %v", err)
		}
		if after, err := os.ReadFile(to); err != nil || string(after) != string(before) {
			t.Error("the file was changed")
		}
		if done, err := k.Archive(t.Context(), h.dir, time.UnixMilli(1)); err != nil || done != (store.Archived{}) {
			t.Errorf("nothing is so old, but: %+v, %v", done, err)
		}
		if err := k.BackedUp(t.Context(), "0123abcd"); err != nil {
			t.Error(err)
		}
		got := h.events(5, func(e store.Event) bool {
			return e.Kind == EventOperator && (e.Method == "archive" || e.Method == "backup")
		})
		var outcomes []string
		for _, e := range got {
			outcomes = append(outcomes, e.Method+" "+e.Outcome)
		}
		if text := strings.Join(outcomes, ", "); text != "archive ok, archive error, archive error, archive ok, backup ok" {
			t.Errorf("recorded: %s", text)
		}
		if last := got[4]; !strings.Contains(last.Detail, `"backup":"0123abcd"`) || !strings.HasPrefix(last.Client, "operator:") {
			t.Errorf("recorded of the backup: %+v", last)
		}
		if report, err := k.Verify(t.Context()); err != nil || !report.OK() || report.Anchor == nil || report.Anchor.Count != done.Last {
			t.Errorf("verify: %+v, %v", report, err)
		}
	})
}

// slow archives, and verifies, until it is told to end.
type slow struct {
	Audit
	begun chan struct{}
}

func (s slow) Archive(ctx context.Context, _ string, _ time.Time) (store.Archived, error) {
	s.begun <- struct{}{}
	<-ctx.Done()
	return store.Archived{}, fmt.Errorf("archive after event 5: %w", ctx.Err())
}

func (s slow) Verify(ctx context.Context) (store.Report, error) {
	s.begun <- struct{}{}
	<-ctx.Done()
	return store.Report{}, fmt.Errorf("verify after event 5: %w", ctx.Err())
}

// TestDrainEndsLongActs: archiving and verifying may take longer than a server has for its end; they end with it,
// are on record, and the operator is told why.
func TestDrainEndsLongActs(t *testing.T) {
	t.Parallel()
	h := open(t)
	s := slow{h.db, make(chan struct{}, 2)}
	h.cfg.Audit, h.cfg.Archive = s, s
	h.server = New(h.cfg)
	h.serve()
	c, ended := h.dial(), make(chan error, 2)
	go func() { _, err := c.Archive(t.Context(), "/somewhere", time.Time{}); ended <- err }()
	go func() { _, err := c.Verify(t.Context()); ended <- err }()
	for range 2 {
		await(t, s.begun, "the act")
	}
	h.stop()
	for range 2 {
		if err := await(t, ended, "the end of the act"); !errors.Is(err, errStopping) || !strings.Contains(err.Error(), "after event 5") {
			t.Errorf("it ended with %v", err)
		}
	}
	if err := h.finish(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	h.events(2, func(e store.Event) bool {
		return (e.Method == "archive" || e.Method == "verify") && e.Outcome == tools.OutcomeError
	})
}

// TestRefusalsKeepTheirMeaning: what callers branch on goes over the socket with its sentence.
func TestRefusalsKeepTheirMeaning(t *testing.T) {
	t.Parallel()
	h := open(t)
	refusing := &refused{}
	h.cfg.Archive = refusing
	h.server = New(h.cfg)
	h.serve()
	c := h.dial()
	for _, is := range []error{store.ErrNotWhole, store.ErrFull, syscall.ENOSPC, fs.ErrExist} {
		refusing.err = fmt.Errorf("archive: %w: of a kind", is)
		_, err := c.Archive(t.Context(), "/somewhere", time.Time{})
		if !errors.Is(err, is) || err.Error() != refusing.err.Error() {
			t.Errorf("%v became %v", refusing.err, err)
		}
	}
	h.stop()
	if err := h.finish(); err != nil {
		t.Error(err)
	}
}

type refused struct{ err error }

func (r *refused) Archive(context.Context, string, time.Time) (store.Archived, error) {
	return store.Archived{}, r.err
}
