package workflow

// law finds HIGH executors that could run without a person having said so: one stands only on a transition whose own
// actor is human. An executor whose tier nobody declared is taken for HIGH.
func (c *checker) law() {
	c.beginning()
	for _, s := range c.d.States {
		if s.OnEnter != nil && high(s.OnEnter.Executor) {
			c.add(Finding{
				Code: MisplacedHigh, Severity: SeverityError, State: s.Name, Pointer: s.pointer("onEnter", "executor"),
				Text: "the onEnter of the state " + s.Name + " is of risk high, which only a transition of a person may be",
			})
		}
		for _, t := range s.Transitions {
			if high(t.Executor) && t.Actor != Human {
				c.add(Finding{
					Code: MisplacedHigh, Severity: SeverityError, State: s.Name, Transition: t.Name, Pointer: t.pointer(s, "executor"),
					Text: "the transition " + t.Name + " of the state " + s.Name + " is of risk high, and its actor is not human",
				})
			}
		}
	}
}

// beginning finds an effect that would come before there is an instance.
func (c *checker) beginning() {
	s := c.d.State(c.d.Initial)
	if s == nil || s.OnEnter == nil || !s.OnEnter.Executor.Effect() {
		return
	}
	c.add(Finding{
		Code: MisplacedEffect, Severity: SeverityError, State: s.Name, Pointer: s.pointer("onEnter", "executor"),
		Text: "the onEnter of the state " + s.Name + " reaches outside, and the definition begins there, before there is anything that could remember it",
	})
}

// gates finds transitions that wait for somebody who is not there, and people who are not told what they are asked.
func (c *checker) gates() {
	for i, s := range c.d.States {
		if !c.reached[i] || s.Terminal {
			continue
		}
		for _, t := range s.Transitions {
			if _, never := c.never[t]; never {
				continue
			}
			if c.gated(t) {
				c.prompts(i, s, t)
			}
			c.answerable(i, s, t)
		}
	}
}

// prompts tells whether a person would be told anything.
func (c *checker) prompts(i int, s *State, t *Transition) {
	if !t.Prompt.IsZero() || t.Title != "" || !s.Goal.IsZero() || c.visible[i][c.slotID("prompt")]&^unset != 0 {
		return
	}
	c.add(Finding{
		Code: NoPromptSource, State: s.Name, Transition: t.Name, Path: c.path(i), Pointer: t.pointer(s),
		Text: "the transition " + t.Name + " of the state " + s.Name + " asks a person nothing: give it a prompt or a title, or the state a goal",
	})
}

// answerable holds the guards against who there is.
func (c *checker) answerable(i int, s *State, t *Transition) {
	if len(c.w.Callers) == 0 || t.Actor == Deterministic {
		return
	}
	for _, callers := range c.takers(t) {
		if len(callers) == 0 && !c.gated(t) {
			return // nobody could have started it
		}
		q := c.ask(s, t, c.at(i))
		q.callers = callers
		q.about(t.Guards...).build()
		if r := q.answer(func() judged { return q.all(t.Guards) }); r.holds || !r.complete {
			continue
		}
		f := Finding{Code: NobodyMay, State: s.Name, Transition: t.Name, Path: c.path(i), Pointer: t.pointer(s)}
		f.Text = "the transition " + t.Name + " of the state " + s.Name + " can be taken by nobody: no client has the roles and permissions that its guards ask for"
		if c.gated(t) {
			f.Code = UnanswerableGate
			f.Text = "the transition " + t.Name + " of the state " + s.Name + " waits for a person who is not there: no client of the role human has what its guards ask for"
		}
		if len(t.Guards) > 0 {
			f.Pointer += "/guards"
		}
		c.add(f)
		return
	}
}
