package storetest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
)

// anAttempt is one that an instance may begin as it stands.
func anAttempt(i store.Instance) store.Attempt {
	return store.Attempt{
		ID: "at_" + store.NewID(), User: i.User, Client: i.User + "-agent", Actor: i.User, Grant: `{"id":"caused"}`, Instance: i.ID, Version: i.Version,
		Shared: i.Shared, Definition: i.DefinitionID, State: i.State, Transition: "go", Kind: "rest", Tier: "medium",
		Digest: strings.Repeat("a", 64), Key: "key-1", Work: []byte(`{"request":1}`), Tries: 1, Worker: "w1", Fence: 1,
		Lease: i.Updated.Add(time.Minute), Status: store.AttemptRunning, Correlation: "cor_1", RequestID: "req_1",
		Created: i.Updated, Updated: i.Updated,
	}
}

// aDirectAttempt is one of a tool that a user called.
func aDirectAttempt(user string) store.Attempt {
	a := anAttempt(store.Instance{User: user, Updated: dawn})
	a.Tool, a.Transition = "repo.test", ""
	return a
}

// closed is how an attempt ends, a second after it was opened.
func closed(a store.Attempt, status store.AttemptStatus) store.Closing {
	c := store.Closing{ID: a.ID, Fence: a.Fence, Status: status, At: a.Created.Add(time.Second)}
	switch status {
	case store.AttemptKept:
		c.Output = []byte(`{"kept":true}`)
	case store.AttemptApplied, store.AttemptNotApplied:
		c.By, c.Note = "a-person", "looked it up"
	case store.AttemptFailed, store.AttemptUnknown:
		c.Class, c.Message = "timeout", "no answer"
	}
	return c
}

// change makes a change with an event.
func (f *fixture) change(do func(store.Tx) error) error {
	return f.Update(context.Background(), func(tx store.Tx) error {
		tx.AddEvent(told)
		return do(tx)
	})
}

func (f *fixture) tryAttempt(a store.Attempt) error {
	return f.change(func(tx store.Tx) error { return tx.OpenAttempt(a) })
}

// attempt opens one, which has to succeed.
func (f *fixture) attempt(a store.Attempt) store.Attempt {
	f.Helper()
	if err := f.tryAttempt(a); err != nil {
		f.Fatalf("open attempt: %v", err)
	}
	return a
}

func (f *fixture) tryClose(c store.Closing) error {
	return f.change(func(tx store.Tx) error { return tx.CloseAttempt(c) })
}

// end closes an attempt, which has to succeed, and returns it as it is then.
func (f *fixture) end(a store.Attempt, statuses ...store.AttemptStatus) store.Attempt {
	f.Helper()
	for _, status := range statuses {
		if err := f.tryClose(closed(a, status)); err != nil {
			f.Fatalf("close as %s: %v", status, err)
		}
	}
	return f.attemptOf(scope(a.User), a.ID)
}

func (f *fixture) attemptOf(s auth.Scope, id string) (a store.Attempt) {
	f.Helper()
	f.look(func(tx store.Tx) (err error) {
		a, err = tx.Attempt(s, id)
		return err
	})
	return a
}

func (f *fixture) attempts(s auth.Scope, filter store.AttemptFilter) (all []store.ListedAttempt) {
	f.Helper()
	f.look(func(tx store.Tx) (err error) {
		all, err = tx.ListAttempts(s, filter)
		return err
	})
	return all
}

// attempts: one is read back whole by each way there is, also after a restart; renewing it changes who is alive,
// and what was tried.
func attempts(t *testing.T, open Opener) {
	f := start(t, open)
	s := scope("alice")
	i := newInstance("alice", "demo")
	i.Shared = true
	a := anAttempt(f.begin(i))
	a.Parent, a.Index, a.Choice = "at_parent", 2, 1
	wrong := a
	wrong.Shared, wrong.Definition, wrong.Updated = false, "another", time.Time{} // the instance's stay
	f.attempt(wrong)
	f.reopen()
	f.expectBlocking(s, i.ID, a)
	renew := func(fence int64, tries, choice int, lease time.Time) error {
		return f.change(func(tx store.Tx) error { return tx.RenewAttempt(a.ID, fence, tries, choice, lease, lease) })
	}
	a.Lease = a.Lease.Add(time.Hour)
	a.Updated = a.Lease
	if err := renew(1, 0, 0, a.Lease); err != nil {
		t.Error(err)
	}
	f.expectBlocking(s, i.ID, a)
	a.Tries, a.Choice = 3, 0
	if err := renew(1, 3, 0, a.Lease); err != nil {
		t.Error(err)
	}
	f.expectBlocking(s, i.ID, a)
	for _, fence := range []int64{0, 2} {
		if err := renew(fence, 4, 0, a.Lease); !errors.Is(err, store.ErrConflict) {
			t.Errorf("with fence %d: %v, want ErrConflict", fence, err)
		}
	}
	f.expectBlocking(s, i.ID, a)
	f.end(a, store.AttemptUnknown)
	if err := renew(1, 4, 0, a.Lease); !errors.Is(err, store.ErrConflict) {
		t.Errorf("renewed when it ran no more: %v, want ErrConflict", err)
	}
	if err := f.change(func(tx store.Tx) error { return tx.RenewAttempt("at_none", 1, 1, 0, dawn, dawn) }); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("renewed without being there: %v, want ErrNotFound", err)
	}
}

