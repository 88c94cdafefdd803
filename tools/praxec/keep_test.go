package praxec_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/store"
	"prax/tools"
	"prax/tools/definition"
	"prax/tools/praxec"
)

// keptDefinitions have answers that depend on everything that an answer to a get can depend on: who asks, arguments that
// are proposed, guards, gates, time; and one that others may move.
const keptDefinitions = `workflows:
  desk:
    visibility: shared
    timeoutMs: 60000
    onTimeout: { target: expired }
    initialState: open
    initialContext: { n: 0 }
    states:
      open:
        goal: "{{ $.workflow.input.what }} for the time {{ $.context.n }}"
        transitions:
          count: { title: Count, target: open, prefill: { last: "$.context.n" }, output: { n: { add: ["$.context.n", 1] } } }
          big: { target: open, guards: [ { kind: expr, expr: "$.context.n > 1" } ] }
          sign: { target: done, actor: human }
          lead: { target: open, guards: [ { kind: role, role: lead } ] }
          allow: { target: open, guards: [ { kind: permission, permission: desk.allow } ] }
          learn: { target: known }
      known: { skills: [ plan.order-line ], transitions: { back: { target: open } } }
      done: { terminal: true }
      expired: { terminal: true }
  own: { initialState: open, states: { open: { transitions: { count: { target: open }, sign: { target: done, actor: human } } }, done: { terminal: true } } }
  asking:
    initialState: open
    states:
      open:
        transitions:
          ask: { target: done, executor: { kind: human, queue: ops } }
          count: { target: open }
          big: { target: done, guards: [ { kind: evidence, requires: [ { kind: human_request, count: 2 } ] } ] }
      done: { terminal: true }
  acting:
    initialState: open
    states:
      open:
        transitions:
          act: { target: open, executor: { kind: probe, mode: ok }, output: { n: "$.output.n" } }
          broken: { target: open, executor: { kind: probe, mode: fail } }
          doubt: { target: open, executor: { kind: probe, mode: doubt } }
          count: { target: open }
      done: { terminal: true }
  learning: { initialState: open, states: { open: { transitions: { begin: { target: done, guards: [ { kind: guidance_acknowledged, subject: plan.order-line } ] } } }, done: { terminal: true } } }
skills:
  plan.order-line: { verb: plan, lifecycle: stable, body: Plan the rows one by one. }
`

// look is the result of a get.
func (h *house) look(registry *tools.Registry, p auth.Principal, id string) *tools.Result {
	h.Helper()
	res, err := h.callOn(registry, p, praxec.Query, fmt.Sprintf(`{"workflowId":%q}`, id))
	if err != nil {
		h.Fatal(err)
	}
	return res
}

// looks looks at a workflow, and makes sure that what is said is what tools with nothing in memory say.
func (h *house) looks(p auth.Principal, id string) *tools.Result {
	h.Helper()
	got := h.look(h.tools, p, id)
	_, cold := h.wired()
	want := h.look(cold, p, id)
	equal(h, "structured content for "+p.Client, string(got.Structured), string(want.Structured))
	equal(h, "text for "+p.Client, got.Content[0].Text, want.Content[0].Text)
	if quoted, err := jsontext.AppendQuote(nil, got.Content[0].Text); got.Content[0].Quoted != nil {
		equal(h, "quoted for "+p.Client, string(got.Content[0].Quoted), string(quoted))
		equal(h, "the text can be quoted", err, nil)
	}
	return got
}

