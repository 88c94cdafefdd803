package workflow_test

import (
	"math"
	"testing"
	"time"

	"prax/auth"
	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

var probe = &workflow.Executor{Kind: "probe", Tier: auth.Low}

// deploy runs an executor with an effect on the way, and another on entering the next state.
func deploy() *workflow.Definition {
	up := state("up", to("s", "down"))
	up.OnEnter = &workflow.Action{Executor: probe, Output: []workflow.Slot{wt.Put("health", "$.output.health"), wt.Put("seen", "$.context.id")}}
	return definition(
		state("s", to("up", "deploy", running(probe), taking(`{"type":"object","required":["to"],"properties":{"to":{"type":"string"}}}`),
			guarded(wt.Expr("$.arguments.to != 'mars'")), putting(wt.Put("id", "$.output.id"), wt.Put("to", "$.arguments.to")))),
		up)
}

func TestEffect(t *testing.T) {
	t.Parallel()
	r := begin(t, deploy(), `{}`)
	r.submit(agent, "deploy", `{}`, "INPUT_SCHEMA_VIOLATION")
	r.submit(agent, "deploy", `{"to":"mars"}`, rejected)
	first := r.submit(agent, "deploy", `{"to":"rome"}`, "effect").Effect
	equal(t, "executor", []any{first.Executor.Kind, first.State, first.OnEnter, first.Version}, []any{"probe", "s", false, int64(1)})
	equal(t, "arguments", first.Arguments, wt.Object(`{"to":"rome"}`))

	confident := 0.5
	second := r.expect(r.d.Apply(r.i, first, workflow.Result{
		Output: wt.Object(`{"id":"d1"}`), Evidence: []workflow.Evidence{{Kind: "probe", Confidence: &confident}},
	}, agent, morning), "effect").Effect
	equal(t, "onEnter", []any{second.State, second.OnEnter, len(second.Results)}, []any{"up", true, 1})
	equal(t, "nothing yet", r.i.Version, 1)

	decision := r.expect(r.d.Apply(r.i, second, workflow.Result{Output: wt.Object(`{"health":"good"}`)}, agent, morning), "up")
	equal(t, "version", r.i.Version, 2)
	r.context(`{"id":"d1","to":"rome","health":"good","seen":"d1"}`)
	equal(t, "output", decision.Change.Steps[0].Output, any(wt.Object(`{"id":"d1"}`)))
	equal(t, "evidence", decision.Change.Evidence, []workflow.Evidence{{Seq: 2, Kind: "probe", Confidence: &confident, Client: "agent", User: "ann"}})
}

func TestEffectFacts(t *testing.T) {
	t.Parallel()
	r := begin(t, deploy(), `{}`)
	plan := r.plan(agent, "deploy", `{"to":"rome"}`)
	enter := r.d.Apply(r.i, plan.Effect, workflow.Result{}, agent, morning)
	done := r.d.Apply(r.i, enter.Effect, workflow.Result{}, agent, morning)
	equal(t, "plan", facts(plan), []string{"transition.requested", "guard.evaluated", "executor.started"})
	equal(t, "enter", facts(enter), []string{"executor.succeeded", "executor.started"})
	equal(t, "done", facts(done), []string{"executor.succeeded", "workflow.transition", "workflow.transitioned"})
}

func TestEffectThatFails(t *testing.T) {
	t.Parallel()
	failed := workflow.Result{Failure: &workflow.Failure{Class: "permanent_error", Message: "exit status 7"}}
	r := begin(t, deploy(), `{}`)
	effect := r.plan(agent, "deploy", `{"to":"rome"}`).Effect
	decision := r.expect(r.d.Apply(r.i, effect, failed, agent, morning), "EXECUTOR_FAILED")
	equal(t, "refusal", []string{decision.Refusal.Class, decision.Refusal.Message, decision.Refusal.Transition}, []string{"permanent_error", "exit status 7", "deploy"})
	equal(t, "facts", facts(decision), []string{"executor.failed", "transition.rejected"})
	equal(t, "rels", r.rels(agent), []string{"deploy"})

	enter := r.d.Apply(r.i, effect, workflow.Result{Output: map[string]any{}}, agent, morning).Effect
	r.expect(r.d.Apply(r.i, enter, failed, agent, morning), "EXECUTOR_FAILED") // what the onEnter refuses, the move does not have
	equal(t, "version", r.i.Version, 1)
}

func TestEffectOfAnInstanceThatMovedOn(t *testing.T) {
	t.Parallel()
	r := begin(t, deploy(), `{}`)
	effect := r.plan(agent, "deploy", `{"to":"rome"}`).Effect
	moved := *r.i
	moved.Version++
	equal(t, "moved", answer(r.d.Apply(&moved, effect, workflow.Result{}, agent, morning)), "STALE_WORKFLOW_VERSION")
	r.commit(r.d.Cancel(r.i, agent, "", morning))
	equal(t, "cancelled", answer(r.d.Apply(r.i, effect, workflow.Result{}, agent, morning)), "WORKFLOW_CANCELLED")
}

func TestResultsThatCannotBeKept(t *testing.T) {
	t.Parallel()
	two, nan := 2.0, math.NaN()
	for want, result := range map[string]workflow.Result{
		"INVALID_CONFIDENCE":    {Evidence: []workflow.Evidence{{Kind: "x", Confidence: &two}}},
		"BLACKBOARD_TYPE_ERROR": {Output: map[string]any{"id": math.Inf(1)}},
	} {
		r := begin(t, deploy(), `{}`)
		effect := r.plan(agent, "deploy", `{"to":"rome"}`).Effect
		decision := r.d.Apply(r.i, effect, result, agent, morning)
		if decision.Effect != nil {
			decision = r.d.Apply(r.i, decision.Effect, workflow.Result{}, agent, morning)
		}
		equal(t, "answer", answer(decision), want)
	}
	r := begin(t, deploy(), `{}`)
	effect := r.plan(agent, "deploy", `{"to":"rome"}`).Effect
	equal(t, "NaN", answer(r.d.Apply(r.i, effect, workflow.Result{Evidence: []workflow.Evidence{{Kind: "x", Confidence: &nan}}}, agent, morning)), "INVALID_CONFIDENCE")
}

// TestEffectInAChain commits what came before it, and goes on after it.
func TestEffectInAChain(t *testing.T) {
	t.Parallel()
	d := definition(
		state("a", to("b", "go")),
		state("b", to("c", "build", automatically, running(probe), putting(wt.Put("built", "$.output")))),
		state("c", to("d", "tag", automatically)),
		terminal("d"))
	r := begin(t, d, `{}`)
	then := r.submit(agent, "go", `{}`, "b").Change.Then
	equal(t, "then", []any{then.Transition, then.Kind, then.Version}, []any{"build", workflow.StepChain, int64(2)})
	equal(t, "failed", answer(d.Apply(r.i, then, workflow.Result{Failure: &workflow.Failure{Class: "timeout", Message: "too slow"}}, agent, morning)), "CHAIN_FAILED")
	equal(t, "rels", r.rels(agent), []string{"build!"})
	r.expect(d.Apply(r.i, then, workflow.Result{Output: "ok", Took: time.Second}, agent, morning), "d")
	equal(t, "version", r.i.Version, 4)
	equal(t, "memo", r.i.Memo, workflow.Memo{Hops: 2, Driven: time.Second})
	r.context(`{"built":"ok"}`)
}

// TestEffectOfAStart: there is no instance yet that could remember an attempt, so that none is made.
func TestEffectOfAStart(t *testing.T) {
	t.Parallel()
	d := deploy()
	d.Initial = "up"
	decision := d.Begin("wf_1", agent, []byte(`{"a":1}`), morning)
	equal(t, "answer", answer(decision), "EXECUTOR_FAILED")
	equal(t, "class", decision.Refusal.Class, workflow.ClassPermanent)
	equal(t, "facts", facts(decision), []string{"transition.rejected"})

	d = deploy() // what the chain of a start runs, there is an instance for
	d.States = append(d.States, state("first", to("s", "build", automatically, running(probe))))
	d.Initial = "first"
	r := begin(t, d, `{}`)
	then := d.Begin("wf_1", agent, nil, morning).Change.Then
	equal(t, "then", []any{then.Transition, then.Version}, []any{"build", int64(1)})
	r.expect(d.Apply(r.i, then, workflow.Result{}, agent, morning), "s")
}

func TestAPersonCannotBeAskedOnEntering(t *testing.T) {
	t.Parallel()
	s := state("s", to("s", "go"))
	s.OnEnter = &workflow.Action{Executor: wt.Human("board")}
	equal(t, "answer", answer(definition(s).Begin("wf_1", agent, nil, morning)), "EXECUTOR_FAILED")
}

// TestBranchOnWhatTheExecutorFound counts the evidence of the step itself, as check takes it to.
func TestBranchOnWhatTheExecutorFound(t *testing.T) {
	t.Parallel()
	least := 0.8
	d := definition(
		state("s", to("unsure", "judge", running(probe), branching(
			workflow.Branch{When: wt.Evidence(workflow.Requirement{Kind: "probe", MinConfidence: &least}), Target: "sure"}))),
		terminal("sure"), terminal("unsure"))
	for confidence, want := range map[float64]string{0.9: "sure", 0.5: "unsure"} {
		r := begin(t, d, `{}`)
		e := r.submit(agent, "judge", `{}`, "effect").Effect
		r.expect(d.Apply(r.i, e, workflow.Result{Evidence: []workflow.Evidence{{Kind: "probe", Confidence: &confidence}}}, agent, morning), want)
	}
	ask := to("no", "ask", running(wt.Human("board")), titled("Yes?"),
		branching(workflow.Branch{When: wt.Evidence(workflow.Requirement{Kind: "human_approval"}), Target: "yes"}))
	d = definition(state("s", ask), terminal("yes"), terminal("no"))
	equal(t, "check", found(d.Check(workflow.World{})), []string{"unreachable-state /states/no"})
	r := begin(t, d, `{}`)
	r.submit(agent, "ask", `{}`, "s")
	r.expect(r.d.Resolve(r.i, person, yes(r), r.now), "yes")
}

// TestExecutorsGiveNoEvidenceOfAPerson, whatever they claim to have found.
func TestExecutorsGiveNoEvidenceOfAPerson(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"human_request", "human_approval", "human_answer"} {
		r := begin(t, deploy(), `{}`)
		e := r.submit(agent, "deploy", rome, "effect").Effect
		r.expect(r.d.Apply(r.i, e, workflow.Result{Evidence: []workflow.Evidence{{Kind: kind, User: "ann"}}}, agent, morning), "EXECUTOR_FAILED")
	}
}

