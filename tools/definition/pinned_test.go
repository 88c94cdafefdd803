package definition_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/store/digest"
	"prax/tools/definition"
	"prax/tools/lexicon"
)

// good are the sets of all fixtures that load.
func good(t testing.TB) map[string]*definition.Set {
	t.Helper()
	sets := map[string]*definition.Set{}
	for _, name := range []string{"gate", "guards", "hello", "steps", "words", "wrapped", "effects"} {
		set, problems := definition.Load(filepath.Join("testdata", name+".yaml"), kinds, own...)
		if problems.Fail() {
			t.Fatalf("%s: %v", name, problems)
		}
		sets[name] = set
	}
	return sets
}

// TestPinned: the text of a definition is canonical, its hash is that of the text, and it compiles to the definition
// that the files gave.
func TestPinned(t *testing.T) {
	t.Parallel()
	for name, set := range good(t) {
		for _, d := range set.Definitions {
			canonical, err := digest.Canonical(d.Text)
			if err != nil || string(canonical) != string(d.Text) || d.Hash != digest.Hex(d.Text) {
				t.Errorf("%s/%s: text %s, hash %s", name, d.ID, d.Text, d.Hash)
			}
			again, err := definition.Decode(d.Text, kinds)
			if err != nil {
				t.Fatalf("%s/%s: %v", name, d.ID, err)
			}
			if diff := cmp.Diff(describe(d), describe(again)); diff != "" || again.Hash != d.Hash || string(again.Text) != string(d.Text) {
				t.Errorf("%s/%s decoded (-file +text):\n%s", name, d.ID, diff)
			}
		}
	}
}

// TestDecodeRefuses what is no definition, or needs what this version does not have.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``: "empty", `[]`: "must be an object", `{`: "not JSON", `{"id":"w"}`: "definition w: ",
		`{"id":"w","initialState":"s","states":{"s":{"transitions":{"t":{"executor":{"kind":"cli"},"target":"s"}}}}}`:     "UNKNOWN_EXECUTOR_KIND",
		`{"id":"w","initialState":"s","states":{"s":{"transitions":{"t":{"executor":{"capability":"c"},"target":"s"}}}}}`: "has no kind",
		`{"id":"w","initialState":"s","states":{"s":{}},"later":1}`:                                                       `"later" is not known`,
	} {
		if d, err := definition.Decode(jsontext.Value(text), kinds); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %s", text, d, err, want)
		}
	}
}

