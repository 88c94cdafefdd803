package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"prax/store"
)

// model does the same random operations on the store and on a slice, and compares every answer.
// Some operations share one Update, and some of those fail as a whole.
func model(t *testing.T, open Opener) {
	rapid.Check(t, func(r *rapid.T) {
		m := &machine{fixture: &fixture{TB: t, open: open, place: t.TempDir()}}
		m.Store = open(t, m.place)
		defer func() {
			m.verify()
			if err := m.Close(); err != nil {
				r.Fatalf("close: %v", err)
			}
		}()
		r.Repeat(map[string]func(*rapid.T){
			"change": m.change,
			"read":   m.read,
			"search": m.find,
			"record": m.note,
			"reopen": func(*rapid.T) { m.reopen() },
			"":       m.check,
		})
	})
}

// machine is the store and what it should hold.
type machine struct {
	*fixture
	kept     []store.Document // oldest write first
	calls    int              // events of calls, recorded or added
	recorded int
}

var (
	someUser = rapid.SampledFrom([]string{"alice", "bob", "böb"})
	someKind = rapid.SampledFrom([]store.Kind{store.Memory, store.Concept, store.Conversation})
	someText = rapid.SampledFrom([]string{"", "red", "red apple", "Red-Apple 20.04", "東京 apple", "applesauce", "don't", "o1m_red"})
	someKey  = rapid.SampledFrom([]string{"", "", "k1", "k2"})
	someNS   = rapid.SampledFrom([]string{"", "n1"})
)

func drawDocument(r *rapid.T) store.Document {
	return store.Document{
		User: someUser.Draw(r, "user"), Kind: someKind.Draw(r, "kind"), Namespace: someNS.Draw(r, "namespace"),
		Key: someKey.Draw(r, "key"), Title: someText.Draw(r, "title"), Body: someText.Draw(r, "body"),
		Tags:       rapid.SliceOfN(rapid.SampledFrom([]string{"red", "tag"}), 0, 2).Draw(r, "tags"),
		Importance: rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(r, "importance"),
	}
}

// step is one operation: on the store it returns what the store said; next is the state after it,
// and want the error that it should give.
type step struct {
	do   func(store.Tx) error
	next []store.Document
	want error
}

// change does one to three operations in one Update, and now and then makes it fail at its end.
func (m *machine) change(r *rapid.T) {
	state := m.kept
	var steps []step
	for range rapid.IntRange(1, 3).Draw(r, "operations") {
		s := m.draw(r, state)
		steps = append(steps, s)
		state = s.next
	}
	fail := rapid.IntRange(0, 4).Draw(r, "fail") == 0
	err := m.Update(context.Background(), func(tx store.Tx) error {
		for i, s := range steps {
			if err := s.do(tx); !errors.Is(err, s.want) {
				return fmt.Errorf("operation %d: got %w, want %v", i, err, s.want)
			}
			tx.AddEvent(store.Event{Kind: store.EventCall, User: "alice"})
		}
		if fail {
			return errOwn
		}
		return nil
	})
	switch {
	case fail && errors.Is(err, errOwn):
	case !fail && err == nil:
		m.kept = state
		m.calls += len(steps)
	default:
		r.Fatalf("update: %v", err)
	}
}

func (m *machine) draw(r *rapid.T, state []store.Document) step {
	d := drawDocument(r)
	i := -1
	if len(state) > 0 {
		i = rapid.IntRange(0, len(state)-1).Draw(r, "which")
	}
	switch what := rapid.IntRange(0, 3).Draw(r, "what"); {
	case what == 0 || i < 0:
		return m.create(state, d)
	case what == 1:
		return m.remove(state, i, someUser.Draw(r, "by"))
	default:
		d.ID, d.Version = state[i].ID, state[i].Version+rapid.Int64Range(0, 1).Draw(r, "stale")
		return m.replace(state, i, d)
	}
}

// taken tells whether another document than the one at index but has d's key.
func taken(state []store.Document, d store.Document, but int) bool {
	return d.Key != "" && d.Kind != store.Conversation && slices.ContainsFunc(state, func(o store.Document) bool {
		return o.User == d.User && o.Kind == d.Kind && o.Namespace == d.Namespace && o.Key == d.Key && (but < 0 || o.ID != state[but].ID)
	})
}

func (m *machine) create(state []store.Document, d store.Document) step {
	d.ID = store.NewID()
	s := step{next: state, do: func(tx store.Tx) error { _, err := tx.PutDocument(d); return err }}
	if taken(state, d, -1) {
		s.want = store.ErrConflict
		return s
	}
	kept := d
	kept.Version = 1
	s.next = append(slices.Clone(state), kept)
	return s
}

