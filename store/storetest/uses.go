package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

// uses: the last time of each token is kept through restarts, never goes back, and a client that is rotated for ever
// takes no more room.
func uses(t *testing.T, open Opener) {
	f := start(t, open)
	at := func(minutes int) time.Time {
		return time.UnixMilli(1_700_000_000_000).UTC().Add(time.Duration(minutes) * time.Minute)
	}
	note := func(all ...store.Use) {
		f.Helper()
		f.must(func(tx store.Tx) error {
			for _, u := range all {
				if err := tx.NoteUse(u); err != nil {
					return err
				}
			}
			return nil
		})
	}
	expect := func(want ...store.Use) {
		f.Helper()
		f.look(func(tx store.Tx) error {
			got, err := tx.Uses()
			if diff := cmp.Diff(want, got); diff != "" {
				f.Errorf("uses (-want +got):\n%s", diff)
			}
			return err
		})
	}
	expect()
	note(store.Use{Client: "bob", Token: "b", At: at(1)}, store.Use{Client: "alice", Token: "one", At: at(1)}, store.Use{Client: "alice", Token: "two", At: at(2)})
	note(store.Use{Client: "bob", Token: "b", At: at(3)}, store.Use{Client: "alice", Token: "two", At: at(0)}) // the clock went back
	f.reopen()
	expect(store.Use{Client: "alice", Token: "two", At: at(2)}, store.Use{Client: "alice", Token: "one", At: at(1)}, store.Use{Client: "bob", Token: "b", At: at(3)})
	usesAreChecked(f, at(4))

	var want []store.Use
	for i := range 3 * store.KeptUses {
		u := store.Use{Client: "carol", Token: fmt.Sprintf("token %d", i), At: at(i)}
		note(u)
		want = append([]store.Use{u}, want...)
	}
	f.look(func(tx store.Tx) error {
		got, err := tx.Uses()
		if diff := cmp.Diff(want[:store.KeptUses], got[3:]); diff != "" {
			f.Errorf("of one that was rotated often (-want +got):\n%s", diff)
		}
		return err
	})
}

func usesAreChecked(f *fixture, now time.Time) {
	f.Helper()
	for what, u := range map[string]store.Use{
		"without a client": {Token: "t", At: now}, "without a token": {Client: "c", At: now}, "without a time": {Client: "c", Token: "t"},
		"of a client that is not UTF-8": {Client: "\xff", Token: "t", At: now},
	} {
		if f.Update(context.Background(), func(tx store.Tx) error { return tx.NoteUse(u) }) == nil {
			f.Errorf("a use %s is remembered", what)
		}
	}
	f.look(func(tx store.Tx) error {
		if err := tx.NoteUse(store.Use{Client: "c", Token: "t", At: now}); !errors.Is(err, store.ErrReadOnly) {
			f.Errorf("noting a use while reading: %v, want ErrReadOnly", err)
		}
		return nil
	})
}
