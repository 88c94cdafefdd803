package workflow_test

import (
	"strings"
	"testing"
	"time"

	"prax/auth"
	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

func TestChain(t *testing.T) {
	t.Parallel()
	d := definition(
		state("a", to("b", "lint", automatically, running(wt.Noop()))),
		state("b", to("c", "test", automatically, putting(wt.Put("tested", true)))),
		state("c", to("d", "ship"), to("e", "stop")),
		terminal("d"), terminal("e"))
	r := begin(t, d, `{}`)
	equal(t, "state", r.i.State, "c")
	equal(t, "version", r.i.Version, 3)
	equal(t, "rels", r.rels(agent), []string{"ship", "stop"})
	equal(t, "hops", r.i.Memo, workflow.Memo{Hops: 2})
	var hops []string
	for _, s := range r.steps[1:] {
		hops = append(hops, string(s.Kind)+" "+s.From+" "+s.Transition+" "+s.To+" "+string(s.Actor))
	}
	equal(t, "hops", hops, []string{"chain a lint b deterministic", "chain b test c deterministic"})
}

func TestChainAfterASubmit(t *testing.T) {
	t.Parallel()
	d := definition(
		state("a", to("b", "go")),
		state("b", to("c", "auto", automatically)),
		terminal("c"))
	r := begin(t, d, `{}`)
	decision := r.submit(agent, "go", `{}`, "c")
	equal(t, "steps", len(decision.Change.Steps), 2)
	equal(t, "open", r.i.Open, false)
}

func TestWhatWaitsForSomebodyStopsAChain(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		beside *workflow.Transition
		want   string
	}{
		"an agent's":          {to("b", "manual"), "a"},
		"a person's":          {to("b", "manual", by(workflow.Human)), "a"},
		"an interaction only": {to("a", "note", light), "b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := begin(t, definition(state("a", to("b", "auto", automatically), test.beside), terminal("b")), `{}`)
			equal(t, "state", r.i.State, test.want)
			if test.want == "a" {
				r.submit(agent, "auto", `{}`, "b") // by hand it is allowed
			}
		})
	}
}

