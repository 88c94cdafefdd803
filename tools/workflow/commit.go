package workflow

import "slices"

// commit makes the step one of the instance's.
func (s *stage) commit() {
	i := &s.m.next
	i.Version++
	i.State, i.Context, i.Memo, i.Parked = s.to.Name, s.context, s.memo, nil
	i.Open = !s.to.Terminal
	if s.r.Summary != "" {
		i.Summary = s.r.Summary
	}
	if s.r.Approved {
		s.m.change.Consumed = s.r.Approval
	}
	for n := range s.evidence {
		s.evidence[n].Seq = i.Version
	}
	i.Evidence = append(i.Evidence, s.evidence...)
	s.m.change.Evidence = append(s.m.change.Evidence, s.evidence...)
	s.m.change.Steps = append(s.m.change.Steps, s.step())
	s.m.results, s.m.used = nil, 0 // they were this step's: the next one has its own
	s.m.note()
	s.record()
}

func (s *stage) step() Step {
	step := Step{
		Seq: s.m.next.Version, Kind: s.kind, To: s.to.Name, Actor: s.actor(),
		Client: s.m.by.Client, User: s.m.by.User,
		Arguments: s.r.Arguments, Output: s.output, Delta: s.delta,
		Removed: slices.Clip(s.removed), Evidence: s.evidence,
	}
	if s.from != nil {
		step.From = s.from.Name
	}
	if s.t != nil {
		step.Transition, step.Light = s.t.Name, s.t.Light
	}
	return step
}

// actor is who makes the step.
func (s *stage) actor() Actor {
	switch {
	case s.kind == StepTimeout:
		return ""
	case s.kind == StepChain, s.r.Kind == StepChain:
		return Deterministic
	case s.m.by.Human():
		return Human
	}
	return Agent
}
