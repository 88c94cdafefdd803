package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
)

func (f *fixture) putTerm(t store.Term) (kept store.Term, err error) {
	err = f.Update(context.Background(), func(tx store.Tx) (err error) {
		tx.AddEvent(told)
		kept, err = tx.PutTerm(t)
		return err
	})
	return kept, err
}

// terms: a user's own entry hides everybody's, until it is accepted; nothing is ever overwritten.
func terms(t *testing.T, open Opener) {
	f := start(t, open)
	put := func(user, term, entry string, version int64, change func(*store.Term)) store.Term {
		t.Helper()
		x := store.Term{Term: term, User: user, Entry: []byte(`{"definition_short":"` + entry + `"}`), Client: "c", Version: version, Created: dawn, Updated: dawn.Add(time.Second)}
		if change != nil {
			change(&x)
		}
		got, err := f.putTerm(x)
		x.Version++
		if diff := cmp.Diff(x, got); err != nil || diff != "" {
			t.Fatalf("put: %v (-want +got):\n%s", err, diff)
		}
		return got
	}
	expect := func(s auth.Scope, want ...store.Term) {
		t.Helper()
		f.look(func(tx store.Tx) error {
			got, err := tx.Terms(s)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("terms of %q (-want +got):\n%s", s.User(), diff)
			}
			return err
		})
	}
	alice, bob, boss := scope("alice"), scope("bob"), auth.Principal{User: "boss", Oversees: auth.Everything()}.Scope()
	expect(alice)
	b := put("", "b", "everybody's", 0, nil)
	a := put("alice", "a", "alice's", 0, nil)
	mine := put("alice", "b", "alice's b", 0, nil)
	bobs := put("bob", "a", "bob's", 0, nil)
	expect(alice, a, mine)
	expect(bob, bobs, b)
	expect(boss, a, bobs, b, mine)
	expect(scope("carol"), b)
	gone := put("", "b", "everybody's", 1, func(x *store.Term) { x.Removed = true })
	expect(scope("carol"), gone)
	expect(alice, a, mine)
	accepted := func(x *store.Term) { x.Accepted, x.AcceptedAt = "a-person", dawn.Add(time.Minute) }
	common := put("", "a", "alice's", 0, accepted)
	taken := put("alice", "a", "alice's", 1, accepted)
	expect(alice, common, mine)
	expect(bob, bobs, gone)
	f.reopen()
	again := put("alice", "a", "alice's once more", 2, nil)
	expect(alice, again, mine)
	f.look(func(tx store.Tx) error {
		for user, want := range map[string]store.Term{"alice": again, "bob": bobs, "carol": common} {
			got, err := tx.Term(scope(user), "a")
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("the term of %s: %v (-want +got):\n%s", user, err, diff)
			}
		}
		if _, err := tx.Term(alice, "c"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an unknown term: %v, want ErrNotFound", err)
		}
		for _, test := range []struct {
			scope auth.Scope
			want  []store.Term
		}{{alice, []store.Term{a, common, taken, again}}, {bob, []store.Term{bobs, common}}, {boss, []store.Term{a, bobs, common, taken, again}}, {auth.Scope{}, nil}} {
			got, err := tx.TermHistory(test.scope, "a")
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("history for %q: %v (-want +got):\n%s", test.scope.User(), err, diff)
			}
		}
		return nil
	})
	expect(auth.Principal{Oversees: auth.Everything()}.Scope())
	refusedTerms(t, f, again)
}

