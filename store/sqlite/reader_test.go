package sqlite_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// TestLongReadsByTurns: however many long reads one user has under way, another's waits for one of
// them at most, and one that waits leaves when its caller does.
func TestLongReadsByTurns(t *testing.T) {
	reads := map[string]func(store.Tx, auth.Scope) error{
		"list":   func(tx store.Tx, s auth.Scope) error { _, err := tx.ListDocuments(s, store.Filter{}); return err },
		"traces": func(tx store.Tx, s auth.Scope) error { return tx.Traces(s, func(store.Trace) bool { return true }) },
	}
	for name, read := range reads {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { byTurns(t, read) }) })
	}
}

func byTurns(t *testing.T, read func(store.Tx, auth.Scope) error) {
	db := open(t, sqlite.Config{Dir: t.TempDir()})
	var group sync.WaitGroup
	release := make(chan struct{})
	view := func(ctx context.Context, user string, inside func()) error {
		return db.View(ctx, func(tx store.Tx) error {
			err := read(tx, auth.Principal{User: user}.Scope())
			inside()
			return err
		})
	}
	for range 3 * runtime.GOMAXPROCS(0) {
		group.Go(func() { _ = view(t.Context(), "alice", func() { <-release }) })
	}
	synctest.Wait()
	ctx, leave := context.WithCancel(t.Context())
	var left error
	group.Go(func() { left = view(ctx, "alice", func() {}) })
	var served atomic.Bool
	group.Go(func() { _ = view(t.Context(), "bob", func() { served.Store(true) }) })
	synctest.Wait()
	leave()
	synctest.Wait()
	if !errors.Is(left, context.Canceled) {
		t.Errorf("who left while waiting is answered %v", left)
	}
	release <- struct{}{}
	synctest.Wait()
	if !served.Load() {
		t.Error("a read waits for several of another user")
	}
	close(release)
	group.Wait()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
