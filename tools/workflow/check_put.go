package workflow

import (
	"reflect"
	"slices"

	"prax/tools/workflow/expr"
)

// put is an output: what is written to a slot, and where.
type put struct {
	slot  int
	value expr.Mapping
	from  *expr.Path // the path that the value is taken from as it is; nil: it is made otherwise
	state int
	t     *Transition // nil: of the onEnter
}

// action is what the output belongs to.
func (p *put) action(d *Definition) *Action {
	if p.t != nil {
		return &p.t.Action
	}
	return d.States[p.state].OnEnter
}

// collect finds all slots, and what is put into them.
func (c *checker) collect() {
	for name, value := range c.d.InitialContext {
		s := c.slots[c.slotID(name)]
		s.written = true
		s.bit(value)
	}
	for i, s := range c.d.States {
		if s.OnEnter != nil {
			c.collectAction(i, nil, s.OnEnter)
		}
		for _, t := range s.Transitions {
			c.collectAction(i, t, &t.Action)
			leaf(t.Guards, c.collectEvidence)
			for _, b := range t.Branches {
				leaf([]*Guard{b.When}, c.collectEvidence)
			}
		}
		if s.While != nil {
			leaf([]*Guard{s.While}, c.collectEvidence)
		}
	}
	for _, o := range c.d.Outcomes {
		leaf([]*Guard{o.Check}, c.collectEvidence)
	}
	c.widen()
}

func (c *checker) collectEvidence(g *Guard) {
	for _, r := range g.Requires {
		c.evidenceID(r.Kind)
	}
}

func (c *checker) collectAction(state int, t *Transition, a *Action) {
	if a.Executor != nil && !a.Executor.known() {
		c.foreign = true
	}
	for _, out := range a.Output {
		p := &put{slot: c.slotID(out.Name), value: out.Value, state: state, t: t}
		if path, same := taken(out.Value); same {
			p.from = &path
		}
		c.slots[p.slot].written = true
		c.puts, c.byAction[a] = append(c.puts, p), append(c.byAction[a], p)
	}
}

// known tells whether everything about what the executor gives is known beforehand.
func (e *Executor) known() bool { return e.Kind == KindNoop || e.Kind == KindHuman }

// taken is the path that a mapping takes its value from as it is.
func taken(m expr.Mapping) (expr.Path, bool) {
	paths := m.Paths()
	if len(paths) != 1 {
		return expr.Path{}, false
	}
	probe := map[string]any{"probe": true}
	env := expr.Env{}
	steps := paths[0].Steps()
	switch paths[0].Root() {
	case expr.Context:
		env.Context, _ = nest(steps, probe).(map[string]any)
	case expr.Arguments:
		env.Arguments, _ = nest(steps, probe).(map[string]any)
	case expr.Input:
		env.Input, _ = nest(steps, probe).(map[string]any)
	case expr.Output:
		env.Output = nest(steps, probe)
	}
	value, err := m.Eval(env)
	same, _ := value.(map[string]any)
	return paths[0], err == nil && same != nil && reflect.ValueOf(same).Pointer() == reflect.ValueOf(probe).Pointer()
}

// nest is a value within objects.
func nest(steps []string, value any) any {
	for _, step := range slices.Backward(steps) {
		value = map[string]any{step: value}
	}
	return value
}

// widen finds what the slots can be: what is copied from one to another is carried on until there is nothing new.
func (c *checker) widen() {
	for changed := true; changed; {
		changed = false
		for _, p := range c.puts {
			s := c.slots[p.slot]
			before := [...]int{len(s.values), int(s.kinds), int(s.usual)}
			c.written(p)
			changed = changed || before != [...]int{len(s.values), int(s.kinds), int(s.usual)}
		}
	}
}

