package runner_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
	"prax/tools/executor"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// lending are signed tokens: a client has two tools, and a token leaves it one of them, until it is revoked.
type lending struct {
	mu      sync.Mutex
	revoked bool
}

var grants = auth.Grant{
	ID: "t1", Client: agent.Client, User: agent.User, Epoch: 1, Expires: morning.Add(24 * time.Hour),
	Allow:     auth.Narrowing{Given: true, Names: []string{"praxec.command"}},
	Workflows: auth.Narrowing{Given: true, Names: []string{"asking", "doubting", "hop", "lapse", "ship"}},
}

func (l *lending) in(c *runner.Config, _ *sqlite.Config) {
	live := c.Live
	c.Live = func(name string) (auth.Principal, bool) {
		p, ok := live(name)
		return allowed(p, "praxec.command", "disk.wipe"), ok
	}
	c.Lent = func(g *auth.Grant) (auth.Principal, bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		p, ok := c.Live(g.Client)
		p.Allow, p.Workflows, p.Expires = auth.Names(g.Allow.Names...), auth.Names(g.Workflows.Names...), g.Expires
		return p, ok && !l.revoked
	}
}

func (l *lending) revoke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.revoked = true
}

// whole is the client by its own token, lent by the signed one.
var whole, lent = allowed(agent, "praxec.command", "disk.wipe"), func() auth.Principal {
	p := granting(allowed(agent, "praxec.command"), grants.Workflows.Names...)
	p.Grant, p.Expires = &grants, grants.Expires
	return p
}()

// reach is what a principal may use.
func reach(p auth.Principal) string {
	return p.Client + ": " + strings.Join(p.Allow.Sorted(), " ") + "; " + strings.Join(p.Workflows.Sorted(), " ")
}

const hop = `
  hop:
    initialState: a
    states:
      a: { transitions: { go: { target: b } } }
      b: { transitions: { read: { target: c, actor: deterministic, executor: { kind: probe, name: read, risk: low } } } }
      c: { terminal: true }
`

// goingOn are the ways in which a workflow goes on after who set it going has been answered. Each begins something by
// a client, and lets it go on after between.
var goingOn = map[string]struct {
	flow string
	runs int // that the last one is of
	run  func(t *testing.T, h *house, p *probe, by auth.Principal, between func()) *runner.Answer
}{
	"chain after an effect": {doubting, 2, func(_ *testing.T, h *house, p *probe, by auth.Principal, between func()) *runner.Answer {
		p.do = func(_ context.Context, n int, _ executor.Request) workflow.Result {
			if n == 1 {
				between()
			}
			return workflow.Result{}
		}
		a := h.begin(by, "doubting")
		h.submit(by, a, "go", "")
		return a
	}},
	"try after a failed one": {retrying("            reliability: { retry: { maxAttempts: 2 } }\n"), 2, func(_ *testing.T, h *house, p *probe, by auth.Principal, between func()) *runner.Answer {
		p.do = func(_ context.Context, n int, _ executor.Request) workflow.Result {
			if n == 1 {
				between()
				return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTransient, Message: "busy", Begun: workflow.NotBegun}}
			}
			return workflow.Result{}
		}
		a := h.begin(by, "ship")
		h.submit(by, a, "go", "")
		return a
	}},
	"timer": {lapse, 2, func(_ *testing.T, h *house, _ *probe, by auth.Principal, between func()) *runner.Answer {
		a := h.begin(by, "lapse")
		between()
		h.clock.add(time.Hour)
		stop := h.tend()
		defer stop()
		h.eventually("the timeout is met", func() bool { return !strings.HasPrefix(h.state(a.Stored.ID), "a 1") })
		h.idle()
		return a
	}},
	"timeout that a person reads": {lapse, 2, func(_ *testing.T, h *house, _ *probe, by auth.Principal, between func()) *runner.Answer {
		a := h.begin(by, "lapse")
		between()
		h.clock.add(time.Hour)
		h.get(person, a.Stored.ID)
		h.idle()
		return a
	}},
	"yes of a person": {asking, 1, func(_ *testing.T, h *house, _ *probe, by auth.Principal, between func()) *runner.Answer {
		a := h.must(by, h.begin(by, "asking"), "ask", "", "a 2")
		between()
		h.answer(person, a)
		return a
	}},
	"yes after a restart, on entry": {asking, 1, func(_ *testing.T, h *house, _ *probe, by auth.Principal, between func()) *runner.Answer {
		a := h.must(by, h.begin(by, "asking"), "enter", "", "a 2")
		between()
		next := h.restart()
		next.answer(boss, a)
		_ = next.Stop(context.Background())
		return a
	}},
	"effect that an overseer settles": {doubting, 2, func(t *testing.T, h *house, p *probe, by auth.Principal, between func()) *runner.Answer {
		p.do = func(_ context.Context, n int, _ executor.Request) workflow.Result {
			if n == 1 {
				return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "no answer"}}
			}
			return workflow.Result{}
		}
		a := h.begin(by, "doubting")
		_, got := h.submit(by, a, "go", "")
		equal(t, "answer", got, "EFFECT_UNKNOWN")
		between()
		h.submit(boss, a, "reconcile_applied", `{"attempt":"`+h.attempts(person, a.Stored.ID)[0].ID+`"}`)
		return a
	}},
	"attempt that the next start takes up": {retrying("              idempotencyKey: true\n"), 2, func(_ *testing.T, h *house, p *probe, by auth.Principal, between func()) *runner.Answer {
		a := h.begin(by, "ship")
		h.crash(p, func() { h.submit(by, a, "go", "") }, between)
		return a
	}},
	"chain after an attempt that the next start takes up": {strings.Replace(doubting, "name: go, risk: low }", "name: go, risk: low, idempotencyKey: true }", 1), 3,
		func(_ *testing.T, h *house, p *probe, by auth.Principal, between func()) *runner.Answer {
			a := h.begin(by, "doubting")
			h.crash(p, func() { h.submit(by, a, "go", "") }, between)
			return a
		}},
}

