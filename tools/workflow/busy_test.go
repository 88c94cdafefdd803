package workflow_test

import (
	"testing"
	"time"

	"prax/auth"
	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

func TestBusy(t *testing.T) {
	t.Parallel()
	for want, unknown := range map[workflow.Code]bool{workflow.InProgress: false, workflow.EffectUnknown: true} {
		d := deploy()
		d.Timeout, d.OnTimeout = time.Hour, "up"
		r := begin(t, d, `{}`)
		r.open(r.submit(agent, "deploy", rome, "effect").Effect)
		if unknown {
			r.doubt()
		}
		r.now = r.now.Add(2 * time.Hour) // the timeout waits, too
		decision := r.submit(agent, "deploy", rome, string(want))
		equal(t, "facts", facts(decision), []string{"transition.requested", "transition.rejected"})
		if decision.Refusal.Hint == "" || decision.Refusal.Transition != "deploy" {
			t.Errorf("%+v", decision.Refusal)
		}
		r.submit(agent, "none", `{}`, string(want))
		stale := r.d.Plan(r.i, agent, workflow.Submit{Transition: "deploy", ExpectedVersion: 7}, r.now)
		equal(t, "another version", answer(stale), "STALE_WORKFLOW_VERSION")
		equal(t, "timeout", answer(r.d.Expire(r.i, r.now)), "idle")
		equal(t, "approval", answer(r.d.Resolve(r.i, person, workflow.Answer{Approval: "ap_1"}, r.now)), string(want))
		equal(t, "explain", r.d.Explain(r.i, agent, "deploy").Blocked.Code, want)
		equal(t, "blocked", r.d.Blocked(r.i, agent, d.States[0].Transitions[0]).Code, want)
		equal(t, "gates", len(r.d.PendingHuman(r.i)), 0)
		r.expect(r.d.Cancel(r.i, agent, "enough", r.now), "s")
		equal(t, "cancelled", []any{r.i.Open, r.i.Reason}, []any{false, "enough"})
	}
}

// TestBusyWaitsBeforeItIsAsked: an approval cannot be opened beside an attempt that began meanwhile.
func TestBusyWaitsBeforeItIsAsked(t *testing.T) {
	t.Parallel()
	r := begin(t, release(auth.High), `{}`)
	e := r.submit(person, "release", rome, "effect").Effect
	r.open(e)
	equal(t, "answer", answer(r.d.Apply(r.i, e, would, person, r.now)), "IN_PROGRESS")
}

func TestLinksWhileBusy(t *testing.T) {
	t.Parallel()
	r := begin(t, deploy(), `{}`)
	r.open(r.submit(agent, "deploy", rome, "effect").Effect)
	equal(t, "at work", r.rels(person), nil)
	r.doubt()
	equal(t, "agent's", r.rels(agent), []string{"reconcile_applied ACTOR_MISMATCH", "reconcile_not_applied ACTOR_MISMATCH"})
	for _, who := range []workflow.Caller{person, overseer} {
		equal(t, who.Client, r.rels(who), []string{"reconcile_applied", "reconcile_not_applied"})
	}
	link := r.link(person, workflow.ReconcileApplied)
	equal(t, "link", []any{link.Transition.Actor, link.Arguments}, []any{workflow.Human, wt.Object(`{"attempt":"at_1"}`)})
	for arguments, fits := range map[string]bool{
		`{"attempt":"at_1"}`: true, `{"attempt":"at_1","output":[1],"note":"seen"}`: true,
		`{}`: false, `{"attempt":"at_2"}`: false, `{"attempt":"at_1","note":1}`: false, `{"attempt":"at_1","more":1}`: false,
	} {
		if got := len(link.Transition.Input.Check(wt.Object(arguments))) == 0; got != fits {
			t.Errorf("%s fits: %v", arguments, got)
		}
	}
	without := r.link(person, workflow.ReconcileNotApplied).Transition.Input
	equal(t, "no output", len(without.Check(wt.Object(`{"attempt":"at_1","output":1}`))) > 0, true)

	e := r.d.Explain(r.i, person, workflow.ReconcileApplied)
	equal(t, "explain", []any{e.Allowed, e.Actor, e.Blocked == nil, e.Legal}, []any{true, workflow.Human, true, []string{"deploy", "reconcile_applied", "reconcile_not_applied"}})
	equal(t, "explain to an agent", r.d.Explain(r.i, agent, workflow.ReconcileApplied).Blocked.Code, workflow.ActorMismatch)
	equal(t, "blocked", r.d.Blocked(r.i, person, link.Transition), (*workflow.Refusal)(nil))

	r.commit(r.d.Cancel(r.i, agent, "", r.now)) // it is to be settled all the same
	equal(t, "cancelled", r.rels(person), []string{"reconcile_applied", "reconcile_not_applied"})
}

// doubtful is an attempt that nobody knows the end of, of a step that a person approved.
func doubtful(t *testing.T) (*drive, *workflow.Effect) {
	t.Helper()
	r := asked(t, release(auth.High), person)
	e := r.expect(r.resolve(person), "effect").Effect
	r.open(e)
	r.doubt()
	return r, e
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	for _, who := range []workflow.Caller{person, overseer} {
		r, e := doubtful(t)
		found := workflow.Reconciliation{Applied: true, Output: wt.Object(`{"id":"r7"}`), Note: "it is on the server"}
		decision := r.expect(r.d.Reconcile(r.i, who, e, found, r.now), "out")
		c := decision.Change
		equal(t, "facts", facts(decision), []string{
			"executor.reconciled", "executor.succeeded", "human.approval.resolved", "workflow.transition", "workflow.transitioned", "workflow.completed",
		})
		equal(t, "fact", decision.Trail[0].Payload, map[string]any{"transition": "release", "kind": "probe", "applied": true})
		equal(t, "step", []any{c.Steps[0].Client, c.Steps[0].Output}, []any{who.Client, any(found.Output)})
		equal(t, "evidence", c.Evidence, []workflow.Evidence{ // who approved is not who found out
			{Seq: 3, Kind: "human_approval", URI: "ap_1", Digest: "digest 1", Client: "person", User: "ann"},
			{Seq: 3, Kind: "reconciliation", URI: "at_1", Summary: "it is on the server", Client: who.Client, User: who.User},
		})
		equal(t, "waits", r.i.Busy, (*workflow.Busy)(nil))
		r.context(`{"id":"r7"}`)
	}
}

func TestReconcileWithoutAnOutput(t *testing.T) {
	t.Parallel()
	r, e := doubtful(t)
	c := r.expect(r.d.Reconcile(r.i, person, e, workflow.Reconciliation{Applied: true}, r.now), "out").Change
	equal(t, "output", c.Steps[0].Output, any(map[string]any{}))
	r.context(`{"id":null}`)
}

func TestReconcileNotApplied(t *testing.T) {
	t.Parallel()
	r, e := doubtful(t)
	decision := r.expect(r.d.Reconcile(r.i, person, e, workflow.Reconciliation{Note: "nothing there"}, r.now), "idle")
	equal(t, "facts", facts(decision), []string{"executor.reconciled"})
	equal(t, "fact", decision.Trail[0].Payload["applied"], any(false))
	r.i.Busy = nil
	equal(t, "asks again", r.submit(person, "release", rome, "effect").Effect.Ask, true)
}

// TestApproverThatIsNotKnown is nobody: such an approval does not count where it matters whose it is.
func TestApproverThatIsNotKnown(t *testing.T) {
	t.Parallel()
	for _, demand := range []workflow.Requirement{{ExcludeStarter: true}, {Distinct: true}, {Digest: true}} {
		demand.Kind = "human_approval"
		r, e := doubtful(t)
		r.d.States[0].Transitions[0].Branches = []workflow.Branch{{When: wt.Evidence(demand), Target: "ready"}}
		forgotten := *e
		forgotten.Digest, forgotten.Client, forgotten.User = "", "", ""
		equal(t, "forgotten", answer(r.d.Reconcile(r.i, second, &forgotten, workflow.Reconciliation{Applied: true}, r.now)), "out")
		known := *e
		known.Client, known.User = second.Client, second.User
		equal(t, "known", answer(r.d.Reconcile(r.i, second, &known, workflow.Reconciliation{Applied: true}, r.now)), "ready")
	}
}

// TestReconciliationsThatAreRefused leave the attempt as it is.
func TestReconciliationsThatAreRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		who    workflow.Caller
		change func(*drive)
		output any
		want   workflow.Code
	}{
		"an agent's":           {agent, func(*drive) {}, nil, workflow.ActorMismatch},
		"the server's own":     {workflow.Caller{}, func(*drive) {}, nil, workflow.ActorMismatch},
		"of none":              {person, func(r *drive) { r.i.Busy = nil }, nil, workflow.InvalidTransition},
		"of one that runs":     {person, func(r *drive) { r.i.Busy.Unknown = false }, nil, workflow.InProgress},
		"of another version":   {person, func(r *drive) { r.i.Version++ }, nil, workflow.StaleVersion},
		"what does not fit":    {person, func(r *drive) { r.d.Slots = map[string]*workflow.Schema{"id": wt.Schema(`{"type":"string"}`)} }, map[string]any{"id": 1.0}, workflow.SlotTypeError},
		"what is too deep":     {person, func(*drive) {}, deepList(80), workflow.InputViolation},
		"where it cannot stay": {person, func(r *drive) { r.i.State = "gone" }, nil, workflow.Corrupt},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, e := doubtful(t)
			test.change(r)
			decision := r.d.Reconcile(r.i, test.who, e, workflow.Reconciliation{Applied: true, Output: test.output}, r.now)
			equal(t, "answer", answer(decision), string(test.want))
			equal(t, "facts", facts(decision), []string{"transition.rejected"})
			if decision.Refusal.Hint == "" {
				t.Error("no hint")
			}
		})
	}
}

