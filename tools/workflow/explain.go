package workflow

import "prax/tools/workflow/expr"

// maxValue bounds one value that an explanation shows, in bytes of JSON.
const maxValue = 1 << 10

// Explain says of a transition what this caller may know: whether the state has it, who takes it, and what became of
// each of its guards, judged without arguments.
func (d *Definition) Explain(i *Instance, c Caller, transition string) Explanation {
	e := Explanation{Actor: Agent}
	state := d.State(i.State)
	if i.Open {
		for _, t := range d.Offered(state) {
			if d.Reveals(c, t) {
				e.Legal = append(e.Legal, t.Name)
			}
		}
	}
	t := d.offerTo(c, state, transition)
	for _, one := range i.settlements() {
		if e.Legal = append(e.Legal, one.Name); one.Name == transition {
			e.Allowed, e.Actor, e.Blocked = true, Human, i.heldUp(c, one)
		}
	}
	if e.Allowed {
		return e
	}
	if !i.Open || t == nil {
		e.Blocked = d.unoffered(i, transition)
		return e
	}
	e.Allowed, e.Actor, e.Deterministic = true, t.Actor, t.Actor == Deterministic
	e.Blocked = d.blocked(i, c, t)
	for _, g := range t.Guards {
		e.Why = append(e.Why, d.why(i, c, g))
	}
	return e
}

// Blocked says why a caller could not take one of the transitions that the state offers, whatever the arguments; nil:
// it can.
func (d *Definition) Blocked(i *Instance, c Caller, t *Transition) *Refusal {
	return d.blocked(i, c, t)
}

func (d *Definition) unoffered(i *Instance, transition string) *Refusal {
	m := d.move(i, Caller{}, i.Created)
	if r := m.ended(); r != nil {
		return r.of(transition)
	}
	return refuse(InvalidTransition, "the state "+i.State+" has no transition "+clip(transition)).of(transition)
}

func (d *Definition) why(i *Instance, c Caller, g *Guard) Why {
	v := d.view(i, c, nil)
	w := Why{Guard: g.Kind, Passed: v.judge(g).truth == yes, Arguments: readsArguments(g)}
	for _, p := range g.paths() {
		if p.Root()&(expr.Context|expr.Input|expr.Workflow) == 0 {
			continue
		}
		value, set := p.Of(v.env)
		if !set || weigh(value, maxValue) != nil {
			continue
		}
		if w.Value == nil {
			w.Value = map[string]any{}
		}
		w.Value[p.String()] = value
	}
	return w
}

// OutcomesMet says which of the definition's outcomes hold now. What cannot be judged does not hold.
func (d *Definition) OutcomesMet(i *Instance) []OutcomeState {
	states := make([]OutcomeState, 0, len(d.Outcomes))
	v := d.view(i, Caller{}, nil)
	for _, o := range d.Outcomes {
		met := o.Check != nil && v.judge(o.Check).truth == yes
		states = append(states, OutcomeState{ID: o.ID, Statement: o.Statement, Met: met})
	}
	return states
}