// TestSelection has every case in which the server has to choose, or cannot.
func TestSelection(t *testing.T) {
	t.Parallel()
	yes, no, ghost := wt.Expr("$.context.n == 1"), wt.Expr("$.context.n == 2"), wt.Expr("$.context.ghost == 1")
	x := func(guards ...*workflow.Guard) *workflow.Transition {
		return to("x", "x", automatically, guarded(guards...))
	}
	y := func(guards ...*workflow.Guard) *workflow.Transition {
		return to("y", "y", automatically, guarded(guards...))
	}
	failed := "a CHAIN_FAILED"
	tests := map[string]struct {
		transitions []*workflow.Transition
		want        string
		rels        []string
		names       string
	}{
		"alone":                       {[]*workflow.Transition{x()}, "x", nil, ""},
		"alone, and it holds":         {[]*workflow.Transition{x(yes)}, "x", nil, ""},
		"alone, and it does not":      {[]*workflow.Transition{x(no)}, failed, []string{"x! GUARD_REJECTED"}, "$.context.n"},
		"alone, and cannot be judged": {[]*workflow.Transition{x(ghost)}, failed, []string{"x! GUARD_UNSET_SLOT"}, "$.context.ghost"},
		"the one that holds":          {[]*workflow.Transition{x(no), y(yes)}, "y", nil, ""},
		"before the default":          {[]*workflow.Transition{x(yes), y()}, "x", nil, ""},
		"the default":                 {[]*workflow.Transition{x(no), y()}, "y", nil, ""},
		"the default beside unset":    {[]*workflow.Transition{x(ghost), y()}, "y", nil, ""},
		"none holds":                  {[]*workflow.Transition{x(no), y(no)}, failed, []string{"x! GUARD_REJECTED", "y! GUARD_REJECTED"}, "$.context.n"},
		"both hold":                   {[]*workflow.Transition{x(yes), y(yes)}, failed, []string{"x!", "y!"}, "x, y"},
		"two defaults":                {[]*workflow.Transition{x(), y()}, failed, []string{"x!", "y!"}, "x, y"},
		"the first of several guards": {[]*workflow.Transition{x(yes, no), y()}, "y", nil, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := definition(state("a", test.transitions...), terminal("x"), terminal("y"))
			d.InitialContext = map[string]any{"n": 1.0}
			decision := d.Begin("wf_1", agent, nil, morning)
			equal(t, "answer", answer(decision), test.want)
			r := &drive{t: t, d: d, now: morning}
			r.commit(decision)
			equal(t, "rels", r.rels(agent), test.rels)
			if f := decision.Change.Failure; f != nil {
				equal(t, "class", f.Class, "selection_error")
				equal(t, "version", r.i.Version, 1)
				if !strings.Contains(f.Message, test.names) || f.Hint == "" {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

// TestFailedHop keeps what was done before it, and offers it again.
func TestFailedHop(t *testing.T) {
	t.Parallel()
	d := definition(
		state("a", to("b", "go", putting(wt.Put("done", true)))),
		state("b", to("c", "fine", automatically, putting(wt.Put("word", "$.workflow.input.word")))),
		state("c", to("d", "boom", automatically, putting(wt.Put("n", "$.context.word")))),
		terminal("d"))
	d.Slots = map[string]*workflow.Schema{"n": wt.Schema(`{"type":"number"}`)}
	r := begin(t, d, `{"word":"sesame"}`)
	decision := r.submit(agent, "go", `{}`, "c CHAIN_FAILED")
	f := decision.Change.Failure
	equal(t, "failure", []string{f.Class, f.Transition}, []string{"blackboard_type_error", "boom"})
	equal(t, "version", r.i.Version, 3)
	r.context(`{"done":true,"word":"sesame"}`)
	equal(t, "rels", r.rels(agent), []string{"boom!"})
	equal(t, "hops", r.i.Memo.Hops, 1)
	r.submit(agent, "boom", `{}`, "BLACKBOARD_TYPE_ERROR")
}

func TestDepthStopsAChainWithoutAnError(t *testing.T) {
	t.Parallel()
	d := definition(state("a", to("b", "ab", automatically)), state("b", to("a", "ba", automatically)))
	for _, test := range []struct{ depth, want int }{{0, workflow.DefaultChain}, {3, 3}, {100_000, workflow.MaxChain}} {
		d.MaxChain, d.MaxHops = test.depth, 1_000_000
		r := begin(t, d, `{}`)
		equal(t, "version", r.i.Version, int64(1+test.want))
		equal(t, "open", r.i.Open, true)
		equal(t, "rels", len(r.rels(agent)), 1)
	}
}

// TestLivelock drives a chain without an end by hand, until its budget cancels it.
func TestLivelock(t *testing.T) {
	t.Parallel()
	d := definition(state("a", to("b", "ab", automatically)), state("b", to("a", "ba", automatically)))
	d.MaxChain = 40
	r := begin(t, d, `{}`)
	var last workflow.Decision
	for range workflow.DefaultHops / d.MaxChain {
		last = r.commit(r.plan(agent, r.d.Links(r.i, agent)[0].Transition.Name, `{}`))
	}
	equal(t, "answer", answer(last), "b LIVELOCK_QUARANTINE")
	equal(t, "hops", r.i.Memo.Hops, workflow.DefaultHops)
	equal(t, "open", r.i.Open, false)
	equal(t, "last step", r.steps[len(r.steps)-1].Kind, workflow.StepCancel)
	equal(t, "links", r.rels(agent), nil)
	r.submit(agent, "ba", `{}`, "WORKFLOW_CANCELLED")
	if r.i.Reason == "" {
		t.Error("no reason")
	}
}

// TestDeadlineOfChains counts what executors took, and nothing for a clock that went back.
func TestDeadlineOfChains(t *testing.T) {
	t.Parallel()
	probe := &workflow.Executor{Kind: "probe", Tier: auth.Low}
	d := definition(
		state("a", to("b", "ab", automatically, running(probe))),
		state("b", to("a", "ba", automatically)))
	d.MaxDriven = time.Minute
	r := begin(t, d, `{}`)
	then := d.Begin("wf_1", agent, nil, morning).Change.Then
	for _, took := range []time.Duration{-time.Hour, time.Minute} {
		decision := r.commit(d.Apply(r.i, then, workflow.Result{Took: took}, agent, morning))
		then = decision.Change.Then
	}
	equal(t, "driven", r.i.Memo.Driven, time.Minute)
	r.expect(d.Apply(r.i, then, workflow.Result{Took: time.Millisecond}, agent, morning), "b MISSION_DEADLINE_EXCEEDED")
	equal(t, "open", r.i.Open, false)
}

func TestFireCapInAChain(t *testing.T) {
	t.Parallel()
	d := definition(
		state("a", to("a", "again", automatically, atMost(2), guarded(wt.Expr("$.workflow.version > 0"))), to("b", "rest", automatically)),
		terminal("b"))
	r := begin(t, d, `{}`)
	equal(t, "state", r.i.State, "b")
	equal(t, "version", r.i.Version, 4)
}

// TestGuardsOfAChainAreJudgedUnderWhoCausedIt and fail for the server itself.
func TestGuardsOfAChainAreJudgedUnderWhoCausedIt(t *testing.T) {
	t.Parallel()
	d := definition(
		state("a", to("b", "go"), to("a", "wait")),
		state("b", to("c", "auto", automatically, guarded(wt.Role("human")))),
		terminal("c"))
	begin(t, d, `{}`).submit(person, "go", `{}`, "c")
	begin(t, d, `{}`).submit(agent, "go", `{}`, "b CHAIN_FAILED")
	d.Timeout, d.OnTimeout = time.Hour, "b"
	r := begin(t, d, `{}`)
	r.expect(d.Expire(r.i, morning.Add(2*time.Hour)), "b CHAIN_FAILED")
}

func TestHopsHaveTheDefaultsAsArguments(t *testing.T) {
	t.Parallel()
	auto := to("b", "auto", automatically, putting(wt.Put("x", "$.arguments.x")), guarded(wt.Expr("$.arguments.x == 7")),
		taking(`{"type":"object","properties":{"x":{"type":"integer","default":7}}}`))
	d := definition(state("a", auto), terminal("b"))
	begin(t, d, `{}`).context(`{"x":7}`)
	auto.Input = wt.Schema(`{"type":"object","required":["y"],"properties":{"x":{"type":"integer","default":7}}}`)
	decision := d.Begin("wf_1", agent, nil, morning)
	equal(t, "answer", answer(decision), "a CHAIN_FAILED")
	equal(t, "class", decision.Change.Failure.Class, "input_schema_violation")
}

// TestErrorClassOfAFailedHop says what broke it.
func TestErrorClassOfAFailedHop(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*workflow.State, *workflow.Transition){
		"slot_constraint_violated": func(a *workflow.State, auto *workflow.Transition) {
			a.Slots = []workflow.StateSlot{{Name: "file", Paths: []string{"src/*"}}}
			auto.Output = []workflow.Slot{wt.Put("file", "/etc/passwd")}
		},
		"context_too_large": func(_ *workflow.State, auto *workflow.Transition) {
			auto.Output = []workflow.Slot{wt.Put("more", map[string]any{"concat": []any{"$.workflow.input.text", "$.workflow.input.text"}})}
		},
		"while_iteration_cap_exceeded": func(a *workflow.State, _ *workflow.Transition) {
			a.While, a.MaxWhile = wt.Expr("$.workflow.version > 0"), 2
		},
		"blackboard_type_error": func(_ *workflow.State, auto *workflow.Transition) {
			auto.Output = []workflow.Slot{wt.Put("n", "one")}
		},
		"permanent_error": func(_ *workflow.State, auto *workflow.Transition) { auto.Target = "nowhere" },
	}
	for class, change := range tests {
		t.Run(class, func(t *testing.T) {
			t.Parallel()
			a := state("a", to("b", "auto", automatically))
			change(a, a.Transitions[0])
			d := definition(a, terminal("b"))
			d.Slots = map[string]*workflow.Schema{"n": wt.Schema(`{"type":"number"}`)}
			decision := d.Begin("wf_1", agent, []byte(`{"text":"`+strings.Repeat("x", 600_000)+`"}`), morning)
			equal(t, "answer", answer(decision), "a CHAIN_FAILED")
			equal(t, "class", decision.Change.Failure.Class, class)
			if class == "while_iteration_cap_exceeded" {
				equal(t, "kept", decision.Change.Next.Memo, workflow.Memo{Whiles: map[string]int{"a": 2}, Hops: 2})
			}
		})
	}
}
