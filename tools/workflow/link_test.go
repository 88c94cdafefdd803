package workflow_test

import (
	"strings"
	"testing"

	"prax/auth"
	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

func TestPrefill(t *testing.T) {
	t.Parallel()
	r := begin(t, ticket(), `{"subject":"Printer"}`)
	equal(t, "classify", r.link(agent, "classify").Arguments, wt.Object(`{"note":"Printer","fixed":"abc","missing":null}`))
	if r.link(agent, "drop").Arguments != nil {
		t.Error("drop has arguments")
	}
	d := definition(state("s", to("s", "go", func(t *workflow.Transition) {
		t.Prefill = []workflow.Slot{wt.Put("a", "$.arguments.x"), wt.Put("b", "$.output"), wt.Put("c", "$.run.repo"), wt.Put("d", map[string]any{"set": []any{1.0}})}
	})))
	equal(t, "nothing there yet", begin(t, d, `{}`).link(agent, "go").Arguments, wt.Object(`{"a":null,"b":null,"c":null,"d":[1]}`))
}

// filters is a definition whose guards hold, do not, cannot be judged, and depend on arguments.
func filters(filter workflow.LinkFilter) *workflow.Definition {
	d := definition(
		state("s",
			to("t", "ok", guarded(wt.Expr("$.workflow.input.ok == 1"))),
			to("t", "no", guarded(wt.Expr("$.workflow.input.ok == 0"))),
			to("t", "unset", guarded(wt.Expr("$.context.ghost == 1"))),
			to("t", "isnull", guarded(wt.Expr("$.context.nothing == null"))),
			to("t", "either", guarded(wt.AnyOf(wt.Expr("$.context.ghost == 1"), wt.Expr("$.context.n >= 5")))),
			to("s", "set", putting(wt.Put("ghost", 1.0))),
			to("t", "nope", guarded(wt.Not(wt.Expr("$.context.word starts_with 'ab'")))),
			to("t", "args", guarded(wt.Expr("$.arguments.n == 1"))),
			to("t", "noargs", guarded(wt.Expr("$.arguments.n == null"))),
			to("t", "both", guarded(wt.Expr("$.arguments.n == 1"), wt.Expr("$.context.n == 6"))),
			to("t", "anyargs", guarded(wt.AnyOf(wt.Expr("$.arguments.n == 1"), wt.Expr("$.context.n == 6")))),
			to("t", "notargs", guarded(wt.Not(wt.Expr("$.arguments.n == 1")))),
			to("t", "notall", guarded(wt.Not(wt.AllOf(wt.Expr("$.arguments.n == 1"), wt.Expr("$.context.ghost == 1"))))),
			to("t", "person", by(workflow.Human)),
			to("t", "auto", automatically),
		),
		terminal("t"))
	d.Filter = filter
	d.InitialContext = wt.Object(`{"n":5,"word":"abc","nothing":null}`)
	return d
}

func TestLinkFilter(t *testing.T) {
	t.Parallel()
	guards := begin(t, filters(workflow.ByGuards), `{"ok":1}`)
	equal(t, "by guards", guards.rels(agent), []string{"ok", "isnull", "either", "set", "noargs", "notargs", "notall", "person ACTOR_MISMATCH"})
	guards.submit(agent, "no", `{}`, rejected) // hidden, and refused all the same
	guards.submit(agent, "unset", `{}`, unset)
	equal(t, "all", begin(t, filters(workflow.AllLinks), `{"ok":1}`).rels(agent), []string{
		"ok", "no GUARD_REJECTED", "unset GUARD_UNSET_SLOT", "isnull", "either", "set", "nope GUARD_REJECTED",
		"args", "noargs", "both GUARD_REJECTED", "anyargs", "notargs", "notall", "person ACTOR_MISMATCH",
	})
	guards.submit(agent, "args", `{"n":1}`, "t") // hidden, and allowed

	d, by := filters(workflow.AllLinks), workflow.ByGuards
	d.States[0].Filter = &by
	equal(t, "the state's", len(begin(t, d, `{"ok":1}`).rels(agent)), 8)
}

func TestLinksAreTheCallersOwn(t *testing.T) {
	t.Parallel()
	r := begin(t, ticket(), `{"subject":"x"}`)
	r.submit(agent, "classify", `{"category":"a"}`, "sorted")
	holder := workflow.Caller{Client: "x", User: "ann", Permissions: auth.Names("ticket.escalate")}
	equal(t, "agent", r.rels(agent), []string{"approve ACTOR_MISMATCH", "escalate GUARD_REJECTED", "again"})
	equal(t, "person", r.rels(person), []string{"approve", "escalate GUARD_REJECTED", "again"})
	equal(t, "holder", r.rels(holder), []string{"approve ACTOR_MISMATCH", "escalate", "again"})
	if b := r.link(agent, "escalate").Blocked; b.Transition != "escalate" || b.Message == "" || b.Hint == "" {
		t.Errorf("%+v", b)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	r := begin(t, filters(workflow.AllLinks), `{"ok":1}`)
	e := r.d.Explain(r.i, agent, "either")
	equal(t, "either", e, workflow.Explanation{
		Allowed: true, Actor: workflow.Agent,
		Legal: []string{"ok", "no", "unset", "isnull", "either", "set", "nope", "args", "noargs", "both", "anyargs", "notargs", "notall", "person", "auto"},
		Why:   []workflow.Why{{Guard: workflow.GuardAnyOf, Passed: true, Value: map[string]any{"$.context.n": 5.0}}},
	})
	e = r.d.Explain(r.i, agent, "no")
	equal(t, "no", e.Why, []workflow.Why{{Guard: workflow.GuardExpr, Value: map[string]any{"$.workflow.input.ok": 1.0}}})
	equal(t, "blocked", e.Blocked.Code, workflow.GuardRejected)
	equal(t, "args", r.d.Explain(r.i, agent, "args").Why, []workflow.Why{{Guard: workflow.GuardExpr, Arguments: true}})
	e = r.d.Explain(r.i, agent, "person")
	equal(t, "person", []any{e.Allowed, e.Actor, e.Blocked.Code}, []any{true, workflow.Human, workflow.ActorMismatch})
	e = r.d.Explain(r.i, agent, "auto")
	equal(t, "auto", []any{e.Allowed, e.Deterministic}, []any{true, true})
	e = r.d.Explain(r.i, agent, strings.Repeat("none", 100))
	equal(t, "none", []any{e.Allowed, e.Actor, e.Blocked.Code, len(e.Legal)}, []any{false, workflow.Agent, workflow.InvalidTransition, 15})
	if len(e.Blocked.Message) > 400 {
		t.Errorf("a message of %d bytes", len(e.Blocked.Message))
	}

	r.i.Context["n"] = strings.Repeat("x", 2000)
	equal(t, "a large value", r.d.Explain(r.i, agent, "either").Why[0].Value, nil)
	r.submit(agent, "ok", `{}`, "t")
	e = r.d.Explain(r.i, agent, "ok")
	equal(t, "ended", []any{e.Allowed, len(e.Legal), e.Blocked.Code}, []any{false, 0, workflow.InvalidTransition})
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	d := ticket()
	d.Outcomes = []workflow.Outcome{
		{ID: "sorted", Statement: "it has a category", Check: wt.Expr("exists($.context.category)")},
		{ID: "ghost", Statement: "it cannot be judged", Check: wt.Expr("$.context.ghost == 1")},
		{ID: "person", Statement: "nobody asks", Check: wt.Role("human")},
		{ID: "unchecked"},
	}
	r := begin(t, d, `{"subject":"x"}`)
	met := func() (ids []string) {
		for _, o := range r.d.OutcomesMet(r.i) {
			if o.Met {
				ids = append(ids, o.ID)
			}
		}
		return ids
	}
	equal(t, "at the start", met(), nil)
	r.submit(agent, "classify", `{"category":"a"}`, "sorted")
	equal(t, "later", met(), []string{"sorted"})
	equal(t, "all of them", r.d.OutcomesMet(r.i)[1], workflow.OutcomeState{ID: "ghost", Statement: "it cannot be judged"})
}

// TestWhatWhileForbidsIsForetold only where it does not depend on the arguments or on an executor.
func TestWhatWhileForbidsIsForetold(t *testing.T) {
	t.Parallel()
	s := state("s",
		to("t", "plain"),
		to("t", "free", putting(wt.Put("left", 0.0))),
		to("t", "given", putting(wt.Put("left", "$.arguments.left"))),
		to("t", "branch", branching(workflow.Branch{When: wt.Expr("$.arguments.stay == true"), Target: "s"})),
		to("t", "effect", running(&workflow.Executor{Kind: "probe", Tier: auth.Low}), putting(wt.Put("left", "$.output"))),
		to("t", "ask", running(wt.Human("board"))),
		to("s", "loop"))
	s.While, s.MaxWhile = wt.Expr("$.context.left > 0"), 1
	d := definition(s, terminal("t"))
	d.InitialContext = map[string]any{"left": 5.0}
	r := begin(t, d, `{}`)
	equal(t, "before", r.rels(agent), []string{"plain", "free", "given", "branch", "effect", "ask", "loop"})
	r.submit(agent, "plain", `{}`, "s")
	equal(t, "after", r.rels(agent), []string{"plain WHILE_ITERATION_CAP_EXCEEDED", "free", "given", "branch", "effect", "ask", "loop"})
	s.While = wt.Expr("$.context.left > 0 or $.arguments.more == true")
	equal(t, "while reads arguments", r.rels(agent)[0], "plain")
}

// TestPrefillThatIsTooLarge is none.
func TestPrefillThatIsTooLarge(t *testing.T) {
	t.Parallel()
	double := map[string]any{"concat": []any{"$.context.text", "$.context.text"}}
	text := "$.context.text"
	many := map[string]any{"concat": []any{text, text, text, text, text, text, text, text}}
	d := definition(state("s",
		to("s", "large", func(t *workflow.Transition) { t.Prefill = []workflow.Slot{wt.Put("a", double)} }),
		to("s", "many", func(t *workflow.Transition) { t.Prefill = []workflow.Slot{wt.Put("a", many), wt.Put("b", 1.0)} }),
		to("s", "put", putting(wt.Put("all", many)))))
	d.InitialContext = map[string]any{"text": strings.Repeat("x", 600_000)}
	r := begin(t, d, `{}`)
	equal(t, "large", r.link(agent, "large").Arguments, nil)
	equal(t, "many", r.link(agent, "many").Arguments, wt.Object(`{"a":null,"b":1}`))
	r.submit(agent, "put", `{}`, "CONTEXT_TOO_LARGE")
}
