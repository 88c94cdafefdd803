package definition_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/auth/watch"
	"prax/tools/definition"
)

// TestConnections: what a connection says is kept in one spelling, with secrets by name, and its relative directories
// start in the folder of its file.
func TestConnections(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"main.yaml":        "version: \"1\"\ninclude: [below/there.yaml]\nconnections: { here: { risk: high, description: D, kind: probe, env: { B: \"${file:/b}\", A: \"${env:A}\" }, address: a } }\n",
		"below/there.yaml": "connections: { there: { kind: probe, address: a } }\n",
	})
	set := loaded(t, filepath.Join(dir, "main.yaml"))
	got := map[string][]string{}
	for name, c := range set.Connections {
		folder, err := filepath.Rel(dir, c.Spec.(*line).dir)
		if err != nil || len(c.Digest) != 64 {
			t.Errorf("%s: %v, digest %q", name, err, c.Digest)
		}
		got[name] = []string{c.Name, c.Kind, c.Tier.String(), string(c.Config), folder}
	}
	if diff := cmp.Diff(map[string][]string{
		"here":  {"here", "probe", "high", `{"address":"a","env":{"A":"${env:A}","B":"${file:/b}"}}`, "."},
		"there": {"there", "probe", "low", `{"address":"a"}`, "below"},
	}, got); diff != "" {
		t.Errorf("connections (-want +got):\n%s", diff)
	}
}

// TestConnectionDigest: it changes with what the connection leads to, and with nothing else.
func TestConnectionDigest(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"below/a.txt": ""})
	of := func(folder, text string) string {
		path := filepath.Join(dir, folder, "a.yaml")
		if err := os.WriteFile(path, []byte("version: \"1\"\nconnections: { c: { "+text+" } }\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return loaded(t, path).Connections["c"].Digest
	}
	first := of(".", "kind: probe, address: a, env: { A: x, B: y }")
	for _, same := range []string{"env: { B: y, A: x }, address: 'a', kind: probe", "kind: probe, address: a, description: D, env: { A: x, B: y }", "kind: probe, risk: low, address: a, env: { A: x, B: y }"} {
		if of(".", same) != first {
			t.Errorf("%s has another digest", same)
		}
	}
	for _, other := range []string{"kind: probe, address: b, env: { A: x, B: y }", "kind: probe, address: a, env: { A: x }", "kind: probe, risk: high, address: a, env: { A: x, B: y }"} {
		if of(".", other) == first {
			t.Errorf("%s has the same digest", other)
		}
	}
	if of("below", "kind: probe, address: a, env: { A: x, B: y }") == first {
		t.Error("another folder has the same digest")
	}
}

// TestConnectionReload: an edited connection comes into force with the set; the definitions that name it keep their hash
// unless its tier changes, which is in theirs.
func TestConnectionReload(t *testing.T) {
	t.Parallel()
	const text = "version: \"1\"\nconnections: { c: { kind: probe, address: one } }\nworkflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, executor: { kind: probe, connection: c } } } } } } }\n"
	path := write(t, "a.yaml", text)
	source := definition.Open(definition.Config{Path: path, Kinds: kinds, Own: own, NoEvents: true, Apply: func(*definition.Set) error { return nil }})
	first := source.Set()
	edit := func(old, new string) *definition.Set {
		if err := os.WriteFile(path, []byte(strings.Replace(text, old, new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		source.Reload(watch.Poll)
		return source.Set()
	}
	second := edit("one", "two")
	if string(second.Connections["c"].Config) != `{"address":"two"}` || second.Connections["c"].Digest == first.Connections["c"].Digest {
		t.Errorf("in force: %+v", second.Connections["c"])
	}
	if second.Definition("w").Hash != first.Definition("w").Hash {
		t.Error("the definition changed with its connection")
	}
	if risen := edit("address: one", "address: one, risk: high"); risen.Definition("w").Hash != second.Definition("w").Hash || source.Status().OK {
		t.Errorf("an agent's transition has a connection of risk high: %v", source.Status().Problems)
	}
	low := edit("address: one", "address: one, risk: low").Definition("w")
	if low.Hash == first.Definition("w").Hash || low.States[0].Transitions[0].Executor.Tier != auth.Low {
		t.Errorf("the tier was not pinned: %s", low.Text)
	}
	if gone := edit("connections: { c: { kind: probe, address: one } }\n", ""); gone != source.Set() || source.Status().OK || !codes(source.Status().Problems)[definition.UnknownName] {
		t.Errorf("without its connection: %v", source.Status().Problems)
	}
}
