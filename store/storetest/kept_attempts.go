package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"prax/auth"
	"prax/store"
)

// keptAttempts: the newest kept output of exactly this is found until it is used or the instance has moved on.
func keptAttempts(t *testing.T, open Opener) {
	f := start(t, open)
	i := f.begin(newInstance("alice", "demo"))
	keep := func(digest, output string) store.Attempt {
		a := anAttempt(i)
		a.Digest = digest
		f.attempt(a)
		c := closed(a, store.AttemptKept)
		c.Output = []byte(output)
		if err := f.tryClose(c); err != nil {
			t.Fatal(err)
		}
		return f.attemptOf(scope("alice"), a.ID)
	}
	expect := func(what, digest string, version int64, want store.Attempt) {
		t.Helper()
		f.look(func(tx store.Tx) error {
			got, err := tx.KeptAttempt(scope("alice"), i.ID, version, digest)
			if (want.ID == "") != errors.Is(err, store.ErrNotFound) || want.ID == "" && got.ID != "" {
				t.Errorf("%s: %+v, %v", what, got, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
			return nil
		})
	}
	none := store.Attempt{}
	keep("d1", `{"n":1}`)
	second, other := keep("d1", `{"n":2}`), keep("d2", `null`)
	f.reopen()
	expect("the newest", "d1", 1, second)
	expect("another digest", "d2", 1, other)
	expect("a digest that was not tried", "d3", 1, none)
	expect("another version", "d1", 2, none)
	f.noneBlocks(i)
	if err := f.change(func(tx store.Tx) error { // used: closed and moved on at once
		m := after(i, nil)
		return errors.Join(tx.CloseAttempt(closed(second, store.AttemptDone)), tx.Move(m))
	}); err != nil {
		t.Fatal(err)
	}
	for _, digest := range []string{"d1", "d2"} {
		expect("when it has moved on", digest, 1, none)
	}
	if got := f.attemptOf(scope("alice"), other.ID); got.Status != store.AttemptKept || got.Output != nil {
		t.Errorf("its output when the instance has moved on: %+v", got)
	}
	if got := f.attemptOf(scope("alice"), second.ID); got.Status != store.AttemptDone || got.Output != nil {
		t.Errorf("the one that was used: %+v", got)
	}
	if err := f.tryClose(closed(second, store.AttemptDone)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("used twice: %v, want ErrConflict", err)
	}
}

// approvedAttempts: an attempt uses up the approval that it needs, once, in its own transaction.
func approvedAttempts(t *testing.T, open Opener) {
	f := start(t, open)
	s := scope("alice")
	other, others := f.ask(f.begin(newInstance("alice", "demo")))
	i, void := f.ask(f.begin(newInstance("alice", "demo")))
	i, want := f.ask(i)
	attempt := func(approval string, at time.Time) store.Attempt {
		a := anAttempt(i)
		a.Approval, a.Client, a.Created, a.Updated = approval, "a-person", at, at
		return a
	}
	for name, a := range map[string]store.Attempt{
		"void": attempt(void.ID, i.Updated), "of another instance": attempt(others.ID, i.Updated), "unknown": attempt("ap_none", i.Updated),
		"expired": attempt(want.ID, want.Expires), "in the last moment": attempt(want.ID, want.Expires.Add(time.Second)),
	} {
		if err := f.tryAttempt(a); !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: %v, want ErrConflict", name, err)
		}
	}
	if err := f.change(func(tx store.Tx) error {
		if err := tx.OpenAttempt(attempt(want.ID, i.Updated)); err != nil {
			t.Errorf("in an update that fails: %v", err)
		}
		return errOwn
	}); !errors.Is(err, errOwn) {
		t.Error(err)
	}
	if diff := cmp.Diff([]store.Approval{want, others}, []store.Approval{f.approval(s, want.ID), f.approval(s, others.ID)}); diff != "" {
		t.Errorf("what was refused changed something (-want +got):\n%s", diff)
	}
	f.noneBlocks(i)
	a := f.attempt(attempt(want.ID, want.Expires.Add(-time.Millisecond)))
	want.Status, want.By, want.Resolved = store.ApprovalConsumed, "a-person", a.Created
	if diff := cmp.Diff(want, f.approval(s, want.ID)); diff != "" {
		t.Errorf("used up (-want +got):\n%s", diff)
	}
	f.end(a, store.AttemptFailed)
	if err := f.tryAttempt(attempt(want.ID, i.Updated)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("used twice: %v, want ErrConflict", err)
	}
	again := after(i, nil)
	again.Consumed = want.ID
	if err := f.tryMove(again); !errors.Is(err, store.ErrConflict) {
		t.Errorf("used by a move: %v, want ErrConflict", err)
	}
	f.move(after(i, nil))
	if diff := cmp.Diff(want, f.approval(s, want.ID)); diff != "" {
		t.Errorf("when the instance moved on (-want +got):\n%s", diff)
	}
	f.askAndAttempt(other)
}

// askAndAttempt: what a move opens, an attempt behind it in the same transaction can use.
func (f *fixture) askAndAttempt(i store.Instance) {
	f.Helper()
	m := after(i, nil)
	m.Approval = anApproval(m)
	a := anAttempt(m.Next)
	a.Approval = m.Approval.ID
	if err := f.change(func(tx store.Tx) error { return errors.Join(tx.Move(m), tx.OpenAttempt(a)) }); err != nil {
		f.Error(err)
	}
	if got := f.approval(scope(i.User), a.Approval); got.Status != store.ApprovalConsumed {
		f.Errorf("it is %s", got.Status)
	}
}

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

// directAttempts: a user need not be known for one, and only the last of the ended ones stay.
func directAttempts(t *testing.T, open Opener) {
	f := start(t, open)
	unknown := f.end(f.attempt(aDirectAttempt("alice")), store.AttemptUnknown)
	running := f.attempt(aDirectAttempt("alice"))
	bobs := f.end(f.attempt(aDirectAttempt("bob")), store.AttemptDone)
	const more = 3
	var done []store.Attempt
	if err := f.change(func(tx store.Tx) error {
		done = nil
		for n := range store.MaxDirectAttempts + more {
			a := aDirectAttempt("alice")
			a.Created = dawn.Add(time.Duration(n) * time.Second)
			if err := errors.Join(tx.OpenAttempt(a), tx.CloseAttempt(closed(a, store.AttemptFailed))); err != nil {
				return err
			}
			done = append(done, a)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	f.look(func(tx store.Tx) error {
		for n, a := range done {
			_, err := tx.Attempt(scope("alice"), a.ID)
			if want := n >= more; want != (err == nil) || !want && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("the %d. of %d: %v", n+1, len(done), err)
			}
		}
		return nil
	})
	for _, a := range []store.Attempt{unknown, running, bobs} {
		if diff := cmp.Diff(a, f.attemptOf(scope(a.User), a.ID)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	late := closed(unknown, store.AttemptApplied) // an old one that ended last stays
	late.At = dawn.Add(time.Hour * 24)
	if err := f.tryClose(late); err != nil {
		t.Error(err)
	}
	if got := f.attemptOf(scope("alice"), unknown.ID); got.Status != store.AttemptApplied {
		t.Errorf("settled late: %+v", got)
	}
}

// attemptLists: newest first, within the scope and the filter, page by page.
func attemptLists(t *testing.T, open Opener) {
	f := start(t, open)
	byID, instances := map[string]string{}, map[string]string{}
	for n, name := range []string{
		"alice/x.one", "bob/x.two/shared", "alice//direct", "bob//direct", "carol/y/shared", "alice/x.two/shared", "alice/x.one/unknown", "carol//direct/unknown",
	} {
		parts := strings.Split(name, "/")
		name = fmt.Sprintf("%d:%s", n, name)
		a := aDirectAttempt(parts[0])
		if parts[1] != "" {
			i := newInstance(parts[0], parts[1])
			i.Shared = strings.Contains(name, "shared")
			a = anAttempt(f.begin(i))
			instances[name[:1]] = i.ID
		}
		f.attempt(a)
		if strings.Contains(name, "unknown") {
			f.end(a, store.AttemptUnknown)
		}
		byID[a.ID] = name[:1]
	}
	boss := auth.Principal{User: "boss", Oversees: auth.Names("alice", "carol"), Workflows: auth.Names("x.two")}.Scope()
	root := auth.Principal{User: "root", Oversees: auth.Everything()}.Scope()
	dora := auth.Principal{User: "dora", Workflows: auth.Names("x.*")}.Scope()
	unknown := store.AttemptFilter{Status: store.AttemptUnknown}
	for _, test := range []struct {
		what   string
		scope  auth.Scope
		filter store.AttemptFilter
		want   string // newest first
	}{
		{"own", scope("alice"), store.AttemptFilter{}, "6 5 2 0"},
		{"own, direct", scope("alice"), store.AttemptFilter{Direct: true}, "2"},
		{"own, by status", scope("alice"), unknown, "6"},
		{"own, named", scope("alice"), store.AttemptFilter{User: "alice", Status: store.AttemptRunning}, "5 2 0"},
		{"own, none", scope("alice"), store.AttemptFilter{Status: store.AttemptDone}, ""},
		{"no such status", scope("alice"), store.AttemptFilter{Status: "gone"}, ""},
		{"another's", scope("alice"), store.AttemptFilter{User: "bob"}, ""},
		{"of an instance", scope("alice"), store.AttemptFilter{Instance: instances["5"]}, "5"},
		{"of an instance, by status", scope("alice"), store.AttemptFilter{Instance: instances["5"], Status: store.AttemptUnknown}, ""},
		{"of a foreign instance", scope("alice"), store.AttemptFilter{Instance: instances["1"]}, ""},
		{"of no instance", scope("alice"), store.AttemptFilter{Instance: "wf_none"}, ""},
		{"of an instance, direct", scope("alice"), store.AttemptFilter{Instance: instances["5"], Direct: true}, ""},
		{"shared", dora, store.AttemptFilter{}, "5 1"},
		{"shared, of one user", dora, store.AttemptFilter{User: "bob"}, "1"},
		{"shared, of an instance", dora, store.AttemptFilter{Instance: instances["1"]}, "1"},
		{"shared, direct", dora, store.AttemptFilter{Direct: true}, ""},
		{"shared, by status", dora, unknown, ""},
		{"overseen", boss, store.AttemptFilter{}, "7 6 5 4 2 1 0"},
		{"overseen, by status", boss, unknown, "7 6"},
		{"overseen, direct", boss, store.AttemptFilter{Direct: true}, "7 2"},
		{"overseen, of one user", boss, store.AttemptFilter{User: "carol"}, "7 4"},
		{"all", root, store.AttemptFilter{}, "7 6 5 4 3 2 1 0"},
		{"all, direct", root, store.AttemptFilter{Direct: true}, "7 3 2"},
		{"all, by status", root, unknown, "7 6"},
		{"all, direct, by status", root, store.AttemptFilter{Direct: true, Status: store.AttemptUnknown}, "7"},
		{"all, of one user", root, store.AttemptFilter{User: "bob"}, "3 1"},
		{"nobody", auth.Principal{Oversees: auth.Everything(), Workflows: auth.Everything()}.Scope(), store.AttemptFilter{}, ""},
	} {
		inPages := []string{}
		filter := test.filter
		for filter.Limit = 2; ; {
			page := f.attempts(test.scope, filter)
			if len(page) == 0 {
				break
			}
			inPages = append(inPages, listedAttempts(byID, page)...)
			filter.Before = page[len(page)-1].Number
		}
		for _, got := range [][]string{listedAttempts(byID, f.attempts(test.scope, test.filter)), inPages} {
			if diff := cmp.Diff(strings.Fields(test.want), got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.what, diff)
			}
		}
	}
}

func listedAttempts(names map[string]string, all []store.ListedAttempt) (got []string) {
	for _, a := range all {
		got = append(got, names[a.ID])
	}
	return got
}

// largeAttempts: one answer holds a bounded number of bytes, the next goes on behind it; and so it is with a claim.
func largeAttempts(t *testing.T, open Opener) {
	f := start(t, open)
	const n = 4
	if err := f.change(func(tx store.Tx) error {
		for range n {
			a := aDirectAttempt("alice")
			a.Work = []byte(`"` + strings.Repeat("x", store.MaxWorkBytes-2) + `"`)
			if err := tx.OpenAttempt(a); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	listed, before := 0, int64(0)
	for {
		page := f.attempts(scope("alice"), store.AttemptFilter{Before: before})
		if len(page) == 0 {
			break
		}
		if len(page) == n {
			t.Errorf("%d attempts of 8 MiB in one answer", n)
		}
		listed, before = listed+len(page), page[len(page)-1].Number
	}
	claimed := 0
	for round := 0; ; round++ {
		var got []store.Attempt
		f.must(func(tx store.Tx) (err error) {
			got, err = tx.ClaimAttempts("w2", dawn.Add(time.Hour), dawn, dawn, 0)
			return err
		})
		if len(got) == n || round > n {
			t.Fatalf("%d attempts of 8 MiB in one claim, after %d rounds", len(got), round)
		}
		if claimed += len(got); len(got) == 0 {
			break
		}
	}
	if listed != n || claimed != n {
		t.Errorf("%d were listed and %d claimed, want %d", listed, claimed, n)
	}
}
