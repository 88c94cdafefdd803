package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
)

// instanceLists: newest first, within the scope and the filter, page by page.
func instanceLists(t *testing.T, open Opener) {
	f := start(t, open)
	byName, names := map[string]string{}, map[string]string{}
	for _, name := range []string{
		"alice/x.one/open", "bob/x.one/open", "alice/x.two/completed", "bob/x.two/open/shared", "carol/y.one/cancelled/shared",
		"alice/x.one/cancelled", "bob/x.one/completed", "carol/x.one/open", "alice/x.two/open/shared", "carol/x/open/shared",
	} {
		parts := strings.Split(name, "/")
		i := newInstance(parts[0], parts[1])
		i.Shared = len(parts) > 3
		f.begin(i)
		if parts[2] != "open" {
			f.move(after(i, func(i *store.Instance) { i.Status = store.Status(parts[2]) }))
		}
		byName[name], names[i.ID] = i.ID, name
	}
	some := func(user string, definitions ...string) auth.Scope {
		return auth.Principal{User: user, Workflows: auth.Names(definitions...)}.Scope()
	}
	boss := auth.Principal{User: "boss", Oversees: auth.Names("alice", "carol"), Workflows: auth.Names("x.two")}.Scope()
	all := auth.Principal{User: "root", Oversees: auth.Everything()}.Scope()
	tests := []struct {
		what   string
		scope  auth.Scope
		filter store.InstanceFilter
		want   string // newest first
	}{
		{"own", scope("alice"), store.InstanceFilter{}, "alice/x.two/open/shared alice/x.one/cancelled alice/x.two/completed alice/x.one/open"},
		{"own, open", scope("alice"), store.InstanceFilter{Status: store.Open}, "alice/x.two/open/shared alice/x.one/open"},
		{"own, of a definition", scope("alice"), store.InstanceFilter{DefinitionID: "x.one"}, "alice/x.one/cancelled alice/x.one/open"},
		{"own, both", scope("alice"), store.InstanceFilter{DefinitionID: "x.one", Status: store.Cancelled}, "alice/x.one/cancelled"},
		{"own, named", scope("alice"), store.InstanceFilter{User: "alice", Status: store.Completed}, "alice/x.two/completed"},
		{"another's", scope("alice"), store.InstanceFilter{User: "bob"}, ""},
		{"unknown status", scope("alice"), store.InstanceFilter{Status: "waiting"}, ""},
		{"unknown definition", scope("alice"), store.InstanceFilter{DefinitionID: "z"}, ""},
		{"shared by pattern", some("dora", "x.*"), store.InstanceFilter{}, "alice/x.two/open/shared bob/x.two/open/shared"},
		{"shared by id", some("dora", "x", "y.one"), store.InstanceFilter{}, "carol/x/open/shared carol/y.one/cancelled/shared"},
		{"shared, of one user", some("dora", "x.two", "x"), store.InstanceFilter{User: "bob"}, "bob/x.two/open/shared"},
		{"shared, by status", some("dora", "x.*", "y.*"), store.InstanceFilter{Status: store.Cancelled}, "carol/y.one/cancelled/shared"},
		{"shared, of a definition", some("dora", "x.*", "y.*"), store.InstanceFilter{DefinitionID: "y.one"}, "carol/y.one/cancelled/shared"},
		{"shared, of one not granted", some("dora", "x.*"), store.InstanceFilter{DefinitionID: "y.one"}, ""},
		{"shared and own", some("bob", "x.two"), store.InstanceFilter{Status: store.Open}, "alice/x.two/open/shared bob/x.two/open/shared bob/x.one/open"},
		{"nothing granted", some("dora"), store.InstanceFilter{}, ""},
		{"overseen", boss, store.InstanceFilter{Status: store.Open}, "carol/x/open/shared alice/x.two/open/shared carol/x.one/open bob/x.two/open/shared alice/x.one/open"},
		{"overseen, of one user", boss, store.InstanceFilter{User: "carol"}, "carol/x/open/shared carol/x.one/open carol/y.one/cancelled/shared"},
		{"not overseen, but shared", boss, store.InstanceFilter{User: "bob"}, "bob/x.two/open/shared"},
		{"all, by status", all, store.InstanceFilter{Status: store.Completed}, "bob/x.one/completed alice/x.two/completed"},
		{"all, by definition", all, store.InstanceFilter{DefinitionID: "x.one", Status: store.Open}, "carol/x.one/open bob/x.one/open alice/x.one/open"},
		{"all, of one user", all, store.InstanceFilter{User: "bob"}, "bob/x.one/completed bob/x.two/open/shared bob/x.one/open"},
		{"nobody", auth.Principal{Oversees: auth.Everything(), Workflows: auth.Everything()}.Scope(), store.InstanceFilter{}, ""},
	}
	for _, test := range tests {
		want := []string{}
		for _, name := range strings.Fields(test.want) {
			want = append(want, byName[name])
		}
		inPages := []string{}
		filter := test.filter
		for filter.Limit = 2; ; {
			page := f.listed(test.scope, filter)
			if len(page) == 0 {
				break
			}
			inPages = append(inPages, ids(page)...)
			filter.Before = page[len(page)-1].Number
		}
		for _, got := range [][]string{ids(f.listed(test.scope, test.filter)), inPages} {
			if diff := cmp.Diff(named(names, want), named(names, got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.what, diff)
			}
		}
	}
}

func named(names map[string]string, ids []string) []string {
	all := make([]string, len(ids))
	for n, id := range ids {
		all[n] = names[id]
	}
	return all
}

// largeLists: one answer holds a bounded number of rows and bytes, and the next goes on behind it.
func largeLists(t *testing.T, open Opener) {
	f := start(t, open)
	large := []byte(fmt.Sprintf(`{"x":%q}`, strings.Repeat("x", store.MaxContextBytes-10)))
	n := store.MaxCandidateBytes/store.MaxContextBytes + 3
	var want []string
	f.must(func(tx store.Tx) error {
		want = nil
		if _, err := tx.PutDefinition(plain("demo")); err != nil {
			return err
		}
		tx.AddEvent(told)
		for range n {
			i := newInstance("alice", "demo")
			i.Context, i.Due = large, dawn
			if err := tx.CreateInstance(i, firstStep(i), nil); err != nil {
				return err
			}
			want = append([]string{i.ID}, want...)
		}
		return nil
	})
	var got []string
	before := int64(0)
	for pages := 0; ; pages++ {
		page := f.listed(scope("alice"), store.InstanceFilter{Before: before})
		if len(page) == 0 {
			break
		}
		if len(page) == n {
			t.Errorf("%d instances of 1 MiB in one answer", n)
		}
		got = append(got, ids(page)...)
		before = page[len(page)-1].Number
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f.look(func(tx store.Tx) error {
		all, err := tx.DueInstances(dawn, store.MaxPage)
		if len(all) == 0 || len(all) == n {
			t.Errorf("%d of %d due instances in one answer", len(all), n)
		}
		return err
	})
	f.must(func(tx store.Tx) error {
		for range store.MaxPage {
			i := newInstance("bob", "demo")
			if err := tx.CreateInstance(i, firstStep(i), nil); err != nil {
				return err
			}
		}
		return nil
	})
	for limit, want := range map[int]int{0: 50, 7: 7, store.MaxPage: store.MaxPage, store.MaxPage + 1: store.MaxPage, -1: 50} {
		if got := f.listed(scope("bob"), store.InstanceFilter{Limit: limit}); len(got) != want {
			t.Errorf("%d rows for a limit of %d, want %d", len(got), limit, want)
		}
	}
}
