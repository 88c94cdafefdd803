package auth_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/auth"
)

func TestNameSet(t *testing.T) {
	t.Parallel()
	zero, none, some, all := auth.NameSet{}, auth.Names(), auth.Names("b", "a", "b"), auth.Everything()
	tests := []struct {
		name     string
		set      auth.NameSet
		all      bool
		size     int
		hasA     bool
		hasOther bool
		sorted   []string
	}{
		{"zero", zero, false, 0, false, false, nil},
		{"none", none, false, 0, false, false, nil},
		{"some", some, false, 2, true, false, []string{"a", "b"}},
		{"everything", all, true, 0, true, true, nil},
	}
	for _, tt := range tests {
		if tt.set.All() != tt.all || tt.set.Len() != tt.size || tt.set.Has("a") != tt.hasA || tt.set.Has("A") != tt.hasOther {
			t.Errorf("%s: all %t, len %d, a %t, A %t", tt.name, tt.set.All(), tt.set.Len(), tt.set.Has("a"), tt.set.Has("A"))
		}
		if diff := cmp.Diff(tt.sorted, tt.set.Sorted()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if zero.Key() != none.Key() || none.Key() == some.Key() || some.Key() == all.Key() || none.Key() == all.Key() {
		t.Error("keys do not tell the sets apart")
	}
	for name := range some.Each() {
		if name == "" {
			t.Error("an empty name")
		}
		break // stopping early is allowed
	}
}

var someNames = []string{"", "a", "b", "ab", "a,b", "c", "tool.one", "tool_one", "é"}

// TestNameTable: sets that share a table hold what they were given, and their keys are those of their
// content, in every table and order.
func TestNameTable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := auth.NewNameTable()
		lists := rapid.SliceOfN(rapid.SliceOf(rapid.SampledFrom(someNames)), 0, 12).Draw(t, "lists")
		var ids []uint32
		for _, list := range lists {
			ids = append(ids, table.Add(list))
		}
		for i, list := range lists {
			set, want := table.Set(ids[i]), slices.Compact(slices.Sorted(slices.Values(list)))
			if diff := cmp.Diff(want, set.Sorted()); len(want)+set.Len() > 0 && diff != "" {
				t.Fatalf("set %d (-want +got):\n%s", i, diff)
			}
			for _, name := range someNames {
				if set.Has(name) != slices.Contains(list, name) {
					t.Fatalf("set %d of %q: has %q is %t", i, list, name, set.Has(name))
				}
			}
			alone := slices.Clone(list)
			slices.Reverse(alone)
			if auth.Names(alone...).Key() != set.Key() {
				t.Fatalf("set %d has another key on its own", i)
			}
			for j := range i {
				same := slices.Equal(want, slices.Compact(slices.Sorted(slices.Values(lists[j]))))
				if (ids[i] == ids[j]) != same || (table.Set(ids[j]).Key() == set.Key()) != same {
					t.Fatalf("sets %q and %q: equal ids or keys where content differs, or the reverse", lists[j], list)
				}
			}
		}
	})
}

func TestNameSetAllocatesNothing(t *testing.T) {
	set := auth.Names("a", "b", "c")
	if n := testing.AllocsPerRun(100, func() { _ = set.Has("b") && set.Key() != [32]byte{} }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