func deepList(n int) any {
	var v any = 1.0
	for range n {
		v = []any{v}
	}
	return v
}

// TestReconcileAfterACancellation settles the attempt alone.
func TestReconcileAfterACancellation(t *testing.T) {
	t.Parallel()
	r, e := doubtful(t)
	r.commit(r.d.Cancel(r.i, agent, "enough", r.now))
	for _, applied := range []bool{true, false} {
		decision := r.d.Reconcile(r.i, person, e, workflow.Reconciliation{Applied: applied}, r.now)
		equal(t, "answer", answer(decision), "idle")
		equal(t, "facts", facts(decision), []string{"executor.reconciled"})
	}
}

// TestClientOut: what a client began is finished, and nothing new begins for it.
func TestClientOut(t *testing.T) {
	t.Parallel()
	d := definition(
		state("a", to("b", "build", running(probe))),
		state("b", to("c", "tag", automatically), to("c", "hold", automatically, guarded(wt.Expr("$.workflow.version == 99")))),
		terminal("c"))
	out := agent
	out.Out = true
	r := begin(t, d, `{}`)
	e := r.submit(agent, "build", `{}`, "effect").Effect
	decision := r.expect(d.Apply(r.i, e, workflow.Result{}, out, r.now), "b CLIENT_REVOKED")
	equal(t, "facts", facts(decision), []string{"executor.succeeded", "workflow.transition", "workflow.transitioned", "chain.failed"})
	equal(t, "failure", decision.Change.Failure.Class, workflow.ClassPermanent)
	equal(t, "links", r.rels(person), []string{"tag!", "hold! GUARD_REJECTED"})
	r.submit(person, "tag", `{}`, "c")

	r = begin(t, d, `{}`) // what failed fails
	failed := workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "too slow"}}
	equal(t, "failed", answer(d.Apply(r.i, e, failed, out, r.now)), "EXECUTOR_FAILED")

	r = begin(t, deploy(), `{}`) // the next executor of the same step is something new
	e = r.submit(agent, "deploy", rome, "effect").Effect
	decision = r.expect(r.d.Apply(r.i, e, workflow.Result{}, out, r.now), "CLIENT_REVOKED")
	equal(t, "version", r.i.Version, 1)

	r = begin(t, release(auth.High), `{}`) // and so is a question
	leaving := person
	leaving.Out = true
	e = r.submit(person, "release", rome, "effect").Effect
	r.expect(r.d.Apply(r.i, e, would, leaving, r.now), "CLIENT_REVOKED")
}

