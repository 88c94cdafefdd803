package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
)

// isolation is law 9: no caller sees, changes or counts another's things, and what is another's
// answers like what does not exist.
func isolation(t *testing.T, open Opener) {
	f := start(t, open)
	alices := f.put(store.Document{User: "alice", Kind: store.Concept, Namespace: "shared", Key: "k", Body: "secret apple"})
	bobs := f.put(store.Document{User: "bob", ID: alices.ID, Kind: store.Concept, Namespace: "shared", Key: "k", Body: "secret banana"})
	f.put(store.Document{User: "alice", Kind: store.Memory, Body: "apple alone"})
	f.must(func(tx store.Tx) error {
		tx.AddEvent(store.Event{Kind: store.EventCall, User: "alice", RequestID: "ra", Tool: "memory_remember"})
		tx.AddEvent(store.Event{Kind: store.EventCall, User: "bob", RequestID: "rb", Tool: "memory_remember"})
		return nil
	})
	f.Record(store.Event{Kind: store.EventCall, User: "alice", RequestID: "rc", Tool: "memory_recall"})
	f.Record(store.Event{Kind: store.EventCall, User: "bob", RequestID: "rd", Tool: "memory_recall"})
	f.reopen() // so that the recorded ones are in a block
	if alices.ID != bobs.ID {
		t.Fatalf("an id that another user has was not given: %q, %q", alices.ID, bobs.ID)
	}
	t.Run("read", func(t *testing.T) { foreignReads(t, f, alices) })
	t.Run("write", func(t *testing.T) { foreignWrites(t, f) })
	t.Run("traces", func(t *testing.T) { foreignTraces(t, f) })
}

func foreignReads(t *testing.T, f *fixture, shared store.Document) {
	for user, want := range map[string][]string{
		"alice": {"apple alone", "secret apple"}, "bob": {"secret banana"}, "carol": {}, "": {}, "ALICE": {},
	} {
		if diff := cmp.Diff(want, bodies(f.list(user, store.Filter{}))); diff != "" {
			t.Errorf("list of %q (-want +got):\n%s", user, diff)
		}
		for _, word := range []string{"secret", "apple", "banana", "a", "s"} {
			for _, got := range f.search(user, store.Query{Words: store.QueryWords(word)}) {
				if got.User != user || user != "alice" && user != "bob" {
					t.Errorf("%q finds %+v by %q", user, got, word)
				}
			}
		}
		f.look(func(tx store.Tx) error {
			counts, err := tx.Namespaces(scope(user), store.Concept)
			if known := user == "alice" || user == "bob"; known != (len(counts) == 1 && counts[0].Documents == 1) {
				t.Errorf("namespaces of %q: %+v", user, counts)
			}
			return err
		})
	}
	f.look(func(tx store.Tx) error {
		got, err := tx.Document(scope("bob"), shared.ID)
		if err != nil || got.User != "bob" || got.Body != "secret banana" {
			t.Errorf("bob reads %+v, %v under an id that alice has too", got, err)
		}
		return nil
	})
}

// foreignWrites compares the answer for a foreign document with the one for none at all.
func foreignWrites(t *testing.T, f *fixture) {
	own := f.put(memory("alice", "only alice has this"))
	try := func(s auth.Scope, id string) []string {
		var said []string
		for _, attempt := range []func(store.Tx) error{
			func(tx store.Tx) error { _, err := tx.Document(s, id); return err },
			func(tx store.Tx) error { return tx.DeleteDocument(s, id) },
			func(tx store.Tx) error {
				d := store.Document{ID: id, User: s.User(), Kind: store.Memory, Version: 1, Body: "taken over"}
				_, err := tx.PutDocument(d)
				return err
			},
		} {
			err := f.Update(context.Background(), attempt)
			if s.User() != "" && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%q on a foreign document: %v, want ErrNotFound", s.User(), err)
			}
			said = append(said, errorText(err))
		}
		return said
	}
	for _, s := range []auth.Scope{scope("bob"), scope("stranger"), {}} {
		if diff := cmp.Diff(try(s, store.NewID()), try(s, own.ID)); diff != "" {
			t.Errorf("unknown and foreign differ for %q (-unknown +foreign):\n%s", s.User(), diff)
		}
	}
	f.look(func(tx store.Tx) error {
		got, err := tx.Document(scope("alice"), own.ID)
		if diff := cmp.Diff(own, got); diff != "" {
			t.Errorf("alice's document changed (-want +got):\n%s", diff)
		}
		return err
	})
}

func foreignTraces(t *testing.T, f *fixture) {
	for user, want := range map[string][]string{"alice": {"rc", "ra"}, "bob": {"rd", "rb"}, "carol": nil, "": nil} {
		var got []string
		f.look(func(tx store.Tx) error {
			return tx.Traces(scope(user), func(trace store.Trace) bool {
				got = append(got, trace.RequestID)
				return true
			})
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("traces of %q (-want +got):\n%s", user, diff)
		}
	}
	f.look(func(tx store.Tx) error {
		_, foreign := tx.Trace(scope("bob"), "rc")
		_, unknown := tx.Trace(scope("bob"), "nothing")
		if !errors.Is(foreign, store.ErrNotFound) || errorText(foreign) != errorText(unknown) {
			t.Errorf("foreign trace: %v, unknown: %v", foreign, unknown)
		}
		return nil
	})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
