package runner_test

import (
	"context"
	"errors"
	"testing"

	"prax/auth"
	"prax/tools/executor"
	"prax/tools/runner"
	"prax/tools/workflow"
)

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
