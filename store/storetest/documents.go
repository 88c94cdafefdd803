package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

func documents(t *testing.T, open Opener) {
	t.Run("round trip", func(t *testing.T) { t.Parallel(); roundTrip(t, open) })
	t.Run("versions", func(t *testing.T) { t.Parallel(); versions(t, open) })
	t.Run("keys", func(t *testing.T) { t.Parallel(); keys(t, open) })
	t.Run("by key", func(t *testing.T) { t.Parallel(); byKey(t, open) })
	t.Run("bare", func(t *testing.T) { t.Parallel(); bare(t, open) })
	t.Run("newest first", func(t *testing.T) { t.Parallel(); newestFirst(t, open) })
	t.Run("namespaces", func(t *testing.T) { t.Parallel(); namespaces(t, open) })
	t.Run("refused", func(t *testing.T) { t.Parallel(); refused(t, open) })
}

// roundTrip: what was put is what is read, after a restart as well.
func roundTrip(t *testing.T, open Opener) {
	f := start(t, open)
	at := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.FixedZone("", 3600))
	put := store.Document{
		User: "alice", Kind: store.Concept, Namespace: "go lang", Key: "chan", Title: "Channels ≠ queues",
		Body: "first\nsecond \x00 \"quoted\" 🦊 'x' %", Tags: []string{"a b", "", "ü"}, Source: "agent",
		SourceType: "said", Importance: 0.75, Status: "open", Created: at, Updated: at.Add(time.Hour),
	}
	want := put
	want.Version = 1
	want.Created = time.UnixMilli(at.UnixMilli()).UTC()
	want.Updated = want.Created.Add(time.Hour)
	stored := f.put(put)
	if len(stored.ID) != 26 {
		t.Errorf("id %q has not 26 characters", stored.ID)
	}
	want.ID = stored.ID
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Errorf("as returned (-want +got):\n%s", diff)
	}
	f.reopen()
	f.look(func(tx store.Tx) error {
		got, err := tx.Document(scope("alice"), stored.ID)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("as read (-want +got):\n%s", diff)
		}
		return err
	})
}

// versions: a put replaces exactly the version that it names.
func versions(t *testing.T, open Opener) {
	f := start(t, open)
	first := f.put(memory("alice", "one"))
	changed := first
	changed.Body = "two"
	second := f.put(changed)
	if second.Version != 2 || !second.Created.Equal(first.Created) || second.Updated.Before(first.Updated) {
		t.Errorf("second version is %+v", second)
	}
	for _, version := range []int64{1, 3, -1} {
		stale := first
		stale.Version, stale.Body = version, "lost"
		if err := f.tryPut(stale); !errors.Is(err, store.ErrConflict) {
			t.Errorf("put over version %d: %v, want ErrConflict", version, err)
		}
	}
	unknown := second
	unknown.ID = store.NewID()
	if err := f.tryPut(unknown); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("put over an unknown document: %v, want ErrNotFound", err)
	}
	if diff := cmp.Diff([]string{"two"}, bodies(f.list("alice", store.Filter{}))); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	f.must(func(tx store.Tx) error { return tx.DeleteDocument(scope("alice"), first.ID) })
	err := f.Update(context.Background(), func(tx store.Tx) error { return tx.DeleteDocument(scope("alice"), first.ID) })
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("second delete: %v, want ErrNotFound", err)
	}
}

// keys: one document a key within user, kind and namespace; lines of a conversation share theirs.
func keys(t *testing.T, open Opener) {
	f := start(t, open)
	concept := store.Document{User: "alice", Kind: store.Concept, Namespace: "n", Key: "k", Body: "1"}
	kept := f.put(concept)
	if err := f.tryPut(concept); !errors.Is(err, store.ErrConflict) {
		t.Errorf("same key: %v, want ErrConflict", err)
	}
	for _, other := range []store.Document{
		{User: "bob", Kind: store.Concept, Namespace: "n", Key: "k"},
		{User: "alice", Kind: store.Note, Namespace: "n", Key: "k"},
		{User: "alice", Kind: store.Concept, Namespace: "m", Key: "k"},
		{User: "alice", Kind: store.Concept, Namespace: "n", Key: "K"},
		{User: "alice", Kind: store.Concept, Namespace: "n"},
		{User: "alice", Kind: store.Concept, Namespace: "n"},
		{User: "alice", Kind: store.Conversation, Key: "user"},
		{User: "alice", Kind: store.Conversation, Key: "user"},
	} {
		f.put(other)
	}
	moved := f.put(store.Document{User: "alice", Kind: store.Concept, Namespace: "n", Key: "free"})
	moved.Key = "k"
	if err := f.tryPut(moved); !errors.Is(err, store.ErrConflict) {
		t.Errorf("moved onto a taken key: %v, want ErrConflict", err)
	}
	got := f.list("alice", store.Filter{Kind: store.Concept, Namespace: "n", Key: "k"})
	if len(got) != 1 || got[0].ID != kept.ID {
		t.Errorf("list by key gave %+v", got)
	}
}

