package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
)

// foreignInstances is law 9 for the nouns of workflows: a scope reads what it covers, by every way there is,
// and anything else answers like what does not exist.
func foreignInstances(t *testing.T, open Opener) {
	f := start(t, open)
	private := newInstance("alice", "x.one")
	private.RunID = "alices-run"
	private, privates := f.ask(f.begin(private))
	shared := newInstance("alice", "x.two")
	shared.Shared, shared.RunID = true, "shared-run"
	shared, shareds := f.ask(f.begin(shared))
	bobs := newInstance("bob", "x.one")
	bobs.RunID = "bobs-run"
	f.begin(bobs)
	privateRun, sharedRun := f.keptAndRunning(private), f.keptAndRunning(shared)
	own := f.attempt(aDirectAttempt("alice"))
	p := func(user string, oversees, workflows auth.NameSet) auth.Scope {
		return auth.Principal{User: user, Oversees: oversees, Workflows: workflows}.Scope()
	}
	none := auth.NameSet{}
	for _, test := range []struct {
		what            string
		scope           auth.Scope
		private, shared bool
	}{
		{"the owner", p("alice", none, none), true, true},
		{"another user", p("bob", none, none), false, false},
		{"another, by the definition", p("bob", none, auth.Names("x.two")), false, true},
		{"another, by a pattern", p("bob", none, auth.Names("x.*")), false, true},
		{"another, by every definition", p("bob", none, auth.Everything()), false, true},
		{"another, by a longer pattern", p("bob", none, auth.Names("x.two.*", "x", "x.", "*", "X.*")), false, false},
		{"an overseer", p("boss", auth.Names("carol", "alice"), none), true, true},
		{"an overseer of others", p("boss", auth.Names("carol"), none), false, false},
		{"an overseer of everybody", p("boss", auth.Everything(), none), true, true},
		{"another spelling", p("Alice", none, none), false, false},
		{"nobody", p("", auth.Everything(), auth.Everything()), false, false},
		{"no scope", auth.Scope{}, false, false},
	} {
		f.reopen() // nobody has read it since
		f.expectReach(test.what+", cold", test.scope, private, privates, test.private)
		f.expectReach(test.what+", cold", test.scope, shared, shareds, test.shared)
		f.instance(scope("alice"), private.ID)
		f.instance(scope("alice"), shared.ID)
		f.expectReach(test.what+", after its owner", test.scope, private, privates, test.private)
		f.expectReach(test.what+", after its owner", test.scope, shared, shareds, test.shared)
		f.expectAttempt(test.what, test.scope, privateRun, test.private)
		f.expectAttempt(test.what, test.scope, sharedRun, test.shared)
		f.expectAttempt(test.what, test.scope, own, test.private)
	}
	f.look(func(tx store.Tx) error { // a run id is its starter's own name: nobody else reaches anything by it
		for _, s := range []auth.Scope{p("bob", none, auth.Everything()), p("boss", auth.Everything(), auth.Everything())} {
			for _, run := range []string{private.RunID, shared.RunID} {
				_, foreign := tx.RunInstance(s, run)
				_, unknown := tx.RunInstance(s, "no-run")
				if !errors.Is(foreign, store.ErrNotFound) || errorText(foreign) != errorText(unknown) {
					t.Errorf("%q by a foreign run id: %v, by an unknown one: %v", s.User(), foreign, unknown)
				}
			}
		}
		return nil
	})
	f.expectOwnStart(private)
}

// expectReach tries every read of an instance that there is.
func (f *fixture) expectReach(what string, s auth.Scope, i store.Instance, a store.Approval, want bool) {
	f.Helper()
	got, unknown := f.reads(s, i.ID, a.ID), f.reads(s, "wf_none", "ap_none")
	for name, err := range got {
		switch {
		case want && err != nil:
			f.Errorf("%s: %s: %v", what, name, err)
		case !want && (!errors.Is(err, store.ErrNotFound) || errorText(err) != errorText(unknown[name])):
			f.Errorf("%s: %s: %v, want as for an unknown one: %v", what, name, err, unknown[name])
		}
	}
	listed := false
	for _, l := range f.listed(s, store.InstanceFilter{}) {
		listed = listed || l.ID == i.ID
	}
	asked := false
	for _, id := range f.asked(s, "", i.Updated) {
		asked = asked || id == a.ID
	}
	if listed != want || asked != want {
		f.Errorf("%s: listed %t, its approval %t, want %t", what, listed, asked, want)
	}
}

// keptAndRunning is an attempt that runs, in an instance that has a kept one too.
func (f *fixture) keptAndRunning(i store.Instance) store.Attempt {
	f.Helper()
	f.end(f.attempt(anAttempt(i)), store.AttemptKept)
	return f.attempt(anAttempt(i))
}

// expectAttempt tries every read of an attempt that there is: what is foreign answers like what is not there.
func (f *fixture) expectAttempt(what string, s auth.Scope, a store.Attempt, want bool) {
	f.Helper()
	f.look(func(tx store.Tx) error {
		errs, unknown := attemptReads(tx, s, a.ID, a.Instance, a.Digest), attemptReads(tx, s, "at_none", "wf_none", a.Digest)
		for name, err := range errs {
			switch {
			case a.Instance == "" && name != "attempt":
			case want && err != nil:
				f.Errorf("%s: %s: %v", what, name, err)
			case !want && (!errors.Is(err, store.ErrNotFound) || errorText(err) != errorText(unknown[name])):
				f.Errorf("%s: %s: %v, want as for an unknown one: %v", what, name, err, unknown[name])
			}
		}
		for _, filter := range []store.AttemptFilter{{}, {User: a.User}, {Status: a.Status}, {Instance: a.Instance, Direct: a.Instance == ""}} {
			listed := false
			all, err := tx.ListAttempts(s, filter)
			for _, l := range all {
				listed = listed || l.ID == a.ID
			}
			if err != nil || listed != want {
				f.Errorf("%s: listed by %+v: %t, want %t, %v", what, filter, listed, want, err)
			}
		}
		return nil
	})
}

