package workflow_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"prax/tools/workflow"
	"prax/tools/workflow/workflowtest"
)

// maker makes definitions that are sound by construction: every state leads on to the next one, chains only lead
// forward, switches know every value, and what is read is there from the start.
type maker struct {
	*rand.Rand
	d *workflow.Definition
	n int // states that are not terminal
}

var modes = []string{"a", "b", "c"}

// sound is the definition of a seed.
func sound(seed uint64) (*workflow.Definition, *rand.Rand) {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 7))}
	m.n = 3 + m.IntN(10)
	m.d = &workflow.Definition{
		ID: fmt.Sprintf("sound_%d", seed), Version: 1, Hash: "0123", Initial: "s0",
		InitialContext: map[string]any{"n": 0.0, "mode": "a"}, MaxHops: 100_000,
		Input: workflowtest.Schema(`{"type":"object","required":["mode"],"properties":{"mode":{"enum":["a","b","c"]}}}`),
	}
	for i := range m.n {
		m.d.States = append(m.d.States, m.state(i))
	}
	done, dropped := terminal("done"), terminal("dropped")
	done.Outcome, dropped.Outcome = "success", "failure"
	m.d.States = append(m.d.States, done, dropped)
	if m.one(3) {
		m.d.SlotsDeclared = true
		m.d.Slots = map[string]*workflow.Schema{
			"n": workflowtest.Schema(`{"type":"number"}`), "mode": workflowtest.Schema(`{"enum":["a","b","c"]}`), "note": nil,
		}
	}
	if m.one(3) {
		m.d.Timeout, m.d.OnTimeout = time.Hour, "dropped"
	}
	if m.one(2) {
		m.d.Outcomes = []workflow.Outcome{{ID: "counted", Check: workflowtest.Expr("$.context.n >= 2")}}
	}
	m.d.AskHuman = m.one(6)
	return m.d, m.Rand
}

func (m *maker) one(in int) bool { return m.IntN(in) == 0 }

// next is the state behind one.
func (m *maker) next(i int) string {
	if i+1 < m.n {
		return fmt.Sprintf("s%d", i+1)
	}
	return "done"
}

// later is some state behind one, earlier one that is not.
func (m *maker) later(i int) string {
	if to := i + 1 + m.IntN(m.n-i); to < m.n {
		return fmt.Sprintf("s%d", to)
	}
	return "done"
}

func (m *maker) earlier(i int) string { return fmt.Sprintf("s%d", m.IntN(i+1)) }

func (m *maker) state(i int) *workflow.State {
	s := &workflow.State{Name: fmt.Sprintf("s%d", i)}
	switch kind := m.IntN(6); {
	case i == 0:
		m.first(s)
	case kind == 0:
		s.Transitions = []*workflow.Transition{to(m.next(i), "go", automatically)}
	case kind == 1:
		m.choice(s, i)
	case kind == 2:
		s.Transitions = []*workflow.Transition{to(m.next(i), "approve", by(workflow.Human), titled("Approve?")), to(m.earlier(i), "reject", by(workflow.Human), titled("Reject?"))}
	case kind == 3:
		s.Transitions = []*workflow.Transition{to(m.next(i), "request", running(workflowtest.Human("board")), titled("Go on?"))}
		m.extras(s, i)
	default:
		s.Transitions = []*workflow.Transition{to(m.next(i), "go")}
		m.extras(s, i)
	}
	if s.OnEnter == nil && m.one(4) {
		s.OnEnter = &workflow.Action{Executor: workflowtest.Noop(), Output: []workflow.Slot{workflowtest.Put("note", "here")}}
		s.Goal = workflowtest.Template("{{ $.context.note }} in {{ $.workflow.state }}")
	}
	return s
}

// first is where everything that guards read is changed.
func (m *maker) first(s *workflow.State) {
	s.Guidance = workflowtest.Template("n is {{ $.context.n }}, mode {{ $.context.mode }}")
	s.Transitions = []*workflow.Transition{
		to(m.next(0), "go"), to("dropped", "drop"), count("s0"),
		to("s0", "set", taking(`{"type":"object","required":["mode"],"properties":{"mode":{"enum":["a","b","c"]}}}`),
			putting(workflowtest.Put("mode", "$.arguments.mode"))),
	}
}

func count(in string) *workflow.Transition {
	return to(in, "count", putting(workflowtest.Put("n", map[string]any{"add": []any{"$.context.n", 1.0}})))
}

// choice is a state in which the server chooses, by what it has set as it came.
func (m *maker) choice(s *workflow.State, i int) {
	s.OnEnter = &workflow.Action{Output: []workflow.Slot{workflowtest.Put("mode", "$.workflow.input.mode")}}
	for n, mode := range modes {
		target := m.later(i)
		if n == 0 {
			target = m.next(i)
		}
		t := to(target, "when_"+mode, automatically, guarded(workflowtest.Expr("$.context.mode == '"+mode+"'")))
		if n == 2 && m.one(2) {
			t.Guards = nil
		}
		s.Transitions = append(s.Transitions, t)
	}
}

// extras are transitions that a state can have beside the one that leads on.
func (m *maker) extras(s *workflow.State, i int) {
	for n := range m.IntN(4) {
		name := fmt.Sprintf("extra%d", n)
		mode := modes[m.IntN(len(modes))]
		var t *workflow.Transition
		switch m.IntN(7) {
		case 0:
			t = count(s.Name)
		case 1:
			t = to(m.earlier(i), "", guarded(workflowtest.Expr("$.context.n < 3")))
		case 2:
			t = to(m.later(i), "", guarded(workflowtest.Expr("$.workflow.input.mode == '"+mode+"'"), workflowtest.Permission("jump")))
		case 3:
			t = to(s.Name, "", atMost(2), light)
		case 4:
			t = to("dropped", "", branching(workflow.Branch{When: workflowtest.Expr("$.context.n > 1"), Target: m.later(i)}))
		case 5:
			t = to(m.later(i), "", guarded(workflowtest.AnyOf(workflowtest.Role("human"), workflowtest.Expr("$.arguments.sure == true"))))
		default:
			t = to(m.earlier(i), "", putting(workflowtest.Put("mode", mode)))
		}
		t.Name = name
		s.Transitions = append(s.Transitions, t)
	}
}

func titled(title string) func(*workflow.Transition) {
	return func(t *workflow.Transition) { t.Title = title }
}

// resting is some state in which an agent can act: where a fault can be planted beside what is there.
func resting(d *workflow.Definition, r *rand.Rand) *workflow.State {
	var found []*workflow.State
	for _, s := range d.States {
		if !s.Terminal && len(s.Transitions) > 0 && s.Transitions[0].Actor == workflow.Agent {
			found = append(found, s)
		}
	}
	return found[r.IntN(len(found))]
}