func (m *machine) replace(state []store.Document, i int, d store.Document) step {
	s := step{next: state, do: func(tx store.Tx) error { _, err := tx.PutDocument(d); return err }}
	switch {
	case d.User != state[i].User:
		s.want = store.ErrNotFound
	case d.Version != state[i].Version || taken(state, d, i):
		s.want = store.ErrConflict
	default:
		kept := d
		kept.Version++
		s.next = append(slices.Delete(slices.Clone(state), i, i+1), kept)
	}
	return s
}

func (m *machine) remove(state []store.Document, i int, by string) step {
	id := state[i].ID
	s := step{next: state, do: func(tx store.Tx) error { return tx.DeleteDocument(scope(by), id) }}
	if by != state[i].User {
		s.want = store.ErrNotFound
		return s
	}
	s.next = slices.Delete(slices.Clone(state), i, i+1)
	return s
}

// newest are the kept documents that pass, newest first.
func (m *machine) newest(pass func(store.Document) bool) []store.Document {
	found := []store.Document{}
	for _, d := range slices.Backward(m.kept) {
		if pass(d) {
			found = append(found, d)
		}
	}
	return found
}

// alike compares documents but for the clock's times.
var alike = cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(store.Document{}, "Created", "Updated")}

func (m *machine) read(r *rapid.T) {
	user, f := someUser.Draw(r, "user"), store.Filter{Kind: someKind.Draw(r, "kind"), Namespace: someNS.Draw(r, "namespace"), Key: someKey.Draw(r, "key")}
	want := m.newest(func(d store.Document) bool {
		return d.User == user && d.Kind == f.Kind && (f.Namespace == "" || d.Namespace == f.Namespace) && (f.Key == "" || d.Key == f.Key)
	})
	if diff := cmp.Diff(want, m.list(user, f), alike); diff != "" {
		r.Fatalf("list of %s by %+v (-want +got):\n%s", user, f, diff)
	}
}

// find compares a search with looking at every document.
func (m *machine) find(r *rapid.T) {
	user := someUser.Draw(r, "user")
	q := store.Query{
		Namespace: someNS.Draw(r, "namespace"), All: rapid.Bool().Draw(r, "all"),
		Words: store.QueryWords(rapid.SampledFrom([]string{"red", "apple", "app", "red app", "東", "東京", "20.04", "don't", "k1", "zzz red", "tag", ""}).Draw(r, "query")),
	}
	if rapid.Bool().Draw(r, "one kind") {
		q.Kind = someKind.Draw(r, "kind")
	}
	want := m.newest(func(d store.Document) bool {
		return d.User == user && (q.Kind == "" || d.Kind == q.Kind) && (q.Namespace == "" || d.Namespace == q.Namespace) && matches(d, q)
	})
	if diff := cmp.Diff(want, m.search(user, q), alike); diff != "" {
		r.Fatalf("search of %s for %+v (-want +got):\n%s", user, q, diff)
	}
}

func matches(d store.Document, q store.Query) bool {
	words := d.Words()
	hit := func(w store.Word) bool { return slices.ContainsFunc(words, w.Matches) }
	if q.All {
		return len(q.Words) > 0 && !slices.ContainsFunc(q.Words, func(w store.Word) bool { return !hit(w) })
	}
	return slices.ContainsFunc(q.Words, hit)
}

func (m *machine) note(r *rapid.T) {
	m.Record(store.Event{Kind: store.EventCall, User: "alice", RequestID: strings.Repeat("r", rapid.IntRange(1, 9).Draw(r, "length"))})
	m.recorded++
}

// check is what holds after every step.
func (m *machine) check(r *rapid.T) {
	for _, user := range []string{"alice", "bob", "böb"} {
		want := m.newest(func(d store.Document) bool { return d.User == user })
		if diff := cmp.Diff(want, m.list(user, store.Filter{}), alike); diff != "" {
			r.Fatalf("documents of %s (-want +got):\n%s", user, diff)
		}
	}
	added, blocked := 0, 0
	for _, e := range m.chain() {
		if e.Kind == store.EventCall {
			added++
		}
		blocked += len(e.Calls)
	}
	if added != m.calls || blocked > m.recorded {
		r.Fatalf("the chain has %d calls and %d in blocks, want %d and at most %d", added, blocked, m.calls, m.recorded)
	}
}
