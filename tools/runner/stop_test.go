package runner_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"prax/auth"
	"prax/tools/executor"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// TestStop: who stops waits; what does not end in time is unknown, or is left for the next start where it can be
// taken up again, with the same key.
func TestStop(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ flow, left, then string }{
		"not idempotent": {ship, "unknown", "unknown"},
		"idempotent":     {retrying("              idempotencyKey: true\n"), "running", "done"},
	} {
		h, p, _ := effects(t, tt.flow)
		running := make(chan struct{}, 1)
		p.do = func(ctx context.Context, n int, _ executor.Request) workflow.Result {
			if n > 1 {
				return workflow.Result{Output: map[string]any{"n": 2.0}}
			}
			running <- struct{}{}
			<-ctx.Done()
			return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "ended", Begun: workflow.Doubtful}}
		}
		a := h.begin(agent, "ship")
		var waits sync.WaitGroup
		waits.Go(func() { h.submit(agent, a, "go", "") })
		<-running
		ctx, now := context.WithCancel(context.Background())
		now()
		if err := h.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		waits.Wait()
		equal(t, name, statuses(h.attempts(agent, a.Stored.ID)), tt.left)
		_, got := h.submit(agent, a, "go", "")
		if got == "done 2" {
			t.Errorf("%s: an effect began after the stop", name)
		}
		next := *h
		config := h.config
		config.Worker = "worker-2"
		next.Runner = runner.New(config)
		stop := next.tend()
		h.eventually(name, func() bool { return statuses(h.attempts(agent, a.Stored.ID)) == tt.then })
		stop()
		_ = next.Stop(context.Background())
		if tt.then == "done" {
			equal(t, "keys", p.runs[0].Key, p.runs[1].Key)
			equal(t, "tries", h.attempts(agent, a.Stored.ID)[0].Tries, 2)
		}
	}
}

const hurried = `
  ship:
    initialState: begun
    states:
      begun:
        transitions:
          go: { target: done, actor: deterministic, executor: { kind: probe, name: ship } }
      done: { terminal: true }
`

// TestStopWhileResolving: what is being resolved when the server stops is run, and waited for. It is never answered as
// done without having run, nor left to the next start as if it had begun.
func TestStopWhileResolving(t *testing.T) {
	t.Parallel()
	stopAmid := func(t *testing.T, h *house, p *probe) {
		p.resolving = func() {
			p.resolving = nil
			go func() { _ = h.Stop(context.Background()) }()
			synctest.Wait()
		}
	}
	t.Run("a tool", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h, p, r := registry(t, auth.Medium, false)
			stopAmid(t, h, p)
			equal(t, "answer", called(context.Background(), r, agent), `{"n":1}`)
			equal(t, "attempt", string(h.operations(person)[0].Status), "done")
		})
	})
	t.Run("a start", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h, p, _ := effects(t, hurried)
			stopAmid(t, h, p)
			a := h.begin(agent, "ship")
			synctest.Wait()
			equal(t, "runs", p.count(), 1)
			equal(t, "attempt", statuses(h.attempts(agent, a.Stored.ID)), "done")
		})
	})
}

// TestStopOfATool: a call that is left to the next start is not answered as done: who waits is told that it goes on.
func TestStopOfATool(t *testing.T) {
	t.Parallel()
	h, p, r := registry(t, auth.Medium, true)
	running := make(chan struct{})
	p.do = func(ctx context.Context, _ int, _ executor.Request) workflow.Result {
		close(running)
		<-ctx.Done()
		return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "ended", Begun: workflow.Doubtful}}
	}
	answer := make(chan string, 1)
	go func() { answer <- called(context.Background(), r, agent) }()
	<-running
	ctx, now := context.WithCancel(context.Background())
	now()
	_ = h.Stop(ctx)
	if got := <-answer; !strings.Contains(got, string(workflow.InProgress)) {
		t.Errorf("it gave %s", got)
	}
	equal(t, "attempts", statuses(h.operations(person)), "running")
}
