package runner_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools/executor"
	"prax/tools/runner"
	"prax/tools/workflow"
)

const launch = `
  launch:
    initialState: ready
    states:
      ready:
        transitions:
          fire:
            target: fired
            actor: human
            inputSchema: { type: object, properties: { at: { type: string } } }
            executor: { kind: probe, name: rocket, use: at, risk: high }
            output: { at: "$.arguments.at" }
          wait: { target: ready, output: { waited: true } }
      fired: { terminal: true }
`

// answer answers the open approval of an instance by the digest of what it shows.
func (h *house) answer(p auth.Principal, a *runner.Answer) string {
	h.Helper()
	approval := a.Approvals[0]
	b, err := h.Resolve(context.Background(), work(p), runner.ResolveRequest{ApprovalID: approval.ID, Digest: approval.Digest, Approve: true})
	return outcome(b, err)
}

// TestLaw2Approval: what is HIGH runs when a person has approved exactly this, once.
func TestLaw2Approval(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, launch)
	a := h.begin(agent, "launch")
	_, got := h.submit(agent, a, "fire", `{"at":"noon"}`)
	equal(t, "an agent", got, "ACTOR_MISMATCH")
	parked := h.must(person, a, "fire", `{"at":"noon"}`, "ready 2")
	equal(t, "nothing ran", p.count(), 0)
	approval := parked.Approvals[0]
	if want := `"does":{"kind":"probe","name":"rocket","to":"","with":"noon"}`; !strings.Contains(string(approval.Material), want) {
		t.Errorf("the person is shown %s, want %s in it", approval.Material, want)
	}
	for name, who := range map[string]auth.Principal{"agent": agent, "bob": bob, "fake": fake} {
		b, err := h.Resolve(context.Background(), work(who), runner.ResolveRequest{ApprovalID: approval.ID, Digest: approval.Digest, Approve: true})
		if err == nil && b.Refusal == nil {
			t.Errorf("%s approved", name)
		}
	}
	b, err := h.Resolve(context.Background(), work(person), runner.ResolveRequest{ApprovalID: approval.ID, Digest: strings.Repeat("0", 64), Approve: true})
	equal(t, "another digest", outcome(b, err), "APPROVAL_DIGEST_MISMATCH")
	equal(t, "approved", h.answer(person, parked), "fired 3")
	equal(t, "runs", p.count(), 1)
	one := h.attempts(person, a.Stored.ID)[0]
	equal(t, "attempt", []string{one.Approval, one.Tier, string(one.Status)}, []string{approval.ID, "high", "done"})
	equal(t, "again", h.answer(person, parked), "APPROVAL_NOT_OPEN")
	used, err := h.Approval(context.Background(), work(person), approval.ID)
	equal(t, "approval", []any{used.Status, used.By, err}, []any{store.ApprovalConsumed, "ann", nil})
}

// TestLaw2RacingAnswers: two people who approve at once run it once.
func TestLaw2RacingAnswers(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, launch)
	a := h.must(person, h.begin(agent, "launch"), "fire", `{"at":"noon"}`, "ready 2")
	var all sync.WaitGroup
	for n := range 20 {
		who := person
		if n%2 == 1 {
			who = boss
		}
		all.Go(func() { h.answer(who, a) })
	}
	all.Wait()
	equal(t, "runs", p.count(), 1)
	equal(t, "attempts", statuses(h.attempts(person, a.Stored.ID)), "done")
}

// TestLaw2Rebound: whatever changes between showing and running has to be shown anew.
func TestLaw2Rebound(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, launch)
	a := h.must(person, h.begin(agent, "launch"), "fire", `{"at":"noon"}`, "ready 2")
	p.set(func(p *probe) { p.to = "elsewhere" }) // its connection was edited
	first := a.Approvals[0]
	b, err := h.Resolve(context.Background(), work(person), runner.ResolveRequest{ApprovalID: first.ID, Digest: first.Digest, Approve: true})
	equal(t, "approved", outcome(b, err), "ready 3 APPROVAL_DIGEST_MISMATCH")
	equal(t, "nothing ran", p.count(), 0)
	void, err := h.Approval(context.Background(), work(person), first.ID)
	equal(t, "the first", []any{void.Status, err}, []any{store.ApprovalVoid, nil})
	if !strings.Contains(string(b.Approvals[0].Material), "elsewhere") {
		t.Errorf("the second shows %s", b.Approvals[0].Material)
	}
	equal(t, "the first again", h.answer(person, a), "APPROVAL_NOT_OPEN")
	equal(t, "the second", h.answer(person, b), "fired 4")
	equal(t, "runs", p.count(), 1)
}

const raised = `
  launch:
    initialState: ready
    states:
      ready:
        transitions:
          fire: { target: fired, actor: human, executor: { kind: probe, name: rocket, risk: medium } }
          push: { target: fired, executor: { kind: probe, name: rocket, risk: medium } }
      fired: { terminal: true }
`