// shuffled writes a value as JSON with members in any order, but for transitions, whose order callers see.
func shuffled(v any, draw func(n int) int, ordered bool) string {
	switch v := v.(type) {
	case map[string]any:
		keys := sortedKeys(v)
		if !ordered {
			for i := len(keys) - 1; i > 0; i-- {
				j := draw(i + 1)
				keys[i], keys[j] = keys[j], keys[i]
			}
		}
		var parts []string
		for _, key := range keys {
			name, _ := json.Marshal(key)
			parts = append(parts, string(name)+" :\n"+shuffled(v[key], draw, key == "transitions"))
		}
		return "{ " + strings.Join(parts, ", ") + "\n}"
	case []any:
		var parts []string
		for _, one := range v {
			parts = append(parts, shuffled(one, draw, false))
		}
		return "[" + strings.Join(parts, ",\t") + "]"
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// TestHash: formatting, remarks, the order of keys and the number of files change no hash; the order of the transitions
// does, for links are shown in it.
func TestHash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sets := good(t)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"gate", "guards", "hello", "steps"}).Draw(rt, "fixture")
		d := sets[name].Definitions[0]
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "order"), 1))
		var form map[string]any
		if err := json.Unmarshal(d.Text, &form); err != nil {
			rt.Fatal(err)
		}
		for _, stored := range []string{"id", "library"} {
			delete(form, stored)
		}
		orders := map[string]any{}
		for state, s := range form["states"].(map[string]any) {
			orders[state] = s.(map[string]any)["order"]
			delete(s.(map[string]any), "order")
		}
		text := shuffled(map[string]any{"version": "1", "workflows": map[string]any{d.ID: form}}, rng.IntN, false)
		main := filepath.Join(dir, "main.json")
		if err := os.WriteFile(main, []byte(text), 0o600); err != nil {
			rt.Fatal(err)
		}
		sorted, problems := definition.Load(main, kinds, own...)
		if name == "steps" { // what it refers to stays behind
			if sorted != nil {
				rt.Fatalf("loaded without its library")
			}
			return
		}
		if sorted == nil {
			rt.Fatalf("%v\n%s", problems, text)
		}
		var names []any
		for _, order := range orders {
			names = append(names, order)
		}
		moved := fmt.Sprint(names...) != strings.TrimSpace(strings.Repeat("<nil> ", len(names)))
		if got := sorted.Definitions[0].Hash; (got == d.Hash) == moved {
			rt.Fatalf("hash %s, was %s, transitions moved: %v\n%s\n%s", got, d.Hash, moved, sorted.Definitions[0].Text, d.Text)
		}
	})
	split := tree(t, map[string]string{
		"main.yaml": "# a remark\nversion: \"1.0.0\"\ninclude: [states.yaml]\nworkflows:\n  hello: { tags: [ demo ], title: \"Hello\", description: 'A greeting that a person lets through.' }\n",
		"states.yaml": "workflows:\n  hello:\n    initialState: draft\n    inputSchema: { properties: { name: { minLength: 1.0, type: string } }, type: object, required: [name] }\n    states:\n" +
			"      done: { outcome: success, terminal: true }\n      review: { goal: Wait for a person., transitions: { approve: { actor: human, target: done, title: Let it through, presents: [$.context.text] }, reject: { target: draft, title: Write another, actor: human } } }\n" +
			"      draft: { goal: \"Write a greeting for {{ $.workflow.input.name }}.\", transitions: { write: { target: review, title: Write it, output: { text: $.arguments.text }, inputSchema: { type: object, required: [text], properties: { text: { type: string } } } } } }\n",
	})
	if got, want := loaded(t, filepath.Join(split, "main.yaml")).Definition("hello"), sets["hello"].Definition("hello"); got.Hash != want.Hash {
		t.Errorf("in two files:\n%s\nin one:\n%s", got.Text, want.Text)
	}
}

// TestStandsAlone: what a definition refers to is part of it: a change of a skill changes those that refer to it.
func TestStandsAlone(t *testing.T) {
	t.Parallel()
	text := "version: \"1\"\nskills:\n  plan.it: { verb: plan, lifecycle: stable, body: BODY }\ncapabilities:\n  c: { executor: { kind: noop }, guards: [ { kind: role, role: ROLE } ] }\n" +
		"workflows:\n  reads: { skills: [plan.it], initialState: s, states: { s: {} } }\n  uses: { initialState: s, states: { s: { transitions: { go: { target: s, executor: { capability: c }, guards: [ { kind: role, role: own } ] } } } } }\n  other: { initialState: s, states: { s: {} } }\n"
	of := func(body, role string) map[string]string {
		set := loaded(t, write(t, "a.yaml", strings.NewReplacer("BODY", body, "ROLE", role).Replace(text)))
		hashes := map[string]string{}
		for _, d := range set.Definitions {
			hashes[d.ID] = d.Hash
		}
		return hashes
	}
	first, body, role := of("one", "r"), of("two", "r"), of("one", "q")
	for id, changed := range map[string][2]bool{"reads": {true, false}, "uses": {false, true}, "other": {false, false}} {
		if (first[id] != body[id]) != changed[0] || (first[id] != role[id]) != changed[1] {
			t.Errorf("%s: %s, with another body %s, with another role %s", id, first[id], body[id], role[id])
		}
	}
}

