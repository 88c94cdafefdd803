package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
)

// approvals: one is read back whole, and any move of its instance that does not use it voids it.
func approvals(t *testing.T, open Opener) {
	f := start(t, open)
	s := scope("alice")
	i, want := f.ask(f.begin(newInstance("alice", "demo")))
	f.reopen()
	if diff := cmp.Diff(want, f.approval(s, want.ID)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	i = f.move(after(i, nil))
	want.Status, want.Resolved = store.ApprovalVoid, i.Updated
	if diff := cmp.Diff(want, f.approval(s, want.ID)); diff != "" {
		t.Errorf("after another move (-want +got):\n%s", diff)
	}
	i, first := f.ask(i)
	i, second := f.ask(i)
	if got := f.approval(s, first.ID).Status; got != store.ApprovalVoid {
		t.Errorf("the first is %s when a second was opened", got)
	}
	if diff := cmp.Diff([]string{second.ID}, f.asked(s, i.ID, i.Updated)); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	f.move(after(i, func(i *store.Instance) { i.Status = store.Cancelled }))
	if got := f.approval(s, second.ID).Status; got != store.ApprovalVoid || len(f.asked(s, "", dawn)) != 0 {
		t.Errorf("the approval of an instance that has ended is %s", got)
	}
}

// answers: an approval is used up or rejected once, by whom its move says; the move may open the next.
func answers(t *testing.T, open Opener) {
	f := start(t, open)
	s := scope("alice")
	i, first := f.ask(f.begin(newInstance("alice", "demo")))
	yes := after(i, nil)
	yes.Consumed, yes.Steps[0].Client, yes.Approval = first.ID, "a-person", anApproval(yes)
	i = f.move(yes)
	first.Status, first.By, first.Resolved = store.ApprovalConsumed, "a-person", i.Updated
	if diff := cmp.Diff(first, f.approval(s, first.ID)); diff != "" {
		t.Errorf("consumed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{yes.Approval.ID}, f.asked(s, "", i.Updated)); diff != "" {
		t.Errorf("opened by the same move (-want +got):\n%s", diff)
	}
	no := after(i, nil)
	no.Rejected = yes.Approval.ID
	i = f.move(no)
	if got := f.approval(s, no.Rejected); got.Status != store.ApprovalRejected || got.By != "alice-agent" || !got.Resolved.Equal(i.Updated) {
		t.Errorf("rejected: %+v", got)
	}
	i, last := f.ask(i)
	const callers = 100
	errs := make([]error, callers)
	var group sync.WaitGroup
	for n := range callers {
		group.Go(func() {
			m := after(i, nil)
			if m.Consumed = last.ID; n%2 == 1 {
				m.Consumed, m.Rejected = "", last.ID
			}
			errs[n] = f.tryMove(m)
		})
	}
	group.Wait()
	won, want := 0, store.ApprovalStatus("")
	for n, err := range errs {
		if err == nil {
			won, want = won+1, []store.ApprovalStatus{store.ApprovalConsumed, store.ApprovalRejected}[n%2]
		} else if !errors.Is(err, store.ErrConflict) {
			t.Errorf("caller %d: %v, want ErrConflict", n, err)
		}
	}
	if got := f.approval(s, last.ID).Status; won != 1 || got != want {
		t.Errorf("%d answers, it is %s, want %s", won, got, want)
	}
}

// refusedAnswers: only an open, unexpired approval of this instance can be answered.
func refusedAnswers(t *testing.T, open Opener) {
	f := start(t, open)
	other, others := f.ask(f.begin(newInstance("alice", "demo")))
	i, used := f.ask(f.begin(newInstance("alice", "demo")))
	m := after(i, nil)
	m.Consumed = used.ID
	i, void := f.ask(f.move(m))
	i, rejected := f.ask(i)
	m = after(i, nil)
	m.Rejected = rejected.ID
	i, last := f.ask(f.move(m))
	for name, id := range map[string]string{"used up": used.ID, "void": void.ID, "rejected": rejected.ID, "of another instance": others.ID, "unknown": "ap_none"} {
		for _, m := range []store.Move{{Consumed: id}, {Rejected: id}} {
			try := after(i, nil)
			try.Consumed, try.Rejected = m.Consumed, m.Rejected
			if err := f.tryMove(try); !errors.Is(err, store.ErrConflict) {
				t.Errorf("%s: %v, want ErrConflict", name, err)
			}
		}
	}
	late := after(i, func(i *store.Instance) { i.Updated = last.Expires })
	late.Consumed = last.ID
	if err := f.tryMove(late); !errors.Is(err, store.ErrConflict) {
		t.Errorf("expired: %v, want ErrConflict", err)
	}
	if diff := cmp.Diff([]store.Approval{last, others}, []store.Approval{f.approval(scope("alice"), last.ID), f.approval(scope("alice"), others.ID)}); diff != "" {
		t.Errorf("what was not answered changed (-want +got):\n%s", diff)
	}
	late.Next.Updated = last.Expires.Add(-time.Millisecond)
	f.move(late)
	var voided int64
	f.must(func(tx store.Tx) (err error) {
		voided, err = tx.VoidApprovals(dawn)
		return err
	})
	if got := f.approval(scope("alice"), others.ID); voided != 1 || got.Status != store.ApprovalVoid || !got.Resolved.Equal(dawn) {
		t.Errorf("%d voided, and %+v", voided, got)
	}
	m = after(other, nil)
	m.Consumed = others.ID
	if err := f.tryMove(m); !errors.Is(err, store.ErrConflict) {
		t.Errorf("after all were voided: %v, want ErrConflict", err)
	}
}

// openApprovals: those that can still be answered, oldest first, within the scope.
func openApprovals(t *testing.T, open Opener) {
	f := start(t, open)
	put := func(user, definition string, shared bool) (store.Instance, string) {
		i := newInstance(user, definition)
		i.Shared = shared
		i, a := f.ask(f.begin(i))
		return i, a.ID
	}
	one, a1 := put("alice", "x.one", false)
	two, a2 := put("bob", "x.two", true)
	_, a3 := put("carol", "y", true)
	_, a4 := put("alice", "x.two", false)
	_, a5 := put("carol", "y", false)
	now := one.Updated
	boss := auth.Principal{User: "boss", Oversees: auth.Names("alice")}.Scope()
	for what, test := range map[string]struct {
		scope auth.Scope
		want  []string
	}{
		"own":                {scope("alice"), []string{a1, a4}},
		"shared":             {auth.Principal{User: "dora", Workflows: auth.Names("x.*")}.Scope(), []string{a2}},
		"own and all shared": {auth.Principal{User: "carol", Workflows: auth.Everything()}.Scope(), []string{a2, a3, a5}},
		"overseen":           {boss, []string{a1, a4}},
		"all":                {auth.Principal{User: "root", Oversees: auth.Everything()}.Scope(), []string{a1, a2, a3, a4, a5}},
		"none":               {scope("dora"), []string{}},
		"nobody":             {auth.Principal{Oversees: auth.Everything(), Workflows: auth.Everything()}.Scope(), []string{}},
	} {
		if diff := cmp.Diff(test.want, f.asked(test.scope, "", now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if diff := cmp.Diff([]string{a1}, f.asked(boss, one.ID, now)); diff != "" {
		t.Errorf("of one instance (-want +got):\n%s", diff)
	}
	f.look(func(tx store.Tx) error {
		if _, err := tx.OpenApprovals(boss, two.ID, now, 0); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("of a foreign instance: %v, want ErrNotFound", err)
		}
		some, err := tx.OpenApprovals(scope("alice"), "", now, 1)
		if len(some) != 1 || some[0].ID != a1 {
			t.Errorf("one of two: %+v", some)
		}
		return err
	})
	for age, want := range map[time.Duration]int{store.ApprovalLife - time.Millisecond: 2, store.ApprovalLife: 0} {
		if got := f.asked(scope("alice"), "", now.Add(age)); len(got) != want {
			t.Errorf("%d open after %v, want %d", len(got), age, want)
		}
	}
	f.look(func(tx store.Tx) error {
		first := f.approval(scope("alice"), a1)
		if n, oldest, err := tx.CountApprovals(now); n != 5 || !oldest.Equal(first.Created) || err != nil {
			t.Errorf("%d are counted, the oldest of %v, %v; want 5 and %v", n, oldest, err, first.Created)
		}
		if n, oldest, err := tx.CountApprovals(now.Add(2 * store.ApprovalLife)); n != 0 || !oldest.IsZero() || err != nil {
			t.Errorf("once all have expired %d are counted, the oldest of %v, %v", n, oldest, err)
		}
		return nil
	})
}
