package workflow_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

// underway is an attempt that the instance of a walk waits for.
type underway struct {
	effect *workflow.Effect
	by     workflow.Caller
}

// begin asks a person, or opens an attempt: what callers must not reach runs only on an approval, which is used up.
func (w *walk) begin(by workflow.Caller, e *workflow.Effect) {
	w.done["effect"]++
	if e.Ask {
		w.done["ask"]++
		w.asks(by, e)
		return
	}
	if high := !e.Executor.Tier.Exposable(); high && (!e.Approved || e.Approval == "" || e.Kind != workflow.StepTransition || !by.Human()) {
		w.Fatalf("%s would run for %s without an approval: %+v", e.Transition, by.Client, e)
	}
	if e.Version != w.i.Version {
		w.Fatalf("an effect of the version %d, at %d", e.Version, w.i.Version)
	}
	next := *w.i
	if e.Approved {
		next.Parked = nil
	}
	next.Busy = &workflow.Busy{Attempt: "at", Transition: e.Transition, Kind: e.Executor.Kind, Since: w.now}
	w.i, w.under = &next, &underway{e, by}
}

func (w *walk) asks(by workflow.Caller, e *workflow.Effect) {
	version, result := w.i.Version, wt.Results().Draw(w.T, "resolved")
	result.Material = map[string]any{"would": "probe"}
	w.decide(by, func() workflow.Decision { return w.d.Apply(w.i, e, result, by, w.now) })
	if asked := w.i.Parked != nil && w.i.Version == version+1; asked != (result.Failure == nil) {
		w.Fatalf("asked: %v, failure: %+v", asked, result.Failure)
	}
}

// wait makes one random request of an instance that waits, or ends what it waits for.
func (w *walk) wait(c workflow.Caller) {
	if !w.i.Open {
		w.reconcile(c)
		return
	}
	switch unknown := w.i.Busy.Unknown; rapid.IntRange(0, 5).Draw(w.T, "meanwhile") {
	case 0:
		w.refused(c)
	case 1:
		if rapid.IntRange(0, 3).Draw(w.T, "really") == 0 {
			w.decide(c, func() workflow.Decision { return w.d.Cancel(w.i, c, "no more", w.now) })
			w.late()
		}
	default:
		if unknown {
			w.reconcile(c)
		} else {
			w.end()
		}
	}
}

// refused is everything but a cancellation.
func (w *walk) refused(c workflow.Caller) {
	want := workflow.InProgress
	if w.i.Busy.Unknown {
		want = workflow.EffectUnknown
	}
	for _, t := range append(w.d.Offered(w.d.State(w.i.State)), &workflow.Transition{Name: "none"}) {
		for version, code := range map[int64]workflow.Code{w.i.Version: want, w.i.Version - 1: workflow.StaleVersion} {
			decision := w.d.Plan(w.i, c, workflow.Submit{Transition: t.Name, ExpectedVersion: version}, w.now)
			if decision.Refusal == nil || decision.Refusal.Code != code {
				w.Fatalf("%s while it waits: %+v", t.Name, decision)
			}
		}
		if r := w.d.Blocked(w.i, c, t); r == nil || r.Code != want {
			w.Fatalf("%s is blocked by %+v", t.Name, r)
		}
	}
	if decision := w.d.Expire(w.i, w.now); !decision.Idle() {
		w.Fatalf("timed out while it waits: %+v", decision)
	}
	if decision := w.d.Resolve(w.i, c, workflow.Answer{Approval: "ap", Digest: "d"}, w.now); decision.Refusal == nil {
		w.Fatalf("answered while it waits: %+v", decision)
	}
	if gates := w.d.PendingHuman(w.i); len(gates) > 0 {
		w.Fatalf("%d gates while it waits", len(gates))
	}
}

// end is what became of the attempt.
func (w *walk) end() {
	result := wt.Results().Draw(w.T, "result")
	if f := result.Failure; f != nil && f.Begun == workflow.Doubtful {
		next, busy := *w.i, *w.i.Busy
		busy.Unknown = true
		next.Busy = &busy
		w.i = &next
		return
	}
	under := w.under
	w.settle(under.by, func() workflow.Decision { return w.d.Apply(w.i, under.effect, result, under.by, w.now) })
}

// settle decides on the end of the attempt, which it is whatever the decision says.
func (w *walk) settle(c workflow.Caller, ask func() workflow.Decision) {
	before := w.under
	decision := w.decide(c, ask)
	w.done[answer(decision)]++
	if decision.Change != nil && decision.Change.Next.Busy != nil {
		w.Fatalf("it waits after %+v", decision.Change)
	}
	if w.under == before {
		next := *w.i
		next.Busy, w.under = nil, nil
		w.i = &next
	}
}

