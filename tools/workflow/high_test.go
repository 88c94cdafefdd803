package workflow_test

import (
	"testing"
	"time"

	"prax/auth"
	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

// release has a transition of a person's whose executor has this tier, and one of an agent's beside it.
func release(tier auth.Tier) *workflow.Definition {
	t := to("out", "release", by(workflow.Human), running(wt.Probe(tier)),
		taking(`{"type":"object","required":["to"],"properties":{"to":{"type":"string"}}}`),
		putting(wt.Put("id", "$.output.id")))
	t.Title = "Release it"
	return definition(state("ready", t, to("ready", "wait")), terminal("out"))
}

const rome = `{"to":"rome"}`

var would = workflow.Result{Material: map[string]any{"argv": []any{"release", "rome"}}, Tier: auth.High}

// asked is a drive in which a person has submitted what asks first.
func asked(t *testing.T, d *workflow.Definition, who workflow.Caller) *drive {
	t.Helper()
	r := begin(t, d, `{}`)
	e := r.submit(who, "release", rome, "effect").Effect
	equal(t, "asks", e.Ask, true)
	r.expect(r.d.Apply(r.i, e, would, who, r.now), "ready")
	return r
}

// open is what a store does when an attempt is opened: it uses up the approval.
func (r *drive) open(e *workflow.Effect) {
	next := *r.i
	next.Parked = nil
	next.Busy = &workflow.Busy{Attempt: "at_1", Transition: e.Transition, Kind: e.Executor.Kind, Since: r.now}
	r.i = &next
}

// doubt is what it does when nobody knows what became of it.
func (r *drive) doubt() {
	next, busy := *r.i, *r.i.Busy
	busy.Unknown = true
	next.Busy = &busy
	r.i = &next
}

func (r *drive) resolve(who workflow.Caller) workflow.Decision {
	return r.d.Resolve(r.i, who, yes(r), r.now)
}

func TestLaw2HighAsks(t *testing.T) {
	t.Parallel()
	r := begin(t, release(auth.High), `{}`)
	r.submit(agent, "release", rome, "ACTOR_MISMATCH")
	decision := r.submit(person, "release", rome, "effect")
	e := decision.Effect
	equal(t, "asks", []any{e.Ask, e.Approved, e.Transition, e.Env.Arguments["to"], e.Env.Version}, []any{true, false, "release", any("rome"), int64(2)})
	equal(t, "facts", facts(decision), []string{"transition.requested"})

	decision = r.expect(r.d.Apply(r.i, e, would, person, r.now), "ready")
	c := decision.Change
	equal(t, "facts", facts(decision), []string{"workflow.interaction", "human.approval.requested"})
	equal(t, "step", []any{c.Steps[0].Kind, c.Steps[0].Seq, c.Steps[0].Client}, []any{workflow.StepRequest, int64(2), "person"})
	equal(t, "evidence", []any{len(c.Evidence), c.Evidence[0].Kind}, []any{1, "human_request"})
	equal(t, "ask", []any{c.Ask.Tier, c.Ask.Material["tier"], c.Ask.Material[workflow.MaterialExecutor]}, []any{auth.High, any("high"), any(would.Material)})
	equal(t, "agent's", []any{r.link(agent, "release").Blocked.Code, r.link(agent, "release").Approves}, []any{workflow.ActorMismatch, ""})
	equal(t, "person's", []any{r.link(person, "release").Approves, r.link(person, "release").Arguments}, []any{"ap_1", wt.Object(rome)})
	equal(t, "gate", r.d.PendingHuman(r.i)[0].Parked.Approval, "ap_1")
	equal(t, "answer", answer(r.resolve(agent)), "ACTOR_MISMATCH")
}

// TestLaw2HighRunsOnAnApproval, which is answered or submitted once more, and used up.
func TestLaw2HighRunsOnAnApproval(t *testing.T) {
	t.Parallel()
	for name, approve := range map[string]func(*drive) workflow.Decision{
		"answered":  func(r *drive) workflow.Decision { return r.resolve(second) },
		"submitted": func(r *drive) workflow.Decision { return r.plan(second, "release", rome) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := asked(t, release(auth.High), person)
			decision := r.expect(approve(r), "effect")
			e := decision.Effect
			equal(t, "runs", []any{e.Ask, e.Approved, e.Approval, e.Digest, e.Version, e.Env.Version}, []any{false, true, "ap_1", "digest 1", int64(2), int64(2)})
			equal(t, "fact", facts(decision)[len(decision.Trail)-1], "executor.started")
			r.open(e)
			probed := workflow.Result{Output: wt.Object(`{"id":"r1"}`), Evidence: []workflow.Evidence{{Kind: "probe"}}}
			c := r.expect(r.d.Apply(r.i, e, probed, second, r.now), "out").Change
			equal(t, "consumed", c.Consumed, "ap_1")
			equal(t, "evidence", c.Evidence, []workflow.Evidence{
				{Seq: 3, Kind: "human_approval", URI: "ap_1", Digest: "digest 1", Client: "second", User: "bob"},
				{Seq: 3, Kind: "probe", Client: "second", User: "bob"},
			})
			equal(t, "output", c.Steps[0].Output, any(wt.Object(`{"id":"r1"}`)))
			r.context(`{"id":"r1"}`)
		})
	}
}

