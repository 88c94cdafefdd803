package workflow

import (
	"strconv"
	"strings"
)

// guards finds what never holds.
func (c *checker) guards() {
	for i, s := range c.d.States {
		if !c.reached[i] {
			continue
		}
		for _, t := range s.Transitions {
			if n, never := c.never[t]; never {
				c.addNever(i, s, t, n)
				continue
			}
			c.branches(i, s, t)
		}
		if s.While == nil || s.Terminal {
			continue
		}
		if held, _ := c.couldHold(i, s, nil, s.While, c.at(i)); !held && !c.moved(i, s, []*Guard{s.While}) {
			c.add(Finding{
				Code: UnsatisfiableGuard, Severity: SeverityError, State: s.Name, Path: c.path(i), Pointer: s.pointer("while"),
				Text: "the while of the state " + s.Name + " never holds" + c.because(i, []*Guard{s.While}, c.at(i)),
			})
		}
	}
}

func (c *checker) addNever(i int, s *State, t *Transition, n int) {
	f := Finding{
		Code: UnsatisfiableGuard, Severity: SeverityError, State: s.Name, Transition: t.Name, Path: c.path(i), Pointer: t.pointer(s, "guards"),
	}
	of, which := " of the transition "+t.Name+" of the state "+s.Name, t.Guards
	if n >= 0 && len(flat(t.Guards)) == len(t.Guards) {
		f.Pointer += "/" + strconv.Itoa(n)
		which = t.Guards[n : n+1]
	}
	if len(which) == 1 {
		f.Text = "the guard of kind " + string(which[0].Kind) + of + " never holds"
	} else {
		f.Text = "the guards" + of + " never hold together"
	}
	f.Text += c.because(i, which, c.at(i))
	c.add(f)
}

// branches finds those that are never taken.
func (c *checker) branches(i int, s *State, t *Transition) {
	if len(t.Branches) == 0 {
		return
	}
	for _, e := range c.out[i] {
		if e.t != t || e.kind != moves || e.branch >= len(t.Branches) {
			continue
		}
		f := Finding{
			Code: UnsatisfiableGuard, State: s.Name, Transition: t.Name, Path: append(c.path(i), t.Name),
			Pointer: t.pointer(s, "branches", strconv.Itoa(e.branch), "when"),
		}
		says := "branch " + strconv.Itoa(e.branch+1) + " of the transition " + t.Name + " of the state " + s.Name
		when := t.Branches[e.branch].When
		if could, _ := c.couldHold(i, s, t, when, c.behind(i, t)); !could {
			f.Severity, f.Text = SeverityError, says+" never holds"+c.because(i, []*Guard{when}, c.behind(i, t))
			c.add(f)
		} else if r, complete := c.firstOf(e, i); complete && !r.holds {
			f.Text = says + " is never taken: where it holds, one before it does"
			c.add(f)
		}
	}
}

// firstOf judges a branch among those before it, whatever the while says.
func (c *checker) firstOf(e *edge, i int) (reply, bool) {
	q := c.ask(c.d.States[i], e.t, c.behind(i, e.t))
	for _, b := range e.t.Branches[:e.branch+1] {
		q.about(b.When)
	}
	q.build()
	r := q.answer(func() judged {
		for n, b := range e.t.Branches[:e.branch+1] {
			if holds := q.judge(b.When) == isTrue; holds != (n == e.branch) {
				return isFalse
			}
		}
		return isTrue
	})
	return r, r.complete
}

// couldHold tells whether a guard can hold, and whether that is known.
func (c *checker) couldHold(i int, s *State, t *Transition, g *Guard, can func(int) mask) (bool, bool) {
	q := c.ask(s, t, can).about(g).build()
	r := q.answer(func() judged { return q.judge(g) })
	return r.holds || !r.complete, r.complete
}

// because says what is known of what guards read.
func (c *checker) because(i int, guards []*Guard, can func(int) mask) string {
	var known []string
	seen := map[int]bool{}
	for _, p := range slotsRead(guards) {
		id := c.slotID(p.Slot())
		m, s := can(id), c.slots[id]
		if seen[id] || m&others != 0 {
			continue
		}
		seen[id] = true
		known = append(known, s.path()+" "+s.described(m))
	}
	leaf(guards, func(g *Guard) {
		for _, r := range g.Requires {
			id := c.evidenceID(r.Kind)
			switch {
			case can(id) == unset && !seen[id]:
				known = append(known, "nothing on the way there makes evidence of the kind "+clip(r.Kind))
			case c.impossible(r) && !seen[id]:
				known = append(known, "evidence of the kind "+clip(r.Kind)+" has no confidence, and a request no digest")
			}
			seen[id] = true
		}
	})
	if len(known) == 0 {
		return ""
	}
	return ": " + strings.Join(known, ", ")
}

// described words what a slot can be.
func (s *slot) described(m mask) string {
	const few = 4
	var words []string
	for n, v := range s.values {
		if m&(1<<n) != 0 && len(words) <= few {
			words = append(words, spell(v))
		}
	}
	if len(words) > few {
		words[few] = "…"
	}
	switch {
	case len(words) == 0:
		return "is never set"
	case m&unset != 0:
		return "is only ever " + strings.Join(words, " or ") + " or not set"
	}
	return "is only ever " + strings.Join(words, " or ")
}

// outcomes finds those that no end can meet.
func (c *checker) outcomes() {
	ends := false
	for _, i := range c.endings() {
		ends = ends || c.reached[i]
	}
	if !ends {
		return
	}
	for n, o := range c.d.Outcomes {
		met := false
		for i, s := range c.d.States {
			if s.Terminal && c.reached[i] && !met {
				met, _ = c.couldHold(i, s, nil, o.Check, c.at(i))
			}
		}
		if !met {
			c.add(Finding{
				Code: UnsatisfiableGuard, Severity: SeverityError, Pointer: pointer("outcomes", strconv.Itoa(n), "check"),
				Text: "the outcome " + clip(o.ID) + " is never met: no terminal state that can be reached has what it asks for",
			})
		}
	}
}
