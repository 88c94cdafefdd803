package sqlite_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"prax/store"
	"prax/store/sqlite"
)

// setBack is a clock that was set back by so much since it was made.
type setBack struct{ by atomic.Int64 }

func (c *setBack) now() time.Time { return time.Now().Add(-time.Duration(c.by.Load())) }

// TestClockSetBack: a clock that is set back by a month changes no order. Events stay numbered as they happened, the
// chain verifies, a document keeps its versions, health and the next start know nothing of it, and what is archived by age is
// the beginning of the chain only.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	const month = 30 * 24 * time.Hour
	var clock setBack
	dir := t.TempDir()
	config := sqlite.Config{Dir: dir, Now: clock.now, BlockEvery: time.Millisecond}
	db := open(t, config)
	write := func(names ...string) {
		t.Helper()
		for _, name := range names {
			if err := put(db, "alice", name); err != nil {
				t.Fatal(err)
			}
			db.Record(store.Event{Kind: store.EventCall, User: "alice", Tool: "memory_recall"})
		}
	}
	write("first", "second")
	clock.by.Store(int64(month))
	write("third")
	changed := newest(t, db, "alice")[2]
	changed.Title = "changed"
	err := db.Update(context.Background(), func(tx store.Tx) error { _, err := tx.PutDocument(changed); return err })
	if err != nil {
		t.Errorf("a document of the future cannot be changed: %v", err)
	}
	if err := db.Health(context.Background()); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = opened(t, config)
	write("fourth")
	verified(t, db, 1)
	clock.by.Store(0) // set right again
	write("fifth")
	if got := newest(t, db, "alice"); len(got) != 5 {
		t.Errorf("%d documents, want 5", len(got))
	}
	// The third event is a month old by its time, but stands behind two that are not.
	done, err := db.Archive(context.Background(), filepath.Join(t.TempDir(), "archive"), time.Now().Add(-month/2))
	if err != nil || done.Last != 0 {
		t.Errorf("archived %+v, %v, want nothing", done, err)
	}
}

func verified(t *testing.T, db *sqlite.DB, atLeast int64) {
	t.Helper()
	report, err := db.Verify(context.Background())
	if err != nil || !report.OK() || report.Calls < atLeast {
		t.Errorf("verify: %v, %+v", err, report)
	}
}
