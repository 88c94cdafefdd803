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
	f.look(func(tx store.Tx) error {
		for status, want := range map[store.AttemptStatus]int{store.AttemptRunning: 6, store.AttemptUnknown: 2, store.AttemptDone: 0, "gone": 0} {
			if n, err := tx.CountAttempts(status); n != want || err != nil {
				t.Errorf("%d are counted %s, %v, want %d", n, status, err, want)
			}
		}
		return nil
	})
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