// TestLaw2HighNeverRunsUnasked takes what asks for what runs, and every other short cut.
func TestLaw2HighNeverRunsUnasked(t *testing.T) {
	t.Parallel()
	r := begin(t, release(auth.High), `{}`)
	e := *r.submit(person, "release", rome, "effect").Effect
	e.Ask = false
	again := r.d.Apply(r.i, &e, workflow.Result{Output: wt.Object(`{"id":"r1"}`)}, person, r.now)
	equal(t, "asks again", again.Effect != nil && again.Effect.Ask, true)

	r = asked(t, release(auth.High), person)
	other := r.submit(person, "release", `{"to":"oslo"}`, "effect").Effect
	equal(t, "other arguments", []any{other.Ask, other.Approved}, []any{true, false})
	r.now = r.now.Add(24 * time.Hour)
	late := r.submit(person, "release", rome, "effect").Effect
	equal(t, "too late", []any{late.Ask, late.Approved}, []any{true, false})

	r = asked(t, release(auth.High), person)
	e = *r.resolve(person).Effect
	r.open(&e)
	failed := workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassPermanent, Message: "no", Begun: workflow.Answered}}
	r.expect(r.d.Apply(r.i, &e, failed, person, r.now), "EXECUTOR_FAILED")
	r.i.Busy = nil
	equal(t, "once", r.submit(person, "release", rome, "effect").Effect.Ask, true)
}

// TestLaw2HighFallback is as HIGH as what it stands in for would be.
func TestLaw2HighFallback(t *testing.T) {
	t.Parallel()
	d := release(auth.Low)
	e := d.States[0].Transitions[0].Executor
	e.Reliability.Fallback = []*workflow.Executor{wt.Probe(auth.Low), wt.Probe(auth.High)}
	d.States[0].Transitions[1].Executor = e
	r := begin(t, d, `{}`)
	r.submit(person, "wait", `{}`, "ACTOR_MISMATCH")
	equal(t, "asks", r.submit(person, "release", rome, "effect").Effect.Ask, true)
	equal(t, "check", found(d.Check(workflow.World{}))[0], "misplaced-high /states/ready/transitions/wait/executor")
}

func TestWhatCannotBePreparedAsksNobody(t *testing.T) {
	t.Parallel()
	r := begin(t, release(auth.High), `{}`)
	e := r.submit(person, "release", rome, "effect").Effect
	failed := workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassConnection, Message: "no such connection", Begun: workflow.NotBegun}}
	decision := r.expect(r.d.Apply(r.i, e, failed, person, r.now), "EXECUTOR_FAILED")
	equal(t, "refusal", []string{decision.Refusal.Class, decision.Refusal.Message, decision.Refusal.Transition}, []string{workflow.ClassConnection, "no such connection", "release"})
	equal(t, "version", r.i.Version, 1)
}

func TestGuardsOfWhatAsksAreJudgedAgain(t *testing.T) {
	t.Parallel()
	d := release(auth.High)
	d.States[0].Transitions[0].Guards = []*workflow.Guard{wt.Permission("ship")}
	holder := person
	holder.Permissions = auth.Names("ship")
	r := asked(t, d, holder)
	equal(t, "answered", answer(r.resolve(second)), rejected)
	equal(t, "submitted", answer(r.plan(second, "release", rome)), rejected)
	equal(t, "holder", answer(r.resolve(holder)), "effect")
}

func TestRejectingWhatAsks(t *testing.T) {
	t.Parallel()
	r := asked(t, release(auth.High), person)
	a := yes(r)
	a.Approve = false
	equal(t, "rejected", r.expect(r.d.Resolve(r.i, second, a, r.now), "ready").Change.Rejected, "ap_1")
	equal(t, "asks", r.submit(person, "release", rome, "effect").Effect.Ask, true)
}

// TestHighNoopAsks has nothing to resolve.
func TestHighNoopAsks(t *testing.T) {
	t.Parallel()
	d := release(auth.High)
	d.States[0].Transitions[0].Executor = &workflow.Executor{Kind: workflow.KindNoop, Tier: auth.High}
	r := begin(t, d, `{}`)
	equal(t, "tier", r.submit(person, "release", rome, "ready").Change.Ask.Tier, auth.High)
	c := r.submit(person, "release", rome, "out").Change
	equal(t, "evidence", []any{len(c.Evidence), c.Evidence[0].Kind, c.Evidence[0].Digest}, []any{1, "human_approval", "digest 1"})
	equal(t, "consumed", c.Consumed, "ap_1")
}