// attemptReads are the answers to each read of an attempt, or of those of an instance.
func attemptReads(tx store.Tx, s auth.Scope, id, instance, digest string) map[string]error {
	return map[string]error{
		"attempt":  second(tx.Attempt(s, id)),
		"blocking": second(tx.BlockingAttempt(s, instance)),
		"kept":     second(tx.KeptAttempt(s, instance, 2, digest)),
	}
}

// reads are the answers to each read by id.
func (f *fixture) reads(s auth.Scope, id, approval string) map[string]error {
	f.Helper()
	got := map[string]error{}
	_, got["point read"] = f.Instance(context.Background(), s, id)
	f.look(func(tx store.Tx) error {
		_, got["instance"] = tx.Instance(s, id)
		_, got["steps"] = tx.Steps(s, id, 0, 1)
		_, got["evidence"] = tx.EvidenceOf(s, id)
		_, got["acknowledgements"] = tx.Acknowledgements(s, id)
		_, got["approval"] = tx.Approval(s, approval)
		_, got["approvals of it"] = tx.OpenApprovals(s, id, dawn, 0)
		return nil
	})
	_ = f.Update(context.Background(), func(tx store.Tx) error {
		got["acknowledge"] = tx.Acknowledge(s, id, store.Acknowledgement{Subject: "s", Hash: "h", At: dawn})
		return errOwn
	})
	return got
}

// expectOwnStart: who starts under another's run id starts its own, and who moves another's moves nothing.
func (f *fixture) expectOwnStart(i store.Instance) {
	f.Helper()
	own := newInstance("bob", "x.one")
	own.RunID = i.RunID
	f.begin(own)
	f.expectRun("bob", i.RunID, own.ID)
	f.expectRun(i.User, i.RunID, i.ID)
	m := after(i, nil)
	m.Next.User = "bob"
	foreign := f.tryMove(m)
	m.Next.ID = "wf_none"
	if unknown := f.tryMove(m); !errors.Is(foreign, store.ErrNotFound) || errorText(foreign) != errorText(unknown) {
		f.Errorf("a move of a foreign instance: %v, of none: %v", foreign, unknown)
	}
	if diff := cmp.Diff(i, f.instance(scope(i.User), i.ID)); diff != "" {
		f.Errorf("it changed (-want +got):\n%s", diff)
	}
}

func readOnlyWorkflows(t *testing.T, open Opener) {
	f := start(t, open)
	i := f.begin(newInstance("alice", "demo"))
	other := newInstance("alice", "demo")
	running := f.attempt(aDirectAttempt("alice"))
	for name, attempt := range map[string]func(store.Tx) error{
		"definition": func(tx store.Tx) error { return second(tx.PutDefinition(plain("new"))) },
		"start":      func(tx store.Tx) error { return tx.CreateInstance(other, firstStep(other), nil) },
		"move":       func(tx store.Tx) error { return tx.Move(after(i, nil)) },
		"acknowledge": func(tx store.Tx) error {
			return tx.Acknowledge(scope("alice"), i.ID, store.Acknowledgement{Subject: "s", Hash: "h"})
		},
		"attempt":   func(tx store.Tx) error { return tx.OpenAttempt(anAttempt(i)) },
		"renewal":   func(tx store.Tx) error { return tx.RenewAttempt(running.ID, running.Fence, 2, 0, dawn, dawn) },
		"closing":   func(tx store.Tx) error { return tx.CloseAttempt(closed(running, store.AttemptDone)) },
		"claim":     func(tx store.Tx) error { return second(tx.ClaimAttempts("w2", dawn, dawn, dawn, 1)) },
		"doubt":     func(tx store.Tx) error { return second(tx.DoubtAttempts(dawn)) },
		"void":      func(tx store.Tx) error { return second(tx.VoidApprovals(dawn)) },
		"term":      func(tx store.Tx) error { return second(tx.PutTerm(store.Term{Term: "t"})) },
		"subject":   func(tx store.Tx) error { return second(tx.SettleSubject(scope("alice"), "s", dawn)) },
		"notice":    func(tx store.Tx) error { return second(tx.AddNotice(aNotice("alice"))) },
		"its claim": func(tx store.Tx) error { return second(tx.ClaimNotice("w1", dawn, dawn, dawn)) },
		"its delay": func(tx store.Tx) error { return tx.DelayNotice("nt_1", "w1", dawn) },
		"its end":   func(tx store.Tx) error { return tx.EndNotice("nt_1", "w1") },
		"its drop":  func(tx store.Tx) error { return second(tx.DropNotices()) },
	} {
		if err := f.View(context.Background(), attempt); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("%s within a view: %v, want ErrReadOnly", name, err)
		}
	}
	if diff := cmp.Diff(i, f.instance(scope("alice"), i.ID)); diff != "" {
		t.Errorf("a view changed something (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(running, f.attemptOf(scope("alice"), running.ID)); diff != "" {
		t.Errorf("a view changed an attempt (-want +got):\n%s", diff)
	}
}
