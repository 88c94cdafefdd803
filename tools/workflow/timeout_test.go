package workflow_test

import (
	"testing"
	"time"

	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

func late(onTimeout string) *workflow.Definition {
	expired := state("expired", to("done", "auto", automatically))
	expired.OnEnter = &workflow.Action{Output: []workflow.Slot{wt.Put("late", true)}}
	d := definition(state("s", to("done", "go"), to("s", "stay"), to("s", "ask", running(wt.Human("board")))), terminal("done"), expired)
	d.Timeout, d.OnTimeout = time.Hour, onTimeout
	return d
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	r := begin(t, late("expired"), `{}`)
	equal(t, "due", r.i.Due, morning.Add(time.Hour))
	equal(t, "early", r.d.Expire(r.i, morning.Add(time.Hour-1)).Idle(), true)
	r.submit(agent, "stay", `{}`, "s")
	equal(t, "due", r.i.Due, morning.Add(time.Hour)) // from the start, whatever happens
	decision := r.expect(r.d.Expire(r.i, morning.Add(time.Hour)), "done")
	equal(t, "step", decision.Change.Steps[0], workflow.Step{Seq: 3, Kind: workflow.StepTimeout, From: "s", To: "expired", Delta: wt.Object(`{"late":true}`)})
	equal(t, "due", r.i.Due.IsZero(), true)
	equal(t, "again", r.d.Expire(r.i, morning.Add(9*time.Hour)).Idle(), true)
}

// TestSubmitAfterTheTime is answered with the timeout that it finds.
func TestSubmitAfterTheTime(t *testing.T) {
	t.Parallel()
	r := begin(t, late("expired"), `{}`)
	r.submit(agent, "ask", `{}`, "s")
	asked := r.i
	r.now = morning.Add(2 * time.Hour)
	decision := r.submit(agent, "go", `{}`, "done WORKFLOW_TIMED_OUT")
	equal(t, "transition", decision.Change.Failure.Transition, "go")
	for _, s := range r.steps {
		if s.Transition == "go" {
			t.Error("taken after the time")
		}
	}
	r.submit(agent, "go", `{}`, "INVALID_TRANSITION")
	r.i = asked
	r.expect(r.d.Resolve(r.i, person, yes(r), r.now), "done WORKFLOW_TIMED_OUT")
}

// TestTimeoutThatLeadsNowhere is noted once, and nothing else changes.
func TestTimeoutThatLeadsNowhere(t *testing.T) {
	t.Parallel()
	r := begin(t, late(""), `{}`)
	after := morning.Add(2 * time.Hour)
	decision := r.expect(r.d.Expire(r.i, after), "s")
	equal(t, "facts", facts(decision), []string{"workflow.timed_out"})
	equal(t, "applied", decision.Trail[0].Payload["applied"], any(false))
	equal(t, "steps", decision.Change.Steps, []workflow.Step{{Seq: 2, Kind: workflow.StepTimeout, From: "s", To: "s"}})
	equal(t, "due", r.i.Due.IsZero(), true)
	equal(t, "again", r.d.Expire(r.i, after).Idle(), true)
	r.submit(agent, "go", `{}`, "done")

	r = begin(t, late(""), `{}`)
	r.now = after
	decision = r.submit(agent, "stay", `{}`, "s") // noted along with the move
	equal(t, "expired", r.i.Memo.Expired, true)
	equal(t, "steps", len(decision.Change.Steps), 1)
	equal(t, "again", r.d.Expire(r.i, after).Idle(), true)
}

// TestClockSteppingBack fires nothing twice, and measures nothing negative.
func TestClockSteppingBack(t *testing.T) {
	t.Parallel()
	yesterday := morning.Add(-24 * time.Hour)
	back := late("s")
	r := begin(t, back, `{}`)
	equal(t, "before the start", r.d.Expire(r.i, yesterday).Idle(), true)
	r.now = yesterday
	r.submit(agent, "stay", `{}`, "s")
	r.expect(r.d.Expire(r.i, morning.Add(time.Hour)), "s")
	for _, now := range []time.Time{yesterday, morning, morning.Add(time.Hour), morning.Add(90 * time.Hour)} {
		equal(t, "again", r.d.Expire(r.i, now).Idle(), true)
	}

	// Created after now: the time cannot be over, and what is measured is nothing.
	i := *r.i
	i.Memo, i.Created = workflow.Memo{}, morning.Add(48*time.Hour)
	equal(t, "not yet", back.Expire(&i, morning).Idle(), true)
}

// TestTimeoutThatCannotBeApplied must not leave an instance that goes on for ever.
func TestTimeoutThatCannotBeApplied(t *testing.T) {
	t.Parallel()
	d := late("expired")
	d.Slots = map[string]*workflow.Schema{"late": wt.Schema(`{"type":"string"}`)}
	r := begin(t, d, `{}`)
	decision := r.expect(r.d.Expire(r.i, morning.Add(2*time.Hour)), "s BLACKBOARD_TYPE_ERROR")
	equal(t, "open", r.i.Open, false)
	equal(t, "steps", decision.Change.Steps[0].Kind, workflow.StepCancel)
	equal(t, "again", r.d.Expire(r.i, morning.Add(3*time.Hour)).Idle(), true)
}

func TestNoTimeoutWhereAnInstanceEnded(t *testing.T) {
	t.Parallel()
	r := begin(t, late("expired"), `{}`)
	r.submit(agent, "go", `{}`, "done")
	equal(t, "due", r.i.Due.IsZero(), true)
	equal(t, "completed", r.d.Expire(r.i, morning.Add(2*time.Hour)).Idle(), true)
	r = begin(t, late("expired"), `{}`)
	r.commit(r.d.Cancel(r.i, agent, "", morning))
	equal(t, "due", r.i.Due.IsZero(), true)
	equal(t, "cancelled", r.d.Expire(r.i, morning.Add(2*time.Hour)).Idle(), true)
}