// TestReask: what was approved is not what would be run any more.
func TestReask(t *testing.T) {
	t.Parallel()
	for name, approve := range map[string]func(*drive) workflow.Decision{
		"answered":  func(r *drive) workflow.Decision { return r.resolve(second) },
		"submitted": func(r *drive) workflow.Decision { return r.plan(second, "release", rome) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := release(auth.High)
			d.States[0].Transitions[0].MaxFires = 1
			r := asked(t, d, person)
			old := yes(r)
			approved := r.expect(approve(r), "effect")
			asking := approved.Asking("ap_9")
			equal(t, "effect", []any{asking.Effect.Ask, asking.Effect.Approved, asking.Effect.Env.Version}, []any{true, false, int64(3)})
			equal(t, "the other", []any{approved.Effect.Ask, approved.Effect.Approved}, []any{false, true})
			for _, f := range facts(asking) {
				if f == "executor.started" {
					t.Error("nothing has been started")
				}
			}
			c := r.expect(r.d.Apply(r.i, asking.Effect, would, second, r.now), "ready").Change
			equal(t, "step", []any{c.Steps[0].Kind, c.Steps[0].Seq, c.Consumed, c.Ask != nil}, []any{workflow.StepRequest, int64(3), "", true})
			equal(t, "evidence", []string{c.Evidence[0].Kind, c.Evidence[0].URI}, []string{"human_request", "ap_9"})
			equal(t, "counted once", r.i.Memo.Fires["release"], 1)
			equal(t, "the old one", answer(r.d.Resolve(r.i, second, old, r.now)), "APPROVAL_NOT_OPEN")
			equal(t, "the new one", r.expect(approve(r), "effect").Effect.Approved, true)
		})
	}
}

// TestReaskOfWhatWasRaised has an executor that is declared MEDIUM, and HIGH by now.
func TestReaskOfWhatWasRaised(t *testing.T) {
	t.Parallel()
	r := begin(t, release(auth.Medium), `{}`)
	decision := r.submit(person, "release", rome, "effect")
	equal(t, "runs", decision.Effect.Ask, false)
	c := r.expect(r.d.Apply(r.i, decision.Asking("ap_1").Effect, would, person, r.now), "ready").Change
	equal(t, "tier", []any{c.Ask.Tier, c.Ask.Material["tier"]}, []any{auth.High, any("high")})
	equal(t, "link", []any{r.link(person, "release").Approves, r.link(person, "release").Blocked == nil}, []any{"ap_1", true})
	equal(t, "gate", r.d.PendingHuman(r.i)[0].Parked.Approval, "ap_1")
	e := r.expect(r.resolve(second), "effect").Effect
	equal(t, "approved", []any{e.Ask, e.Approved, e.Approval}, []any{false, true, "ap_1"})
	r.open(e)
	c = r.expect(r.d.Apply(r.i, e, workflow.Result{}, second, r.now), "out").Change
	equal(t, "evidence", []string{c.Evidence[0].Kind, c.Evidence[0].Client, c.Consumed}, []string{"human_approval", "second", "ap_1"})
}

// TestOnlyAPersonsTransitionAsks, whatever the runner makes of an effect.
func TestOnlyAPersonsTransitionAsks(t *testing.T) {
	t.Parallel()
	up := state("up")
	up.OnEnter = &workflow.Action{Executor: probe}
	d := definition(
		state("s", to("s", "agents", running(probe)), to("up", "enter", by(workflow.Human)), to("auto", "chain", by(workflow.Human))),
		state("auto", to("s", "hop", automatically, running(probe))), up)
	r := begin(t, d, `{}`)
	for _, name := range []string{"agents", "enter"} {
		asking := r.plan(person, name, `{}`).Asking("ap_1")
		equal(t, name, answer(d.Apply(r.i, asking.Effect, would, person, r.now)), "ACTOR_MISMATCH")
	}
	then := r.submit(person, "chain", `{}`, "auto").Change.Then
	asking := workflow.Decision{Effect: then}.Asking("ap_1")
	equal(t, "hop", answer(d.Apply(r.i, asking.Effect, would, person, r.now)), "ACTOR_MISMATCH")
}

// TestApprovedOnceForTheStep: what entering the next state runs comes of the same yes.
func TestApprovedOnceForTheStep(t *testing.T) {
	t.Parallel()
	d := release(auth.High)
	up := state("up")
	up.OnEnter = &workflow.Action{Executor: probe}
	d.States[0].Transitions[0].Target, d.States = "up", append(d.States, up)
	r := asked(t, d, person)
	first := r.expect(r.resolve(second), "effect").Effect
	r.open(first)
	next := r.expect(r.d.Apply(r.i, first, workflow.Result{}, second, r.now), "effect").Effect
	equal(t, "next", []any{next.OnEnter, next.Approved, len(next.Results)}, []any{true, true, 1})
	c := r.expect(r.d.Apply(r.i, next, workflow.Result{}, second, r.now), "up").Change
	equal(t, "evidence", []any{len(c.Evidence), c.Evidence[0].Kind, c.Evidence[0].Digest}, []any{1, "human_approval", "digest 1"})
}
