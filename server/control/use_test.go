package control

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

// TestUses: what is not written yet is written first, and one who asks gets all there is although it cannot be.
func TestUses(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_000).UTC()
	want := []Use{{Client: "alice", Token: "mark", At: at}}
	h := open(t)
	var fails error
	h.cfg.NoteUses = func(ctx context.Context) error {
		if fails != nil {
			return fails
		}
		return h.cfg.Audit.Update(ctx, func(tx store.Tx) error { return tx.NoteUse(store.Use(want[0])) })
	}
	h.serve()
	direct, socket := NewOperator(h.cfg, os.Geteuid()), h.dial()
	for _, ask := range []func(context.Context) ([]Use, error){direct.Uses, socket.Uses} {
		got, err := ask(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("uses (-want +got):\n%s\n%v", diff, err)
		}
		fails = errors.New("the disk is full")
	}
	acts := h.events(2, func(e store.Event) bool { return e.Method == "uses" && e.Outcome == "ok" })
	if len(acts) != 2 {
		t.Errorf("%d acts are audited", len(acts))
	}
}
