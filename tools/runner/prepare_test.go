package runner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"prax/tools/executor"
	"prax/tools/runner"
	"prax/tools/workflow"
)

const stairs = `
  stairs:
    initialState: a
    states:
      a: { transitions: { go: { target: b, executor: { kind: probe, name: one, risk: low }, output: { one: "$.output.n" } } } }
      b:
        onEnter: { executor: { kind: probe, name: two, risk: low }, output: { two: "$.output.n" } }
        transitions: { next: { target: c, actor: deterministic, executor: { kind: probe, name: three, risk: low }, output: { three: "$.output.n" } } }
      c: { transitions: { last: { target: d, actor: deterministic, executor: { kind: probe, name: four, risk: low }, output: { four: "$.output.n" } } } }
      d: { terminal: true }
`

func namesOf(p *probe) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var names []string
	for _, q := range p.runs {
		names = append(names, q.Executor.Spec.(*probing).Name)
	}
	return strings.Join(names, " ")
}

// TestChainOfEffects: one submit takes an executor, an onEnter, and two deterministic transitions; its answer has all
// their steps.
func TestChainOfEffects(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, stairs)
	a := h.begin(agent, "stairs")
	done := h.must(agent, a, "go", "", "d 4")
	equal(t, "context", contextOf(done), `{"four":4,"one":1,"three":3,"two":2}`)
	equal(t, "runs", namesOf(p), "one two three four")
	var steps []string
	for _, s := range done.Change.Steps {
		steps = append(steps, fmt.Sprint(s.Seq, s.Transition))
	}
	equal(t, "steps", steps, []string{"2go", "3next", "4last"})
	var evidence []string
	for _, e := range done.Change.Evidence {
		evidence = append(evidence, e.Summary)
		if e.ID == "" {
			t.Errorf("%s has no id", e.Summary)
		}
	}
	equal(t, "evidence", evidence, []string{"run 1", "run 2", "run 3", "run 4"})
	equal(t, "history", len(h.history(agent, a.Stored.ID)), 4)
}

// TestBrokenStairs: where one of them fails the workflow stays, and what was done is not done again.
func TestBrokenStairs(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, stairs)
	broken := "two"
	p.do = func(_ context.Context, n int, q executor.Request) workflow.Result {
		if q.Executor.Spec.(*probing).Name == broken {
			return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassPermanent, Message: "no", Begun: workflow.Answered}}
		}
		return workflow.Result{Output: map[string]any{"n": float64(n)}}
	}
	a := h.begin(agent, "stairs")
	_, got := h.submit(agent, a, "go", "")
	equal(t, "onEnter", got, "EXECUTOR_FAILED")
	equal(t, "attempts", statuses(h.attempts(agent, a.Stored.ID)), "failed kept")
	p.set(func(*probe) { broken = "three" })
	b := h.must(agent, a, "go", "", "b 2 CHAIN_FAILED")
	equal(t, "runs", namesOf(p), "one two two three")
	p.set(func(*probe) { broken = "" })
	done := h.must(agent, b, "next", "", "d 4")
	equal(t, "context", contextOf(done), `{"four":6,"one":1,"three":5,"two":3}`)
}

// TestLaw6KeptHigh: what a person approved and what has happened is not run again when only its output could not be used,
// and needs no second yes; the evidence is of the one who gave the first.
func TestLaw6KeptHigh(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, `
  launch:
    initialState: ready
    blackboard: { place: { type: string } }
    states:
      ready:
        transitions:
          fire:
            target: fired
            actor: human
            inputSchema: { type: object, properties: { at: { type: string }, place: {} } }
            executor: { kind: probe, name: rocket, use: at, risk: high }
            output: { place: "$.arguments.place" }
      fired: { terminal: true }
`)
	a := h.must(person, h.begin(agent, "launch"), "fire", `{"at":"noon","place":1}`, "ready 2")
	b, err := h.Resolve(context.Background(), work(boss), runner.ResolveRequest{ApprovalID: a.Approvals[0].ID, Digest: a.Approvals[0].Digest, Approve: true})
	equal(t, "approved", outcome(b, err), "BLACKBOARD_TYPE_ERROR")
	if !strings.Contains(b.Refusal.Hint, "it has happened") {
		t.Errorf("the hint is %q", b.Refusal.Hint)
	}
	done := h.must(person, a, "fire", `{"at":"noon","place":"here"}`, "fired 3")
	equal(t, "runs", p.count(), 1)
	var kinds []string
	for _, e := range done.Change.Evidence {
		kinds = append(kinds, e.Kind+" "+e.Client)
	}
	equal(t, "evidence", kinds, []string{"human_approval boss", "probe ann"})
	equal(t, "attempts", statuses(h.attempts(person, a.Stored.ID)), "done")
}

// TestLaw9Overseer: who oversees answers a gate for the owner. What is run by that runs as the starter, with nothing of
// the overseer's own.
func TestLaw9Overseer(t *testing.T) {
	t.Parallel()
	h, p, people := effects(t, strings.Replace(launch, "risk: high", "risk: medium", 1))
	h.must(boss, h.begin(agent, "launch"), "fire", `{"at":"noon"}`, "fired 2")
	equal(t, "as", p.runs[0].Principal.Client, "ann-agent")
	people.revoke("ann-agent")
	_, got := h.submit(boss, h.begin(agent, "launch"), "fire", `{"at":"noon"}`)
	equal(t, "for a client that is out", got, "CLIENT_REVOKED")
	equal(t, "runs", p.count(), 1)
}

// TestLaw2AskedByAnOverseer: the same holds for what has to be approved first.
func TestLaw2AskedByAnOverseer(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, launch)
	a := h.must(boss, h.begin(agent, "launch"), "fire", `{"at":"noon"}`, "ready 2")
	equal(t, "approved", h.answer(boss, a), "fired 3")
	equal(t, "as", p.runs[0].Principal.Client, "ann-agent")
}
