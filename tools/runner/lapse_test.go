package runner_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/tools/executor"
	"prax/tools/workflow"
)

// lapse has a timeout that leads to an effect on entry, and to one of a chain after it.
const lapse = `
  lapse:
    visibility: shared
    initialState: a
    timeoutMs: 60000
    onTimeout: { target: late }
    states:
      a: { transitions: { go: { target: late } } }
      late:
        onEnter: { executor: { kind: probe, name: enter, risk: low } }
        transitions: { end: { target: done, actor: deterministic, executor: { kind: probe, name: chain, risk: low } } }
      done: { terminal: true }
`

// TestTimeoutActsForTheStarter: whoever meets a timeout before the timer does lends it nothing, also of a shared
// instance, and whether it was read or moved.
func TestTimeoutActsForTheStarter(t *testing.T) {
	t.Parallel()
	for _, who := range []auth.Principal{agent, person, bob} {
		for _, how := range []string{"get", "go"} {
			h, p, _ := effects(t, lapse)
			a := h.begin(agent, "lapse")
			h.clock.add(time.Hour)
			if how == "get" {
				h.get(who, a.Stored.ID)
			} else {
				h.submit(who, a, "go", "")
			}
			h.eventually("it is over", func() bool { return h.state(a.Stored.ID) == "done 3" })
			for _, q := range p.runs {
				equal(t, who.Client+" "+how+": as", q.Principal.Client, "ann-agent")
			}
		}
	}
}

// TestTimeoutOfWhoIsOut: it waits for a person of the same user, who takes it on by a move. Reading it only reads.
func TestTimeoutOfWhoIsOut(t *testing.T) {
	t.Parallel()
	h, p, people := effects(t, lapse)
	a := h.begin(agent, "lapse")
	people.revoke(agent.Client)
	h.clock.add(time.Hour)
	stop := h.tend()
	h.eventually("it is put aside", func() bool { return h.state(a.Stored.ID) == "a 2" })
	stop()
	changes, _ := h.events(a.Stored.ID)
	equal(t, "audit", changes[1].Code, string(workflow.ClientRevoked))
	for _, who := range []auth.Principal{person, bob} {
		seen, err := h.Get(context.Background(), work(who), a.Stored.ID)
		if err != nil || seen.Refusal != nil {
			t.Errorf("%s cannot read it: %v, %+v", who.Client, err, seen)
		}
	}
	a = h.get(person, a.Stored.ID)
	_, got := h.submit(bob, a, "go", "")
	equal(t, "somebody else's move", got, "CLIENT_REVOKED")
	equal(t, "runs", p.count(), 0)
	h.submit(person, a, "go", "")
	equal(t, "its person's move", h.state(a.Stored.ID), "done 4")
	equal(t, "as", p.runs[0].Principal.Client, person.Client)
}

// TestTimeoutWhileStopping: a timeout that comes up while the server stops is not one that cannot be applied, which would
// end its instance: the next start applies it.
func TestTimeoutWhileStopping(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"get", "go", "timer"} {
		h, p, _ := effects(t, lapse)
		a := h.begin(agent, "lapse")
		h.clock.add(time.Hour)
		stopped, end := context.WithCancel(context.Background())
		end()
		_ = h.Stop(stopped)
		switch how {
		case "get":
			h.get(agent, a.Stored.ID)
		case "go":
			_, got := h.submit(agent, a, "go", "")
			equal(t, how, got, "error: "+store.ErrClosed.Error())
		default:
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			_ = h.Run(ctx)
			cancel()
		}
		equal(t, how+": state", h.state(a.Stored.ID), "a 1")
		next := h.restart()
		ends := next.tend()
		h.eventually(how+": it is applied", func() bool { return h.state(a.Stored.ID) == "done 3" })
		ends()
		equal(t, how+": runs", p.count(), 2)
	}
}

// TestTimeoutStoppedBetweenTries: nor is one whose effect had not begun when the server stopped.
func TestTimeoutStoppedBetweenTries(t *testing.T) {
	t.Parallel()
	retries := "risk: low }, reliability: { retry: { maxAttempts: 2, backoff: fixed, initialDelayMs: 60000 } } }\n        trans"
	h, p, _ := effects(t, strings.Replace(lapse, "risk: low } }\n        trans", retries, 1))
	tried := make(chan struct{}, 2)
	p.do = func(context.Context, int, executor.Request) workflow.Result {
		tried <- struct{}{}
		return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTransient, Message: "not there", Begun: workflow.NotBegun}}
	}
	a := h.begin(agent, "lapse")
	h.clock.add(time.Hour)
	ends := h.tend()
	<-tried
	stopped, end := context.WithCancel(context.Background())
	end()
	_ = h.Stop(stopped)
	ends()
	equal(t, "state", h.state(a.Stored.ID), "a 1")
	equal(t, "attempt", statuses(h.attempts(agent, a.Stored.ID)), "failed")
}
