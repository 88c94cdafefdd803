package sqlite_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"prax/store"
	"prax/store/sqlite"
)

// observed counts what the writer tells.
type observed struct {
	mu                         sync.Mutex
	commits, functions, failed int
	took                       time.Duration
}

func (o *observed) Committed(functions int, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.commits++
	o.functions += functions
	o.took += took
}

func (o *observed) Failed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failed++
}

func (o *observed) all() (commits, functions, failed int, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.commits, o.functions, o.failed, o.took
}

// TestObserved: every commit is told with how many functions share it, those that failed left out, and every
// transaction that died.
func TestObserved(t *testing.T) {
	t.Parallel()
	o := &observed{}
	db := opened(t, sqlite.Config{Observe: o, BlockEvery: time.Hour, HeadEvery: time.Hour})
	commits, functions, failed, _ := o.all()
	const writers = 40
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			if err := put(db, "alice", "kept"); err != nil {
				t.Error(err)
			}
			if err := db.Update(context.Background(), func(store.Tx) error { return store.ErrConflict }); !errors.Is(err, store.ErrConflict) {
				t.Errorf("a function that fails: %v", err)
			}
		})
	}
	group.Wait()
	c, f, died, took := o.all()
	if c -= commits; c < 1 || c > writers {
		t.Errorf("%d commits were told of %d writers", c, writers)
	}
	if f -= functions; f != writers || died != failed || took <= 0 {
		t.Errorf("told of %d functions, %d failures and %v; want %d, none and some", f, died-failed, took, writers)
	}
	if err := db.SetMaxPages(1); err != nil {
		t.Fatal(err)
	}
	if err := put(db, "alice", strings.Repeat("x", 60<<10)); !errors.Is(err, store.ErrFull) {
		t.Fatalf("on a full disk: %v", err)
	}
	if _, _, died, _ := o.all(); died == failed {
		t.Error("nobody was told of the transaction that died")
	}
	if err := db.SetMaxPages(100_000); err != nil {
		t.Fatal(err)
	}
}

// TestStats: what waits and what was refused is counted, and the files have their sizes.
func TestStats(t *testing.T) {
	t.Parallel()
	h := holdUp(t)
	h.ask("agent", 2000)
	eventually(t, "so many as can wait do", func() bool { return h.Stats().Queue == 1024 })
	h.refused("agent", 2000-1024)
	if s := h.Stats(); s.Queue != 1024 || s.Busy != 2000-1024 {
		t.Errorf("%d wait, %d were refused", s.Queue, s.Busy)
	}
	h.letGo()
	if err := put(h.DB, "alice", "kept"); err != nil {
		t.Fatal(err)
	}
	if s := h.Stats(); s.Queue != 0 || s.Busy != 2000-1024 || s.Database < 4096 || s.WAL == 0 {
		t.Errorf("afterwards: %+v", s)
	}
}
