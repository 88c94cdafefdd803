package workflow

// touch notes what each edge does with the slots.
func (c *checker) touch() {
	for _, e := range c.edges {
		list := touches{}
		switch e.kind {
		case moves, stays:
			c.touchTransition(e, list)
		case asking:
			if c.putEvidence(list, humanRequest); c.d.helps(e.t) {
				c.putEvidence(list, humanAnswer) // nothing else comes of it
			}
		case enters:
			a := c.state(e.to).OnEnter
			for _, p := range c.byAction[a] {
				list.put(p.slot, c.written(p))
			}
			c.touchForeign(list, a.Executor)
		}
		if e.kind != enters && c.leaves(e) {
			for _, s := range c.state(e.from).Slots {
				if id, known := c.slotIDs[s.Name]; known {
					list.of(id).clears = true
				}
			}
		}
		for id, t := range list {
			t.edge = e.id
			c.slots[id].touches = append(c.slots[id].touches, *t)
			if t.puts != 0 || t.clears {
				c.changed[e.id] = append(c.changed[e.id], id)
			}
		}
	}
}

// touches are those of one edge, by slot.
type touches map[int]*touch

func (list touches) of(id int) *touch {
	if list[id] == nil {
		list[id] = &touch{before: every, after: every}
	}
	return list[id]
}

func (list touches) put(id int, m mask) { list.of(id).puts |= m }

func (c *checker) touchTransition(e *edge, list touches) {
	s := c.state(e.from)
	for id, m := range c.needs(s, e.t) {
		list.of(id).before = m
	}
	for _, p := range c.byAction[&e.t.Action] {
		list.put(p.slot, c.written(p))
	}
	if e.t.asks() {
		c.putEvidence(list, humanRequest, humanApproval)
	}
	c.touchForeign(list, e.t.Executor)
	can := func(id int) mask {
		if t := list[id]; t != nil && t.puts != 0 && !t.weak {
			return t.puts
		}
		return c.anywhere(id)
	}
	r, _ := c.behindGuards(e, can)
	for id, m := range r.support {
		list.of(id).after &= m
	}
}

func (c *checker) putEvidence(list touches, kinds ...string) {
	for _, kind := range kinds {
		if id, known := c.slotIDs["\x00"+kind]; known {
			list.put(id, 1)
		}
	}
}

// touchForeign is for an executor that may make evidence of any kind.
func (c *checker) touchForeign(list touches, e *Executor) {
	if e == nil || e.known() {
		return
	}
	for id, s := range c.slots {
		if s.evidence {
			t := list.of(id)
			t.puts, t.weak = t.puts|1, t.puts == 0 || t.weak
		}
	}
}

// needs is what slots must be for the guards of a transition to hold, as far as that is known.
func (c *checker) needs(s *State, t *Transition) map[int]mask {
	found, known := c.needed[t]
	if known {
		return found
	}
	found = map[int]mask{}
	c.needed[t] = found
	for _, part := range conjuncts(t.Guards) {
		q := c.ask(s, t, c.anywhere).about(part...).build()
		r := q.answer(func() judged { return q.all(part) })
		if !r.complete {
			continue
		}
		for _, a := range q.axes {
			if a.slot < 0 {
				continue
			}
			if old, there := found[a.slot]; there {
				found[a.slot] = old & r.support[a.slot]
			} else {
				found[a.slot] = r.support[a.slot]
			}
		}
	}
	return found
}

// conjuncts are guards one by one, and then all together.
func conjuncts(guards []*Guard) [][]*Guard {
	var list [][]*Guard
	flatGuards := flat(guards)
	for _, g := range flatGuards {
		list = append(list, []*Guard{g})
	}
	if len(flatGuards) > 1 {
		list = append(list, flatGuards)
	}
	return list
}

// behindGuards judges what decides on an edge after the transition: its branch, those before it, and the while. The
// reply supports nothing where that is not complete.
func (c *checker) behindGuards(e *edge, can func(int) mask) (reply, bool) {
	s, guards := c.state(e.from), []*Guard{}
	for n, b := range e.t.Branches {
		if e.kind == moves && n <= e.branch {
			guards = append(guards, b.When)
		}
	}
	if s.While != nil && (e.kind == stays || c.leaves(e)) {
		guards = append(guards, s.While)
	}
	if len(guards) == 0 {
		return reply{holds: true}, false
	}
	q := c.ask(s, e.t, can).about(guards...).build()
	r := q.answer(func() judged { return judgedAs(q.leads(e)) })
	if !r.complete {
		r.support = nil
	}
	return r, r.complete
}

// leads tells whether the edge is the one that a transition takes.
func (q *question) leads(e *edge) bool {
	if e.kind == moves {
		for n, b := range e.t.Branches {
			holds := q.judge(b.When) == isTrue
			if n < e.branch && holds || n == e.branch && !holds {
				return false
			}
			if n >= e.branch {
				break
			}
		}
	}
	if q.s.While == nil || e.kind == moves && !q.c.leaves(e) {
		return true
	}
	return (q.judge(q.s.While) == isTrue) == (e.kind == stays)
}

// exclude turns off the edges that can be excluded where they are.
func (c *checker) exclude() {
	for i, s := range c.d.States {
		if s.Terminal || !c.reached[i] {
			continue
		}
		for _, t := range s.Transitions {
			if n, never := c.unsatisfiable(i, t); never {
				c.never[t] = n
			}
		}
		for _, e := range c.out[i] {
			if e.off || e.kind != moves && e.kind != stays {
				continue
			}
			if _, never := c.never[e.t]; never {
				c.turnOff(e)
			} else if r, complete := c.behindGuards(e, c.behind(i, e.t)); complete && !r.holds {
				c.turnOff(e)
			}
		}
	}
}

func (c *checker) turnOff(e *edge) {
	if !e.off {
		e.off = true
		c.offs++
	}
}

// unsatisfiable tells whether the guards of a transition never hold at a node: which of them, or -1 for all together.
func (c *checker) unsatisfiable(node int, t *Transition) (int, bool) {
	s := c.state(node)
	for n, part := range conjuncts(t.Guards) {
		q := c.ask(s, t, c.at(node)).about(part...).build()
		r := q.answer(func() judged { return q.all(part) })
		if r.complete && !r.holds {
			if n >= len(flat(t.Guards)) {
				n = -1
			}
			return n, true
		}
	}
	return 0, false
}