// written is what a put can make of its slot.
func (c *checker) written(p *put) mask {
	s := c.slots[p.slot]
	if value, always := p.value.Literal(); always {
		return s.bit(value)
	}
	if p.from == nil {
		return c.computed(s, p)
	}
	steps := p.from.Steps()
	switch p.from.Root() {
	case expr.Arguments:
		if p.t == nil {
			return s.bit(nil)
		}
		return c.fromDomain(s, c.within(p.t.Input, steps))
	case expr.Input:
		return c.fromDomain(s, c.within(c.d.Input, steps))
	case expr.Context:
		if len(steps) == 1 {
			return c.fromSlot(s, c.slots[c.slotID(steps[0])])
		}
	case expr.Output:
		if value, sure := p.action(c.d).gives(steps); sure {
			return s.bit(value)
		}
	}
	return c.any(s, allKinds, allKinds)
}

// computed is what a mapping that is no path can make. One that makes a number of numbers is a sum or the like, which
// makes null of what is no number.
func (c *checker) computed(s *slot, p *put) mask {
	env := expr.Env{Context: map[string]any{}, Arguments: map[string]any{}, Input: map[string]any{}}
	usual := kindNumber
	for _, path := range p.value.Paths() {
		steps := path.Steps()
		var d domain
		switch {
		case len(steps) == 0:
			return c.any(s, allKinds, allKinds)
		case path.Root() == expr.Context:
			insert(env.Context, steps, 1.0)
			d = c.slots[c.slotID(steps[0])].domain(len(steps))
		case path.Root() == expr.Input:
			insert(env.Input, steps, 1.0)
			d = c.within(c.d.Input, steps)
		case path.Root() == expr.Arguments && p.t != nil:
			insert(env.Arguments, steps, 1.0)
			d = c.within(p.t.Input, steps)
		default:
			return c.any(s, allKinds, allKinds)
		}
		if d.all()&^(kindNumber|kindNull) != 0 {
			usual |= kindNull
		}
	}
	value, err := p.value.Eval(env)
	if _, number := value.(float64); err != nil || !number {
		return c.any(s, allKinds, allKinds)
	}
	return c.any(s, kindNumber|kindNull, usual)
}

// domain is what a slot is known to be; nothing is known of what is within it.
func (s *slot) domain(steps int) domain {
	if steps > 1 {
		return anything
	}
	return domain{values: s.values, open: s.open, kinds: s.usual}
}

// all are the kinds of everything in a domain.
func (d domain) all() kinds {
	var k kinds
	if d.open {
		k = d.kinds
	}
	for _, v := range d.values {
		k |= kindOf(v)
	}
	return k
}

// gives is what an executor that does nothing gives at a path.
func (a *Action) gives(steps []string) (any, bool) {
	switch {
	case a.Executor == nil, a.Executor.Kind == KindNoop && len(steps) > 0:
		return nil, true
	case a.Executor.Kind == KindNoop:
		return map[string]any{}, true
	}
	return nil, false
}

// any is whatever fits the slot, of some kinds.
func (c *checker) any(s *slot, of, usual kinds) mask {
	if s.schema != nil {
		d := valuesOf(c.decoded(s.schema))
		if !d.open {
			return c.fromDomain(s, d)
		}
		of, usual = of&d.kinds, usual&d.kinds
	}
	s.open, s.kinds, s.usual = true, s.kinds|of, s.usual|usual
	return others
}

// fromDomain is a domain as what a slot can be. What leads nowhere is written as null.
func (c *checker) fromDomain(s *slot, d domain) mask {
	var m mask
	if d.open {
		m |= c.any(s, d.kinds, d.kinds)
	}
	for _, value := range d.values {
		m |= s.bit(value)
	}
	if d.absent {
		m |= s.bit(nil)
	}
	return m
}

// fromSlot is what a slot can be once another is copied into it.
func (c *checker) fromSlot(s, from *slot) mask {
	if s == from {
		return s.all() | s.bit(nil)
	}
	var m mask
	if from.open {
		m |= c.any(s, from.kinds, from.usual)
	}
	for _, value := range from.values {
		m |= s.bit(value)
	}
	return m | s.bit(nil)
}
