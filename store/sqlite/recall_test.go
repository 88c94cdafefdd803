package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// TestRecall: beside many that move instances, and with room for few of them, each reader sees versions that only grow;
// who moved one reads its own move at once, and so does everybody who learned of it.
func TestRecall(t *testing.T) {
	t.Parallel()
	db := opened(t, sqlite.Config{Memory: 6 << 10})
	const instances, moves = 8, 30
	s := auth.Principal{User: "alice"}.Scope()
	ids := make([]string, instances)
	var movers, readers sync.WaitGroup
	over := make(chan struct{})
	for n := range instances {
		i, err := startInstance(db, "alice", "")
		if err != nil {
			t.Fatal(err)
		}
		ids[n] = i.ID
		movers.Go(func() {
			for range moves {
				if i, err = move(db, i); err != nil {
					t.Error(err)
					return
				}
				got, err := db.Instance(context.Background(), s, i.ID)
				if diff := cmp.Diff(i.Context, got.Context); diff != "" || got.Version != i.Version || err != nil {
					t.Errorf("after its move to %d it has %d: %v\n%s", i.Version, got.Version, err, diff)
					return
				}
			}
		})
	}
	for range 4 {
		readers.Go(func() { readOn(t, db, s, ids, over) })
	}
	movers.Wait()
	close(over)
	readers.Wait()
}

// readOn reads instances, in turn from memory and in a snapshot, until it is over: what one has shown is the least that
// the other shows.
func readOn(t *testing.T, db *sqlite.DB, s auth.Scope, ids []string, over chan struct{}) {
	seen := map[string]int64{}
	for n := 0; ; n++ {
		select {
		case <-over:
			return
		default:
		}
		id := ids[n/2%len(ids)]
		i, err := db.Instance(context.Background(), s, id)
		if n%2 == 1 {
			err = db.View(context.Background(), func(tx store.Tx) (err error) {
				i, err = tx.Instance(s, id)
				return err
			})
		}
		if err != nil || i.Version < seen[id] || string(i.Context) != fmt.Sprintf(`{"n":%d}`, i.Version) {
			t.Errorf("after version %d: version %d with %s, %v", seen[id], i.Version, i.Context, err)
			return
		}
		seen[id] = i.Version
	}
}

// TestRecallAfterDeath: of a transaction that dies, memory keeps nothing, and goes on.
func TestRecallAfterDeath(t *testing.T) {
	t.Parallel()
	db := opened(t, sqlite.Config{})
	i, err := startInstance(db, "alice", "")
	if err != nil {
		t.Fatal(err)
	}
	expect := func(want int64) {
		t.Helper()
		for range 2 {
			got, err := db.Instance(context.Background(), auth.Principal{User: "alice"}.Scope(), i.ID)
			if err != nil || got.Version != want {
				t.Errorf("version %d, %v, want %d", got.Version, err, want)
			}
		}
	}
	expect(1)
	next, m := moved(i)
	var broken error
	err = db.Update(context.Background(), func(tx store.Tx) error {
		broken = errors.Join(tx.Move(m), sqlite.Break(tx))
		return broken
	})
	if err == nil {
		t.Fatal("nothing died")
	}
	expect(1)
	if _, err = move(db, i); err != nil {
		t.Fatal(err)
	}
	expect(next.Version)
}

// TestRecallCopies: what a caller gave to be kept is its own again.
func TestRecallCopies(t *testing.T) {
	t.Parallel()
	db := opened(t, sqlite.Config{})
	i, err := startInstance(db, "alice", "")
	if err != nil {
		t.Fatal(err)
	}
	next, m := moved(i)
	want := string(next.Context)
	if err := db.Update(context.Background(), func(tx store.Tx) error { tx.AddEvent(moveEvent(next)); return tx.Move(m) }); err != nil {
		t.Fatal(err)
	}
	clear(next.Context)
	clear(i.Context)
	got, err := db.Instance(context.Background(), auth.Principal{User: "alice"}.Scope(), i.ID)
	if err != nil || string(got.Context) != want {
		t.Errorf("context %q, %v, want %q", got.Context, err, want)
	}
}