// crash has the first run of what submit begins never end, and another start take over after between.
func (h *house) crash(p *probe, submit, between func()) {
	h.Helper()
	dead, ran := make(chan struct{}), make(chan struct{})
	p.runs = nil
	p.do = func(_ context.Context, n int, _ executor.Request) workflow.Result {
		if n == 1 {
			close(ran)
			<-dead
		}
		return workflow.Result{}
	}
	over := make(chan struct{})
	go func() { defer close(over); submit() }()
	<-ran
	between()
	next, config := *h, h.config
	config.Worker = "worker-2"
	next.Runner = runner.New(config)
	stop := next.tend()
	h.idle()
	stop()
	_ = next.Stop(context.Background())
	close(dead)
	<-over
	h.eventually("the first runner ends", func() bool { return errors.Is(h.Stop(context.Background()), nil) })
}

// idle waits until no attempt runs: what follows on one is durable together with its end.
func (h *house) idle() {
	h.Helper()
	h.eventually("nothing runs", func() bool {
		rows, err := h.Attempts(context.Background(), work(person), store.AttemptFilter{Status: store.AttemptRunning})
		if err != nil {
			h.Fatal(err)
		}
		return len(rows) == 0
	})
}

// TestLaw1GoesOnAsLent: whatever goes on for a signed token reaches what the token leaves of its client, and for the client
// itself all that it has.
func TestLaw1GoesOnAsLent(t *testing.T) {
	t.Parallel()
	for name, way := range goingOn {
		for _, by := range []auth.Principal{whole, lent} {
			var tokens lending
			h, p, _ := effects(t, way.flow, tokens.in)
			way.run(t, h, p, by, func() {})
			if p.count() != way.runs {
				t.Errorf("%s: %d runs, want %d", name, p.count(), way.runs)
			}
			for n, q := range p.runs {
				if got, want := reach(q.Principal), reach(by); got != want || q.Principal.Grant.Text() != by.Grant.Text() {
					t.Errorf("%s, lent %t: run %d reaches %q, want %q", name, by.Grant != nil, n+1, got, want)
				}
			}
		}
	}
}

// TestLaw3GoesOnWhileLent: once a signed token is revoked, or has lapsed, nothing more is begun for it, and a person takes on
// what it has left; what the client itself set going goes on.
func TestLaw3GoesOnWhileLent(t *testing.T) {
	t.Parallel()
	for name, way := range goingOn {
		for _, by := range []auth.Principal{whole, lent} {
			var tokens lending
			h, p, _ := effects(t, way.flow, tokens.in)
			before := 0
			a := way.run(t, h, p, by, func() { before = p.count(); tokens.revoke() })
			if by.Grant == nil {
				if p.count() != way.runs {
					t.Errorf("%s: %d runs for the client itself, want %d", name, p.count(), way.runs)
				}
				continue
			}
			if p.count() != before {
				t.Errorf("%s: %d runs for a token that is revoked", name, p.count()-before)
			}
			if i := h.get(person, a.Stored.ID).Stored; i.Status != store.Open {
				t.Errorf("%s: it is %s in %s, and no person can take it on", name, i.Status, i.State)
			}
		}
	}
}

// TestLaw3LapsesWhileWaiting: a token has lapsed at its end, exactly; until then it asks for what a person allows.
func TestLaw3LapsesWhileWaiting(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]string{24*time.Hour - time.Second: "c 4", 24 * time.Hour: "b 3 CLIENT_REVOKED"} {
		var tokens lending
		h, p, _ := effects(t, asking, tokens.in)
		a := h.begin(lent, "asking")
		h.clock.add(time.Hour) // so that the approval outlives the token
		a = h.must(lent, a, "ask", "", "a 2")
		h.clock.add(wait - time.Hour)
		equal(t, wait.String(), h.answer(person, a), want)
		if want == "c 4" {
			continue
		}
		equal(t, "runs", p.count(), 0)
		h.must(person, h.get(person, a.Stored.ID), "read", "", "c 4")
		equal(t, "taken on as", reach(p.runs[0].Principal), reach(person))
	}
}