func refusedTerms(t *testing.T, f *fixture, newest store.Term) {
	for name, test := range map[string]struct {
		change func(*store.Term)
		want   error // nil: any
	}{
		"a version behind":   {func(x *store.Term) { x.Version-- }, store.ErrConflict},
		"a version ahead":    {func(x *store.Term) { x.Version++ }, store.ErrConflict},
		"as a new one":       {func(x *store.Term) { x.Version = 0 }, store.ErrConflict},
		"of one that is not": {func(x *store.Term) { x.Term = "z" }, store.ErrConflict},
		"no term":            {func(x *store.Term) { x.Term = "" }, nil},
		"no object":          {func(x *store.Term) { x.Entry = []byte(`"x"`) }, nil},
		"no JSON":            {func(x *store.Term) { x.Entry = []byte(`{"a"`) }, nil},
		"too large":          {func(x *store.Term) { x.Entry = []byte(`{"a":"` + strings.Repeat("x", store.MaxTermBytes) + `"}`) }, store.ErrQuota},
		"not UTF-8":          {func(x *store.Term) { x.Term = "\xff" }, nil},
	} {
		x := newest
		test.change(&x)
		if _, err := f.putTerm(x); err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		_ = f.Update(context.Background(), func(tx store.Tx) error { // some of these succeed: there was nothing to undo
			_, _ = tx.PutTerm(x)
			return nil
		})
	}
	f.look(func(tx store.Tx) error {
		got, err := tx.Term(scope(newest.User), newest.Term)
		if diff := cmp.Diff(newest, got); diff != "" {
			t.Errorf("a refused put changed the term (-want +got):\n%s", diff)
		}
		return err
	})
	manyTerms(t, f)
}

// manyTerms: a user's entries have a bounded number of versions; to remove one there is always room.
func manyTerms(t *testing.T, f *fixture) {
	f.must(func(tx store.Tx) error {
		tx.AddEvent(told)
		for n := range store.MaxTermVersions {
			if _, err := tx.PutTerm(store.Term{Term: numbered("t", n), User: "dora"}); err != nil {
				return err
			}
		}
		return nil
	})
	remove := store.Term{Term: numbered("t", 0), User: "dora", Version: 1, Removed: true}
	for _, try := range []struct {
		term store.Term
		want error
	}{
		{store.Term{Term: "more", User: "dora"}, store.ErrQuota}, {store.Term{Term: numbered("t", 0), User: "dora", Version: 1}, store.ErrQuota},
		{remove, nil}, {store.Term{Term: remove.Term, User: "dora", Version: 2, Removed: true}, store.ErrQuota}, {store.Term{Term: "more", User: "emil"}, nil},
	} {
		if _, err := f.putTerm(try.term); !errors.Is(err, try.want) {
			t.Errorf("%+v: %v, want %v", try.term, err, try.want)
		}
	}
}

// subjects: each user settles a subject once.
func subjects(t *testing.T, open Opener) {
	f := start(t, open)
	settle := func(s auth.Scope, subject string) (fresh bool, err error) {
		err = f.Update(context.Background(), func(tx store.Tx) (err error) {
			fresh, err = tx.SettleSubject(s, subject, dawn)
			return err
		})
		return fresh, err
	}
	for _, test := range []struct {
		user, subject string
		want          bool
	}{{"alice", "x", true}, {"alice", "x", false}, {"bob", "x", true}, {"alice", "a", true}} {
		if got, err := settle(scope(test.user), test.subject); got != test.want || err != nil {
			t.Errorf("%s settles %s: %t, %v, want %t", test.user, test.subject, got, err, test.want)
		}
	}
	if fresh, err := settle(auth.Scope{}, "x"); err == nil || fresh {
		t.Error("nobody settled something")
	}
	if _, err := settle(scope("alice"), strings.Repeat("x", store.MaxFieldBytes+1)); !errors.Is(err, store.ErrQuota) {
		t.Errorf("too long a subject: %v, want ErrQuota", err)
	}
	f.reopen()
	for user, want := range map[string][]string{"alice": {"a", "x"}, "bob": {"x"}, "carol": nil, "": nil} {
		f.look(func(tx store.Tx) error {
			got, err := tx.SettledSubjects(scope(user))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("settled by %q (-want +got):\n%s", user, diff)
			}
			return err
		})
	}
}
