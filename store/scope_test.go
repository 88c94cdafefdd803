package store_test

import (
	"testing"

	"prax/auth"
	"prax/store"
)

// TestGranted: a definition is granted by its id, or by a pattern that ends in ".*" and stands for what
// begins alike up to that dot. Whatever looks like a pattern otherwise grants nothing.
func TestGranted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		granted []string
		id      string
		want    bool
	}{
		{nil, "x", false},
		{[]string{"x"}, "x", true},
		{[]string{"x"}, "X", false},
		{[]string{"x"}, "xy", false},
		{[]string{"x"}, "x.y", false},
		{[]string{"x.*"}, "x.y", true},
		{[]string{"x.*"}, "x.y.z", true},
		{[]string{"x.y.*"}, "x.y.z", true},
		{[]string{"x.y.*"}, "x.z", false},
		{[]string{"x.*"}, "x", false},
		{[]string{"x.*"}, "x.", false},
		{[]string{"x.*"}, "xx.y", false},
		{[]string{"*", ".*", "x*", "x.y*", "*.y"}, "x.y", false},
		{[]string{".*"}, ".x", false},
		{[]string{""}, "", false},
	} {
		if got := store.Granted(auth.Names(test.granted...), test.id); got != test.want {
			t.Errorf("%q by %q: %t, want %t", test.id, test.granted, got, test.want)
		}
	}
	if !store.Granted(auth.Everything(), "x") || store.Granted(auth.Everything(), "") {
		t.Error("everything is every id, and an id is not empty")
	}
}

// TestCovers: a scope covers its own user's instances, those of whom it oversees, and shared ones of what it
// may use; on the owner's side stands whoever covers one without overseeing it.
func TestCovers(t *testing.T) {
	t.Parallel()
	own := store.Instance{User: "alice", DefinitionID: "x.one"}
	shared := store.Instance{User: "alice", DefinitionID: "x.one", Shared: true}
	granted, overseen := auth.Names("x.*"), auth.Names("alice")
	for name, test := range map[string]struct {
		principal    auth.Principal
		instance     store.Instance
		covers, owns bool
	}{
		"own":                    {auth.Principal{User: "alice"}, own, true, true},
		"foreign":                {auth.Principal{User: "bob", Workflows: auth.Everything()}, own, false, false},
		"shared, granted":        {auth.Principal{User: "bob", Workflows: granted}, shared, true, true},
		"shared, not granted":    {auth.Principal{User: "bob", Workflows: auth.Names("x.two")}, shared, false, false},
		"shared, own":            {auth.Principal{User: "alice"}, shared, true, true},
		"overseen":               {auth.Principal{User: "boss", Oversees: overseen}, own, true, false},
		"overseen and shared":    {auth.Principal{User: "boss", Oversees: overseen, Workflows: granted}, shared, true, true},
		"overseen, nobody":       {auth.Principal{Oversees: auth.Everything(), Workflows: auth.Everything()}, shared, false, false},
		"an instance of nobody":  {auth.Principal{}, store.Instance{}, false, false},
		"everybody is overseen":  {auth.Principal{User: "boss", Oversees: auth.Everything()}, own, true, false},
		"another is overseen":    {auth.Principal{User: "boss", Oversees: auth.Names("carol")}, own, false, false},
		"overseen, not the user": {auth.Principal{User: "boss", Oversees: auth.Names("x.one")}, shared, false, false},
	} {
		s := test.principal.Scope()
		if covers, owns := store.Covers(s, test.instance), store.Owns(s, test.instance); covers != test.covers || owns != test.owns {
			t.Errorf("%s: covers %t, owns %t, want %t, %t", name, covers, owns, test.covers, test.owns)
		}
	}
}
