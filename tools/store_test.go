package tools_test

import (
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"prax/store"
	"prax/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB) store.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Dir: t.TempDir(), BlockEvery: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return db
}

// events are the calls in the chain, blocks opened, once there are n of them.
func events(t *testing.T, db store.Store, n int) []store.Event {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for tick := time.Tick(2 * time.Millisecond); ; <-tick {
		found := calls(t, db)
		if len(found) >= n {
			return found
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d calls in the chain, want %d", len(found), n)
		}
	}
}

func calls(t *testing.T, db store.Store) []store.Event {
	t.Helper()
	var found []store.Event
	err := db.View(t.Context(), func(tx store.Tx) error {
		found = nil
		all, err := tx.EventsAfter(0, 1000)
		for _, e := range all {
			switch e.Kind {
			case store.EventBlock:
				found = append(found, e.Calls...)
			case store.EventCall:
				found = append(found, e)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(found, func(a, b store.Event) int { return a.At.Compare(b.At) })
	return found
}
