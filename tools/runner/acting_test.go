package runner_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store/sqlite"
	"prax/tools"
	"prax/tools/executor"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// entries are clients whose entries were edited since they asked.
type entries struct {
	mu  sync.Mutex
	now map[string]auth.Principal
}

func (e *entries) edit(p auth.Principal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now == nil {
		e.now = map[string]auth.Principal{}
	}
	e.now[p.Client] = p
}

func (e *entries) in(c *runner.Config, _ *sqlite.Config) {
	before := c.Live
	c.Live = func(name string) (auth.Principal, bool) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if p, edited := e.now[name]; edited {
			return p, true
		}
		return before(name)
	}
}

const asking = `
  asking:
    initialState: a
    states:
      a: { transitions: { ask: { target: b, executor: { kind: human } }, enter: { target: d, executor: { kind: human } } } }
      b: { transitions: { read: { target: c, actor: deterministic, executor: { kind: probe, name: read, risk: low } } } }
      c: { terminal: true }
      d: { onEnter: { executor: { kind: probe, name: read, risk: low } }, transitions: { end: { target: c } } }
`

// TestActsForWhoAsked: what a person's yes leads to runs as who asked, in a chain and on entry, also when somebody else
// said yes: nothing of an overseer's gets into what it oversees.
func TestActsForWhoAsked(t *testing.T) {
	t.Parallel()
	for _, transition := range []string{"ask", "enter"} {
		h, p, _ := effects(t, asking)
		a := h.must(agent, h.begin(agent, "asking"), transition, "", "a 2")
		h.answer(boss, a)
		equal(t, transition+": runs", p.count(), 1)
		equal(t, transition+": as", p.runs[0].Principal.Client, "ann-agent")
	}
}

// TestActsForNobodyElse: who has the name of the client that asked, and another user, is somebody else.
func TestActsForNobodyElse(t *testing.T) {
	t.Parallel()
	for transition, want := range map[string]string{"ask": "b 3 CLIENT_REVOKED", "enter": "CLIENT_REVOKED"} {
		var file entries
		h, p, _ := effects(t, asking, file.in)
		a := h.must(agent, h.begin(agent, "asking"), transition, "", "a 2")
		file.edit(client("ann-agent", "eve"))
		equal(t, transition, h.answer(person, a), want)
		equal(t, transition+": runs", p.count(), 0)
	}
}

const doubting = `
  doubting:
    initialState: a
    states:
      a: { transitions: { go: { target: b, executor: { kind: probe, name: go, risk: low } } } }
      b: { transitions: { read: { target: c, actor: deterministic, executor: { kind: probe, name: read, risk: low } } } }
      c: { terminal: true }
`

// doubted is an instance whose first effect is in doubt.
func doubted(t *testing.T, change ...func(*runner.Config, *sqlite.Config)) (*house, *probe, *runner.Answer, string) {
	t.Helper()
	h, p, _ := effects(t, doubting, change...)
	p.do = func(_ context.Context, n int, _ executor.Request) workflow.Result {
		if n == 1 {
			return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "no answer"}}
		}
		return workflow.Result{}
	}
	a := h.begin(agent, "doubting")
	_, got := h.submit(agent, a, "go", "")
	equal(t, "answer", got, "EFFECT_UNKNOWN")
	return h, p, a, `{"attempt":"` + h.attempts(person, a.Stored.ID)[0].ID + `"}`
}

// TestSettledForWhoAsked: what follows on an effect that a person settled runs as who caused that.
func TestSettledForWhoAsked(t *testing.T) {
	t.Parallel()
	h, p, a, settle := doubted(t)
	h.must(boss, a, "reconcile_applied", settle, "c 3")
	equal(t, "as", p.runs[1].Principal.Client, "ann-agent")
}

// TestSettledByItsOwnPerson: the person of a client that is out takes on what it began; who oversees it does not.
func TestSettledByItsOwnPerson(t *testing.T) {
	t.Parallel()
	for _, who := range []auth.Principal{person, boss} {
		h, p, a, settle := doubted(t)
		h.people.revoke("ann-agent")
		if who.User == "ann" {
			h.must(who, a, "reconcile_applied", settle, "c 3")
			equal(t, "as", p.runs[1].Principal.Client, "ann")
			continue
		}
		h.must(who, a, "reconcile_applied", settle, "b 2 CLIENT_REVOKED")
		equal(t, "runs", p.count(), 1)
	}
}

// TestNoSettlesNothing: a no to an approval is none to what happened.
func TestNoSettlesNothing(t *testing.T) {
	t.Parallel()
	h, _, a, settle := doubted(t)
	for _, transition := range []string{"reconcile_applied", "reconcile_not_applied"} {
		b, err := h.Submit(context.Background(), work(person), runner.SubmitRequest{
			InstanceID: a.Stored.ID, Transition: transition, ExpectedVersion: 1, Arguments: jsontext.Value(settle), Reject: true,
		})
		if err != nil || b.Refusal == nil {
			t.Errorf("%s: %s", transition, outcome(b, err))
		}
	}
	equal(t, "attempts", statuses(h.attempts(person, a.Stored.ID)), "unknown")
}

