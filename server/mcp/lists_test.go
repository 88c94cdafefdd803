package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

type silent struct{ store.Store }

func (silent) Record(store.Event) {}

func testTools(names ...string) []*tools.Tool {
	var list []*tools.Tool
	for _, name := range names {
		list = append(list, &tools.Tool{Name: name, Description: "d", Tier: auth.Low, Input: jsontext.Value(`{"type":"object"}`),
			Handler: func(context.Context, *tools.Call) (*tools.Result, error) { return tools.Text("ok"), nil }})
	}
	return list
}

func testServer(t testing.TB) *Server {
	t.Helper()
	registry := tools.NewRegistry(tools.Config{Store: silent{}})
	if err := registry.Set("test", testTools("a", "b.c", "d")); err != nil {
		t.Fatal(err)
	}
	return New(Config{Registry: registry})
}

func principal(name string, allow auth.NameSet) auth.Principal {
	return auth.Principal{Client: name, User: "u_" + name, Allow: allow}
}

// first is where the bytes of a principal's list stand in memory.
func (s *Server) first(p auth.Principal) *byte { return &s.lists.of(p).pages[0][0] }

// Clients with one allowlist share one list in memory, whatever else differs between them.
func TestListsAreShared(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	alice := principal("alice", auth.Names("a", "b.c"))
	bob := principal("bob", auth.Names("b.c", "a")) // a set of another table, as after a reload
	bob.Expires, bob.Generation = time.Now().Add(time.Hour), 7
	if s.first(alice) != s.first(bob) {
		t.Error("two clients with one allowlist have two lists")
	}
	for name, other := range map[string]auth.Principal{
		"another allowlist": principal("carol", auth.Names("a")),
		"another spelling":  {Client: "dan", User: "u", Allow: alice.Allow, Spelling: auth.Underscore},
	} {
		if s.first(alice) == s.first(other) {
			t.Errorf("%s shares the list", name)
		}
	}
	before := s.first(alice)
	if err := s.config.Registry.Set("more", testTools("z")); err != nil {
		t.Fatal(err)
	}
	if s.first(alice) == before {
		t.Error("another catalogue, the same list")
	}
	if s.first(alice) != s.first(bob) {
		t.Error("not shared after the change")
	}
}

// A caller that may see less than its allowlist says neither gets the shared list nor leaves its own
// behind for the others.
func TestListsOfTheLapsedAreNotShared(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	lapsed := principal("alice", auth.Names("a"))
	lapsed.Expires = time.Now().Add(-time.Second)
	nobody := auth.Principal{Allow: auth.Names("a")}
	for range 2 {
		for _, p := range []auth.Principal{lapsed, nobody} {
			if got := string(s.lists.of(p).pages[0]); got != `"tools":[]` {
				t.Errorf("%q sees %s", p.Client, got)
			}
		}
		if got := string(s.lists.of(principal("bob", auth.Names("a"))).pages[0]); got == `"tools":[]` {
			t.Error("bob got the list of somebody who may see nothing")
		}
	}
}

// However many allowlists there are, the lists take bounded memory.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	c := &lists{made: map[listKey]*list{}}
	most, bytes := 0, 0
	for i := range 3 * maxLists {
		var key listKey
		binary.BigEndian.PutUint64(key.allow[:], uint64(i))
		l := &list{size: 1 << (i % 24)}
		if got := c.keep(1, key, l); got != l {
			t.Fatal("another list came back")
		}
		most = max(most, len(c.made))
		if c.size > maxListBytes {
			bytes = max(bytes, c.size)
		}
	}
	if most > maxLists || bytes > 0 {
		t.Errorf("%d lists, %d bytes", most, bytes)
	}
}

// Of two requests that make the same list, both get the first; a late one of an old catalogue is
// served and not kept.
func TestListsKeepTheFirst(t *testing.T) {
	t.Parallel()
	c := &lists{made: map[listKey]*list{}}
	key := listKey{allow: sha256.Sum256([]byte("x"))}
	first, second, old := &list{}, &list{}, &list{}
	c.keep(2, key, first)
	if got := c.keep(2, key, second); got != first {
		t.Error("the second replaced the first")
	}
	if got := c.keep(1, key, old); got != old || c.find(1, key) != nil || c.find(2, key) != first {
		t.Error("a list of an older catalogue got in")
	}
}
