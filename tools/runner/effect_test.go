package runner_test

import (
	"context"
	"errors"
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

func retrying(more string) string {
	return `
  ship:
    initialState: s
    states:
      s:
        transitions:
          go:
            target: done
            executor:
              kind: probe
              name: first
              risk: low
` + more + `
            output: { n: "$.output.n" }
      done: { terminal: true }
`
}

// TestLaw6Retries: what may be tried again depends on what is known of the effect, and on whether it is idempotent.
func TestLaw6Retries(t *testing.T) {
	t.Parallel()
	const retries = "            reliability: { retry: { maxAttempts: 3, retryOn: [timeout, transient_error, connection_error] }, fallback: { executors: [ { kind: probe, name: second, risk: low } ] } }\n"
	const key = "              idempotencyKey: true\n"
	tests := map[string]struct {
		flow    string
		class   string
		begun   workflow.Begun
		repeats bool
		runs    int
		want    string
	}{
		"never begun":                  {retries, workflow.ClassConnection, workflow.NotBegun, false, 6, "EXECUTOR_FAILED"},
		"answered":                     {retries, workflow.ClassTransient, workflow.Answered, false, 1, "EXECUTOR_FAILED"},
		"answered, idempotent":         {key + retries, workflow.ClassTransient, workflow.Answered, false, 6, "EXECUTOR_FAILED"},
		"doubtful":                     {retries, workflow.ClassTimeout, workflow.Doubtful, false, 1, "EFFECT_UNKNOWN"},
		"doubtful, idempotent":         {key + retries, workflow.ClassTimeout, workflow.Doubtful, false, 6, "EFFECT_UNKNOWN"},
		"doubtful, repeatable":         {retries, workflow.ClassTimeout, workflow.Doubtful, true, 6, "EXECUTOR_FAILED"},
		"another class":                {key + retries, workflow.ClassPermanent, workflow.Answered, false, 2, "EXECUTOR_FAILED"},
		"no reliability":               {"", workflow.ClassTransient, workflow.NotBegun, false, 1, "EXECUTOR_FAILED"},
		"no reliability, with its key": {key, workflow.ClassTransient, workflow.Answered, false, 1, "EXECUTOR_FAILED"},
	}
	for name, tt := range tests {
		h, p, _ := effects(t, retrying(tt.flow))
		p.do, p.repeatable = failingBy(tt.class, tt.begun), tt.repeats
		a := h.begin(agent, "ship")
		_, got := h.submit(agent, a, "go", "")
		equal(t, name, got, tt.want)
		equal(t, name+": runs", p.count(), tt.runs)
		keys := map[string]bool{}
		for _, q := range p.runs {
			keys[q.Key] = true
		}
		equal(t, name+": keys", len(keys), 1)
		one := h.attempts(agent, a.Stored.ID)[0]
		equal(t, name+": tries", one.Tries, tt.runs)
		if strings.Contains(tt.flow, "idempotencyKey") != (one.Key != "") {
			t.Errorf("%s: key %q", name, one.Key)
		}
	}
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

// TestLaw3Retry: a client that is withdrawn between two tries gets no second one.
func TestLaw3Retry(t *testing.T) {
	t.Parallel()
	h, p, people := effects(t, retrying("            reliability: { retry: { maxAttempts: 3, retryOn: [connection_error] } }\n"))
	p.do = func(context.Context, int, executor.Request) workflow.Result {
		people.revoke("ann-agent")
		return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassConnection, Message: "nobody there", Begun: workflow.NotBegun}}
	}
	a := h.begin(agent, "ship")
	_, got := h.submit(agent, a, "go", "")
	equal(t, "answer", got, "CLIENT_REVOKED")
	equal(t, "runs", p.count(), 1)
	equal(t, "attempts", statuses(h.attempts(agent, a.Stored.ID)), "failed")
}

// TestChangedBetweenTries: what a connection leads to must not change under an attempt.
func TestChangedBetweenTries(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, retrying("            reliability: { retry: { maxAttempts: 3, retryOn: [connection_error] } }\n"))
	p.do = func(context.Context, int, executor.Request) workflow.Result {
		p.set(func(p *probe) { p.to = "elsewhere" })
		return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassConnection, Message: "nobody there", Begun: workflow.NotBegun}}
	}
	a := h.begin(agent, "ship")
	b, got := h.submit(agent, a, "go", "")
	equal(t, "answer", []string{got, b.Refusal.Message}, []string{"EXECUTOR_FAILED", "what it would do was changed meanwhile"})
	equal(t, "runs", p.count(), 1)
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

// TestTakenOver: a runner that died leaves its attempts to the next start; a client that is out by then has nothing
// more begun.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	key := retrying("              idempotencyKey: true\n")
	for name, tt := range map[string]struct {
		flow, want string
		change     func(*probe, *clients)
	}{
		"idempotent":          {key, "done", func(*probe, *clients) {}},
		"not idempotent":      {ship, "unknown", func(*probe, *clients) {}},
		"repeatable":          {ship, "done", func(p *probe, _ *clients) { p.repeatable = true }},
		"client out":          {key, "unknown", func(_ *probe, c *clients) { c.revoke("ann-agent") }},
		"leads elsewhere":     {key, "unknown", func(p *probe, _ *clients) { p.to = "elsewhere" }},
		"risky by now":        {key, "unknown", func(p *probe, _ *clients) { p.tier = auth.High }},
		"cannot be begun now": {key, "unknown", func(p *probe, _ *clients) { p.unable = &workflow.Failure{Message: "gone", Begun: workflow.NotBegun} }},
	} {
		h, p, people := effects(t, tt.flow)
		if name == "repeatable" {
			p.repeatable = true
		}
		dead, ran := make(chan struct{}), make(chan struct{})
		p.do = func(_ context.Context, n int, _ executor.Request) workflow.Result {
			if n == 1 {
				close(ran)
				<-dead // and with it the process
			}
			return workflow.Result{Output: map[string]any{"n": float64(n)}}
		}
		a := h.begin(agent, "ship")
		go h.submit(agent, a, "go", "")
		<-ran
		p.set(func(p *probe) { tt.change(p, people) })
		next := *h
		config := h.config
		config.Worker = "worker-2"
		next.Runner = runner.New(config)
		stop := next.tend()
		h.eventually(name, func() bool { return statuses(h.attempts(agent, a.Stored.ID)) == tt.want })
		stop()
		_ = next.Stop(context.Background())
		close(dead) // the one who was taken for dead comes back: its end does not count
		h.eventually("the first runner ends", func() bool { return errors.Is(h.Stop(context.Background()), nil) })
		equal(t, name+" at last", statuses(h.attempts(agent, a.Stored.ID)), tt.want)
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
