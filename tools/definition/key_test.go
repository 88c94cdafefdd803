package definition_test

import (
	"fmt"
	"strings"
	"testing"

	"prax/tools/definition"
)

// key is one that a configuration may have: a value that is taken, and one of another type with what is told of it.
type key struct{ name, good, wrong, want string }

// The sentences about a type.
const (
	text   = "must be a string, is"
	number = "must be a number, is"
	truth  = "must be true or false, is"
	list   = "must be a list, is"
	object = "must be an object, is"
)

// levels are the objects of a configuration, each with a hole where its keys are tried.
var levels = []struct {
	name, text string
	keys       []key
}{
	{"root", `%s`, []key{
		{"capabilities", `{}`, `[]`, object}, {"proxy", `{ expose: [] }`, `[]`, object}, {"workflows", `{}`, `[]`, object},
		{"skills", `{}`, `[]`, object}, {"scripts", `{}`, `[]`, object}, {"lexicon", `{}`, `[]`, object},
		{"discovery", `{}`, `[]`, object}, {"praxec", `{}`, `[]`, object}, {"gateway", `{}`, `[]`, object}, {"include", `[]`, `{}`, list},
	}},
	{"gateway", `gateway: { %s }`, []key{{"strict_validation", `true`, `"yes"`, truth}}},
	{"praxec", `praxec: { %s }`, []key{{"strict_namespacing", `false`, `0`, truth}, {"authoring", `{}`, `true`, object}}},
	{"authoring", `praxec: { authoring: { %s } }`, []key{
		{"skills_search", `true`, `on`, truth}, {"scripts_search", `true`, `1`, truth}, {"lexicon_writes", `true`, `"true"`, truth},
	}},
	{"discovery", `discovery: { %s }`, []key{{"enabled", `true`, `1`, truth}, {"include", `[proxy, workflows, connections]`, `proxy`, list}}},
	{"a term", `lexicon: { word: { definition_short: S., %s } }`, []key{
		{"definition_long", `L.`, `[L]`, text}, {"aliases", `[words]`, `words`, list}, {"bounded_context", `shop`, `1`, text},
		{"refs", `[other]`, `{}`, list}, {"governance", `agent-may-propose`, `true`, text},
	}},
	{"a skill", `skills: { plan.it: { verb: plan, lifecycle: stable, body: B., %s } }`, []key{
		{"hash", `"sha256:be651d5a8e97690fbb1fafd9b89ea7bb5458b27b1d24a449c67ca762317ac1df"`, `5`, text}, {"source", `elsewhere`, `[]`, text}, {"title", `T`, `1`, text},
	}},
	{"a script", `scripts: { build.it: { verb: build, lifecycle: stub, body: B., %s } }`, []key{{"source", `elsewhere`, `{}`, text}}},
	{"a capability", `capabilities: { c: { executor: { kind: noop }, %s } }`, []key{
		{"title", `T`, `1`, text}, {"description", `D`, `[]`, text}, {"tags", `[t]`, `t`, list}, {"aliases", `[a]`, `[1]`, text},
		{"examples", `[{ any: thing }, 5]`, `x`, list}, {"risk", `medium`, `1`, text}, {"inputSchema", `{ type: object }`, `5`, object},
		{"outputSchema", `{ type: object }`, "", ""}, {"guards", `[{ kind: role, role: r }]`, `{}`, list},
	}},
	{"an exposure", `proxy: { expose: [ { name: n, executor: { kind: noop }, %s } ] }`, []key{
		{"title", `T`, `1`, text}, {"description", `D`, `[]`, text}, {"tags", `[t]`, `t`, list}, {"aliases", `[a]`, `[1]`, text},
		{"examples", `[x]`, `x`, list}, {"risk", `low`, `1`, text}, {"inputSchema", `{ type: object }`, `5`, object},
		{"guards", `[{ kind: role, role: r }]`, `{}`, list},
	}},
	{"an exposed capability", `{ capabilities: { c: { executor: { kind: noop } } }, proxy: { expose: [ { capability: c, %s } ] } }`, []key{
		{"as", `d`, `1`, text}, {"description", `D`, `[]`, text}, {"tags", `[t]`, `t`, list}, {"aliases", `[a]`, `[1]`, text},
		{"examples", `[x]`, `x`, list}, {"risk", `low`, `1`, text}, {"guards", `[{ kind: role, role: r }]`, `{}`, list},
	}},
	{"a workflow", `workflows: { w: { initialState: s, states: { s: {} }, %s } }`, []key{
		{"version", `3`, `true`, "must be a whole number, is"}, {"title", `T`, `1`, text}, {"description", `D`, `[]`, text},
		{"tags", `[t]`, `t`, list}, {"aliases", `[a]`, `{}`, list}, {"examples", `[{ any: thing }]`, `x`, list},
		{"inputSchema", `{ type: object }`, `[]`, object}, {"inputs", `{ n: { type: integer, required: true } }`, `[n]`, object},
		{"initialContext", `{ n: 1 }`, `[]`, object}, {"blackboard", `[n]`, `n`, "must be a list of names, or an object of names and schemas"},
		{"timeoutMs", `50`, `"50"`, number}, {"linkFilter", `byGuards`, `1`, text}, {"maxChainDepth", `5`, `5.5`, "a whole one"},
		{"livelockHopBudget", `5`, `many`, number}, {"missionDeadlineSecs", `0`, `none`, number}, {"outcomes", `[]`, `{}`, list},
		{"visibility", `shared`, `true`, text}, {"grants", `[note_create]`, `note_create`, list}, {"enable_human_ask", `true`, `1`, truth},
		{"human_ask_cap", `2`, `[]`, number}, {"skills", `[]`, `x`, list}, {"lifecycle", `stable`, "", ""}, {"process", `p`, "", ""}, {"taskClass", `p`, "", ""},
	}},
	{"a timeout", `workflows: { w: { initialState: s, states: { s: {} }, timeoutMs: 1, onTimeout: { %s } } }`, []key{{"target", `s`, `5`, text}}},
	{"an outcome", `workflows: { w: { initialState: s, states: { s: {} }, outcomes: [ { statement: S, id: i, check: "$.context.n == 1" } %s ] } }`, nil},
	{"a state", `workflows: { w: { initialState: s, states: { s: { %s } } } }`, []key{
		{"terminal", `true`, `1`, truth}, {"goal", `"G {{ $.context.n }}"`, `5`, text}, {"guidance", `G`, `[]`, text}, {"description", `D`, `1`, text},
		{"actor", `human`, `true`, text}, {"transitions", `{}`, `[]`, object}, {"onEnter", `{ executor: { kind: noop } }`, `noop`, object},
		{"linkFilter", `all`, `1`, text}, {"skills", `[]`, `x`, list}, {"delegate", `worker`, `1`, text}, {"slots", `{ n: { scope: state } }`, `[n]`, object},
	}},
	{"an ending", `workflows: { w: { initialState: s, states: { s: { terminal: true, %s } } } }`, []key{{"outcome", `failure`, `false`, text}}},
	{"a loop", `workflows: { w: { initialState: s, states: { s: { while: "$.context.n == 1", %s } } } }`, []key{{"max_iterations", `3`, `"3"`, number}}},
	{"a bounded loop", `workflows: { w: { initialState: s, states: { s: { max_iterations: 1, %s } } } }`, []key{{"while", `"$.context.n == 1"`, `5`, object}}},
	{"an onEnter", `workflows: { w: { initialState: s, states: { s: { onEnter: { %s } } } } }`, []key{
		{"executor", `{ kind: noop }`, `noop`, object}, {"output", `{ n: 1 }`, `[]`, object},
	}},
	{"a slot", `workflows: { w: { initialState: s, states: { s: { slots: { n: { %s } } } } } }`, []key{
		{"scope", `state`, `1`, text}, {"constraint", `{ path_allowlist: { allow: ["src/**", "a[b]"] } }`, `x`, object},
	}},
	{"a transition", `workflows: { w: { initialState: s, states: { s: { transitions: { t: { target: s, %s } } } } } }`, []key{
		{"title", `T`, `1`, text}, {"description", `D`, `[]`, text}, {"actor", `human`, `true`, text}, {"inputSchema", `{ type: object }`, `true`, object},
		{"guards", `[{ kind: role, role: r }]`, `{}`, list}, {"executor", `{ kind: noop }`, `noop`, object}, {"output", `{ n: "$.output" }`, `[]`, object},
		{"branches", `[{ when: "$.context.n == 1", target: s }]`, `{}`, list}, {"prefill", `{ n: "$.context.n" }`, `n`, object},
		{"max_fires_per_visit", `2`, `two`, number}, {"lightweight", `true`, `1`, truth}, {"skills", `[]`, `x`, list}, {"prompt", `"Q?"`, `[]`, text}, {"goal", `"Q?"`, `1`, text},
	}},
	{"an effect", `workflows: { w: { initialState: s, states: { s: { transitions: { t: { target: s, executor: { kind: noop }, %s } } } } } }`, []key{{"risk", `medium`, `2`, text}}},
	{"a branch", `workflows: { w: { initialState: s, states: { s: { transitions: { t: { target: s, branches: [ { when: "$.context.n == 1", %s } ] } } } } } }`, []key{{"target", `s`, `1`, text}}},
	{"a human transition", `workflows: { w: { initialState: s, states: { s: { transitions: { t: { target: s, actor: human, %s } } } } } }`, []key{
		{"presents", `["$.context.n"]`, `n`, "INVALID_PRESENTS"}, {"choices", `{ field: f, from: "$.context.n" }`, `n`, "INVALID_CHOICES"},
	}},
	{"choices", `workflows: { w: { initialState: s, states: { s: { transitions: { t: { target: s, actor: human, choices: { field: f, from: "$.context.n", %s } } } } } } }`, []key{
		{"value", `id`, `1`, text}, {"title", `name`, `[]`, text},
	}},
	{"an evidence guard", `workflows: { w: { initialState: s, states: { s: { transitions: { t: { target: s, guards: [ { kind: evidence, %s } ] } } } } } }`, []key{
		{"requires", `[human_request, { kind: human_approval }]`, `x`, list},
	}},
	{"a requirement", `workflows: { w: { initialState: s, states: { s: { transitions: { t: { target: s, guards: [ { kind: evidence, requires: [ { kind: k, %s } ] } ] } } } } } }`, []key{
		{"count", `2`, `two`, number}, {"min_confidence", `0.5`, `high`, number}, {"require_digest", `true`, `1`, truth},
		{"distinct", `principal`, `true`, text}, {"exclude", `starter`, `[]`, text},
	}},
	{"a guard of several", `workflows: { w: { initialState: s, states: { s: { transitions: { t: { target: s, guards: [ { kind: all_of, %s } ] } } } } } }`, []key{
		{"guards", `[{ kind: permission, permission: p }]`, `p`, list},
	}},
	{"a guard turned round", `workflows: { w: { initialState: s, states: { s: { transitions: { t: { target: s, guards: [ { kind: not, %s } ] } } } } } }`, []key{
		{"guard", `{ kind: permission, permission: p }`, `p`, object},
	}},
	{"an expression", `workflows: { w: { initialState: s, states: { s: { transitions: { t: { target: s, guards: [ { kind: expr, %s } ] } } } } } }`, []key{
		{"expr", `"$.arguments.n == 1"`, `true`, text},
	}},
	{"a human executor", `workflows: { w: { initialState: s, states: { s: { transitions: { t: { target: s, executor: { kind: human, %s } } } } } } }`, []key{
		{"queue", `board`, `1`, text}, {"risk", `low`, `1`, text},
	}},
}

