package runner_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
	"prax/tools"
	"prax/tools/executor"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// registry serves one capability of the kind probe as a tool.
func registry(t testing.TB, tier auth.Tier, idempotent bool, change ...func(*runner.Config, *sqlite.Config)) (*house, *probe, *tools.Registry) {
	t.Helper()
	pay := &workflow.Capability{
		Name: "demo.pay", Description: "Pays.", Tier: tier, Input: jsontext.Value(`{"type":"object","properties":{"to":{"type":"string"}}}`),
		Executor: &workflow.Executor{Kind: "probe", Tier: tier, Spec: &probing{Name: "pay", Use: "to"}, Idempotent: idempotent},
	}
	h, p, _ := effects(t, ship, append([]func(*runner.Config, *sqlite.Config){func(c *runner.Config, _ *sqlite.Config) {
		c.Capability = func(name string) (*workflow.Capability, bool) { return pay, name == pay.Name }
		live := c.Live
		c.Live = func(name string) (auth.Principal, bool) {
			p, ok := live(name)
			return allowed(p, pay.Name), ok
		}
	}}, change...)...)
	r := tools.NewRegistry(tools.Config{Store: h.db})
	if err := r.Set("config", h.Tools([]*workflow.Capability{pay})); err != nil {
		t.Fatal(err)
	}
	return h, p, r
}

func allowed(p auth.Principal, names ...string) auth.Principal {
	p.Allow = auth.Names(names...)
	return p
}

// code is what a call of the tool gave, in a word.
func code(res *tools.Result, err error) string {
	switch {
	case err != nil:
		return "error: " + err.Error()
	case res.IsError:
		return string(res.Meta[tools.ErrorMeta])
	}
	return res.Content[0].Text
}

func called(ctx context.Context, r *tools.Registry, p auth.Principal) string {
	return code(r.Call(ctx, &tools.Call{Principal: allowed(p, "demo.pay"), Name: "demo.pay", Arguments: jsontext.Value(`{"to":"bob"}`)}))
}

func (h *house) operations(p auth.Principal) (list []store.Attempt) {
	h.Helper()
	rows, err := h.Attempts(context.Background(), work(p), store.AttemptFilter{Direct: true})
	if err != nil {
		h.Fatal(err)
	}
	for _, row := range rows {
		list = append(list, row.Attempt)
	}
	return list
}

// TestDirect: a call of a tool is an attempt of the caller's user.
func TestDirect(t *testing.T) {
	t.Parallel()
	h, p, r := registry(t, auth.Medium, false)
	equal(t, "answer", called(context.Background(), r, agent), `{"n":1}`)
	one := h.operations(person)[0]
	equal(t, "attempt", []any{one.Status, one.Tool, one.Client, one.User, one.Instance, one.Tier}, []any{store.AttemptDone, "demo.pay", "ann-agent", "ann", "", "medium"})
	equal(t, "bob's", len(h.operations(bob)), 0)
	if got := code(r.Call(context.Background(), &tools.Call{Principal: agent, Name: "demo.pay"})); got != "error: "+tools.ErrUnknownTool.Error() {
		t.Errorf("without it in the allowlist: %s", got)
	}
	equal(t, "runs", p.count(), 1)
}

// TestDirectFails tells a known failure from a doubt, which its operator settles.
func TestDirectFails(t *testing.T) {
	t.Parallel()
	h, p, r := registry(t, auth.Medium, false)
	p.do = failingBy(workflow.ClassTransient, workflow.Answered)
	if got := called(context.Background(), r, agent); !strings.Contains(got, `"EXECUTOR_FAILED"`) || !strings.Contains(got, "it said no") {
		t.Errorf("a known failure: %s", got)
	}
	p.set(func(p *probe) { p.do = failingBy(workflow.ClassTimeout, workflow.Doubtful) })
	got := called(context.Background(), r, agent)
	one := h.operations(person)[0]
	if !strings.Contains(got, `"EFFECT_UNKNOWN"`) || !strings.Contains(got, one.ID) || one.Status != store.AttemptUnknown {
		t.Errorf("a doubt: %s, stored %s", got, one.Status)
	}
	for name, who := range map[string]auth.Principal{"agent": agent, "bob": bob, "fake": fake} {
		s, err := h.Reconcile(context.Background(), work(who), runner.ReconcileRequest{AttemptID: one.ID, Applied: true})
		if err == nil && s.Refusal == nil {
			t.Errorf("%s settled it", name)
		}
		if who.User != "ann" && !errors.Is(err, runner.ErrUnknownAttempt) && name != "boss" {
			t.Errorf("%s is told of it: %v", name, err)
		}
	}
	s, err := h.Reconcile(context.Background(), work(boss), runner.ReconcileRequest{AttemptID: one.ID, Note: "nothing arrived"})
	if err != nil || s.Refusal != nil {
		t.Fatalf("settle: %v %+v", err, s)
	}
	equal(t, "settled", []any{s.Attempt.Status, s.Attempt.By, s.Attempt.Note}, []any{store.AttemptNotApplied, "boss", "nothing arrived"})
}

