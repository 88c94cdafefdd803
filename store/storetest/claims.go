package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"prax/auth"
	"prax/store"
)

// blockedTimers: an instance that waits for an attempt is not due.
func blockedTimers(t *testing.T, open Opener) {
	f := start(t, open)
	due := func(after time.Duration) store.Instance {
		i := newInstance("alice", "demo")
		i.Due = dawn.Add(after)
		return f.begin(i)
	}
	expect := func(next time.Time, want ...string) {
		t.Helper()
		f.look(func(tx store.Tx) error {
			first, err := tx.NextDue()
			all, dueErr := tx.DueInstances(dawn.Add(time.Hour), 10)
			var got []string
			for _, i := range all {
				got = append(got, i.ID)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || !first.Equal(next) {
				t.Errorf("next %v, want %v; due (-want +got):\n%s", first, next, diff)
			}
			return errors.Join(err, dueErr)
		})
	}
	early, late := due(time.Second), due(time.Minute)
	a := f.attempt(anAttempt(early))
	f.attempt(aDirectAttempt("alice"))
	expect(late.Due, late.ID)
	b := f.attempt(anAttempt(late))
	expect(time.Time{})
	f.end(a, store.AttemptUnknown)
	expect(time.Time{})
	f.end(a, store.AttemptNotApplied)
	f.end(b, store.AttemptKept)
	expect(early.Due, early.ID, late.ID)
}

// claims: attempts whose worker is taken to be dead go to another, each with the next fence; the old one can do
// nothing any more.
func claims(t *testing.T, open Opener) {
	f := start(t, open)
	begin := func(user, worker string, lease time.Duration) store.Attempt {
		a := anAttempt(f.begin(newInstance(user, "demo")))
		a.Worker, a.Lease = worker, dawn.Add(lease)
		return f.attempt(a)
	}
	second, first := begin("alice", "w1", 2*time.Second), begin("bob", "w1", time.Second)
	direct := aDirectAttempt("carol")
	direct.Lease = dawn.Add(3 * time.Second)
	f.attempt(direct)
	begin("alice", "w2", time.Second)
	begin("alice", "w1", time.Minute)
	f.end(begin("alice", "w1", time.Second), store.AttemptUnknown)
	f.end(begin("alice", "w1", time.Second), store.AttemptDone)
	now, lease := dawn.Add(4*time.Second), dawn.Add(time.Hour)
	claim := func(before time.Time, limit int) (all []store.Attempt) {
		t.Helper()
		if err := f.change(func(tx store.Tx) (err error) {
			all, err = tx.ClaimAttempts("w2", before, lease, now, limit)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := claim(dawn.Add(time.Second), 10); len(got) != 0 {
		t.Errorf("before any lease had ended: %+v", got)
	}
	taken := func(a store.Attempt) store.Attempt {
		a.Worker, a.Fence, a.Lease, a.Updated = "w2", a.Fence+1, lease, now
		return a
	}
	if diff := cmp.Diff([]store.Attempt{taken(first), taken(second)}, claim(now, 2)); diff != "" {
		t.Errorf("two (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]store.Attempt{taken(direct)}, claim(now, 2)); diff != "" {
		t.Errorf("the next (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(taken(first), f.attemptOf(scope("bob"), first.ID)); diff != "" {
		t.Errorf("as it is read (-want +got):\n%s", diff)
	}
	for what, err := range map[string]error{
		"renewed": f.change(func(tx store.Tx) error { return tx.RenewAttempt(first.ID, first.Fence, 2, 0, lease, now) }),
		"closed":  f.tryClose(closed(first, store.AttemptDone)),
	} {
		if !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s by the old worker: %v, want ErrConflict", what, err)
		}
	}
	f.end(taken(first), store.AttemptFailed)
	f.doubts()
}

// doubts makes everything that runs unknown: whoever ran it closes it no more.
func (f *fixture) doubts() {
	f.Helper()
	root := auth.Principal{User: "root", Oversees: auth.Everything()}.Scope()
	running := f.attempts(root, store.AttemptFilter{Status: store.AttemptRunning})
	unknown := len(f.attempts(root, store.AttemptFilter{Status: store.AttemptUnknown}))
	at := dawn.Add(24 * time.Hour)
	var n int64
	if err := f.change(func(tx store.Tx) (err error) {
		n, err = tx.DoubtAttempts(at)
		return err
	}); err != nil || n == 0 || int(n) != len(running) {
		f.Errorf("%d of %d are doubted, %v", n, len(running), err)
	}
	for _, was := range running {
		got := f.attemptOf(root, was.ID)
		want := was.Attempt
		want.Status, want.Updated, want.Message = store.AttemptUnknown, at, got.Message
		if diff := cmp.Diff(want, got); diff != "" || got.Message == "" {
			f.Errorf("doubted with the message %q (-want +got):\n%s", got.Message, diff)
		}
		if err := f.tryClose(closed(was.Attempt, store.AttemptDone)); !errors.Is(err, store.ErrConflict) {
			f.Errorf("closed by who ran it: %v, want ErrConflict", err)
		}
	}
	if got := f.attempts(root, store.AttemptFilter{Status: store.AttemptUnknown}); len(got) != unknown+len(running) {
		f.Errorf("%d are unknown, want %d", len(got), unknown+len(running))
	}
}