// with is a whole file, with members in the hole of a level.
func with(level, members string) string {
	if strings.HasPrefix(level, "{") {
		level = strings.TrimSuffix(strings.TrimPrefix(level, "{"), "}")
	} else if level != "%s" {
		return "{ version: \"1\", " + fmt.Sprintf(level, members) + " }"
	}
	return "{ version: \"1\", " + strings.Replace(level, "%s", members, 1) + " }"
}

// TestKeys: every key takes what it is for, refuses another type by name and path, and is suggested to whoever
// misspells it.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, level := range levels {
		for _, k := range level.keys {
			t.Run(level.name+"/"+k.name, func(t *testing.T) {
				t.Parallel()
				if _, problems := definition.Load(write(t, "a.yaml", with(level.text, k.name+": "+k.good)), kinds, own...); problems.Fail() {
					t.Errorf("%s: %s: %v", k.name, k.good, problems)
				}
				near := k.name + k.name[len(k.name)-1:]
				_, problems := definition.Load(write(t, "a.yaml", with(level.text, near+": "+k.good)), kinds, own...)
				told(t, problems, definition.UnknownKey, fmt.Sprintf("%q is not known in", near), fmt.Sprintf("did you mean %q?", k.name))
				if k.want == "" {
					return
				}
				_, problems = definition.Load(write(t, "a.yaml", with(level.text, k.name+": "+k.wrong)), kinds, own...)
				told(t, problems, "", "/"+k.name, k.want)
			})
		}
	}
}

// told looks for a problem of this code, or of any, whose line has all of these parts.
func told(t *testing.T, problems definition.Problems, code definition.Code, parts ...string) {
	t.Helper()
	for _, p := range problems {
		found := (code == "" || p.Code == code) && p.Line == 1
		for _, part := range parts {
			found = found && strings.Contains(p.String(), part)
		}
		if found {
			return
		}
	}
	t.Errorf("%v\ndo not say %s %q", problems, code, parts)
}
