package runner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"prax/auth"
	"prax/store"
	"prax/tools/executor"
	"prax/tools/runner"
	"prax/tools/workflow"
)

const ship = `
  ship:
    initialState: s
    states:
      s:
        transitions:
          go:
            target: done
            inputSchema: { type: object, properties: { to: { type: string }, keep: {} } }
            executor: { kind: probe, name: first, use: to, risk: low }
            output: { n: "$.output.n", to: "$.arguments.to" }
          look: { target: s, output: { looked: true } }
      done: { terminal: true }
`

// attempts are those of an instance, the newest first, each as its status and what it says.
func (h *house) attempts(p auth.Principal, instance string) (list []store.Attempt) {
	h.Helper()
	rows, err := h.Attempts(context.Background(), work(p), store.AttemptFilter{Instance: instance})
	if err != nil {
		h.Fatal(err)
	}
	for _, row := range rows {
		list = append(list, row.Attempt)
	}
	return list
}

func statuses(list []store.Attempt) string {
	var words []string
	for _, a := range list {
		words = append(words, string(a.Status))
	}
	return strings.Join(words, " ")
}

// TestEffect: an executor runs once, as who asked, and what it gave becomes one step with its evidence.
func TestEffect(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, ship)
	a := h.begin(agent, "ship")
	a = h.must(agent, a, "go", `{"to":"rome"}`, "done 2")
	equal(t, "context", contextOf(a), `{"n":1,"to":"rome"}`)
	equal(t, "runs", p.count(), 1)
	equal(t, "as", p.runs[0].Principal.Client, "ann-agent")
	list := h.attempts(agent, a.Stored.ID)
	equal(t, "attempts", statuses(list), "done")
	one := list[0]
	equal(t, "attempt", []any{one.Instance, one.Version, one.Transition, one.Kind, one.Client, one.User, one.Tier, one.Tries, one.Worker},
		[]any{a.Stored.ID, int64(1), "go", "probe", "ann-agent", "ann", "low", 1, "worker-1"})
	if len(one.Work) > 0 || one.Ended.IsZero() || one.Digest == "" {
		t.Errorf("an ended attempt keeps %d bytes, ended %v, digest %q", len(one.Work), one.Ended, one.Digest)
	}
	changes, _ := h.events(a.Stored.ID)
	equal(t, "opened", changes[1].types(), "transition.requested executor.started attempt.opened")
	equal(t, "closed", changes[2].types(), "attempt.closed executor.succeeded workflow.transition workflow.transitioned workflow.completed")
}

// TestLaw6RacingSubmits: of a hundred submits for one version one runs, and the others are told so.
func TestLaw6RacingSubmits(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, ship)
	release := make(chan struct{})
	p.do = func(context.Context, int, executor.Request) workflow.Result {
		<-release
		return workflow.Result{Output: map[string]any{"n": 1.0}}
	}
	a := h.begin(agent, "ship")
	answers := make(chan string, 100)
	for n := range 100 {
		go func() {
			_, got := h.submit(agent, a, "go", fmt.Sprintf(`{"to":"%d"}`, n))
			answers <- got
		}()
	}
	counts := map[string]int{}
	for range 99 {
		counts[<-answers]++
	}
	close(release)
	counts[<-answers]++
	equal(t, "answers", counts, map[string]int{"IN_PROGRESS": 99, "done 2": 1})
	equal(t, "runs", p.count(), 1)
}

// TestInProgress: an effect belongs to the runner. Who does not wait for it reads of it, and it goes on.
func TestInProgress(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, ship)
	release, running := make(chan struct{}), make(chan struct{})
	p.do = func(ctx context.Context, _ int, _ executor.Request) workflow.Result {
		close(running)
		select {
		case <-release:
			return workflow.Result{Output: map[string]any{"n": 7.0}}
		case <-ctx.Done():
			return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "ended"}}
		}
	}
	a := h.begin(agent, "ship")
	ctx, hangUp := context.WithCancel(context.Background())
	go func() { <-running; hangUp() }()
	b, err := h.Submit(ctx, work(agent), request(a, "go", `{"to":"rome"}`))
	if err != nil || b.Refusal != nil || b.Attempt == nil || b.Attempt.Status != store.AttemptRunning || b.Stored.Version != 1 {
		t.Fatalf("in progress: %v, %+v", err, b)
	}
	if n := len(b.Definition.Links(b.Instance, b.Caller)); n != 0 {
		t.Errorf("%d links while it runs, want none of the engine's", n)
	}
	_, got := h.submit(agent, a, "look", "")
	equal(t, "another move", got, "IN_PROGRESS")
	stale := request(a, "go", "")
	stale.ExpectedVersion = 7
	s, err := h.Submit(context.Background(), work(agent), stale)
	equal(t, "another version", outcome(s, err), "STALE_WORKFLOW_VERSION")
	close(release)
	h.eventually("the effect ends", func() bool { return h.get(agent, a.Stored.ID).Stored.State == "done" })
	equal(t, "context", contextOf(h.get(agent, a.Stored.ID)), `{"n":7,"to":"rome"}`)
}