// TestDirectInProgress: a caller whose time is up is told where the call is found, and the effect goes on.
func TestDirectInProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, p, r := registry(t, auth.Medium, false)
		p.do = func(ctx context.Context, _ int, _ executor.Request) workflow.Result {
			time.Sleep(90 * time.Second)
			return workflow.Result{Output: map[string]any{"n": 1.0}}
		}
		got := called(context.Background(), r, agent)
		one := h.operations(person)[0]
		if !strings.Contains(got, `"IN_PROGRESS"`) || !strings.Contains(got, one.ID) || one.Status != store.AttemptRunning {
			t.Errorf("in progress: %s, stored %s", got, one.Status)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		equal(t, "at last", h.operations(person)[0].Status, store.AttemptDone)
	})
}

// TestDirectRaised: a tool that has become HIGH is not run by an allowlist.
func TestDirectRaised(t *testing.T) {
	t.Parallel()
	h, p, r := registry(t, auth.Medium, false)
	p.tier = auth.High
	if got := called(context.Background(), r, agent); !strings.Contains(got, "risk high") {
		t.Errorf("it gave %s", got)
	}
	equal(t, "runs", p.count(), 0)
	equal(t, "attempts", len(h.operations(person)), 0)
}

// TestDirectTakenOver: after a crash a call is taken up again if it may be, else it is in doubt.
func TestDirectTakenOver(t *testing.T) {
	t.Parallel()
	for idempotent, want := range map[bool]store.AttemptStatus{true: store.AttemptDone, false: store.AttemptUnknown} {
		h, p, r := registry(t, auth.Medium, idempotent)
		dead, ran := make(chan struct{}), make(chan struct{})
		p.do = func(_ context.Context, n int, _ executor.Request) workflow.Result {
			if n == 1 {
				close(ran)
				<-dead
			}
			return workflow.Result{Output: map[string]any{"n": float64(n)}}
		}
		over := make(chan struct{})
		go func() { defer close(over); called(context.Background(), r, agent) }()
		<-ran
		next := *h
		config := h.config
		config.Worker = "worker-2"
		next.Runner = runner.New(config)
		stop := next.tend()
		h.eventually("it is taken over", func() bool { return h.operations(person)[0].Status == want })
		stop()
		_ = next.Stop(context.Background())
		close(dead)
		<-over
		equal(t, "at last", h.operations(person)[0].Status, want)
	}
}

// TestDirectPreview: what a call would do can be told before, and nothing is done.
func TestDirectPreview(t *testing.T) {
	t.Parallel()
	h, p, r := registry(t, auth.High, false)
	tool, there := r.Find("demo.pay")
	if !there {
		t.Fatal("no tool")
	}
	does, err := tool.Preview(context.Background(), &tools.Call{Principal: agent, Arguments: jsontext.Value(`{"to":"bob"}`)})
	if err != nil || does["with"] != "bob" || does["name"] != "pay" {
		t.Errorf("it tells %v, %v", does, err)
	}
	equal(t, "runs", p.count(), 0)
	equal(t, "attempts", len(h.operations(person)), 0)
}

// TestDirectNotShown: what was done must not look as if it were not, only because its result cannot be shown.
func TestDirectNotShown(t *testing.T) {
	t.Parallel()
	h, p, r := registry(t, auth.Medium, false)
	p.do = func(context.Context, int, executor.Request) workflow.Result {
		return workflow.Result{Output: map[string]any{"body": strings.Repeat("\x00", tools.MaxResult/4)}}
	}
	got := called(context.Background(), r, agent)
	one := h.operations(person)[0]
	if !strings.Contains(got, `"RESULT_NOT_SHOWN"`) || !strings.Contains(got, "it was done") || !strings.Contains(got, one.ID) || one.Status != store.AttemptDone {
		t.Errorf("it gave %s, stored %s", got, one.Status)
	}
}

// TestCancelBeforeItRuns: a cancel that comes right behind the opening of an attempt ends it, too.
func TestCancelBeforeItRuns(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, ship)
	p.do = func(ctx context.Context, _ int, _ executor.Request) workflow.Result {
		<-ctx.Done()
		return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "ended", Begun: workflow.NotBegun}}
	}
	a := h.begin(agent, "ship")
	w := work(agent)
	w.On = &afterwards{Store: h.db, do: func() { // the attempt is durable, and not launched
		if _, err := h.Cancel(context.Background(), work(agent), a.Stored.ID, "no"); err != nil {
			t.Error(err)
		}
	}}
	b, err := h.Submit(context.Background(), w, request(a, "go", ""))
	equal(t, "answer", outcome(b, err), "EXECUTOR_FAILED")
	equal(t, "attempt", statuses(h.attempts(agent, a.Stored.ID)), "failed")
}

// afterwards does something right after a change is durable.
type afterwards struct {
	store.Store
	do func()
}

func (a *afterwards) Update(ctx context.Context, f func(store.Tx) error) error {
	err := a.Store.Update(ctx, f)
	a.do()
	return err
}
