package workflow

import "prax/tools/workflow/expr"

// writes finds what is written for nobody, or where nothing may be.
func (c *checker) writes() {
	read := map[int]bool{}
	for _, r := range c.readings {
		if r.put != r.slot {
			read[r.slot] = true
		}
	}
	if id, known := c.slotIDs["prompt"]; known && len(c.slots[id].readers) > 0 {
		read[id] = true
	}
	told := map[int]bool{}
	for _, p := range c.puts {
		if !c.reached[p.state] {
			continue
		}
		_, declared := c.d.Slots[c.slots[p.slot].name]
		if c.d.SlotsDeclared && !declared {
			f := c.putFinding(UndeclaredSlot, p, "is not one of the blackboard's")
			f.Severity = SeverityError
			c.add(f)
		}
		if !declared && !read[p.slot] && !told[p.slot] && !c.endless && c.goesOn(p) {
			told[p.slot] = true
			c.add(c.putFinding(UnreadWrite, p, "is read by nothing in the workflow: declare it in the blackboard if it is a result"))
		}
		c.removed(p)
		c.noOutput(p)
	}
}

func (c *checker) putFinding(code FindingCode, p *put, says string) Finding {
	s, name := c.d.States[p.state], c.slots[p.slot].name
	f := Finding{Code: code, State: s.Name, Path: c.path(p.state)}
	if p.t == nil {
		f.Pointer = s.pointer("onEnter", "output", name)
		f.Text = "the slot " + clip(name) + ", which the onEnter of the state " + s.Name + " writes, " + says
		return f
	}
	f.Transition, f.Path = p.t.Name, append(f.Path, p.t.Name)
	f.Pointer = p.t.pointer(s, "output", name)
	f.Text = "the slot " + clip(name) + ", which the transition " + p.t.Name + " of the state " + s.Name + " writes, " + says
	return f
}

// goesOn tells whether the workflow does once this is written. What the last step writes is the result.
func (c *checker) goesOn(p *put) bool {
	if p.t == nil {
		return !c.d.States[p.state].Terminal
	}
	for _, e := range c.out[p.state] {
		if e.t == p.t && !e.off && !c.state(e.to).Terminal {
			return true
		}
	}
	return false
}

// removed finds what belongs to the state that the transition leaves: it is removed at once.
func (c *checker) removed(p *put) {
	if p.t == nil {
		return
	}
	s, local := c.d.States[p.state], false
	for _, slot := range s.Slots {
		local = local || slot.Name == c.slots[p.slot].name
	}
	for _, e := range c.out[p.state] {
		local = local && (e.t != p.t || e.off || c.leaves(e) && !c.branchesOn(e.t, p.slot))
	}
	if local {
		c.add(c.putFinding(UnreadWrite, p, "is local to that state, and removed as the transition leaves it"))
	}
}

// branchesOn tells whether a branch of the transition reads a slot.
func (c *checker) branchesOn(t *Transition, slot int) bool {
	for _, b := range t.Branches {
		for _, p := range slotsRead([]*Guard{b.When}) {
			if c.slotID(p.Slot()) == slot {
				return true
			}
		}
	}
	return false
}

// noOutput finds outputs that are read where nothing gives any.
func (c *checker) noOutput(p *put) {
	for _, path := range p.value.Paths() {
		if path.Root() != expr.Output {
			continue
		}
		if value, sure := p.action(c.d).gives(path.Steps()); sure && value == nil {
			c.add(c.putFinding(NoOutput, p, "takes "+path.String()+", and nothing is run there that gives it"))
		}
	}
}
