package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
)

// observed: events of workflows are found by whose they are, newest first, in blocks and outside them; no walk
// along calls comes by them, nor the other way round.
func observed(t *testing.T, open Opener) {
	f := start(t, open)
	event := func(kind store.EventKind, user, id string) store.Event {
		return store.Event{Kind: kind, User: user, RequestID: id, At: dawn, Detail: `{"workflow_id":"wf_1"}`}
	}
	f.must(func(tx store.Tx) error {
		for _, e := range []store.Event{
			event(store.EventWorkflow, "alice", "w1"), event(store.EventCall, "alice", "c1"), event(store.EventWorkflow, "bob", "w2"),
			event(store.EventWorkflow, "", "w3"), event(store.EventServer, "alice", "s1"),
		} {
			tx.AddEvent(e)
		}
		return nil
	})
	for _, e := range []store.Event{
		event(store.EventWorkflow, "bob", "w4"), event(store.EventCall, "alice", "c2"), event(store.EventWorkflow, "alice", "w5"),
		event(store.EventCall, "bob", "c3"), event(store.EventCall, "alice", "c4"), event(store.EventWorkflow, "alice", "w6"), event(store.EventWorkflow, "", "w7"),
	} {
		f.Record(e)
	}
	f.reopen() // so that the recorded ones are in a block
	f.must(func(tx store.Tx) error { tx.AddEvent(event(store.EventWorkflow, "alice", "w8")); return nil })
	overseer := auth.Principal{User: "carol", Oversees: auth.Everything(), Workflows: auth.Everything()}.Scope()
	for _, test := range []struct {
		scope        auth.Scope
		events, call []string
	}{
		{scope("alice"), []string{"w8", "w6", "w5", "w1"}, []string{"c4", "c2", "c1"}},
		{scope("bob"), []string{"w4", "w2"}, []string{"c3"}},
		{overseer, nil, nil}, {scope(""), nil, nil},
	} {
		var events, calls []string
		f.look(func(tx store.Tx) error {
			err := tx.Observed(test.scope, func(e store.Event) bool {
				if events = append(events, e.RequestID); e.Kind != store.EventWorkflow || e.User != test.scope.User() || e.Detail == "" {
					t.Errorf("observed %+v", e)
				}
				return true
			})
			if err != nil {
				return err
			}
			return tx.Traces(test.scope, func(trace store.Trace) bool {
				calls = append(calls, trace.RequestID)
				return true
			})
		})
		if diff := cmp.Diff([][]string{test.events, test.call}, [][]string{events, calls}); diff != "" {
			t.Errorf("events and calls of %q (-want +got):\n%s", test.scope.User(), diff)
		}
	}
	f.look(func(tx store.Tx) error {
		n := 0
		err := tx.Observed(scope("alice"), func(store.Event) bool { n++; return n < 2 })
		if n != 2 {
			t.Errorf("%d events after f said stop at 2", n)
		}
		return err
	})
	manyObserved(t, f)
}

// manyObserved: a walk ends after the newest MaxTraces, and a user's calls stay in reach behind any number of
// events of workflows.
func manyObserved(t *testing.T, f *fixture) {
	events := make([]store.Event, store.MaxTraces+10)
	for i := range events {
		events[i] = store.Event{Kind: store.EventWorkflow, User: "alice", RequestID: numbered("m", i)}
	}
	f.must(func(tx store.Tx) error {
		tx.AddEvent(store.Event{Kind: store.EventBlock, Calls: events})
		return nil
	})
	n, calls := 0, 0
	f.look(func(tx store.Tx) error {
		if err := tx.Observed(scope("alice"), func(store.Event) bool { n++; return true }); err != nil {
			return err
		}
		return tx.Traces(scope("alice"), func(store.Trace) bool { calls++; return true })
	})
	if n != store.MaxTraces || calls != 3 {
		t.Errorf("%d events and %d calls, want %d and 3", n, calls, store.MaxTraces)
	}
}
