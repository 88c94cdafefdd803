package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

// byKey: a document is found by exactly its owner, kind, namespace and key, before and after it was
// changed, also within the transaction that wrote it; lines of a conversation are not.
func byKey(t *testing.T, open Opener) {
	f := start(t, open)
	kept := map[string]store.Document{}
	for _, d := range []store.Document{
		{User: "alice", Kind: store.Concept, Namespace: "n", Key: "k"}, {User: "alice", Kind: store.Concept, Namespace: "m", Key: "k"},
		{User: "alice", Kind: store.Concept, Namespace: "n", Key: "K"}, {User: "alice", Kind: store.Note, Key: "k"},
		{User: "alice", Kind: store.Note}, {User: "alice", Kind: store.Conversation, Key: "user"},
		{User: "bob", Kind: store.Concept, Namespace: "n", Key: "k"}, {User: "bob", Kind: store.Note, Key: "bobs"},
	} {
		d.Body = fmt.Sprintf("%s/%s/%s/%s", d.User, d.Kind, d.Namespace, d.Key)
		kept[d.Body] = f.put(d)
	}
	find := func(tx store.Tx, path string) (store.Document, error) {
		p := strings.Split(path, "/")
		return tx.KeyedDocument(scope(p[0]), store.Kind(p[1]), p[2], p[3])
	}
	for _, path := range []string{"alice/concept/n/k", "alice/concept/m/k", "alice/concept/n/K", "alice/note//k", "bob/concept/n/k", "bob/note//bobs"} {
		f.look(func(tx store.Tx) error {
			got, err := find(tx, path)
			if diff := cmp.Diff(kept[path], got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
			return err
		})
	}
	for _, path := range []string{
		"alice/note//bobs", "alice/note//", "alice/concept//k", "alice/note/n/k", "alice/conversation//user", "alice/other//k", "bob/note//k", "carol/note//k", "/note//k",
	} {
		f.look(func(tx store.Tx) error {
			if got, err := find(tx, path); !errors.Is(err, store.ErrNotFound) || errorText(err) != errorText(store.ErrNotFound) {
				t.Errorf("%s: %+v, %v, want ErrNotFound", path, got, err)
			}
			return nil
		})
	}
	f.must(func(tx store.Tx) error {
		moved := kept["alice/note//k"]
		moved.Key = "new"
		if _, err := tx.PutDocument(moved); err != nil {
			return err
		}
		if _, err := find(tx, "alice/note//k"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("under the key that it had: %v", err)
		}
		got, err := find(tx, "alice/note//new")
		if got.Version != 2 {
			t.Errorf("under its new key: %+v", got)
		}
		return err
	})
}

// bare: a list without bodies is the same list, and no large body shortens it.
func bare(t *testing.T, open Opener) {
	f := start(t, open)
	large := strings.Repeat("x", store.MaxDocumentBytes)
	n := store.MaxCandidateBytes/store.MaxDocumentBytes + 10
	f.must(func(tx store.Tx) error {
		for i := range n {
			d := store.Document{User: "alice", Kind: store.Note, Key: numbered("k", i), Title: "t", Tags: []string{"a"}, Body: large, Status: "s"}
			if _, err := tx.PutDocument(d); err != nil {
				return err
			}
		}
		tx.AddEvent(store.Event{Kind: store.EventServer})
		return nil
	})
	whole := f.list("alice", store.Filter{Kind: store.Note})
	got := f.list("alice", store.Filter{Kind: store.Note, Bare: true})
	if len(whole) >= n || len(got) != n {
		t.Fatalf("%d with bodies, %d without, of %d", len(whole), len(got), n)
	}
	for i := range whole {
		whole[i].Body = ""
	}
	if diff := cmp.Diff(whole, got[:len(whole)]); diff != "" {
		t.Errorf("(-whole +bare):\n%s", diff)
	}
}