// TestLaw2Raised: what has become HIGH since the definition was made is asked for where a person stands, and refused
// where none does.
func TestLaw2Raised(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, raised)
	h.must(person, h.begin(agent, "launch"), "fire", "", "fired 2")
	p.set(func(p *probe) { p.tier = auth.High })
	a := h.begin(agent, "launch")
	b, got := h.submit(agent, a, "push", "")
	equal(t, "an agent's", got, "EXECUTOR_FAILED")
	if !strings.Contains(b.Refusal.Message, "risk high") {
		t.Errorf("it says %q", b.Refusal.Message)
	}
	parked := h.must(person, a, "fire", "", "ready 2")
	equal(t, "runs", p.count(), 1)
	equal(t, "approved", h.answer(person, parked), "fired 3")
	equal(t, "runs", p.count(), 2)
}

// TestLaw2Swapped: an approval whose stored material or arguments were changed by hand approves nothing.
func TestLaw2Swapped(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, launch)
	a := h.must(person, h.begin(agent, "launch"), "fire", `{"at":"noon"}`, "ready 2")
	shown := a.Approvals[0]
	swap := reading{Store: h.db, show: func(tx store.Tx) store.Tx {
		return swapped{tx, func(a store.Approval) store.Approval {
			a.Arguments = jsontext.Value(`{"at":"midnight"}`)
			return a
		}}
	}}
	w := work(person)
	w.On = swap
	b, err := h.Resolve(context.Background(), w, runner.ResolveRequest{ApprovalID: shown.ID, Digest: shown.Digest, Approve: true})
	if err == nil && b.Refusal == nil {
		t.Error("it was approved")
	}
	equal(t, "nothing ran", p.count(), 0)
}

// swapped shows other approvals than are stored.
type swapped struct {
	store.Tx
	swap func(store.Approval) store.Approval
}

func (s swapped) OpenApprovals(scope auth.Scope, instance string, now time.Time, limit int) ([]store.Approval, error) {
	all, err := s.Tx.OpenApprovals(scope, instance, now, limit)
	for n := range all {
		all[n] = s.swap(all[n])
	}
	return all, err
}

// TestLaw2Rejected: a no runs nothing, and neither does the yes after it.
func TestLaw2Rejected(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, launch)
	a := h.must(person, h.begin(agent, "launch"), "fire", `{"at":"noon"}`, "ready 2")
	q := runner.ResolveRequest{ApprovalID: a.Approvals[0].ID, Digest: a.Approvals[0].Digest}
	b, err := h.Resolve(context.Background(), work(person), q)
	equal(t, "no", outcome(b, err), "ready 3")
	equal(t, "yes", h.answer(person, a), "APPROVAL_NOT_OPEN")
	equal(t, "runs", p.count(), 0)
}

// TestApprovalDiesWithTheEffect: an approval is used up by its attempt, whatever comes of that.
func TestApprovalDiesWithTheEffect(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, launch)
	p.do = failingBy(workflow.ClassPermanent, workflow.Answered)
	a := h.must(person, h.begin(agent, "launch"), "fire", `{"at":"noon"}`, "ready 2")
	equal(t, "approved", h.answer(person, a), "EXECUTOR_FAILED")
	p.set(func(p *probe) { p.do = nil })
	equal(t, "the same again", h.answer(person, a), "APPROVAL_NOT_OPEN")
	equal(t, "runs", p.count(), 1)
	b := h.must(person, h.get(person, a.Stored.ID), "fire", `{"at":"noon"}`, "ready 3")
	h.must(person, b, "fire", `{"at":"noon"}`, "fired 4")
	equal(t, "runs", p.count(), 2)
}

// TestLaw2SubmitApproves: a person who submits the bound arguments once more approves; with others, asks anew.
func TestLaw2SubmitApproves(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, launch)
	a := h.must(person, h.begin(agent, "launch"), "fire", `{"at":"noon"}`, "ready 2")
	b := h.must(person, a, "fire", `{"at":"midnight"}`, "ready 3")
	equal(t, "nothing ran", p.count(), 0)
	done := h.must(boss, b, "fire", `{"at":"midnight"}`, "fired 4")
	equal(t, "context", contextOf(done), `{"at":"midnight"}`)
	equal(t, "runs", p.count(), 1)
}

// TestUnknownAfterApproval: a doubtful HIGH effect is settled like any other, and needs a new approval to run again.
func TestUnknownAfterApproval(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, launch)
	p.do = func(context.Context, int, executor.Request) workflow.Result {
		return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "too slow"}}
	}
	a := h.must(person, h.begin(agent, "launch"), "fire", `{"at":"noon"}`, "ready 2")
	equal(t, "approved", h.answer(person, a), "EFFECT_UNKNOWN")
	b := h.get(person, a.Stored.ID)
	h.must(person, b, "reconcile_not_applied", fmt.Sprintf(`{"attempt":%q}`, b.Attempt.ID), "ready 2 unchanged")
	equal(t, "the old yes", h.answer(person, a), "APPROVAL_NOT_OPEN")
	equal(t, "runs", p.count(), 1)
}
