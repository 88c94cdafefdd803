package workflow

import (
	"slices"
	"time"
)

// move is the work of one call: the instance as it becomes, step by step, and what is to be said about it. The
// instance that it began with is never changed.
type move struct {
	d       *Definition
	by      Caller
	now     time.Time
	next    Instance
	change  Change
	trail   []Fact
	guards  []any    // of the step in the making, for its record
	results []Result // of executors of the first step that ran already
	used    int      // how many of them the step took
}

func (d *Definition) move(i *Instance, c Caller, now time.Time) *move {
	next := *i
	next.Evidence = slices.Clip(next.Evidence) // what is added must not land in the given array
	return &move{d: d, by: c, now: now, next: next}
}

// halt is why a step is not made.
type halt struct {
	refusal *Refusal
	effect  *Effect
}

func halted(code Code, message string) *halt { return &halt{refusal: refuse(code, message)} }

// ended refuses what comes to an instance that does not move any more, or that does not fit its definition.
func (m *move) ended() *Refusal {
	state := m.d.State(m.next.State)
	switch {
	case state == nil:
		return refuse(Corrupt, "the instance is in the state "+clip(m.next.State)+", which the definition "+m.d.ID+" does not have")
	case m.next.Open, state.Terminal:
		return nil
	}
	return refuse(WorkflowCancelled, "the workflow was cancelled: "+clipTo(m.next.Reason, maxReason))
}

// maxReason bounds the reason of a cancellation in a message.
const maxReason = 1024

// run makes a step and the chain after it.
func (m *move) run(r Request, results []Result) Decision {
	m.results = results
	if h := m.take(r); h != nil {
		if h.effect != nil {
			return Decision{Effect: h.effect, Trail: m.trail}
		}
		refusal := h.refusal.of(r.Transition)
		if r.Kind == StepChain && refusal.Code != ClientRevoked {
			refusal = chainFailed(refusal, r.Transition)
		}
		return m.reject(refusal)
	}
	depth := r.Depth
	if r.Kind == StepChain {
		depth++
	}
	m.chain(depth)
	return m.done()
}

func (m *move) done() Decision {
	m.change.Next = m.next
	return Decision{Change: &m.change, Trail: m.trail}
}

func (m *move) reject(r *Refusal) Decision {
	m.fact("transition.rejected", map[string]any{
		"transition": r.Transition, "code": string(r.Code), "fromState": m.next.State,
	})
	return Decision{Refusal: r, Trail: m.trail}
}

func (m *move) fact(kind string, payload map[string]any) {
	m.trail = append(m.trail, Fact{Type: kind, Payload: payload})
}

// state is where the instance is.
func (m *move) state() *State { return m.d.State(m.next.State) }

// judge evaluates the guards of a transition in order, up to the first that is no, and notes each.
func (m *move) judge(t *Transition, arguments map[string]any) verdict {
	v := m.d.view(&m.next, m.by, arguments)
	m.guards = make([]any, 0, len(t.Guards))
	for i, g := range t.Guards {
		one := v.judge(g)
		ok := one.truth == yes
		m.guards = append(m.guards, map[string]any{"kind": string(g.Kind), "result": ok})
		m.fact("guard.evaluated", map[string]any{
			"transition": t.Name, "guardIndex": i, "guard": string(g.Kind), "passed": ok,
		})
		if !ok {
			return one
		}
	}
	return passed
}