// TestClientOutInAChain goes on with the hop that was under way, and no further.
func TestClientOutInAChain(t *testing.T) {
	t.Parallel()
	d := definition(
		state("a", to("b", "go")),
		state("b", to("c", "build", automatically, running(probe))),
		state("c", to("d", "tag", automatically)),
		terminal("d"))
	r := begin(t, d, `{}`)
	then := r.submit(agent, "go", `{}`, "b").Change.Then
	out := agent
	out.Out = true
	r.expect(d.Apply(r.i, then, workflow.Result{}, out, r.now), "c CLIENT_REVOKED")
	equal(t, "agent's", r.rels(agent), []string{"tag!"})
}

// lingering times out into a state whose onEnter has an effect.
func lingering() *workflow.Definition {
	late := terminal("late")
	late.OnEnter = &workflow.Action{Executor: probe}
	d := definition(state("s", to("s", "go")), late)
	d.Timeout, d.OnTimeout = time.Hour, "late"
	return d
}

func TestTimeoutWithAnEffect(t *testing.T) {
	t.Parallel()
	failed := workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassPermanent, Message: "no"}}
	r := begin(t, lingering(), `{}`)
	r.now = r.now.Add(time.Hour)
	e := r.expect(r.d.Expire(r.i, r.now), "effect").Effect
	r.open(e)
	equal(t, "waits", answer(r.d.Expire(r.i, r.now)), "idle")
	equal(t, "failed", answer(r.d.Apply(r.i, e, failed, workflow.Caller{}, r.now)), "s EXECUTOR_FAILED")
	equal(t, "cancelled", r.d.Apply(r.i, e, failed, workflow.Caller{}, r.now).Change.Next.Open, false)
	r.expect(r.d.Apply(r.i, e, workflow.Result{}, workflow.Caller{}, r.now), "late")
	equal(t, "step", []any{r.steps[1].Kind, r.steps[1].Client, r.i.Busy == nil}, []any{workflow.StepTimeout, "", true})

	r = begin(t, lingering(), `{}`) // who came too late is told
	r.now = r.now.Add(time.Hour)
	e = r.submit(agent, "go", `{}`, "effect").Effect
	r.expect(r.d.Apply(r.i, e, workflow.Result{}, agent, r.now), "late WORKFLOW_TIMED_OUT")
}