// expectBlocking checks, by each way to it, the attempt that an instance waits for.
func (f *fixture) expectBlocking(s auth.Scope, instance string, want store.Attempt) {
	f.Helper()
	f.look(func(tx store.Tx) error {
		byID, err := tx.Attempt(s, want.ID)
		blocking, blockingErr := tx.BlockingAttempt(s, instance)
		listed, listErr := tx.ListAttempts(s, store.AttemptFilter{Instance: instance, Limit: 1})
		if len(listed) != 1 || listed[0].Number < 1 {
			f.Errorf("listed: %+v", listed)
			return listErr
		}
		if diff := cmp.Diff([]store.Attempt{want, want, want}, []store.Attempt{byID, blocking, listed[0].Attempt}); diff != "" {
			f.Errorf("by id, blocking, listed (-want +got):\n%s", diff)
		}
		return errors.Join(err, blockingErr, listErr)
	})
}

// noneBlocks checks that an instance waits for nothing.
func (f *fixture) noneBlocks(i store.Instance) {
	f.Helper()
	f.look(func(tx store.Tx) error {
		if a, err := tx.BlockingAttempt(scope(i.User), i.ID); !errors.Is(err, store.ErrNotFound) {
			f.Errorf("%s is blocked by %+v, %v", i.ID, a, err)
		}
		return nil
	})
}

// refusedAttempts: what is out of bounds, or not of the instance as it stands, is refused whole, even when the
// function that tried it goes on.
func refusedAttempts(t *testing.T, open Opener) {
	f := start(t, open)
	i := f.move(after(f.begin(newInstance("alice", "demo")), nil))
	ended := f.move(after(f.begin(newInstance("alice", "demo")), func(i *store.Instance) { i.Status = store.Cancelled }))
	taken := f.end(f.attempt(anAttempt(f.begin(newInstance("bob", "demo")))), store.AttemptDone)
	long := func(n int) string { return strings.Repeat("x", n) }
	for name, test := range map[string]struct {
		change func(*store.Attempt)
		want   error // nil: any
	}{
		"a version behind":   {func(a *store.Attempt) { a.Version-- }, store.ErrConflict},
		"a version ahead":    {func(a *store.Attempt) { a.Version++ }, store.ErrConflict},
		"one that has ended": {func(a *store.Attempt) { a.Instance, a.Version = ended.ID, ended.Version }, store.ErrConflict},
		"another's":          {func(a *store.Attempt) { a.User = "bob" }, store.ErrNotFound},
		"none":               {func(a *store.Attempt) { a.Instance = "wf_none" }, store.ErrNotFound},
		"the id of another":  {func(a *store.Attempt) { a.ID = taken.ID }, store.ErrConflict},
		"unknown approval":   {func(a *store.Attempt) { a.Approval = "ap_none" }, store.ErrConflict},
		"no id":              {func(a *store.Attempt) { a.ID = "" }, nil},
		"no user":            {func(a *store.Attempt) { a.User = "" }, nil},
		"no client":          {func(a *store.Attempt) { a.Client = "" }, nil},
		"no kind":            {func(a *store.Attempt) { a.Kind = "" }, nil},
		"no digest":          {func(a *store.Attempt) { a.Digest = "" }, nil},
		"no worker":          {func(a *store.Attempt) { a.Worker = "" }, nil},
		"no lease":           {func(a *store.Attempt) { a.Lease = time.Time{} }, nil},
		"no time":            {func(a *store.Attempt) { a.Created = time.Time{} }, nil},
		"no version":         {func(a *store.Attempt) { a.Version = 0 }, nil},
		"no subject":         {func(a *store.Attempt) { a.Instance = "" }, nil},
		"two subjects":       {func(a *store.Attempt) { a.Tool = "t" }, nil},
		"of a version alone": {func(a *store.Attempt) { *a = aDirectAttempt("alice"); a.Version = 1 }, nil},
		"shared alone":       {func(a *store.Attempt) { *a = aDirectAttempt("alice"); a.Shared = true }, nil},
		"approved alone":     {func(a *store.Attempt) { *a = aDirectAttempt("alice"); a.Approval = "ap_1" }, nil},
		"unknown at once":    {func(a *store.Attempt) { a.Status = store.AttemptUnknown }, nil},
		"done at once":       {func(a *store.Attempt) { a.Status, a.Ended = store.AttemptDone, dawn }, nil},
		"no status":          {func(a *store.Attempt) { a.Status = "" }, nil},
		"an outcome":         {func(a *store.Attempt) { a.Output = []byte(`{}`) }, nil},
		"a message":          {func(a *store.Attempt) { a.Message = "x" }, nil},
		"no try":             {func(a *store.Attempt) { a.Tries = 0 }, nil},
		"a negative choice":  {func(a *store.Attempt) { a.Choice = -1 }, nil},
		"a negative fence":   {func(a *store.Attempt) { a.Fence = -1 }, nil},
		"a negative part":    {func(a *store.Attempt) { a.Index = -1 }, nil},
		"key is not UTF-8":   {func(a *store.Attempt) { a.Key = "\xff" }, nil},
		"key too long":       {func(a *store.Attempt) { a.Key = long(store.MaxFieldBytes + 1) }, store.ErrQuota},
		"grant too long":     {func(a *store.Attempt) { a.Grant = long(auth.MaxGrant + 1) }, store.ErrQuota},
		"work is no JSON":    {func(a *store.Attempt) { a.Work = []byte(`{"a"`) }, nil},
		"work too large":     {func(a *store.Attempt) { a.Work = []byte(`"` + long(store.MaxWorkBytes) + `"`) }, store.ErrQuota},
	} {
		a := anAttempt(i)
		test.change(&a)
		if err := f.tryAttempt(a); err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		_ = f.Update(context.Background(), func(tx store.Tx) error { // some of these succeed: there was nothing to undo
			_ = tx.OpenAttempt(a)
			return nil
		})
	}
	if got := f.attempts(scope("alice"), store.AttemptFilter{}); len(got) != 0 {
		t.Errorf("something is kept: %+v", got)
	}
	f.attempt(anAttempt(i))
	if err := f.tryAttempt(anAttempt(i)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a second one: %v, want ErrConflict", err)
	}
}