// reconcile has somebody say what became of it.
func (w *walk) reconcile(c workflow.Caller) {
	q := workflow.Reconciliation{Applied: rapid.Bool().Draw(w.T, "applied"), Output: wt.Results().Draw(w.T, "found").Output}
	under, version := w.under, w.i.Version
	ask := func() workflow.Decision { return w.d.Reconcile(w.i, c, under.effect, q, w.now) }
	first := ask()
	switch {
	case !c.Human():
		if first.Refusal == nil || first.Refusal.Code != workflow.ActorMismatch {
			w.Fatalf("%s reconciled: %+v", c.Client, first)
		}
	case !q.Applied:
		if !first.Idle() {
			w.Fatalf("it did not happen, and: %+v", first)
		}
		fallthrough
	case first.Refusal == nil:
		w.done["reconciled"]++
		w.settle(c, ask)
		if !q.Applied && w.i.Version != version {
			w.Fatalf("the version is %d, and was %d", w.i.Version, version)
		}
	}
}

// late is the end of an attempt whose instance was cancelled meanwhile: nothing comes of it, but that what is in doubt
// is settled.
func (w *walk) late() {
	under := w.under
	decision := w.d.Apply(w.i, under.effect, workflow.Result{}, under.by, w.now)
	if decision.Refusal == nil || decision.Refusal.Code != workflow.WorkflowCancelled {
		w.Fatalf("applied after the end: %+v", decision)
	}
	if !w.i.Busy.Unknown {
		next := *w.i
		next.Busy, w.under = nil, nil
		w.i = &next
	}
}

// settling holds law 7 of an instance that waits: nothing but its settlement is offered, and that to a person.
func (w *walk) settling() {
	for _, c := range []workflow.Caller{agent, person, overseer} {
		links := w.d.Links(w.i, c)
		if !w.i.Busy.Unknown {
			if len(links) > 0 {
				w.Fatalf("%d links while an executor is at work", len(links))
			}
			continue
		}
		if len(links) != 2 {
			w.Fatalf("%d links to settle what is in doubt", len(links))
		}
		for n, l := range links {
			q := workflow.Reconciliation{Applied: n == 0}
			decision := w.d.Reconcile(w.i, c, w.under.effect, q, w.i.Created)
			if l.Blocked != nil && decision.Refusal == nil || l.Blocked == nil && broken(decision) {
				w.Fatalf("%s, blocked by %+v, was answered %+v", l.Transition.Name, l.Blocked, decision)
			}
			if v := l.Transition.Input.Check(l.Arguments); len(v) > 0 {
				w.Fatalf("%s proposes arguments that do not fit: %v", l.Transition.Name, v)
			}
		}
	}
}

// broken tells whether a settlement was refused for who, state or version.
func broken(decision workflow.Decision) bool {
	return decision.Refusal != nil && slices.Contains([]workflow.Code{
		workflow.ActorMismatch, workflow.StaleVersion, workflow.InvalidTransition, workflow.InProgress, workflow.EffectUnknown,
		workflow.WorkflowCancelled, workflow.ClientRevoked, workflow.Corrupt,
	}, decision.Refusal.Code)
}

// approves is the approval that a decision uses up.
func approves(decision workflow.Decision) string {
	if e := decision.Effect; e != nil && e.Approved {
		return e.Approval
	}
	if decision.Change != nil {
		return decision.Change.Consumed
	}
	return ""
}

// TestRandomEffectsReachEverything keeps the generator from becoming one that proves nothing.
func TestRandomEffectsReachEverything(t *testing.T) {
	t.Parallel()
	done := map[string]int{}
	walks := rapid.Custom(func(t *rapid.T) map[string]int {
		w := start(t, wt.Effects())
		for n := 0; w != nil && n < 20; n++ {
			w.move()
		}
		if w == nil {
			return nil
		}
		return w.done
	})
	for seed := range 200 {
		for what, n := range walks.Example(seed) {
			done[what] += n
		}
	}
	for _, what := range []string{"effect", "ask", "reconciled", "EXECUTOR_FAILED", "INVALID_CONFIDENCE", "BLACKBOARD_TYPE_ERROR", "CHAIN_FAILED", "s1"} {
		if done[what] == 0 {
			t.Errorf("never %s: %v", what, done)
		}
	}
}
