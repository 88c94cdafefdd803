package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// TestEndlessReadIsEnded: a statement that would never end is interrupted, as often as it is asked for. It
// says so, and the connection and the user's turn serve the next read.
func TestEndlessReadIsEnded(t *testing.T) {
	t.Parallel()
	db := opened(t, sqlite.Config{ReadLimit: 50 * time.Millisecond})
	var group sync.WaitGroup
	for range 3 {
		for _, user := range []string{"alice", "bob"} {
			group.Go(func() {
				if err := db.Endless(context.Background(), user); !errors.Is(err, store.ErrSlow) {
					t.Errorf("%s: %v, want ErrSlow", user, err)
				}
			})
		}
	}
	if err := put(db, "carol", "written meanwhile"); err != nil {
		t.Error(err)
	}
	group.Wait()
	ctx, leave := context.WithCancel(context.Background())
	leave()
	if err := db.Endless(ctx, "alice"); !errors.Is(err, context.Canceled) {
		t.Errorf("who left is answered %v", err)
	}
	if err := put(db, "alice", "afterwards"); err != nil {
		t.Error(err)
	}
}

// TestSlowReaderIsEnded: the limit is on the whole read, what its caller does between two rows included.
func TestSlowReaderIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t, sqlite.Config{Dir: t.TempDir()})
		for range 3 {
			if err := put(db, "alice", "text"); err != nil {
				t.Fatal(err)
			}
		}
		s := auth.Principal{User: "alice"}.Scope()
		traces := func(pause time.Duration) (seen int, err error) {
			err = db.View(t.Context(), func(tx store.Tx) error {
				return tx.Traces(s, func(store.Trace) bool {
					seen++
					time.Sleep(pause)
					synctest.Wait()
					return true
				})
			})
			return seen, err
		}
		if seen, err := traces(time.Minute); seen != 1 || !errors.Is(err, store.ErrSlow) {
			t.Errorf("a slow one saw %d calls, %v; want 1, ErrSlow", seen, err)
		}
		if seen, err := traces(0); seen != 3 || err != nil {
			t.Errorf("the next saw %d calls, %v", seen, err)
		}
		for range 3 { // of which alice's stand among those of others
			block := store.Event{Kind: store.EventBlock}
			for _, user := range append(users(8), "alice") {
				block.Calls = append(block.Calls, store.Event{Kind: store.EventCall, User: user})
			}
			if err := db.Update(t.Context(), func(tx store.Tx) error { tx.AddEvent(block); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if seen, err := traces(time.Minute); seen != 1 || !errors.Is(err, store.ErrSlow) {
			t.Errorf("among those of others, a slow one saw %d calls, %v; want 1, ErrSlow", seen, err)
		}
		if seen, err := traces(0); seen != 6 || err != nil {
			t.Errorf("the last saw %d calls, %v", seen, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestLogAfterSnapshot: while a read holds its snapshot the log cannot be folded, and grows with every change. Once it
// is over the log goes back to its own limit, while changes go on.
func TestLogAfterSnapshot(t *testing.T) {
	t.Parallel()
	const limit = 256 << 10
	dir := t.TempDir()
	db := opened(t, sqlite.Config{Dir: dir, WALLimit: limit})
	if err := put(db, "alice", "text"); err != nil {
		t.Fatal(err)
	}
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "prax.db-wal"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	held, release := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		err := db.View(context.Background(), func(tx store.Tx) error {
			_, err := tx.LastEvent()
			close(held)
			<-release
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	writes := func(what string, at int, until func() bool) {
		eventually(t, what, func() bool {
			for range at {
				if err := put(db, "bob", "a text of some length, which takes its place in the log with each change"); err != nil {
					t.Fatal(err)
				}
			}
			return until()
		})
	}
	writes("the log grows beyond its limit", 20, func() bool { return size() > 2*limit })
	close(release)
	group.Wait()
	// One at a time: it grows again at once, and is to be seen before.
	writes("the log is folded", 1, func() bool { return size() <= limit })
}
