package workflow

import (
	"fmt"
	"reflect"
	"time"
)

// Plan decides a submit, in this order: is the instance still moving, is its time over, is the version the current one,
// is nothing under way, does the state have the transition, may this caller take it, is its choice among the options, is
// the transition used up, do the arguments fit, do the guards hold; then the executor, the output, the slots, the
// branches, the state's while, what the state leaves behind, the next state's onEnter, and the chain. A refusal changes
// nothing.
//
// An executor with an outside effect makes the decision an [Effect]; a human one parks the move on an approval, which
// a person uses up who submits the same once more. One that callers must not reach does both: its Effect asks first.
func (d *Definition) Plan(i *Instance, c Caller, s Submit, now time.Time) Decision {
	m := d.move(i, c, now)
	if r := m.ended(); r != nil {
		return Decision{Refusal: r.of(s.Transition)}
	}
	if d.overdue(i, now) && d.OnTimeout != "" {
		return m.tooLate(s.Transition)
	}
	m.fact("transition.requested", map[string]any{
		"transition": clip(s.Transition), "expectedVersion": s.ExpectedVersion, "fromState": i.State,
	})
	r, refusal := m.admit(s)
	if refusal != nil {
		return m.reject(refusal.of(s.Transition))
	}
	return m.run(r, nil)
}

// admit makes every check of a submit that comes before its executor.
func (m *move) admit(s Submit) (Request, *Refusal) {
	t, r := m.find(s)
	if r != nil {
		return Request{}, r
	}
	parked := m.answers(t)
	if r := m.allowed(t, parked); r != nil {
		return Request{}, r
	}
	arguments, r := m.arguments(t, s, parked)
	if r != nil {
		return Request{}, r
	}
	approves := parked && same(arguments, m.next.Parked.Arguments)
	if r := m.withoutApproval(t, parked, approves); r != nil {
		return Request{}, r
	}
	if v := m.judge(t, arguments); v.truth != yes {
		return Request{}, v.refusal()
	}
	return m.request(t, s, arguments, approves), nil
}

func same(a, b map[string]any) bool { return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b) }

func (m *move) request(t *Transition, s Submit, arguments map[string]any, approves bool) Request {
	r := Request{
		Kind: StepTransition, Transition: t.Name, Version: m.next.Version,
		Arguments: arguments, Summary: s.Summary, Approval: s.Approval, Approved: approves,
	}
	if approves {
		r.approve(m.next.Parked, m.by)
	}
	return r
}

func (m *move) find(s Submit) (*Transition, *Refusal) {
	if s.ExpectedVersion != m.next.Version {
		return nil, refuse(StaleVersion, fmt.Sprintf("expected version %d, but the workflow is at version %d", s.ExpectedVersion, m.next.Version))
	}
	if r := m.next.waits(); r != nil {
		return nil, r
	}
	t := m.d.offerTo(m.by, m.state(), s.Transition)
	if t == nil {
		return nil, refuse(InvalidTransition, "the state "+m.next.State+" has no transition "+clip(s.Transition))
	}
	return t, nil
}

// answers tells whether this caller could use up the open approval by taking the transition.
func (m *move) answers(t *Transition) bool {
	return answers(&m.next, m.by, t) && m.now.Before(m.next.Parked.Expires)
}

func answers(i *Instance, c Caller, t *Transition) bool {
	return t.answerable() && c.Human() && i.Parked != nil && i.Parked.Transition == t.Name
}

// allowed says who may take a transition. parked: the caller may be answering the open approval by it.
func (m *move) allowed(t *Transition, parked bool) *Refusal { return allowed(m.by, t, parked) }

func allowed(c Caller, t *Transition, parked bool) *Refusal {
	switch {
	case !t.Executor.within(t, false):
		return forbidden()
	case t.Actor == Human && !c.Human():
		return refuse(ActorMismatch, "the transition "+t.Name+" is a person's: it needs a client of the role human")
	case c.Overseer && t.Actor != Human && !parked:
		return refuse(ActorMismatch, "the transition "+t.Name+" is the owner's: who oversees answers human gates and cancels, nothing else")
	}
	return nil
}

// arguments are those of the submit as they pass the choices and the schema.
func (m *move) arguments(t *Transition, s Submit, parked bool) (map[string]any, *Refusal) {
	given, violations := decodeObject(s.Arguments)
	if r := m.chosen(t, given); r != nil {
		return nil, r
	}
	if r := m.d.spent(&m.next, t); r != nil && !parked {
		return nil, r
	}
	var filled map[string]any
	if violations == nil {
		filled, violations = t.Input.filled(given)
	}
	if len(s.Summary) > MaxSummary {
		violations = append(violations, violation("", fmt.Sprintf("the summary must have at most %d bytes", MaxSummary)))
	}
	if len(violations) > 0 {
		r := refuse(InputViolation, "the arguments do not fit: "+sentence(violations))
		r.Violations = violations
		return nil, r
	}
	return filled, nil
}

// withoutApproval makes the checks again that an answer to an approval is spared, when the move is none.
func (m *move) withoutApproval(t *Transition, parked, approves bool) *Refusal {
	if !parked || approves {
		return nil
	}
	if r := allowed(m.by, t, false); r != nil {
		return r
	}
	return m.d.spent(&m.next, t)
}
