package workflow

import (
	"reflect"
	"slices"

	"prax/tools/workflow/expr"
)

// exit is a transition that leads on.
type exit struct {
	t     *Transition
	puts  []*put // whose slots may refuse what is put
	inner []*question
}

// sticking finds states in which an instance can come to rest with nothing that can be taken: for each case of what
// is as it is, there must be a transition that somebody can take with some arguments.
func (c *checker) sticking() {
	if c.endless {
		return
	}
	for i, s := range c.d.States {
		if s.Terminal || !c.reached[i] || !c.finishes[i] || c.patient[i] || c.flagged[i] {
			continue
		}
		if told, sticks := c.stuck(i, s); sticks {
			c.add(Finding{
				Code: MayStick, State: s.Name, Path: c.path(i), Pointer: s.pointer("transitions"),
				Text: "the state " + s.Name + c.by(i) + " may stick: no transition that leads on can be taken" + when(told),
			})
		}
	}
}

// stuck looks for a case in which no exit can be taken.
func (c *checker) stuck(i int, s *State) (string, bool) {
	var exits []*exit
	for _, t := range s.Transitions {
		if _, never := c.never[t]; never || !c.reliable(i, s, t) {
			continue
		}
		x := &exit{t: t, puts: c.fallible(t)}
		if len(t.Guards) == 0 && len(x.puts) == 0 {
			return "", false
		}
		exits = append(exits, x)
	}
	if len(exits) == 0 {
		return "", true
	}
	q := c.ask(s, nil, c.at(i))
	q.usual, q.numbers = true, map[string][]float64{}
	for _, x := range exits {
		q.about(x.t.Guards...)
		c.aboutPuts(q, x.puts)
	}
	q.buildWorld()
	for _, x := range exits {
		for _, callers := range c.takers(x.t) {
			x.inner = append(x.inner, q.within(x.t, callers).about(x.t.Guards...).buildCaller())
		}
	}
	told, sticks := "", false
	q.each(func() bool {
		if slices.ContainsFunc(exits, func(x *exit) bool { return c.open(q, x) }) || !c.fitting(q) {
			return true
		}
		told, sticks = q.told(), true
		return false
	})
	return told, sticks
}

// open tells whether an exit can be taken, by everybody that it takes.
func (c *checker) open(q *question, x *exit) bool {
	for _, inner := range x.inner {
		can := false
		tried := inner.each(func() bool {
			can = inner.all(x.t.Guards) == isTrue
			return !can
		})
		if tried && !can {
			return false
		}
	}
	for _, p := range x.puts {
		value, err := p.value.Eval(*q.env)
		if err != nil || len(c.slots[p.slot].schema.Check(value)) > 0 {
			return false
		}
	}
	return true
}

// fitting tells whether what the context is in this case can be: what was put into a slot fits it.
func (c *checker) fitting(q *question) bool {
	for name, value := range q.env.Context {
		s := c.slots[c.slotID(name)]
		if initial, there := c.d.InitialContext[name]; s.schema == nil || there && reflect.DeepEqual(initial, value) {
			continue
		}
		if len(s.schema.Check(value)) > 0 {
			return false
		}
	}
	return true
}

// reliable tells whether a transition leads on each time: out of the state, or at least to something that another one
// waits for; without a bound that can be used up before, and without options that may be missing.
func (c *checker) reliable(i int, s *State, t *Transition) bool {
	leaves := false
	for _, e := range c.out[i] {
		leaves = leaves || e.t == t && !e.off && e.kind == moves && c.leaves(e)
		if e.t == t && c.hidden(e) {
			return false
		}
	}
	switch {
	case !leaves && !c.helps(i, s, t):
		return false
	case t.MaxFires > 0 && (!leaves || t.asks() || s.While != nil || len(t.Branches) > 0):
		return false
	case leaves && s.While != nil && !c.moved(i, s, []*Guard{s.While}):
		return false
	}
	return t.Choices == nil || c.optionsOf(i, t.Choices)
}

