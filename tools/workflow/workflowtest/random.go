package workflowtest

import (
	"fmt"
	"sync"
	"time"

	"pgregory.net/rapid"

	"prax/auth"
	"prax/tools/workflow"
)

// The schemas of random definitions, each compiled once.
var (
	small       = sync.OnceValue(func() *workflow.Schema { return Schema(`{"type":"number","maximum":2}`) })
	notBoolean  = sync.OnceValue(func() *workflow.Schema { return Schema(`{"not":{"type":"boolean"}}`) })
	withDefault = sync.OnceValue(func() *workflow.Schema {
		return Schema(`{"type":"object","properties":{"x":{"default":1}}}`)
	})
)

// Definitions are random definitions of two to six states, the last of them terminal. They are within the laws of the
// loader, not within those of a checker: states may be out of reach, guards may never hold, chains may not end.
//
// Their context has a count n, a list of options, and what transitions put there; arguments have a member x.
func Definitions() *rapid.Generator[*workflow.Definition] {
	return rapid.Custom(func(t *rapid.T) *workflow.Definition {
		d := &workflow.Definition{
			ID: "random", Version: 1, Hash: "0123", Initial: "s0",
			InitialContext: map[string]any{"n": 0.0, "options": []any{"red", "blue"}, "word": "abc"},
			Slots:          map[string]*workflow.Schema{"n": small(), "x": notBoolean()},
			MaxChain:       rapid.IntRange(1, 6).Draw(t, "max chain"),
			MaxHops:        rapid.IntRange(5, 20).Draw(t, "max hops"),
			Filter:         rapid.SampledFrom([]workflow.LinkFilter{workflow.AllLinks, workflow.ByGuards}).Draw(t, "filter"),
			AskHuman:       rapid.IntRange(0, 4).Draw(t, "ask human") == 0,
			MaxAskHuman:    2,
		}
		states := rapid.IntRange(2, 6).Draw(t, "states")
		for n := range states {
			d.States = append(d.States, state(t, n, states))
		}
		if rapid.IntRange(0, 2).Draw(t, "timeout") == 0 {
			d.Timeout = time.Hour
			d.OnTimeout = rapid.SampledFrom([]string{"", name(states - 1), "s0"}).Draw(t, "on timeout")
		}
		d.Outcomes = []workflow.Outcome{{ID: "counted", Statement: "n grew", Check: Expr("$.context.n > 0")}}
		return d
	})
}

func name(n int) string { return fmt.Sprintf("s%d", n) }

func rare[T any](t *rapid.T, label string, one T) T {
	var none T
	if rapid.IntRange(0, 3).Draw(t, label) == 0 {
		return one
	}
	return none
}

func state(t *rapid.T, n, states int) *workflow.State {
	s := &workflow.State{Name: name(n), Terminal: n == states-1, Goal: Template("n is {{ $.context.n }}")}
	if rapid.IntRange(0, 3).Draw(t, "on enter") == 0 {
		s.OnEnter = &workflow.Action{Executor: executor(t, false), Output: outputs(t)}
	}
	if s.Terminal {
		return s
	}
	if rapid.IntRange(0, 4).Draw(t, "while") == 0 {
		s.While, s.MaxWhile = guard(t, 1), rapid.IntRange(0, 3).Draw(t, "max while")
	}
	if rapid.IntRange(0, 3).Draw(t, "slot") == 0 {
		s.Slots = []workflow.StateSlot{{Name: "local", Paths: rare(t, "paths", []string{"src/**"})}}
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "transitions") {
		s.Transitions = append(s.Transitions, transition(t, fmt.Sprintf("t%d", i), states))
	}
	return s
}

func target(t *rapid.T, states int) string {
	return name(rapid.IntRange(0, states-1).Draw(t, "target"))
}