// TestLaw3NarrowedMidway: a guard of the chain that follows a long effect is judged on what its client has by then.
func TestLaw3NarrowedMidway(t *testing.T) {
	t.Parallel()
	var file entries
	h, p, _ := effects(t, `
  narrow:
    initialState: a
    states:
      a: { transitions: { go: { target: b, executor: { kind: probe, name: go, risk: low } } } }
      b: { transitions: { hop: { target: c, actor: deterministic, guards: [{ kind: permission, permission: release }] } } }
      c: { terminal: true }
`, file.in)
	may := agent
	may.Permissions = auth.Names("release")
	file.edit(may)
	h.must(may, h.begin(may, "narrow"), "go", "", "c 3")
	p.do = func(context.Context, int, executor.Request) workflow.Result {
		file.edit(agent)
		return workflow.Result{}
	}
	h.must(may, h.begin(may, "narrow"), "go", "", "b 2 CHAIN_FAILED")
}

// TestLaw3DirectNarrowed: a tool that is taken from a client midway is not tried again for it.
func TestLaw3DirectNarrowed(t *testing.T) {
	t.Parallel()
	var file entries
	h, p, r := registry(t, auth.Medium, true, file.in, trying)
	p.do = func(context.Context, int, executor.Request) workflow.Result {
		file.edit(allowed(agent, "clock"))
		return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTransient, Message: "busy", Begun: workflow.NotBegun}}
	}
	file.edit(allowed(agent, "demo_pay"))
	got := called(context.Background(), r, agent)
	equal(t, "runs", p.count(), 1)
	one := h.operations(person)[0]
	equal(t, "attempt", string(one.Status)+" "+one.Class, "failed "+workflow.ClassPermanent)
	equal(t, "a class that no caller knows", strings.Contains(got, "revoked"), false)
}

// trying makes the tool one that is tried three times.
func trying(c *runner.Config, _ *sqlite.Config) {
	pay, _ := c.Capability("demo.pay")
	pay.Executor.Reliability.Tries = 3
}

// TestLaw3DirectRecovered: nor is it taken up again for one after a crash.
func TestLaw3DirectRecovered(t *testing.T) {
	t.Parallel()
	var file entries
	h, p, r := registry(t, auth.Medium, true, file.in)
	file.edit(allowed(agent, "demo.pay"))
	dead, ran := make(chan struct{}), make(chan struct{})
	p.do = func(context.Context, int, executor.Request) workflow.Result {
		close(ran)
		<-dead
		return workflow.Result{}
	}
	over := make(chan struct{})
	go func() { defer close(over); called(context.Background(), r, agent) }()
	<-ran
	file.edit(allowed(agent))
	next, config := *h, h.config
	config.Worker = "worker-2"
	next.Runner = runner.New(config)
	stop := next.tend()
	h.eventually("it is in doubt", func() bool { return h.operations(person)[0].Status == "unknown" })
	stop()
	_ = next.Stop(context.Background())
	close(dead)
	<-over
	equal(t, "runs", p.count(), 1)
}

// TestRecoveredAsItWas: what an attempt may use after a crash is no more than before: a yes to a question is none to a
// tool.
func TestRecoveredAsItWas(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, asking)
	p.repeatable = true
	dead, ran := make(chan struct{}), make(chan struct{})
	p.do = func(_ context.Context, n int, _ executor.Request) workflow.Result {
		if n == 1 {
			close(ran)
			<-dead
		}
		return workflow.Result{}
	}
	a := h.must(agent, h.begin(agent, "asking"), "enter", "", "a 2")
	over := make(chan struct{})
	go func() { defer close(over); h.answer(person, a) }()
	<-ran
	next, config := *h, h.config
	config.Worker = "worker-2"
	next.Runner = runner.New(config)
	stop := next.tend()
	h.eventually("it is taken over", func() bool { return p.count() == 2 })
	stop()
	_ = next.Stop(context.Background())
	close(dead)
	<-over
	for n, q := range p.runs {
		if q.Admit("memory_recall") != tools.Admit(q.Attempt, "memory_recall", false, false) {
			t.Errorf("run %d is let use a tool that nobody approved", n+1)
		}
	}
}

// TestApprovalNamesWhoSaidYes: an approval that an attempt used up was answered by who said yes, not by who asked.
func TestApprovalNamesWhoSaidYes(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, launch)
	a := h.must(person, h.begin(agent, "launch"), "fire", `{"at":"noon"}`, "ready 2")
	equal(t, "approved", h.answer(boss, a), "fired 3")
	used, err := h.Approval(context.Background(), work(person), a.Approvals[0].ID)
	equal(t, "asked and answered by", []any{used.Client, used.By, err}, []any{"ann", "boss", nil})
	equal(t, "as", p.runs[0].Principal.Client, "ann")
}
