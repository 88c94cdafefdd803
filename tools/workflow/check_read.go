package workflow

import (
	"slices"
	"strconv"

	"prax/tools/workflow/expr"
)

// reading is one place at which a member of the context is read.
type reading struct {
	slot    int
	path    expr.Path
	node    int
	t       *Transition // nil: of the state, or of the definition
	guards  []*Guard    // of which it is one; nil: it is no guard that reads it
	behind  bool        // once the output of the transition is in place
	outcome bool
	put     int    // the slot that is written with it; -1: none
	says    string // what reads it
	pointer string
}

// sites finds all of them. What stands in a terminal state counts, too.
func (c *checker) sites() {
	for i, s := range c.d.States {
		c.siteText(i, nil, s.Goal, "the goal", s.pointer("goal"))
		c.siteText(i, nil, s.Guidance, "the guidance", s.pointer("guidance"))
		if s.OnEnter != nil {
			c.siteAction(c.entry[i], nil, s.OnEnter, s.pointer("onEnter"))
		}
		if s.While != nil {
			c.siteGuards(i, nil, []*Guard{s.While}, "the while", s.pointer("while"))
		}
		for _, t := range s.Transitions {
			c.siteTransition(i, t)
		}
	}
	for n, o := range c.d.Outcomes {
		for i, s := range c.d.States {
			if s.Terminal {
				c.siteGuards(i, nil, []*Guard{o.Check}, "the outcome "+o.ID, pointer("outcomes", strconv.Itoa(n), "check"))
			}
		}
	}
}

func (c *checker) site(r reading) {
	name := r.path.Slot()
	if name == "" {
		return
	}
	r.slot = c.slotID(name)
	c.slots[r.slot].readers[r.node] = true
	c.readings = append(c.readings, r)
}

func (c *checker) siteText(node int, t *Transition, text expr.Template, says, at string) {
	for _, p := range text.Paths() {
		c.site(reading{path: p, node: node, t: t, put: -1, says: says, pointer: at})
	}
}

func (c *checker) siteAction(node int, t *Transition, a *Action, at string) {
	for _, p := range c.byAction[a] {
		says, here := "the output "+c.slots[p.slot].name, at+pointer("output", c.slots[p.slot].name)
		for _, path := range p.value.Paths() {
			c.site(reading{path: path, node: node, t: t, put: p.slot, says: says, pointer: here})
		}
	}
}

func (c *checker) siteTransition(i int, t *Transition) {
	s := c.d.States[i]
	c.siteGuards(i, t, t.Guards, "a guard", t.pointer(s, "guards"))
	c.siteAction(i, t, &t.Action, t.pointer(s))
	for n, b := range t.Branches {
		c.siteGuards(i, t, []*Guard{b.When}, "branch "+strconv.Itoa(n+1), t.pointer(s, "branches", strconv.Itoa(n), "when"))
	}
	for _, p := range t.Prefill {
		for _, path := range p.Value.Paths() {
			c.site(reading{path: path, node: i, t: t, put: -1, says: "the prefill of " + p.Name, pointer: t.pointer(s, "prefill", p.Name)})
		}
	}
	for n, p := range t.Presents {
		c.site(reading{path: p, node: i, t: t, put: -1, says: "what it presents", pointer: t.pointer(s, "presents", strconv.Itoa(n))})
	}
	if t.Choices != nil {
		c.site(reading{path: t.Choices.From, node: i, t: t, put: -1, says: "its choices", pointer: t.pointer(s, "choices", "from")})
	}
	c.siteText(i, t, t.Prompt, "its prompt", t.pointer(s, "prompt"))
	if c.gated(t) {
		c.slots[c.slotID("prompt")].readers[i] = true
	}
}

// siteGuards notes what guards read. Those of branches and outcomes, and a while, are no guards of a transition.
func (c *checker) siteGuards(node int, t *Transition, guards []*Guard, says, at string) {
	first := says == "a guard"
	for n, g := range guards {
		here := at
		if first {
			here += "/" + strconv.Itoa(n)
		}
		for _, p := range slotsRead([]*Guard{g}) {
			c.site(reading{
				path: p, node: node, t: t, guards: guards, behind: t != nil && !first, outcome: node < len(c.d.States) && t == nil && c.d.States[node].Terminal,
				put: -1, says: says, pointer: here,
			})
		}
	}
	leaf(guards, func(g *Guard) {
		for _, r := range g.Requires {
			c.slots[c.evidenceID(r.Kind)].readers[node] = true
		}
	})
}