func transition(t *rapid.T, name string, states int) *workflow.Transition {
	actors := []workflow.Actor{workflow.Agent, workflow.Agent, workflow.Human, workflow.Deterministic}
	m := &workflow.Transition{
		Name: name, Target: target(t, states), Actor: rapid.SampledFrom(actors).Draw(t, "actor"),
		Action:   workflow.Action{Executor: executor(t, true), Output: outputs(t)},
		MaxFires: rare(t, "max fires", rapid.IntRange(1, 2).Draw(t, "fires")),
		Light:    rapid.IntRange(0, 4).Draw(t, "light") == 0,
		Input:    rare(t, "input", withDefault()),
	}
	for range rapid.IntRange(0, 2).Draw(t, "guards") {
		m.Guards = append(m.Guards, guard(t, 2))
	}
	if rapid.IntRange(0, 3).Draw(t, "branch") == 0 {
		m.Branches = []workflow.Branch{{When: guard(t, 1), Target: target(t, states)}}
	}
	if m.Actor == workflow.Human && rapid.Bool().Draw(t, "choices") {
		m.Choices = &workflow.Choices{Field: "choice", From: Path("$.context.options")}
		m.Presents = rare(t, "presents", append(m.Presents, Path("$.context.local")))
	}
	if rapid.Bool().Draw(t, "prefill") {
		m.Prefill = []workflow.Slot{Put("x", "$.context.n"), Put("gone", "$.context.nowhere")}
	}
	return m
}

func executor(t *rapid.T, human bool) *workflow.Executor {
	kinds := []*workflow.Executor{nil, Noop()}
	if human {
		kinds = append(kinds, Human("board"))
	}
	return rapid.SampledFrom(kinds).Draw(t, "executor")
}

func outputs(t *rapid.T) []workflow.Slot {
	pool := []workflow.Slot{
		Put("n", map[string]any{"add": []any{"$.context.n", 1.0}}),
		Put("n", 0.0), Put("x", "$.arguments.x"), Put("local", "src/main.go"), Put("local", "$.arguments.x"),
		Put("options", "$.arguments.x"), Put("answer", "$.output"), Put("word", nil),
	}
	var chosen []workflow.Slot
	seen := map[string]bool{}
	for range rapid.IntRange(0, 2).Draw(t, "outputs") {
		if slot := rapid.SampledFrom(pool).Draw(t, "output"); !seen[slot.Name] {
			seen[slot.Name] = true
			chosen = append(chosen, slot)
		}
	}
	return chosen
}

func guard(t *rapid.T, depth int) *workflow.Guard {
	pool := []*workflow.Guard{
		Expr("$.context.n < 3"), Expr("$.context.n >= 1"), Expr("$.context.local == 'src/main.go'"),
		Expr("exists($.context.x)"), Expr("$.arguments.x == 1"), Expr("$.arguments.x == null"),
		Expr("$.context.word starts_with 'ab'"), Permission("move"), Role("human"),
		Evidence(workflow.Requirement{Kind: "human_request", Count: 1}),
		Evidence(workflow.Requirement{Kind: "human_approval", Digest: true, Distinct: true, ExcludeStarter: true}),
		{Kind: workflow.GuardGuidance, Name: "guide.none"},
	}
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "leaf") > 0 {
		return rapid.SampledFrom(pool).Draw(t, "guard")
	}
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		return AllOf(guard(t, depth-1), guard(t, depth-1))
	case 1:
		return AnyOf(guard(t, depth-1), guard(t, depth-1))
	}
	return Not(guard(t, depth-1))
}

// Callers are an agent, its person, somebody with the permission move, who oversees them, and the server itself.
func Callers() *rapid.Generator[workflow.Caller] {
	return rapid.SampledFrom([]workflow.Caller{
		{Client: "agent", User: "ann"},
		{Client: "person", User: "ann", Roles: auth.Names("human")},
		{Client: "mover", User: "ann", Permissions: auth.Names("move")},
		{Client: "overseer", User: "zoe", Roles: auth.Names("human"), Overseer: true},
	})
}

// Arguments are random arguments for a transition, among them what its schema and its choices ask for.
func Arguments(m *workflow.Transition) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		values := []any{1.0, 7.0, "src/a.go", "../etc", nil, []any{"red"}, true}
		arguments := map[string]any{"x": rapid.SampledFrom(values).Draw(t, "x")}
		if rapid.Bool().Draw(t, "nothing") {
			arguments = map[string]any{}
		}
		if m != nil && m.Choices != nil {
			arguments[m.Choices.Field] = rapid.SampledFrom([]any{"red", "blue"}).Draw(t, "choice")
		}
		if m != nil && m.Name == workflow.AskHuman {
			return map[string]any{"question": "how?", "context_summary": "c", "attempted_alternatives": []any{}}
		}
		return arguments
	})
}