// TestAskedByAnother: a yes to what one token asked for is none to another token of the same client, nor to the client.
func TestAskedByAnother(t *testing.T) {
	t.Parallel()
	human := person
	human.Grant = &auth.Grant{ID: "t2", Client: person.Client, User: person.User, Expires: morning.Add(time.Hour), Workflows: grants.Workflows}
	var tokens lending
	h, p, _ := effects(t, asking, tokens.in)
	a := h.must(human, h.begin(human, "asking"), "ask", "", "a 2")
	h.answer(person, a)
	equal(t, "runs", p.count(), 1)
	equal(t, "as", p.runs[0].Principal.Grant.Text(), human.Grant.Text())
}

// TestLaw3DirectLent: the call of a tool by a token that is revoked midway is not tried again, and not taken up again after a
// crash.
func TestLaw3DirectLent(t *testing.T) {
	t.Parallel()
	for _, revoked := range []bool{false, true} {
		var tokens lending
		h, p, r := registry(t, auth.Medium, true, tokens.in, trying, func(c *runner.Config, _ *sqlite.Config) {
			narrow := c.Lent
			c.Lent = func(g *auth.Grant) (auth.Principal, bool) {
				one, ok := narrow(g)
				return allowed(one, "demo.pay"), ok
			}
		})
		p.do = func(_ context.Context, n int, _ executor.Request) workflow.Result {
			if n > 1 {
				return workflow.Result{}
			}
			if revoked {
				tokens.revoke()
			}
			return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTransient, Message: "busy", Begun: workflow.NotBegun}}
		}
		by := lent
		by.Expires = time.Time{} // by the clock of the registry
		called(context.Background(), r, by)
		equal(t, "tries", p.count(), map[bool]int{false: 2, true: 1}[revoked])
		for _, q := range p.runs[1:] {
			equal(t, "as", reach(q.Principal), reach(allowed(lent, "demo.pay")))
		}
		h.crash(p, func() { called(context.Background(), r, by) }, func() {})
		equal(t, "runs after a crash", p.count(), map[bool]int{false: 2, true: 1}[revoked])
	}
}

// TestChainAsLent: a step that follows in the same answer runs as what a token leaves, too; and a definition that the token
// leaves out cannot be started.
func TestChainAsLent(t *testing.T) {
	t.Parallel()
	var tokens lending
	h, p, _ := effects(t, hop+launch, tokens.in)
	h.must(lent, h.begin(lent, "hop"), "go", "", "c 3")
	h.must(whole, h.begin(whole, "hop"), "go", "", "c 3")
	equal(t, "lent", reach(p.runs[0].Principal), reach(lent))
	equal(t, "whole", reach(p.runs[1].Principal), reach(whole))
	if _, err := h.Start(context.Background(), work(lent), runner.StartRequest{DefinitionID: "launch"}); !errors.Is(err, runner.ErrUnknownDefinition) {
		t.Errorf("of a definition that the token leaves out: %v", err)
	}
	h.begin(whole, "launch")
}

// regranted shows instances as started under another grant.
type regranted struct {
	store.Tx
	grant string
}

func (r regranted) Instance(s auth.Scope, id string) (store.Instance, error) {
	i, err := r.Tx.Instance(s, id)
	i.Grant = r.grant
	return i, err
}

// TestLaw4GrantsInDoubt: a grant that cannot be read, or that is of another client or user, leaves nothing of the client.
func TestLaw4GrantsInDoubt(t *testing.T) {
	t.Parallel()
	other := grants
	other.Client, other.User = bob.Client, bob.User
	for grant, want := range map[string]int{grants.Text(): 2, "": 2, "{}": 0, "x": 0, grants.Text() + " ": 0, other.Text(): 0, (&auth.Grant{}).Text(): 0} {
		var tokens lending
		h, p, _ := effects(t, lapse, tokens.in)
		a := h.begin(lent, "lapse")
		h.clock.add(time.Hour)
		next, config := *h, h.config
		config.Store = reading{h.db, func(tx store.Tx) store.Tx { return regranted{tx, grant} }}
		next.Runner = runner.New(config)
		next.get(person, a.Stored.ID)
		h.idle()
		_ = next.Stop(context.Background())
		equal(t, "runs under "+grant, p.count(), want)
	}
}

// TestLentToNobody: without anybody who judges them, every signed token is out.
func TestLentToNobody(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, lapse)
	a := h.begin(lent, "lapse")
	h.clock.add(time.Hour)
	h.get(person, a.Stored.ID)
	h.idle()
	equal(t, "runs", p.count(), 0)
}