// helps tells whether what a transition does in the state is what another one waits for.
func (c *checker) helps(i int, s *State, t *Transition) bool {
	if c.awaitedIn != i || c.awaited == nil {
		c.awaitedIn, c.awaited = i, map[int][]*Transition{}
		for _, other := range s.Transitions {
			for id := range c.slotsOf(other.Guards) {
				c.awaited[id] = append(c.awaited[id], other)
			}
		}
	}
	for _, e := range c.out[i] {
		if e.t != t || e.off {
			continue
		}
		for _, id := range c.changed[e.id] {
			if n := len(c.awaited[id]); n > 1 || n == 1 && c.awaited[id][0] != t {
				return true
			}
		}
	}
	return false
}

// moved tells whether something in the state changes what guards read.
func (c *checker) moved(i int, s *State, guards []*Guard) bool {
	return slices.ContainsFunc(s.Transitions, func(t *Transition) bool { return c.touched(i, t, guards) })
}

func (c *checker) touched(i int, t *Transition, guards []*Guard) bool {
	read := c.slotsOf(guards)
	for _, e := range c.out[i] {
		if e.t != t || e.off {
			continue
		}
		if slices.ContainsFunc(c.changed[e.id], func(id int) bool { return read[id] }) {
			return true
		}
	}
	return false
}

// slotsOf are the slots that guards read, those of evidence among them.
func (c *checker) slotsOf(guards []*Guard) map[int]bool {
	read := map[int]bool{}
	for _, p := range slotsRead(guards) {
		read[c.slotID(p.Slot())] = true
	}
	leaf(guards, func(g *Guard) {
		for _, r := range g.Requires {
			read[c.evidenceID(r.Kind)] = true
		}
	})
	return read
}

// optionsOf tells whether a gate always has options.
func (c *checker) optionsOf(i int, from *Choices) bool {
	s := c.slots[c.slotID(from.From.Slot())]
	m := c.visible[i][c.slotID(from.From.Slot())]
	if m&(unset|others) != 0 {
		return false
	}
	for n, value := range s.values {
		if m&(1<<n) == 0 {
			continue
		}
		probe := &Instance{Context: map[string]any{s.name: value}}
		if _, defect := choices(probe, from); defect != "" {
			return false
		}
	}
	return true
}

// fallible are the outputs of a transition that its slots may refuse, depending on the context.
func (c *checker) fallible(t *Transition) []*put {
	var list []*put
	for _, p := range c.byAction[&t.Action] {
		if _, always := p.value.Literal(); always || c.slots[p.slot].schema == nil {
			continue
		}
		if !slices.ContainsFunc(p.value.Paths(), func(path expr.Path) bool { return path.Root()&(expr.Context|expr.Input) == 0 }) {
			list = append(list, p)
		}
	}
	return list
}

// aboutPuts takes in what outputs read, and the bounds of what they read and write.
func (c *checker) aboutPuts(q *question, puts []*put) {
	for _, p := range puts {
		for _, path := range p.value.Paths() {
			q.see(path).only = false
			if len(path.Steps()) == 1 && path.Root() == expr.Context {
				q.numbers[path.String()] = append(q.numbers[path.String()], c.bounds(c.slots[c.slotID(path.Slot())].schema)...)
			}
			q.numbers[path.String()] = append(q.numbers[path.String()], c.bounds(c.slots[p.slot].schema)...)
		}
	}
}

// bounds are the numbers that a schema names as such.
func (c *checker) bounds(s *Schema) []float64 {
	object, _ := c.decoded(s).(map[string]any)
	var list []float64
	for _, key := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		if n, ok := object[key].(float64); ok {
			list = append(list, n)
		}
	}
	return list
}

// takers are those who must be able to take a transition, each of them: nil stands for anybody. What asks a person has
// to hold for that person, too.
func (c *checker) takers(t *Transition) [][]Caller {
	if len(c.w.Callers) == 0 {
		return [][]Caller{nil}
	}
	people, owners := []Caller{}, []Caller{}
	for _, caller := range c.w.Callers {
		if caller.Human() {
			people = append(people, caller)
		}
		if !caller.Overseer {
			owners = append(owners, caller)
		}
	}
	switch {
	case t.Actor == Human:
		return [][]Caller{people}
	case t.asks():
		return [][]Caller{people, owners}
	}
	return [][]Caller{owners}
}
