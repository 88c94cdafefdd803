package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

// epochs: a number never falls, one that was raised is above whatever a copy may have given out, and what was
// revoked stays so until its time is over, through restarts.
func epochs(t *testing.T, open Opener) {
	f := start(t, open)
	now := time.UnixMilli(1_700_000_000_000).UTC()
	expect := func(want ...store.Epoch) {
		t.Helper()
		f.look(func(tx store.Tx) error {
			got, err := tx.Epochs()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("epochs (-want +got):\n%s", diff)
			}
			return err
		})
	}
	put := func(e store.Epoch) error {
		return f.Update(context.Background(), func(tx store.Tx) error {
			tx.AddEvent(told)
			return tx.PutEpoch(e)
		})
	}
	expect()
	alice, bob := store.Epoch{Client: "alice", Number: 7, Seal: "a"}, store.Epoch{Client: "bob", Number: 1, Seal: "b"}
	for _, e := range []store.Epoch{bob, alice} {
		if err := put(e); err != nil {
			t.Fatal(err)
		}
	}
	for what, e := range map[string]store.Epoch{
		"without a client": {Number: 1}, "of number 0": {Client: "x"}, "of a negative number": {Client: "x", Number: -1},
	} {
		if put(e) == nil {
			t.Errorf("an epoch %s is stored", what)
		}
	}
	if err := put(store.Epoch{Client: "alice", Number: 6, Seal: "c"}); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a number that falls: %v, want ErrConflict", err)
	}
	f.reopen()
	expect(alice, bob)
	raise := func(client string, at time.Time, want int64) {
		t.Helper()
		f.must(func(tx store.Tx) error {
			tx.AddEvent(told)
			n, err := tx.RaiseEpochs(client, at)
			if n != want {
				t.Errorf("%d epochs of %q were raised, want %d", n, client, want)
			}
			return err
		})
	}
	raise("alice", now, 1)
	raise("nobody", now, 0)
	expect(store.Epoch{Client: "alice", Number: now.UnixMilli()}, bob)
	raise("", now.Add(-time.Hour), 2) // by a clock that went back
	expect(store.Epoch{Client: "alice", Number: now.UnixMilli() + 1}, store.Epoch{Client: "bob", Number: now.Add(-time.Hour).UnixMilli()})
	revokedTokens(f, now)
	epochsAreRead(f, now)
}

func revokedTokens(f *fixture, now time.Time) {
	f.Helper()
	revoke := func(id string, until, at time.Time) error {
		return f.Update(context.Background(), func(tx store.Tx) error {
			tx.AddEvent(told)
			return tx.RevokeToken(store.RevokedToken{ID: id, Until: until}, at)
		})
	}
	expect := func(at time.Time, want ...store.RevokedToken) {
		f.Helper()
		f.look(func(tx store.Tx) error {
			got, err := tx.RevokedTokens(at)
			if diff := cmp.Diff(want, got); diff != "" {
				f.Errorf("revoked tokens (-want +got):\n%s", diff)
			}
			return err
		})
	}
	soon, late := now.Add(time.Hour), now.Add(2*time.Hour)
	for id, until := range map[string]time.Time{"one": soon, "two": late} {
		if err := revoke(id, until, now); err != nil {
			f.Fatal(err)
		}
	}
	if revoke("", late, now) == nil || revoke("three", time.Time{}, now) == nil {
		f.Error("a token without an id, or without an end, is revoked")
	}
	one, two := store.RevokedToken{ID: "one", Until: soon}, store.RevokedToken{ID: "two", Until: late}
	f.reopen()
	expect(now, one, two)
	if err := revoke("two", soon, now); err != nil { // again, and shorter: it stays as long as it was
		f.Fatal(err)
	}
	expect(now, one, two)
	expect(soon, two)
	if err := revoke("three", late, soon); err != nil { // which forgets the first one
		f.Fatal(err)
	}
	expect(now, store.RevokedToken{ID: "three", Until: late}, two)
	if err := revoke("part", late.Add(time.Microsecond), now); err != nil {
		f.Fatal(err)
	}
	expect(late, store.RevokedToken{ID: "part", Until: late.Add(time.Millisecond)})
}

// epochsAreRead: within a view nothing of them is changed.
func epochsAreRead(f *fixture, now time.Time) {
	f.Helper()
	f.look(func(tx store.Tx) error {
		_, raised := tx.RaiseEpochs("", now)
		for what, err := range map[string]error{
			"put": tx.PutEpoch(store.Epoch{Client: "alice", Number: 1 << 50}), "raise": raised,
			"revoke": tx.RevokeToken(store.RevokedToken{ID: "x", Until: now}, now),
		} {
			if !errors.Is(err, store.ErrReadOnly) {
				f.Errorf("%s within a view: %v, want ErrReadOnly", what, err)
			}
		}
		return nil
	})
}