// TestKept: who asks again is given the same result, until anything that it depends on is another.
func TestKept(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.put(written(t, keptDefinitions))
	underscore, reader := agent, agent
	underscore.Spelling, reader.Allow = auth.Underscore, auth.Names("praxec_query")
	a := h.start(agent, "desk", `{"what":"it"}`)
	for _, other := range []struct {
		name  string
		asks  auth.Principal
		after func()
	}{
		{"another client", client("another", "ann"), nil},
		{"another user", client("ann-agent", "bob"), nil},
		{"a role", client("ann-agent", "ann", "lead"), nil},
		{"a person", client("ann-agent", "ann", "human"), nil},
		{"a permission", permitting(agent, "desk.allow"), nil},
		{"a spelling", underscore, nil},
		{"a tool less", reader, nil},
		{"another version", agent, func() { h.submit(agent, h.get(agent, a.id()), "count", `{}`) }},
		{"another state", agent, func() { h.submit(agent, h.get(agent, a.id()), "learn", `{}`) }},
		{"a time that is over", agent, func() { h.clock.add(time.Hour) }},
	} {
		first := h.looks(agent, a.id())
		if h.looks(agent, a.id()) != first {
			t.Fatalf("before %s: the same answer was made twice", other.name)
		}
		if other.after != nil {
			other.after()
		}
		if then := h.looks(other.asks, a.id()); then == first {
			t.Errorf("%s has the same answer", other.name)
		}
		if other.name == "another state" { // whose skills are the lexicon's matter
			if last := h.looks(agent, a.id()); h.looks(agent, a.id()) == last {
				t.Error("an answer with words of the lexicon was kept")
			}
			h.submit(agent, h.get(agent, a.id()), "back", `{}`)
		}
	}
	asked := h.submit(agent, h.start(agent, "asking", `{}`), "ask", `{}`)
	first := h.looks(person, asked.id())
	if h.looks(person, asked.id()) != first || !strings.Contains(string(first.Structured), `"approval"`) {
		t.Errorf("the answer about an open approval was made twice: %s", first.Structured)
	}
	h.clock.add(store.ApprovalLife)
	if strings.Contains(string(h.looks(person, asked.id()).Structured), `"approval"`) {
		t.Error("an approval is shown whose time is over")
	}
	learner := h.start(agent, "learning", `{}`)
	equal(t, "before it was read", decoded(t, string(h.looks(agent, learner.id()).Structured)).rels(), "begin(GUARD_REJECTED)")
	h.query(agent, fmt.Sprintf(`{"workflowId":%q,"subject":"plan.order-line"}`, learner.id()))
	equal(t, "once it was read", decoded(t, string(h.looks(agent, learner.id()).Structured)).rels(), "begin")
	acting := h.start(agent, "acting", `{}`)
	h.looks(agent, acting.id())
	h.submit(agent, h.get(agent, acting.id()), "doubt", `{}`)
	equal(t, "of an effect in doubt", decoded(t, string(h.looks(agent, acting.id()).Structured)).text("result.status"), "unknown")
	b := h.start(agent, "own", `{}`)
	for _, id := range []string{a.id(), b.id()} {
		h.looks(agent, id)
		for _, p := range []auth.Principal{granting(agent, "other"), granting(bob, "other"), granting(overseeing(client("o", "zoe", "human"), "bob"), "own")} {
			none := h.look(h.tools, p, "wf_"+store.NewID())
			equal(t, p.Client+" sees nothing", string(h.looks(p, id).Structured), string(none.Structured))
		}
	}
}

// TestKeptAsMade: whoever asks, whoever asked before, and whatever happened meanwhile, an answer to a get is the one that
// tools with nothing in memory give.
func TestKeptAsMade(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	sets := []*definition.Set{written(t, keptDefinitions), written(t, strings.ReplaceAll(keptDefinitions, "Count", "Go on"))}
	defer func() { h.TB = t }()
	rapid.Check(t, func(r *rapid.T) {
		h.TB = t
		h.put(sets[0])
		var ids []string
		for range rapid.IntRange(1, 20).Draw(r, "steps") {
			p := anybody(r)
			if len(ids) == 0 || len(ids) < 3 && rapid.IntRange(0, 5).Draw(r, "starts") == 0 {
				ids = append(ids, h.start(agent, rapid.SampledFrom([]string{"desk", "desk", "own", "asking", "acting"}).Draw(r, "definition"), `{"what":"it"}`).id())
			}
			id := rapid.SampledFrom(ids).Draw(r, "which")
			switch rapid.IntRange(0, 9).Draw(r, "what") {
			case 0:
				transition := rapid.SampledFrom([]string{"count", "count", "big", "sign", "lead", "allow", "learn", "ask", "back", "act", "broken", "doubt"}).Draw(r, "transition")
				_, _ = h.call(p, praxec.Command, submission(h.get(agent, id), transition, `{}`)) // who may not changes nothing
			case 1: // approvals are answered with what is shown
				if links, _ := h.get(person, id)["links"].([]any); len(links) > 0 {
					l := answer(rapid.SampledFrom(links).Draw(r, "link").(map[string]any))
					_, _ = h.call(person, praxec.Command, show(l["args"]))
				}
			case 2:
				h.put(rapid.SampledFrom(sets).Draw(r, "definitions"))
			case 3:
				h.clock.add(rapid.SampledFrom([]time.Duration{time.Second, 40 * time.Second, 70 * time.Second, store.ApprovalLife}).Draw(r, "passes"))
			default:
				h.looks(p, id)
			}
			if t.Failed() {
				r.FailNow()
			}
		}
	})
}

// anybody is a caller, who may be granted whatever it be.
func anybody(r *rapid.T) auth.Principal {
	some := func(label string, names ...string) auth.NameSet {
		return auth.Names(rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(r, label)...)
	}
	user := rapid.SampledFrom([]string{"ann", "ann", "bob", "zoe"}).Draw(r, "user")
	p := client(user+rapid.SampledFrom([]string{"-agent", ""}).Draw(r, "client"), user)
	p.Roles, p.Permissions, p.Oversees = some("roles", "human", "lead"), some("permissions", "desk.allow"), some("oversees", "ann", "bob")
	p.Spelling = rapid.SampledFrom([]auth.Spelling{auth.Dot, auth.Underscore}).Draw(r, "spelling")
	if rapid.IntRange(0, 3).Draw(r, "reads") == 0 {
		p.Allow = auth.Names(praxec.Query)
	}
	if rapid.IntRange(0, 7).Draw(r, "less") == 0 {
		p.Workflows = auth.Names("nothing")
	}
	return p
}