// TestEffectFails: a known failure changes nothing, and the move is offered again.
func TestEffectFails(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, ship)
	p.do = failingBy(workflow.ClassPermanent, workflow.Answered)
	a := h.begin(agent, "ship")
	b, got := h.submit(agent, a, "go", "")
	equal(t, "answer", []string{got, b.Refusal.Class, b.Refusal.Message}, []string{"EXECUTOR_FAILED", "permanent_error", "it said no"})
	equal(t, "attempts", statuses(h.attempts(agent, a.Stored.ID)), "failed")
	equal(t, "links", len(b.Definition.Links(b.Instance, b.Caller)), 2)
	p.set(func(p *probe) { p.do = nil })
	h.must(agent, a, "go", "", "done 2")
}

// TestKeptOutput: when the output cannot be put where it belongs, the effect is not repeated for the next try.
func TestKeptOutput(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, `
  ship:
    initialState: s
    blackboard: { place: { type: string }, n: { type: number } }
    states:
      s:
        transitions:
          go:
            target: done
            inputSchema: { type: object, properties: { place: {}, to: {} } }
            executor: { kind: probe, name: first, use: to, risk: low }
            output: { place: "$.arguments.place", n: "$.output.n" }
      done: { terminal: true }
`)
	a := h.begin(agent, "ship")
	_, got := h.submit(agent, a, "go", `{"place":1,"to":"rome"}`)
	equal(t, "answer", got, "BLACKBOARD_TYPE_ERROR")
	equal(t, "attempts", statuses(h.attempts(agent, a.Stored.ID)), "kept")
	done := h.must(agent, a, "go", `{"place":"here","to":"rome"}`, "done 2")
	equal(t, "context", contextOf(done), `{"n":1,"place":"here"}`)
	equal(t, "runs", p.count(), 1)
	equal(t, "attempts", statuses(h.attempts(agent, a.Stored.ID)), "done")

	b := h.begin(agent, "ship")
	h.submit(agent, b, "go", `{"place":1,"to":"rome"}`)
	h.must(agent, b, "go", `{"place":"here","to":"oslo"}`, "done 2") // it is asked to do something else
	equal(t, "runs", p.count(), 3)
}

// TestLaw3ClientOut: a client that is withdrawn while its effect runs has that finished, and nothing more begun.
func TestLaw3ClientOut(t *testing.T) {
	t.Parallel()
	h, p, people := effects(t, stairs)
	p.do = func(_ context.Context, n int, q executor.Request) workflow.Result {
		if q.Executor.Spec.(*probing).Name == "three" {
			people.revoke("ann-agent")
		}
		return workflow.Result{Output: map[string]any{"n": float64(n)}}
	}
	a := h.begin(agent, "stairs")
	b := h.must(agent, a, "go", "", "c 3 CLIENT_REVOKED")
	equal(t, "runs", namesOf(p), "one two three")
	done := h.must(person, b, "last", "", "d 4") // a person takes it on
	equal(t, "context", contextOf(done), `{"four":4,"one":1,"three":3,"two":2}`)
	equal(t, "as", p.runs[3].Principal.Client, "ann")
}

// TestCancelEndsTheEffect: cancelling ends what runs, and what it may have done stays to be settled.
func TestCancelEndsTheEffect(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, ship)
	running := make(chan struct{})
	p.do = func(ctx context.Context, _ int, _ executor.Request) workflow.Result {
		close(running)
		<-ctx.Done()
		return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "ended", Begun: workflow.Doubtful}}
	}
	a := h.begin(agent, "ship")
	answer := make(chan string)
	go func() { _, got := h.submit(agent, a, "go", ""); answer <- got }()
	<-running
	if _, err := h.Cancel(context.Background(), work(agent), a.Stored.ID, "enough"); err != nil {
		t.Fatal(err)
	}
	equal(t, "who waited", <-answer, "EFFECT_UNKNOWN")
	one := h.attempts(person, a.Stored.ID)[0]
	equal(t, "attempt", one.Status, store.AttemptUnknown)
	for name, who := range map[string]auth.Principal{"agent": agent, "bob": bob} {
		r, err := h.Reconcile(context.Background(), work(who), runner.ReconcileRequest{AttemptID: one.ID, Applied: true})
		if err == nil && r.Refusal == nil {
			t.Errorf("%s settled it", name)
		}
	}
	r, err := h.Reconcile(context.Background(), work(person), runner.ReconcileRequest{AttemptID: one.ID, Applied: true, Note: "it did"})
	if err != nil || r.Refusal != nil || r.Attempt.Status != store.AttemptApplied {
		t.Fatalf("settle: %v, %+v", err, r)
	}
	r, err = h.Reconcile(context.Background(), work(person), runner.ReconcileRequest{AttemptID: one.ID})
	if err != nil || r.Refusal == nil {
		t.Errorf("settled twice: %v, %+v", err, r)
	}
}

// TestStoreFails: an end that cannot be written down is kept until it can.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, ship)
	weak := &failing{Store: h.db}
	config := h.config
	config.Store = weak
	sick := *h
	sick.Runner = runner.New(config)
	p.do = func(context.Context, int, executor.Request) workflow.Result {
		weak.broken.Store(true)
		go func() {
			sick.eventually("it is tried", func() bool { return weak.tried.Load() > 0 })
			weak.broken.Store(false)
		}()
		return workflow.Result{Output: map[string]any{"n": 1.0}}
	}
	a := sick.begin(agent, "ship")
	sick.must(agent, a, "go", "", "done 2")
	equal(t, "runs", p.count(), 1)
	_ = sick.Stop(context.Background())
}
