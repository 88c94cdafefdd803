package runner_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"prax/auth"
	"prax/store/sqlite"
	"prax/tools/definition"
	"prax/tools/executor"
	"prax/tools/runner"
	"prax/tools/schema"
	"prax/tools/workflow"
)

// probe is a kind of executor about whose runs a test decides. It counts them, as the other end would.
type probe struct {
	mu         sync.Mutex
	runs       []executor.Request
	do         func(ctx context.Context, n int, q executor.Request) workflow.Result // n counts runs from 1
	tier       auth.Tier                                                            // of where it leads to, by now
	to         string                                                               // where that is
	repeatable bool
	unable     *workflow.Failure
	resolving  func() // called when it is resolved; nil: nothing is
}

// probing is what a definition says of one.
type probing struct {
	Name string `json:"name"`
	Use  string `json:"use"` // the argument that it depends on; "": none
}

func (*probing) Check(workflow.Surroundings) (auth.Tier, []schema.Violation) { return auth.Low, nil }

func kinds() definition.Kinds {
	return definition.Kinds{Specs: workflow.Specs{Executors: map[string]func() workflow.Spec{
		"probe": func() workflow.Spec { return &probing{} },
	}}}
}

func (p *probe) Prepare(_ context.Context, q executor.Request) (*executor.Run, *workflow.Failure) {
	if p.resolving != nil {
		p.resolving()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unable != nil {
		return nil, p.unable
	}
	spec := q.Executor.Spec.(*probing)
	return &executor.Run{
		Material:   map[string]any{"kind": "probe", "name": spec.Name, "to": p.to, "with": q.Env.Arguments[spec.Use]},
		Tier:       max(p.tier, auth.Low),
		Repeatable: p.repeatable,
		Do:         func(ctx context.Context) workflow.Result { return p.run(ctx, q) },
	}, nil
}

func (p *probe) run(ctx context.Context, q executor.Request) workflow.Result {
	p.mu.Lock()
	p.runs = append(p.runs, q)
	n, do := len(p.runs), p.do
	p.mu.Unlock()
	if do == nil {
		return workflow.Result{Output: map[string]any{"n": float64(n)}, Evidence: []workflow.Evidence{{Kind: "probe", Summary: fmt.Sprint("run ", n)}}}
	}
	return do(ctx, n, q)
}

func (p *probe) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.runs)
}

// set changes the probe under its lock.
func (p *probe) set(change func(*probe)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

// failingBy gives results that fail so, always.
func failingBy(class string, begun workflow.Begun) func(context.Context, int, executor.Request) workflow.Result {
	return func(context.Context, int, executor.Request) workflow.Result {
		return workflow.Result{Failure: &workflow.Failure{Class: class, Message: "it said no", Begun: begun}}
	}
}

// clients are those that are live.
type clients struct {
	mu  sync.Mutex
	out map[string]bool
}

func (c *clients) live(name string) (auth.Principal, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range []auth.Principal{agent, person, few, bob, boss} {
		if p.Client == name {
			return p, !c.out[name]
		}
	}
	return auth.Principal{}, false
}

func (c *clients) revoke(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out == nil {
		c.out = map[string]bool{}
	}
	c.out[name] = true
}

// effects is a house whose definitions have executors of the kind probe.
func effects(t testing.TB, flows string, change ...func(*runner.Config, *sqlite.Config)) (*house, *probe, *clients) {
	t.Helper()
	p, people := &probe{}, &clients{}
	h := open(t, append([]func(*runner.Config, *sqlite.Config){func(c *runner.Config, _ *sqlite.Config) {
		c.Executors, c.Live, c.Worker = executor.Kinds{"probe": p}, people.live, "worker-1"
	}}, change...)...)
	h.people = people
	h.catalog.set(written(t, flows)...)
	t.Cleanup(func() { // before the store is closed
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = h.Stop(ctx)
	})
	return h, p, people
}