// oneAttempt: of many attempts at one version, one begins; and while it does, the instance makes no move but to be
// cancelled.
func oneAttempt(t *testing.T, open Opener) {
	f := start(t, open)
	i := f.begin(newInstance("alice", "demo"))
	const callers = 100
	errs, ids := make([]error, callers), make([]string, callers)
	var group sync.WaitGroup
	for n := range callers {
		group.Go(func() {
			a := anAttempt(i)
			ids[n], errs[n] = a.ID, f.tryAttempt(a)
		})
	}
	group.Wait()
	won := []string{}
	for n, err := range errs {
		if err == nil {
			won = append(won, ids[n])
		} else if !errors.Is(err, store.ErrConflict) {
			t.Errorf("caller %d: %v, want ErrConflict", n, err)
		}
	}
	all := f.attempts(scope("alice"), store.AttemptFilter{})
	if len(won) != 1 || len(all) != 1 || all[0].ID != won[0] {
		t.Fatalf("%v began, %+v is there", won, all)
	}
	f.expectBlocked(i, all[0].Attempt)
}

// expectBlocked follows an attempt from running to unknown to its settling: nothing but a cancellation passes it.
func (f *fixture) expectBlocked(i store.Instance, a store.Attempt) {
	f.Helper()
	refused := func(what string) {
		f.Helper()
		for _, status := range []store.Status{store.Open, store.Completed} {
			if err := f.tryMove(after(i, func(i *store.Instance) { i.Status = status })); !errors.Is(err, store.ErrConflict) {
				f.Errorf("a move while it is %s: %v, want ErrConflict", what, err)
			}
		}
		if err := f.tryAttempt(anAttempt(i)); !errors.Is(err, store.ErrConflict) {
			f.Errorf("an attempt while one is %s: %v, want ErrConflict", what, err)
		}
	}
	refused("running")
	f.end(a, store.AttemptUnknown)
	refused("unknown")
	f.end(a, store.AttemptNotApplied)
	f.noneBlocks(i)
	i = f.move(after(i, nil))
	both := func(tx store.Tx) error { // closed and moved on at once, and the next one right behind it
		a = anAttempt(i)
		if err := tx.OpenAttempt(a); err != nil {
			return err
		}
		m := after(i, nil)
		if err := tx.Move(m); !errors.Is(err, store.ErrConflict) {
			f.Errorf("a move behind an attempt: %v, want ErrConflict", err)
		}
		if err := tx.CloseAttempt(closed(a, store.AttemptDone)); err != nil {
			return err
		}
		next := anAttempt(m.Next)
		return errors.Join(tx.Move(m), tx.OpenAttempt(next))
	}
	if err := f.change(both); err != nil {
		f.Error(err)
	}
	f.cancelBlocked(f.instance(scope(i.User), i.ID))
}

// cancelBlocked: an instance is cancelled under its attempt, which stays as it is until it is closed.
func (f *fixture) cancelBlocked(i store.Instance) {
	f.Helper()
	s := scope(i.User)
	var running store.Attempt
	f.look(func(tx store.Tx) (err error) {
		running, err = tx.BlockingAttempt(s, i.ID)
		return err
	})
	f.move(after(i, func(i *store.Instance) { i.Status = store.Cancelled }))
	f.expectBlocking(s, i.ID, running)
	f.end(running, store.AttemptUnknown)
	f.reopen()
	if got := f.end(running, store.AttemptApplied); got.Status != store.AttemptApplied || got.By != "a-person" {
		f.Errorf("settled when the instance had ended: %+v", got)
	}
	f.noneBlocks(i)
}