// newestFirst: what was written last stands first, and filters and limits hold.
func newestFirst(t *testing.T, open Opener) {
	f := start(t, open)
	old := f.put(store.Document{User: "alice", Kind: store.Todo, Key: "1", Body: "a", Status: "open"})
	f.put(store.Document{User: "alice", Kind: store.Todo, Key: "2", Body: "b", Status: "open", Created: time.UnixMilli(1)})
	f.put(store.Document{User: "alice", Kind: store.Note, Key: "c", Body: "c"})
	old.Status = "done"
	f.put(old)
	tests := []struct {
		filter store.Filter
		want   []string
	}{
		{store.Filter{}, []string{"a", "c", "b"}},
		{store.Filter{Kind: store.Todo}, []string{"a", "b"}},
		{store.Filter{Kind: store.Todo, Status: "open"}, []string{"b"}},
		{store.Filter{Limit: 2}, []string{"a", "c"}},
		{store.Filter{Kind: store.Memory}, []string{}},
		{store.Filter{Kind: "other"}, []string{}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, bodies(f.list("alice", test.filter))); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.filter, diff)
		}
	}
}

func namespaces(t *testing.T, open Opener) {
	f := start(t, open)
	for i, namespace := range []string{"b", "a", "c", "c", "", "c", "b", "a"} {
		f.put(store.Document{User: "alice", Kind: store.Concept, Namespace: namespace, Key: numbered("k", i)})
	}
	f.put(store.Document{User: "alice", Kind: store.Note, Namespace: "other"})
	f.put(store.Document{User: "bob", Kind: store.Concept, Namespace: "bobs"})
	var got []store.NamespaceCount
	f.look(func(tx store.Tx) (err error) {
		got, err = tx.Namespaces(scope("alice"), store.Concept)
		return err
	})
	want := []store.NamespaceCount{{Namespace: "c", Documents: 3}, {Namespace: "a", Documents: 2}, {Namespace: "b", Documents: 2}, {Namespace: "", Documents: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
}

// refused: what is out of bounds is refused whole, and says which bound it is.
func refused(t *testing.T, open Opener) {
	f := start(t, open)
	long := strings.Repeat("x", store.MaxFieldBytes+1)
	tests := map[string]struct {
		change func(*store.Document)
		want   error // nil: any
	}{
		"no owner":         {func(d *store.Document) { d.User = "" }, nil},
		"unknown kind":     {func(d *store.Document) { d.Kind = "secret" }, nil},
		"body too long":    {func(d *store.Document) { d.Body = strings.Repeat("x", store.MaxDocumentBytes+1) }, store.ErrQuota},
		"key too long":     {func(d *store.Document) { d.Key = long }, store.ErrQuota},
		"title too long":   {func(d *store.Document) { d.Title = long }, store.ErrQuota},
		"too many tags":    {func(d *store.Document) { d.Tags = make([]string, store.MaxTags+1) }, store.ErrQuota},
		"tag too long":     {func(d *store.Document) { d.Tags = []string{long} }, store.ErrQuota},
		"importance":       {func(d *store.Document) { d.Importance = 1.5 }, nil},
		"not UTF-8":        {func(d *store.Document) { d.Body = "\xff" }, nil},
		"owner not UTF-8":  {func(d *store.Document) { d.User = "\xff" }, nil},
		"negative version": {func(d *store.Document) { d.Version = -1; d.ID = "x" }, nil},
	}
	for name, test := range tests {
		d := memory("alice", "body")
		test.change(&d)
		err := f.tryPut(d)
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	f.put(memory("alice", strings.Repeat("x", store.MaxDocumentBytes)))
	if got := f.list("alice", store.Filter{}); len(got) != 1 {
		t.Errorf("%d documents are kept, want the one that fits", len(got))
	}
}
