package workflow

import (
	"strconv"

	"prax/tools/schema"
)

// The bounds of chains where a definition does not say, and the most it can say for one call.
const (
	DefaultChain = 50
	DefaultHops  = 300
	MaxChain     = 500
)

func (d *Definition) chainDepth() int {
	if d.MaxChain <= 0 {
		return DefaultChain
	}
	return min(d.MaxChain, MaxChain)
}

func (d *Definition) hopBudget() int {
	if d.MaxHops <= 0 {
		return DefaultHops
	}
	return d.MaxHops
}

// chain takes deterministic transitions for as long as the state has one and nothing that waits for somebody. It
// ends without an error at the depth of one call.
func (m *move) chain(depth int) {
	first := depth
	for ; m.change.Ask == nil && m.next.Open; depth++ {
		automatic := m.d.automatic(m.state())
		if len(automatic) == 0 || depth >= m.d.chainDepth() || m.revoked(depth) || m.exhausted(depth) {
			break
		}
		if !m.hop(automatic, depth) {
			return
		}
	}
	if depth > first && m.change.Failure == nil {
		m.fact("chain.completed", map[string]any{"steps": depth - first, "finalState": m.next.State})
	}
}

// automatic are the deterministic transitions of a state in which a chain goes on; none where something else can be
// done that is more than an interaction.
func (d *Definition) automatic(s *State) []*Transition {
	if s == nil || s.Terminal {
		return nil
	}
	var found []*Transition
	for _, t := range s.Transitions {
		if t.Actor == Deterministic {
			found = append(found, t)
		} else if !t.Light {
			return nil
		}
	}
	return found
}

// hop takes one of them, and tells whether the chain can go on.
func (m *move) hop(automatic []*Transition, depth int) bool {
	t, refusal := m.choose(automatic)
	if refusal != nil {
		m.broke(refusal, "", depth)
		return false
	}
	arguments, violations := t.byDefault()
	if len(violations) > 0 {
		m.broke(refuse(InputViolation, "it needs arguments, which the server does not have: "+sentence(violations)), t.Name, depth)
		return false
	}
	m.fact("chain.step", map[string]any{"transition": t.Name, "fromState": m.next.State, "chainDepth": depth + 1})
	before := m.next.Memo.Hops
	m.next.Memo.Hops++
	h := m.take(Request{Kind: StepChain, Transition: t.Name, Version: m.next.Version, Arguments: arguments, Depth: depth})
	if h == nil {
		return true
	}
	m.next.Memo.Hops = before
	if h.effect != nil {
		m.change.Then = h.effect
		return false
	}
	m.broke(h.refusal, t.Name, depth)
	return false
}

// byDefault are the arguments of a hop: what the schema fills in.
func (t *Transition) byDefault() (map[string]any, []schema.Violation) {
	if t.Input == nil {
		return nil, nil
	}
	return t.Input.filled(map[string]any{})
}

// broke ends the chain where it is: what was done stands.
func (m *move) broke(r *Refusal, transition string, depth int) {
	failure := chainFailed(r, transition)
	m.fact("chain.failed", map[string]any{
		"transition": failure.Transition, "fromState": m.next.State, "chainDepth": depth,
		"errorClass": failure.Class, "code": string(r.Code),
	})
	m.change.Failure = failure
}

// chainFailed is what a chain's answer says of a hop that was refused.
func chainFailed(r *Refusal, transition string) *Refusal {
	failure := *refuse(ChainFailed, r.Message).of(transition)
	if transition != "" {
		failure.Message = "the server could not take the transition " + transition + ": " + r.Message
	}
	failure.Violations = r.Violations
	failure.Class = class(r)
	return &failure
}

// class is the errorClass of what broke a chain.
func class(r *Refusal) string {
	switch r.Code {
	case SlotTypeError:
		return "blackboard_type_error"
	case ConstraintViolated:
		return "slot_constraint_violated"
	case ContextTooLarge:
		return "context_too_large"
	case WhileCapExceeded:
		return "while_iteration_cap_exceeded"
	case InputViolation:
		return "input_schema_violation"
	case ExecutorFailed, ChainFailed:
		return r.Class
	}
	return "permanent_error"
}

// choose is the one transition that the chain takes: the only one whose guards hold, or, when none of those that have
// guards does, the only one without.
func (m *move) choose(automatic []*Transition) (*Transition, *Refusal) {
	var viable, free []*Transition
	var last verdict
	var judged []any
	for _, t := range automatic {
		if m.d.spent(&m.next, t) != nil {
			continue
		}
		if len(t.Guards) == 0 {
			free = append(free, t)
			continue
		}
		arguments, _ := t.byDefault()
		v := m.judge(t, arguments)
		if v.truth == yes {
			viable, judged = append(viable, t), m.guards
		} else {
			last = v
		}
	}
	if len(viable) == 0 {
		viable = free
	}
	m.guards = judged
	if len(viable) == 1 {
		return viable[0], nil
	}
	return nil, undecidable(viable, last)
}

// undecidable says why the chain cannot choose.
func undecidable(viable []*Transition, last verdict) *Refusal {
	r := refuse(ChainFailed, "none of the transitions that the server takes by itself can be taken")
	r.Class = "selection_error"
	switch {
	case len(viable) > 1:
		var names []string
		for _, t := range viable {
			names = append(names, t.Name)
		}
		r.Message = "the server cannot choose: more than one transition can be taken: " + enumerate(names)
	case last.reason != "":
		r.Message += ": " + last.reason
	}
	return r
}

// revoked ends a chain whose client is out: what it began is done, and a person has to take the rest on.
func (m *move) revoked(depth int) bool {
	if !m.by.Out {
		return false
	}
	m.change.Failure = out()
	m.fact("chain.failed", map[string]any{
		"transition": "", "fromState": m.next.State, "chainDepth": depth,
		"errorClass": m.change.Failure.Class, "code": string(ClientRevoked),
	})
	return true
}

// out is why nothing new begins for a client.
func out() *Refusal {
	r := refuse(ClientRevoked, "the client that this was done for is out, so that nothing more is begun for it")
	r.Class = ClassPermanent
	return r
}

// exhausted cancels an instance whose chains took too many hops, or too long.
func (m *move) exhausted(depth int) bool {
	memo, most := m.next.Memo, m.d.hopBudget()
	if memo.Hops >= most {
		m.fact("chain.quarantined", map[string]any{"hops": memo.Hops, "budget": most, "chainDepth": depth})
		m.quarantine(refuse(Livelock, "the server took "+strconv.Itoa(memo.Hops)+" transitions by itself, and would have gone on"))
		return true
	}
	if m.d.MaxDriven <= 0 || memo.Driven <= m.d.MaxDriven {
		return false
	}
	m.fact("chain.deadline_exceeded", map[string]any{
		"elapsedMs": memo.Driven.Milliseconds(), "deadlineMs": m.d.MaxDriven.Milliseconds(),
	})
	m.quarantine(refuse(DeadlineExceeded, "the server worked on this workflow for "+memo.Driven.String()+", of at most "+m.d.MaxDriven.String()))
	return true
}

func (m *move) quarantine(r *Refusal) {
	m.cancel(r.Message, string(r.Code), Deterministic)
	m.change.Failure = r
}