// TestWrapped: guards add up from the innermost capability on, the tier never falls, and what is said nearer counts.
func TestWrapped(t *testing.T) {
	t.Parallel()
	set := good(t)["wrapped"]
	d := set.Definition("use")
	want := `use v0  [] [] own [] 0s→ all 50 300 30m0s
context map[]
skills []
state s ""
 move go human→s human/board high guards [role base] [role wrapper] [role own]
 move plain agent→s noop/ low
`
	if diff := cmp.Diff(want, describe(d)); diff != "" {
		t.Errorf("use (-want +got):\n%s", diff)
	}
	want = `proxy_default v0 Capabilities [] [] own [] 0s→ byGuards 50 300 30m0s
input {"additionalProperties":false,"properties":{"capability":{"type":"string"}},"type":"object"}
context map[]
skills []
state ready ""
 move zeta.plain agent→ready input {"properties":{"n":{"type":"integer"}},"type":"object"} noop/ low guards [expr $.workflow.input.capability == null or $.workflow.input.capability == 'zeta.plain'] out {lastResult=[$.output]}
 move inline agent→ready input {"additionalProperties":false,"properties":{},"type":"object"} noop/ medium guards [expr $.workflow.input.capability == null or $.workflow.input.capability == 'inline'] [role r] out {lastResult=[$.output]}
`
	if diff := cmp.Diff(want, describe(set.Definition(definition.ProxyID))); diff != "" {
		t.Errorf("proxy_default (-want +got):\n%s", diff)
	}
	var items []string
	for _, it := range set.Items {
		items = append(items, fmt.Sprintf("%s %s %q %q %v %v %v %q %s", it.Kind, it.ID, it.Title, it.Description, it.Tags, it.Aliases, len(it.Examples), it.Text, it.InputSchema))
	}
	if diff := cmp.Diff([]string{
		`workflow use "use" "" [] [] 0 "s go plain" null`,
		`capability zeta.plain "Plain" "Mine." [base more] [easy] 1 "zeta.plain" {"properties":{"n":{"type":"integer"}},"type":"object"}`,
		`capability inline "Inline" "" [] [] 0 "inline" {"additionalProperties":false,"properties":{},"type":"object"}`,
		`guidance plan.it "plan.it" "Guidance to plan: it." [] [] 0 "plan.it plan" null`,
		`script test.it "test.it" "Script to test: it." [] [] 0 "test.it test" null`,
	}, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if it := set.Items[3]; it.Body != "Think  first.\n" || it.Hash != "sha256:"+digest.Hex([]byte("Think first.")) || it.Source != "config" || it.Verb != "plan" || it.Lifecycle != "stable" {
		t.Errorf("skill %+v", it)
	}
	if it := set.Items[4]; it.Body != "#!/bin/sh\necho  ok\n" || it.Hash != "sha256:"+digest.Hex([]byte("#!/bin/sh\necho  ok")) || it.Source != "house" {
		t.Errorf("script %+v", it)
	}
	if len(set.Files) != 2 {
		t.Errorf("files %v", set.Files)
	}
}

// TestPlace: whoever finds something in a definition can say where it was written, also what came from a capability.
func TestPlace(t *testing.T) {
	t.Parallel()
	set := good(t)["wrapped"]
	const file = "testdata/wrapped.yaml"
	for id, places := range map[string]map[string]definition.Place{
		"use": {
			"": {file, 19, 5, "/workflows/use"},
			"/states/s/transitions/go/executor/queue": {file, 8, 61, "/workflows/use/states/s/transitions/go/executor/queue"},
			"/states/s/transitions/go/guards/2":       {file, 23, 86, "/workflows/use/states/s/transitions/go/guards/2"},
			"/states/s/transitions/nope/target":       {file, 22, 9, "/workflows/use/states/s/transitions/nope/target"},
		},
		definition.ProxyID: {
			"/states/ready/transitions/inline/executor": {file, 28, 62, "/proxy/expose/1/executor"},
			"/states/ready": {file, 27, 7, "/proxy/expose"},
		},
		"nope": {"/states": {}},
	} {
		for pointer, want := range places {
			if got := set.Place(id, pointer); got != want {
				t.Errorf("%s %s: %+v, want %+v", id, pointer, got, want)
			}
		}
	}
}

// TestDiscovered: what the index has can be said.
func TestDiscovered(t *testing.T) {
	t.Parallel()
	const rest = "\nworkflows: { w: { initialState: s, states: { s: {} } } }\nproxy: { expose: [ { name: c, executor: { kind: noop } } ] }\nskills: { plan.it: { verb: plan, lifecycle: stable, body: B } }\n"
	for line, want := range map[string]string{
		"": "w c plan.it", "discovery: { include: [workflows] }": "w plan.it", "discovery: { include: [proxy, connections] }": "c plan.it",
		"discovery: { enabled: false }": "", "discovery: { include: [] }": "",
	} {
		var ids []string
		set := loaded(t, write(t, "a.yaml", "version: \"1\"\n"+line+rest))
		for _, it := range set.Items {
			ids = append(ids, it.ID)
		}
		if got := strings.Join(ids, " "); got != want || len(set.Definitions) != 2 {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestLexicon: terms arrive in order, with all that was said; subjects that mean nothing wait for theirs.
func TestLexicon(t *testing.T) {
	t.Parallel()
	set := good(t)["words"]
	want := []definition.Term{
		{Term: "basket", Short: "What a visitor has chosen so far.", Context: "shop", Refs: []string{"order-line"}, Governance: lexicon.AgentMayPropose,
			Entry: jsontext.Value(`{"definition_short":"What a visitor has chosen so far.","governance":"agent-may-propose","bounded_context":"shop","refs":["order-line"]}`)},
		{Term: "order-line", Short: "One product row of an order.", Aliases: []string{"order-item"}, Context: "shop", Governance: lexicon.HumanOnly,
			Entry: jsontext.Value(`{"definition_short":"One product row of an order.","aliases":["order-item"],"bounded_context":"shop"}`)},
	}
	if diff := cmp.Diff(want, set.Lexicon); diff != "" {
		t.Errorf("lexicon (-want +got):\n%s", diff)
	}
	d := set.Definition("needs")
	if diff := cmp.Diff([]string{"order-lines"}, d.Pending); diff != "" || len(d.States[0].Skills) != 0 {
		t.Errorf("pending (-want +got):\n%s\nskills %v", diff, d.States[0].Skills)
	}
	if want := (definition.Settings{LexiconWrites: true, SkillsSearch: true}); set.Settings != want {
		t.Errorf("settings %+v", set.Settings)
	}
	if !good(t)["hello"].Settings.Strict {
		t.Error("strict_validation was lost")
	}
}

// manyStates is a file of a workflow of so many states, each of which leads to the next, and back.
func manyStates(n int) string {
	var b strings.Builder
	b.WriteString("version: \"1\"\nworkflows:\n  w:\n    initialState: s0\n    states:\n      end: { terminal: true }\n")
	for i := range n {
		next := fmt.Sprintf("s%d", i+1)
		if i == n-1 {
			next = "end"
		}
		fmt.Fprintf(&b, "      s%d:\n        goal: \"Step {{ $.context.n }}\"\n        transitions:\n          next: { target: %s, guards: [ { kind: expr, expr: \"$.context.n >= %d\" } ], inputSchema: { type: object, properties: { n: { type: integer } } }, output: { n: { add: [\"$.context.n\", 1] } } }\n          back: { target: s%d }\n", i, next, i, max(i-1, 0))
	}
	return b.String()
}

// aHundred are lines, as many times a hundred as n says.
func aHundred(line string, n int) string {
	var b strings.Builder
	for i := range n * 100 {
		fmt.Fprintf(&b, line, 'a', i)
	}
	return b.String()
}

// TestManyStates: a definition of 5,000 states loads in good time, and as many errors do not slow it down.
func TestManyStates(t *testing.T) {
	t.Parallel()
	text := manyStates(manyOf)
	d := loaded(t, write(t, "a.yaml", text)).Definition("w")
	if len(d.States) != manyOf+1 || d.States[0].Name != "s0" || d.States[manyOf].Name != "end" {
		t.Errorf("%d states, %s to %s", len(d.States), d.States[0].Name, d.States[manyOf].Name)
	}
	_, problems := definition.Load(write(t, "a.yaml", strings.ReplaceAll(text, "target: s", "target: u")), kinds, own...)
	if len(problems) != definition.MaxProblems || !problems.Fail() {
		t.Errorf("%d problems", len(problems))
	}
	if _, problems := definition.Load(write(t, "a.yaml", "version: \"1\"\nworkflows:\n  w:\n    initialState: a\n    states:\n"+aHundred("      %c%d: {}\n", 101)), kinds, own...); !codes(problems)[definition.BadValue] {
		t.Errorf("too many states: %v", problems)
	}
}

// TestWrittenOut: what is small as a file and large once everything that it refers to is written out is refused.
func TestWrittenOut(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("word ", 50_000)
	var many strings.Builder
	many.WriteString("version: \"1\"\nskills: { plan.it: { verb: plan, lifecycle: stable, body: \"" + body + "\" } }\nworkflows:\n")
	for i := range 300 {
		fmt.Fprintf(&many, "  w%d: { skills: [plan.it], initialState: s, states: { s: {} } }\n", i)
	}
	var guards strings.Builder
	guards.WriteString("version: \"1\"\ncapabilities:\n  c:\n    executor: { kind: noop }\n    guards:\n" + strings.Repeat("      - { kind: role, role: some-role-of-a-long-name }\n", 1000) + "workflows:\n  w:\n    initialState: s\n    states:\n      s:\n        transitions:\n")
	for i := range 1000 {
		fmt.Fprintf(&guards, "          t%d: { target: s, executor: { capability: c } }\n", i)
	}
	const ten = "[*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]"
	bomb := "version: \"1\"\nworkflows:\n  w:\n    initialState: s\n    states: { s: {} }\n    initialContext:\n      a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"
	for i, name := range []string{"b", "c", "d", "e", "f", "g", "h"} {
		bomb += "      " + name + ": &" + name + " " + strings.ReplaceAll(ten, "*a", "*"+string(rune('a'+i))) + "\n"
	}
	deep := "version: \"1\"\ncapabilities:\n  c: { executor: { kind: noop }, guards: [ " + strings.Repeat("{ kind: not, guard: ", 58) + "{ kind: role, role: r }" + strings.Repeat(" }", 58) +
		" ] }\nworkflows: { w: { initialState: s, states: { s: { transitions: { t: { target: s, executor: { capability: c } } } } } } }\n"
	for name, tt := range map[string]struct {
		text string
		want definition.Code
	}{
		"a skill in 300 workflows":    {many.String(), definition.TooLarge},
		"guards in 1,000 transitions": {guards.String(), definition.TooLarge},
		"aliases of aliases":          {bomb, definition.NotReadable},
		"a guard of 58 nots":          {deep, definition.TooLarge},
	} {
		set, problems := definition.Load(write(t, "a.yaml", tt.text), kinds, own...)
		if set != nil || !codes(problems)[tt.want] {
			t.Errorf("%s: %.500v", name, problems)
		}
	}
}

// TestOddValues: dates stay text, and what JSON has no form for is refused where it stands.
func TestOddValues(t *testing.T) {
	t.Parallel()
	d := loaded(t, write(t, "a.yaml", "version: \"1\"\nworkflows: { w: { initialState: s, states: { s: {} }, initialContext: { day: 2026-01-31, at: 2026-01-31T10:00:00Z, n: 1.50, big: 1e3, yes: yes, no: ~, minus: -0 } } }\n")).Definition("w")
	want := map[string]any{"day": "2026-01-31", "at": "2026-01-31T10:00:00Z", "n": 1.5, "big": 1000.0, "yes": "yes", "no": nil, "minus": 0.0}
	if diff := cmp.Diff(want, d.InitialContext); diff != "" {
		t.Errorf("context (-want +got):\n%s", diff)
	}
	for _, odd := range []string{".nan", ".inf", "0x1F", "0o17", "1_000", "!!binary aGk=", "!mine x", "{ <<: { a: 1 } }", "{ 1: x }", "{ [a]: x }"} {
		_, problems := definition.Load(write(t, "a.yaml", "version: \"1\"\nworkflows: { w: { initialState: s, states: { s: {} }, initialContext: { odd: "+odd+" } } }\n"), kinds, own...)
		if len(problems) != 1 || problems[0].Code != definition.NotReadable || problems[0].Line != 2 {
			t.Errorf("%s: %v", odd, problems)
		}
	}
	for _, large := range []string{"1e999", "9007199254740993", "-9007199254740993"} {
		_, problems := definition.Load(write(t, "a.json", `{"version": "1", "workflows": {"w": {"initialState": "s", "states": {"s": {}}, "initialContext": {"n": `+large+`}}}}`), kinds, own...)
		if len(problems) != 1 || problems[0].Path != "/workflows/w/initialContext/n" {
			t.Errorf("%s: %v", large, problems)
		}
	}
}
