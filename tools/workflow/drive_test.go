package workflow_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"prax/auth"
	"prax/tools/workflow"
	"prax/tools/workflow/workflowtest"
)

var (
	agent    = workflow.Caller{Client: "agent", User: "ann"}
	person   = workflow.Caller{Client: "person", User: "ann", Roles: auth.Names("human")}
	second   = workflow.Caller{Client: "second", User: "bob", Roles: auth.Names("human")}
	overseer = workflow.Caller{Client: "boss", User: "zoe", Roles: auth.Names("human"), Overseer: true}
)

var morning = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// drive commits what the engine decides on one instance.
type drive struct {
	t     testing.TB
	d     *workflow.Definition
	i     *workflow.Instance
	now   time.Time
	steps []workflow.Step
	asked int
}

func begin(t testing.TB, d *workflow.Definition, input string) *drive {
	t.Helper()
	r := &drive{t: t, d: d, now: morning}
	decision := d.Begin("wf_1", agent, []byte(input), r.now)
	if decision.Change == nil {
		t.Fatalf("not started: %+v", decision.Refusal)
	}
	r.commit(decision)
	return r
}

func (r *drive) commit(decision workflow.Decision) workflow.Decision {
	r.t.Helper()
	c := decision.Change
	if c == nil {
		return decision
	}
	next := c.Next
	for n := range next.Evidence {
		if next.Evidence[n].ID == "" {
			next.Evidence[n].ID = fmt.Sprintf("ev_%d", n)
		}
	}
	if c.Ask != nil {
		r.asked++
		next.Parked = &workflow.Parked{
			Approval: fmt.Sprintf("ap_%d", r.asked), Transition: c.Ask.Transition.Name, Arguments: c.Ask.Arguments,
			Digest: fmt.Sprintf("digest %d", r.asked), Client: next.Client, Expires: r.now.Add(24 * time.Hour),
		}
	}
	r.i = &next
	r.steps = append(r.steps, c.Steps...)
	return decision
}

func (r *drive) plan(c workflow.Caller, transition string, arguments string) workflow.Decision {
	return r.d.Plan(r.i, c, workflow.Submit{
		Transition: transition, ExpectedVersion: r.i.Version, Arguments: []byte(arguments),
	}, r.now)
}

// submit plans and commits, and fails the test unless the answer is this: the state after it, or a code.
func (r *drive) submit(c workflow.Caller, transition, arguments, want string) workflow.Decision {
	r.t.Helper()
	return r.expect(r.plan(c, transition, arguments), want)
}

func (r *drive) expect(decision workflow.Decision, want string) workflow.Decision {
	r.t.Helper()
	r.commit(decision)
	if got := answer(decision); got != want {
		r.t.Fatalf("got %s, want %s: %+v", got, want, decision.Refusal)
	}
	return decision
}

// through commits a decision, and what comes of the executors that it waits for: each gives what give says, once a
// person has been asked where that must be.
func (r *drive) through(c workflow.Caller, decision workflow.Decision, give func(workflow.Decision) (workflow.Decision, workflow.Result)) workflow.Decision {
	r.commit(decision)
	for n := 0; n < 100; n++ {
		if decision.Change != nil && decision.Change.Then != nil {
			decision = workflow.Decision{Effect: decision.Change.Then}
		}
		if decision.Effect == nil {
			break
		}
		asked, result := give(decision)
		decision = r.commit(r.d.Apply(r.i, asked.Effect, result, c, r.now))
	}
	return decision
}

// answer is a decision in a word: the state, or the code of the refusal; both for a change with a failure.
func answer(decision workflow.Decision) string {
	switch {
	case decision.Refusal != nil:
		return string(decision.Refusal.Code)
	case decision.Effect != nil:
		return "effect"
	case decision.Change == nil:
		return "idle"
	case decision.Change.Failure != nil:
		return decision.Change.Next.State + " " + string(decision.Change.Failure.Code)
	}
	return decision.Change.Next.State
}

func (r *drive) context(want string) {
	r.t.Helper()
	if diff := cmp.Diff(workflowtest.Object(want), r.i.Context, cmpopts.EquateEmpty()); diff != "" {
		r.t.Errorf("context:\n%s", diff)
	}
}

// link finds one of the links of a caller.
func (r *drive) link(c workflow.Caller, transition string) *workflow.Link {
	for _, l := range r.d.Links(r.i, c) {
		if l.Transition.Name == transition {
			return &l
		}
	}
	return nil
}

// rels are the names of a caller's links; a blocked one with its code, one to recover by with a mark.
func (r *drive) rels(c workflow.Caller) []string {
	var rels []string
	for _, l := range r.d.Links(r.i, c) {
		rel := l.Transition.Name
		if l.Recovery {
			rel += "!"
		}
		if l.Blocked != nil {
			rel += " " + string(l.Blocked.Code)
		}
		rels = append(rels, rel)
	}
	return rels
}

func facts(decision workflow.Decision) []string {
	var types []string
	for _, f := range decision.Trail {
		types = append(types, f.Type)
	}
	return types
}

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// definition is one with these states, the first of them the initial one.
func definition(states ...*workflow.State) *workflow.Definition {
	return &workflow.Definition{ID: "test", Version: 3, Hash: "0123", Initial: states[0].Name, States: states}
}

func state(name string, transitions ...*workflow.Transition) *workflow.State {
	return &workflow.State{Name: name, Transitions: transitions}
}

func terminal(name string) *workflow.State { return &workflow.State{Name: name, Terminal: true} }

// to is a transition that an agent takes, changed by what is given.
func to(target, name string, with ...func(*workflow.Transition)) *workflow.Transition {
	t := &workflow.Transition{Name: name, Target: target, Actor: workflow.Agent}
	for _, change := range with {
		change(t)
	}
	return t
}

func by(actor workflow.Actor) func(*workflow.Transition) {
	return func(t *workflow.Transition) { t.Actor = actor }
}

func guarded(guards ...*workflow.Guard) func(*workflow.Transition) {
	return func(t *workflow.Transition) { t.Guards = guards }
}

func putting(output ...workflow.Slot) func(*workflow.Transition) {
	return func(t *workflow.Transition) { t.Output = output }
}

func taking(schema string) func(*workflow.Transition) {
	return func(t *workflow.Transition) { t.Input = workflowtest.Schema(schema) }
}

func running(e *workflow.Executor) func(*workflow.Transition) {
	return func(t *workflow.Transition) { t.Executor = e }
}

func branching(branches ...workflow.Branch) func(*workflow.Transition) {
	return func(t *workflow.Transition) { t.Branches = branches }
}

func light(t *workflow.Transition) { t.Light = true }

func atMost(n int) func(*workflow.Transition) {
	return func(t *workflow.Transition) { t.MaxFires = n }
}

var automatically = by(workflow.Deterministic)
