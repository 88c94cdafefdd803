package runner_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
	"prax/tools/executor"
	"prax/tools/runner"
	"prax/tools/workflow"
)

const later = `
  later:
    initialState: s
    timeoutMs: 1000
    onTimeout: { target: late }
    states:
      s: { transitions: { wait: { target: s } } }
      late:
        onEnter: { executor: { kind: probe, name: late, risk: low } }
        terminal: true
`

// bounded is a house that runs few executors at once, each until it is told to end.
func bounded(t *testing.T, flows string, running, ofClient int) (h *house, p *probe, people *clients, end func(n int)) {
	t.Helper()
	h, p, people = effects(t, flows, func(c *runner.Config, _ *sqlite.Config) { c.Running, c.OfClient = running, ofClient })
	places := make(chan struct{})
	p.do = func(ctx context.Context, n int, _ executor.Request) workflow.Result {
		select {
		case <-places:
			return workflow.Result{Output: map[string]any{"n": float64(n)}}
		case <-ctx.Done():
			return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "ended", Begun: workflow.Doubtful}}
		}
	}
	return h, p, people, func(n int) {
		for range n {
			places <- struct{}{}
		}
	}
}

// leaving submits as somebody who does not wait for what comes of it.
func (h *house) leaving(p auth.Principal, a *runner.Answer) error {
	h.Helper()
	ctx, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	done := make(chan error, 1)
	go func() {
		_, err := h.Submit(ctx, work(p), request(a, "go", `{"to":"rome"}`))
		done <- err
	}()
	h.eventually("it is an attempt, or refused", func() bool {
		return len(done) > 0 || len(h.attempts(p, a.Stored.ID)) > 0
	})
	hangUp()
	return <-done
}

// TestBusy: beyond what may run for one client a request is refused, and has changed nothing; others are served.
func TestBusy(t *testing.T) {
	t.Parallel()
	h, p, _, end := bounded(t, ship, 3, 2)
	var last *runner.Answer
	for range 2 {
		if err := h.leaving(agent, h.begin(agent, "ship")); err != nil {
			t.Fatal(err)
		}
	}
	last = h.begin(agent, "ship")
	for range 3 {
		if err := h.leaving(agent, last); !errors.Is(err, runner.ErrBusy) || !errors.Is(err, store.ErrBusy) {
			t.Fatalf("the third: %v", err)
		}
	}
	equal(t, "attempts of what was refused", len(h.attempts(agent, last.Stored.ID)), 0)
	if err := h.leaving(bob, h.begin(bob, "ship")); err != nil {
		t.Errorf("somebody else: %v", err)
	}
	h.eventually("three run", func() bool { return p.count() == 3 })
	end(3)
	h.eventually("there is room again", func() bool { return h.leaving(agent, last) == nil })
	end(1)
}

// TestBusyTurns: what nobody asks for now is never refused. It waits, and the client that has the least comes first.
func TestBusyTurns(t *testing.T) {
	t.Parallel()
	h, p, _, end := bounded(t, later+ship, 3, 2)
	var ids []string
	for range 20 {
		ids = append(ids, h.begin(agent, "later").Stored.ID)
	}
	h.clock.add(2e9)
	ctx, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { _ = h.Run(ctx) })
	defer func() { stop(); work.Wait() }()
	h.eventually("two run", func() bool { return p.count() == 2 })
	h.eventually("all are attempts", func() bool {
		n := 0
		for _, id := range ids {
			n += len(h.attempts(agent, id))
		}
		return n == 20
	})
	equal(t, "run", p.count(), 2)
	for range 2 {
		if err := h.leaving(bob, h.begin(bob, "ship")); err != nil {
			t.Fatal(err)
		}
	}
	h.eventually("one of bob runs beside them", func() bool { return p.count() == 3 })
	end(1)
	h.eventually("a fourth runs", func() bool { return p.count() == 4 })
	end(21)
	h.eventually("all have ended", func() bool {
		for _, id := range ids {
			if h.get(agent, id).Stored.Status == store.Open {
				return false
			}
		}
		return true
	})
	equal(t, "runs", p.count(), 22)
}

// TestBusyRevoked: what waits for its turn is judged again when that comes, and what is cancelled meanwhile never runs.
func TestBusyRevoked(t *testing.T) {
	t.Parallel()
	h, p, people, end := bounded(t, ship, 1, 1)
	if err := h.leaving(bob, h.begin(bob, "ship")); err != nil {
		t.Fatal(err)
	}
	h.eventually("one runs", func() bool { return p.count() == 1 })
	out, given := h.begin(agent, "ship"), h.begin(person, "ship")
	if err := errors.Join(h.leaving(agent, out), h.leaving(person, given)); err != nil {
		t.Fatal(err)
	}
	people.revoke(agent.Client)
	if _, err := h.Cancel(context.Background(), work(person), given.Stored.ID, "never mind"); err != nil {
		t.Fatal(err)
	}
	h.eventually("the cancelled one is over", func() bool { return statuses(h.attempts(person, given.Stored.ID)) == "failed" })
	end(1)
	h.eventually("the other is over", func() bool { return statuses(h.attempts(person, out.Stored.ID)) == "failed" })
	equal(t, "runs", p.count(), 1)
}

// TestBusyStop: a server that stops ends those who wait, and it is known that they did not begin.
func TestBusyStop(t *testing.T) {
	t.Parallel()
	h, p, _, _ := bounded(t, ship, 1, 1)
	var asked []*runner.Answer
	for n, who := range []auth.Principal{bob, agent, person} {
		a := h.begin(who, "ship")
		if err := h.leaving(who, a); err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		if n == 0 {
			h.eventually("one runs", func() bool { return p.count() == 1 })
		}
		asked = append(asked, a)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := h.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(statuses(h.attempts(bob, asked[0].Stored.ID)), " ", statuses(h.attempts(agent, asked[1].Stored.ID)), " ", statuses(h.attempts(person, asked[2].Stored.ID)))
	equal(t, "attempts", got, "unknown failed failed")
	equal(t, "runs", p.count(), 1)
}
