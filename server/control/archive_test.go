package control

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"prax/store"
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
		if _, err := k.Archive(t.Context(), to, time.Time{}); err == nil || !strings.Contains(err.Error(), "exists") {
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
