package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

// aNotice is one that may be added.
func aNotice(user string) store.Notice {
	return store.Notice{
		ID: "nt_" + store.NewID(), Kind: store.NoticeApproval, User: user, Workflow: "wf_1", Approval: "ap_1", At: dawn, Expires: dawn.Add(time.Hour),
	}
}

// anExpiry is one that is told once.
func anExpiry(client string, at time.Time) store.Notice {
	return store.Notice{
		ID: "nt_" + store.NewID(), Kind: store.NoticeExpiring, Client: client, At: at, Expires: dawn.Add(24 * time.Hour), Once: "expiry of " + client,
		Until: dawn.Add(24 * time.Hour),
	}
}

// add adds a notice, and tells whether it was.
func (f *fixture) add(n store.Notice) (added bool) {
	f.Helper()
	if err := f.change(func(tx store.Tx) (err error) {
		added, err = tx.AddNotice(n)
		return err
	}); err != nil {
		f.Fatalf("add %+v: %v", n, err)
	}
	return added
}

// claim is the notice that a worker is given, or no notice.
func (f *fixture) claim(worker string, before, now time.Time) (n store.Notice) {
	f.Helper()
	err := f.change(func(tx store.Tx) (err error) {
		n, err = tx.ClaimNotice(worker, before, now.Add(time.Minute), now)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		f.Fatalf("claim: %v", err)
	}
	return n
}

func (f *fixture) nextNotice() (next time.Time) {
	f.Helper()
	f.look(func(tx store.Tx) (err error) {
		next, err = tx.NextNotice()
		return err
	})
	return next
}

// notices wait in the order in which they are due, whoever adds them, until they have ended.
func notices(t *testing.T, open Opener) {
	f := start(t, open)
	if n := f.claim("w1", dawn, dawn); n.ID != "" || !f.nextNotice().IsZero() {
		t.Errorf("from an empty store: %+v", n)
	}
	first, second := aNotice("alice"), anExpiry("research", dawn.Add(time.Second))
	third := store.Notice{ID: "nt_" + store.NewID(), Kind: store.NoticeUnknown, User: "bob", Attempt: "at_1", At: dawn.Add(2 * time.Second)}
	for _, n := range []store.Notice{third, first, second} {
		if !f.add(n) {
			t.Errorf("%s was not added", n.Kind)
		}
	}
	f.reopen()
	if next := f.nextNotice(); !next.Equal(dawn) {
		t.Errorf("next %v, want %v", next, dawn)
	}
	if n := f.claim("w1", dawn, dawn.Add(-time.Millisecond)); n.ID != "" {
		t.Errorf("before it is due: %+v", n)
	}
	now := dawn.Add(time.Hour)
	for n, want := range []store.Notice{first, second, third} {
		at := now.Add(time.Duration(n) * time.Second)
		want.Tries, want.Worker, want.Next = 1, "w1", at.Add(time.Minute)
		if diff := cmp.Diff(want, f.claim("w1", dawn, at)); diff != "" {
			t.Errorf("claimed (-want +got):\n%s", diff)
		}
	}
	if n := f.claim("w1", dawn, now); n.ID != "" {
		t.Errorf("a fourth: %+v", n)
	}
	f.holdsNotice(first, now)
	f.endsNotices(first, second, now)
}

// holdsNotice: only the worker that has a notice does anything with it, until its lease is over.
func (f *fixture) holdsNotice(n store.Notice, now time.Time) {
	f.Helper()
	later := now.Add(30 * time.Second)
	for what, test := range map[string]struct {
		do   func(store.Tx) error
		want error
	}{
		"delay by another":   {func(tx store.Tx) error { return tx.DelayNotice(n.ID, "w2", later) }, store.ErrConflict},
		"end by another":     {func(tx store.Tx) error { return tx.EndNotice(n.ID, "w2") }, store.ErrConflict},
		"end by nobody":      {func(tx store.Tx) error { return tx.EndNotice(n.ID, "") }, store.ErrConflict},
		"delay what is none": {func(tx store.Tx) error { return tx.DelayNotice("nt_none", "w1", later) }, store.ErrNotFound},
		"end what is none":   {func(tx store.Tx) error { return tx.EndNotice("nt_none", "w1") }, store.ErrNotFound},
	} {
		if err := f.change(test.do); !errors.Is(err, test.want) {
			f.Errorf("%s: %v, want %v", what, err, test.want)
		}
	}
	if got := f.claim("w2", dawn, later); got.ID != "" {
		f.Errorf("within the lease of another: %+v", got)
	}
	if got := f.claim("w1", later.Add(time.Hour), later); got.ID != "" {
		f.Errorf("its own within the lease: %+v", got)
	}
	if got := f.claim("w2", later.Add(time.Hour), later); got.ID != n.ID || got.Tries != 2 {
		f.Errorf("of a worker that counts as dead: %+v", got)
	}
	if got := f.claim("w1", dawn, later.Add(time.Minute)); got.ID == n.ID {
		f.Errorf("another was due before: %+v", got)
	}
	if err := f.change(func(tx store.Tx) error { return tx.EndNotice(n.ID, "w1") }); !errors.Is(err, store.ErrConflict) {
		f.Errorf("ended by who had it: %v, want ErrConflict", err)
	}
}

// endsNotices: what has ended is not claimed again, and what was told once is not added again until its time is over.
func (f *fixture) endsNotices(first, second store.Notice, now time.Time) {
	f.Helper()
	far := now.Add(time.Hour)
	f.expectFailed(0, time.Time{})
	f.must(func(tx store.Tx) error { return tx.DelayNotice(first.ID, "w2", far) })
	f.expectFailed(1, first.At)
	seen := map[string]bool{}
	for range 3 {
		n := f.claim("w3", far, far)
		seen[n.ID] = true
	}
	if len(seen) != 3 || !seen[first.ID] || !seen[second.ID] {
		f.Errorf("not all are due again: %v", seen)
	}
	again := anExpiry(second.Client, dawn.Add(2*time.Second))
	if f.add(again) {
		f.Error("told twice while it waits")
	}
	for id := range seen {
		f.must(func(tx store.Tx) error { return tx.EndNotice(id, "w3") })
		if err := f.change(func(tx store.Tx) error { return tx.EndNotice(id, "w3") }); !errors.Is(err, store.ErrNotFound) {
			f.Errorf("ended twice: %v, want ErrNotFound", err)
		}
	}
	f.expectFailed(0, time.Time{})
	if n := f.claim("w4", far.Add(time.Hour), far.Add(time.Hour)); n.ID != "" || !f.nextNotice().IsZero() {
		f.Errorf("after all have ended: %+v", n)
	}
	if f.add(again) {
		f.Error("told twice before its time is over")
	}
	other := anExpiry("deploy", again.At)
	again.At, again.Until = second.Until, second.Until.Add(time.Hour)
	if !f.add(other) || !f.add(again) {
		f.Error("another client, or the same after its time is over, is not told")
	}
}

// expectFailed checks what is told of notices that could not be delivered.
func (f *fixture) expectFailed(want int64, since time.Time) {
	f.Helper()
	f.look(func(tx store.Tx) error {
		n, at, err := tx.FailedNotices()
		if n != want || !at.Equal(since) {
			f.Errorf("%d could not be told since %v, want %d since %v", n, at, want, since)
		}
		return err
	})
}

// noticeBounds: of one kind and user only so many wait, nothing else is kept out by that, and dropping ends them.
func noticeBounds(t *testing.T, open Opener) {
	f := start(t, open)
	f.must(func(tx store.Tx) error {
		for range store.MaxNotices {
			if added, err := tx.AddNotice(aNotice("alice")); err != nil || !added {
				return fmt.Errorf("added %t, %w", added, err)
			}
		}
		return nil
	})
	if f.add(aNotice("alice")) {
		t.Error("one too many was added")
	}
	doubt := store.Notice{ID: "nt_" + store.NewID(), Kind: store.NoticeUnknown, User: "alice", Attempt: "at_1", Workflow: "wf_1", At: dawn}
	if !f.add(aNotice("bob")) || !f.add(doubt) {
		t.Error("another user, or another kind, is kept out")
	}
	n := f.claim("w1", dawn, dawn)
	f.must(func(tx store.Tx) error { return tx.EndNotice(n.ID, "w1") })
	if !f.add(aNotice("alice")) {
		t.Error("no room after one has ended")
	}
	f.add(anExpiry("research", dawn))
	var dropped int64
	f.must(func(tx store.Tx) (err error) {
		dropped, err = tx.DropNotices()
		return err
	})
	if n := f.claim("w2", dawn.Add(time.Hour), dawn.Add(time.Hour)); n.ID != "" || dropped != store.MaxNotices+3 {
		t.Errorf("%d were dropped, and there still is %+v", dropped, n)
	}
}

// refusedNotices: a notice that has other members than its kind would carry out what nobody meant to.
func refusedNotices(t *testing.T, open Opener) {
	f := start(t, open)
	for name, change := range map[string]func(*store.Notice){
		"no id":                   func(n *store.Notice) { n.ID = "" },
		"no kind":                 func(n *store.Notice) { n.Kind = "" },
		"unknown kind":            func(n *store.Notice) { n.Kind = "memory.kept" },
		"no time":                 func(n *store.Notice) { n.At = time.Time{} },
		"no approval":             func(n *store.Notice) { n.Approval = "" },
		"no workflow":             func(n *store.Notice) { n.Workflow = "" },
		"a client beside":         func(n *store.Notice) { n.Client = "research" },
		"an attempt beside":       func(n *store.Notice) { n.Attempt = "at_1" },
		"a long workflow":         func(n *store.Notice) { n.Workflow = strings.Repeat("x", store.MaxIDBytes+1) },
		"no UTF-8":                func(n *store.Notice) { n.Workflow = "\xff" },
		"once without an end":     func(n *store.Notice) { n.Once = "x" },
		"an end without once":     func(n *store.Notice) { n.Until = dawn },
		"registry with a client":  func(n *store.Notice) { *n = store.Notice{ID: n.ID, Kind: store.NoticeRefused, Client: "x", At: dawn} },
		"expiry without a client": func(n *store.Notice) { *n = store.Notice{ID: n.ID, Kind: store.NoticeExpiring, At: dawn} },
		"doubt without an attempt": func(n *store.Notice) {
			*n = store.Notice{ID: n.ID, Kind: store.NoticeUnknown, Workflow: "wf_1", At: dawn}
		},
		"doubt that has a client": func(n *store.Notice) {
			*n = store.Notice{ID: n.ID, Kind: store.NoticeUnknown, Attempt: "a", Client: "c", At: dawn}
		},
		"doubt about its approval": func(n *store.Notice) { n.Kind, n.Attempt = store.NoticeUnknown, "at_1" },
		"registry with a workflow": func(n *store.Notice) { *n = store.Notice{ID: n.ID, Kind: store.NoticeRefused, Workflow: "x", At: dawn} },
		"expiry that has an effect": func(n *store.Notice) {
			*n = store.Notice{ID: n.ID, Kind: store.NoticeExpiring, Client: "c", Attempt: "a", At: dawn}
		},
	} {
		n := aNotice("alice")
		change(&n)
		if err := f.change(func(tx store.Tx) error { return second(tx.AddNotice(n)) }); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	twice := aNotice("alice")
	f.add(twice)
	if err := f.change(func(tx store.Tx) error { return second(tx.AddNotice(twice)) }); !errors.Is(err, store.ErrConflict) {
		t.Errorf("an id twice: %v, want ErrConflict", err)
	}
}

// noticeAndChange: what did not happen is not told.
func noticeAndChange(t *testing.T, open Opener) {
	f := start(t, open)
	boom := errors.New("no")
	err := f.Update(context.Background(), func(tx store.Tx) error {
		if _, err := tx.AddNotice(aNotice("alice")); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatal(err)
	}
	i := f.begin(newInstance("alice", "demo"))
	stale := after(i, nil)
	stale.From, stale.Next.Version = stale.From+1, stale.Next.Version+1
	stale.Steps[0].Seq++
	if err := f.change(func(tx store.Tx) error {
		if _, err := tx.AddNotice(aNotice("alice")); err != nil {
			return err
		}
		return tx.Move(stale)
	}); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("a stale move: %v, want ErrConflict", err)
	}
	if n := f.claim("w1", dawn, dawn.Add(time.Hour)); n.ID != "" {
		t.Errorf("told although it did not happen: %+v", n)
	}
}