// gated tells whether a person is asked by the transition.
func (c *checker) gated(t *Transition) bool { return t.Actor == Human || t.asks() }

// reads finds what is read where it may not be there.
func (c *checker) reads() {
	seen := map[string]bool{}
	for _, r := range c.readings {
		key := r.pointer + " " + r.path.String()
		if !c.reached[r.node] || seen[key] {
			continue
		}
		m := c.visible[r.node][r.slot]
		if r.behind {
			m = c.behind(r.node, r.t)(r.slot)
		}
		switch {
		case m&unset == 0 || r.put == r.slot && c.slots[r.slot].written && m != 0:
			continue
		case r.outcome && !c.neverSet(r):
			continue
		case m != unset:
			c.maybeUnset(r)
		default:
			c.notWritten(r)
		}
		seen[key] = true
	}
}

// neverSet tells whether no terminal state has what an outcome reads.
func (c *checker) neverSet(r reading) bool {
	for i, s := range c.d.States {
		if s.Terminal && c.reached[i] && c.visible[i][r.slot] != unset {
			return false
		}
	}
	return true
}

func (c *checker) finding(code FindingCode, r reading) Finding {
	f := Finding{Code: code, State: c.state(r.node).Name, Path: c.path(r.node), Pointer: r.pointer}
	if r.t != nil {
		f.Transition = r.t.Name
	}
	if r.outcome {
		f.State, f.Path = "", nil
	}
	return f
}

// reader words what reads.
func (r *reading) reader(c *checker) string {
	switch {
	case r.outcome:
		return r.says
	case r.t != nil:
		return r.says + " of the transition " + r.t.Name + " of the state " + c.state(r.node).Name
	}
	return r.says + " of the state " + c.state(r.node).Name
}

func (c *checker) notWritten(r reading) {
	if r.tested() && c.slots[r.slot].written {
		return
	}
	f := c.finding(SlotNeverWritten, r)
	f.Severity = SeverityError
	f.Text = r.reader(c) + " reads " + r.path.String() + ", which nothing on the way there writes"
	if name := c.slots[r.slot].name; c.isInput(name) {
		f.Text += ": it is an input, which is read as $.workflow.input." + name
	}
	c.add(f)
}

// isInput tells whether the definition's input has a member of this name.
func (c *checker) isInput(name string) bool {
	object, _ := c.decoded(c.d.Input).(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	_, known := properties[name]
	return known
}

// tested tells whether the guards ask if it is there.
func (r *reading) tested() bool {
	found := false
	leaf(r.guards, func(g *Guard) {
		for _, p := range g.Expr.Tested() {
			found = found || p.Slot() == r.path.Slot()
		}
	})
	return found
}

// maybeUnset is about what some way there has not written. Guards for which it makes no difference are left alone.
func (c *checker) maybeUnset(r reading) {
	if len(c.warnings) >= MaxFindings {
		return
	}
	if r.guards != nil {
		can := c.at(r.node)
		if r.behind {
			can = c.behind(r.node, r.t)
		}
		q := c.ask(c.state(r.node), r.t, can).about(r.guards...).build()
		found := q.answer(func() judged { return q.all(r.guards) })
		if r.tested() || found.complete && !found.unset[r.slot] {
			return
		}
	}
	f := c.finding(SlotMaybeUnset, r)
	f.Path = c.avoiding(r)
	f.Text = r.reader(c) + " reads " + r.path.String() + ", which is not written on every way there"
	if len(f.Path) > 0 {
		f.Text += ": not on " + arrowed(f.Path)
	}
	c.add(f)
}

// avoiding is the shortest way to where a slot is read on which it is not set.
func (c *checker) avoiding(r reading) []string {
	touching := map[int]*touch{}
	for i := range c.slots[r.slot].touches {
		t := &c.slots[r.slot].touches[i]
		touching[t.edge] = t
	}
	if c.atStart(r.slot) != unset {
		return nil
	}
	came, seen := make([]*edge, len(c.nodes)), make([]bool, len(c.nodes))
	seen[c.start] = true
	for queue := []int{c.start}; len(queue) > 0 && !seen[r.node]; queue = queue[1:] {
		for _, e := range c.out[queue[0]] {
			t := touching[e.id]
			if e.off || seen[e.to] || t != nil && t.apply(unset) != unset {
				continue
			}
			seen[e.to], came[e.to] = true, e
			queue = append(queue, e.to)
		}
	}
	var path []string
	for e := came[r.node]; e != nil; e = came[e.from] {
		if label := e.label(); label != "" {
			path = append(path, label)
		}
	}
	slices.Reverse(path)
	return path
}
