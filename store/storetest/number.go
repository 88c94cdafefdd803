package storetest

import (
	"context"
	"errors"
	"testing"

	"prax/store"
)

// numbers: they count on by user and kind, through restarts and deletions; a transaction that fails
// takes none, and no two callers get the same.
func numbers(t *testing.T, open Opener) {
	f := start(t, open)
	next := func(user string, k store.Kind) (n int64, err error) {
		err = f.Update(context.Background(), func(tx store.Tx) (err error) {
			n, err = tx.NextNumber(scope(user), k)
			return err
		})
		return n, err
	}
	expect := func(want int64, user string, k store.Kind) {
		t.Helper()
		if n, err := next(user, k); n != want || err != nil {
			t.Errorf("%s of %s: %d, %v, want %d", k, user, n, err, want)
		}
	}
	expect(1, "alice", store.Todo)
	expect(2, "alice", store.Todo)
	expect(1, "bob", store.Todo)
	expect(1, "alice", store.Note)
	err := f.Update(context.Background(), func(tx store.Tx) error {
		if n, err := tx.NextNumber(scope("alice"), store.Todo); n != 3 || err != nil {
			t.Errorf("in one that fails: %d, %v", n, err)
		}
		return errOwn
	})
	if !errors.Is(err, errOwn) {
		t.Error(err)
	}
	made := f.put(store.Document{User: "alice", Kind: store.Todo, Key: "2"})
	f.must(func(tx store.Tx) error { return tx.DeleteDocument(scope("alice"), made.ID) })
	f.reopen()
	expect(3, "alice", store.Todo)
	expect(2, "bob", store.Todo)
	if _, err := next("", store.Todo); err == nil {
		t.Error("nobody has a number")
	}
	if _, err := next("alice", "other"); err == nil {
		t.Error("a kind that is none has a number")
	}
	if err := f.View(context.Background(), func(tx store.Tx) error {
		_, err := tx.NextNumber(scope("alice"), store.Todo)
		return err
	}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("within a view: %v", err)
	}
	const callers = 50
	taken := make(chan int64, callers)
	for range callers {
		go func() {
			n, err := next("carol", store.Todo)
			if err != nil {
				t.Error(err)
			}
			taken <- n
		}()
	}
	seen := map[int64]bool{}
	for range callers {
		seen[<-taken] = true
	}
	for n := int64(1); n <= callers; n++ {
		if !seen[n] {
			t.Errorf("nobody got %d", n)
		}
	}
}
