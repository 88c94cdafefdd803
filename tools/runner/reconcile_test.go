package runner_test

import (
	"context"
	"fmt"
	"testing"

	"prax/auth"
	"prax/tools/executor"
	"prax/tools/workflow"
)

// TestLaw6Doubt: what may have happened is unknown, is not tried again by itself, and a person settles it, once.
func TestLaw6Doubt(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, ship)
	p.do = failingBy(workflow.ClassTimeout, workflow.Doubtful)
	a := h.begin(agent, "ship")
	b, got := h.submit(agent, a, "go", `{"to":"rome"}`)
	equal(t, "answer", got, "EFFECT_UNKNOWN")
	for _, transition := range []string{"go", "look"} {
		_, got := h.submit(agent, a, transition, "")
		equal(t, transition, got, "EFFECT_UNKNOWN")
	}
	equal(t, "runs", p.count(), 1)
	settle := fmt.Sprintf(`{"attempt":%q,"output":{"n":3},"note":"seen at the other end"}`, b.Attempt.ID)
	for name, who := range map[string]auth.Principal{"agent": agent, "fake": fake} {
		if _, got := h.submit(who, a, "reconcile_applied", settle); got != "ACTOR_MISMATCH" && got != "error: unknown workflow" {
			t.Errorf("%s settled it: %s", name, got)
		}
	}
	_, got = h.submit(person, a, "reconcile_applied", `{"attempt":"at_other"}`)
	if got == "done 2" {
		t.Error("another attempt was settled")
	}
	done := h.must(person, a, "reconcile_applied", settle, "done 2")
	equal(t, "context", contextOf(done), `{"n":3,"to":"rome"}`)
	equal(t, "attempt", statuses(h.attempts(agent, a.Stored.ID)), "applied")
	one := h.attempts(agent, a.Stored.ID)[0]
	equal(t, "by", []string{one.By, one.Note}, []string{"ann", "seen at the other end"})
	_, got = h.submit(person, a, "reconcile_applied", settle)
	equal(t, "again", got, "STALE_WORKFLOW_VERSION")
}

// TestDoubtNotApplied: that it did not happen leaves the workflow where it was, free to move.
func TestDoubtNotApplied(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, ship)
	p.do = failingBy(workflow.ClassTimeout, workflow.Doubtful)
	a := h.begin(agent, "ship")
	b, _ := h.submit(agent, a, "go", "")
	first := fmt.Sprintf(`{"attempt":%q}`, b.Attempt.ID)
	h.must(boss, a, "reconcile_not_applied", first, "s 1 unchanged") // who oversees may, too
	b, got := h.submit(agent, a, "go", "")
	equal(t, "again", got, "EFFECT_UNKNOWN")
	if _, got = h.submit(person, a, "reconcile_not_applied", first); got == "s 1 unchanged" {
		t.Error("an answer about the first attempt settled the second")
	}
	p.set(func(p *probe) { p.do = nil })
	h.must(person, a, "reconcile_not_applied", fmt.Sprintf(`{"attempt":%q}`, b.Attempt.ID), "s 1 unchanged")
	h.must(agent, a, "go", `{"to":"rome"}`, "done 2")
	equal(t, "attempts", statuses(h.attempts(agent, a.Stored.ID)), "done not_applied not_applied")
}

// TestDoubtSticks: a later try that fails for certain does not take back that an earlier one may have happened.
func TestDoubtSticks(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, retrying("              idempotencyKey: \"{workflowId}/{transition}\"\n            reliability: { retry: { maxAttempts: 2 } }\n"))
	p.do = func(_ context.Context, n int, _ executor.Request) workflow.Result {
		if n == 1 {
			return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "too slow", Begun: workflow.Doubtful}}
		}
		return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassPermanent, Message: "no such thing", Begun: workflow.Answered}}
	}
	a := h.begin(agent, "ship")
	b, got := h.submit(agent, a, "go", "")
	equal(t, "answer", got, "EFFECT_UNKNOWN")
	equal(t, "key", b.Attempt.Key, a.Stored.ID+"/go")
	p.set(func(p *probe) { p.do = nil })
	h.must(person, a, "reconcile_not_applied", fmt.Sprintf(`{"attempt":%q}`, b.Attempt.ID), "s 1 unchanged")
	h.must(agent, a, "go", "", "done 2")
}