// TestNothingIsNotedTwice has an executor that runs at once before one with an effect.
func TestNothingIsNotedTwice(t *testing.T) {
	t.Parallel()
	up := state("up")
	up.OnEnter = &workflow.Action{Executor: probe}
	d := definition(state("s", to("up", "go", running(wt.Noop()))), up)
	r := begin(t, d, `{}`)
	plan := r.plan(agent, "go", `{}`)
	equal(t, "plan", facts(plan), []string{"transition.requested", "executor.started", "executor.succeeded", "executor.started"})
	done := r.d.Apply(r.i, plan.Effect, workflow.Result{}, agent, morning)
	equal(t, "done", facts(done), []string{"executor.succeeded", "workflow.transition", "workflow.transitioned"})
}

// TestHighIsOutOfReach puts an executor that only a person may run where the loader would never let it stand.
func TestHighIsOutOfReach(t *testing.T) {
	t.Parallel()
	for _, tier := range []auth.Tier{auth.High, auth.TierUnknown, 9} {
		high := &workflow.Executor{Kind: "probe", Tier: tier}
		noop := &workflow.Executor{Kind: workflow.KindNoop, Tier: tier}
		asked := wt.Human("board")
		asked.Tier = tier
		entered := state("entered")
		entered.OnEnter = &workflow.Action{Executor: noop}
		d := definition(
			state("s",
				to("s", "agents", running(high)), to("s", "by_hand", automatically, running(high)), to("s", "noop", running(noop)),
				to("s", "asks", running(asked)), to("entered", "enter", by(workflow.Human)), to("auto", "chain", by(workflow.Human)),
				to("s", "persons", by(workflow.Human), running(high))),
			state("auto", to("s", "hop", automatically, running(noop))),
			entered)
		r := begin(t, d, `{}`)
		for _, name := range []string{"agents", "by_hand", "noop", "asks"} {
			r.submit(person, name, `{}`, "ACTOR_MISMATCH")
		}
		equal(t, "rels", r.rels(person), []string{"agents ACTOR_MISMATCH", "noop ACTOR_MISMATCH", "asks ACTOR_MISMATCH", "enter", "chain", "persons"})
		r.submit(person, "enter", `{}`, "ACTOR_MISMATCH")
		r.submit(agent, "persons", `{}`, "ACTOR_MISMATCH")
		equal(t, "asks", r.submit(person, "persons", `{}`, "effect").Effect.Ask, true)
		r.submit(person, "chain", `{}`, "auto CHAIN_FAILED")
		d.Initial = "entered"
		equal(t, "start", answer(d.Begin("wf_2", person, nil, morning)), "ACTOR_MISMATCH")
	}
}

// TestResultsBelongToTheirStep: what ran for one step is not taken for what runs in the next.
func TestResultsBelongToTheirStep(t *testing.T) {
	t.Parallel()
	b := state("b", to("c", "build", automatically, running(probe), putting(wt.Put("built", "$.output"))))
	b.OnEnter = &workflow.Action{Executor: probe, Output: []workflow.Slot{wt.Put("seen", "$.output")}}
	d := definition(state("a", to("b", "go", running(probe), putting(wt.Put("went", "$.output")))), b, terminal("c"))
	r := begin(t, d, `{}`)
	go1 := r.submit(agent, "go", `{}`, "effect").Effect
	enter := r.expect(d.Apply(r.i, go1, workflow.Result{Output: "one"}, agent, morning), "effect").Effect
	then := r.expect(d.Apply(r.i, enter, workflow.Result{Output: "two"}, agent, morning), "b").Change.Then
	equal(t, "results", len(then.Results), 0)
	r.expect(d.Apply(r.i, then, workflow.Result{Output: "three"}, agent, morning), "c")
	r.context(`{"went":"one","seen":"two","built":"three"}`)
}
