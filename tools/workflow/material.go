package workflow

// ask makes the step that opens an approval: the state stays, and the move waits for a person's answer.
func (s *stage) ask() {
	s.kind, s.to = StepRequest, s.from
	s.memo = s.memo.fired(s.m.d, s.t)
	s.output = map[string]any{"queue": s.t.Executor.queue(), "status": "queued"}
	s.evidence = []Evidence{{
		Kind: "human_request", URI: s.r.Approval, Summary: "asked " + s.t.Executor.queue(),
		Client: s.m.by.Client, User: s.m.by.User,
	}}
	requested := map[string]any{"queue": s.t.Executor.queue(), "transition": s.t.Name}
	if s.r.Approval != "" {
		requested["requestId"] = s.r.Approval
	}
	s.facts = append(s.facts, Fact{"human.approval.requested", requested})
	s.m.change.Ask = &Ask{
		Transition: s.t, Arguments: s.r.Arguments, Queue: s.t.Executor.queue(), Material: s.material(),
	}
}

// material is what a person is shown of a move, and what the answer binds.
func (s *stage) material() map[string]any {
	i := &s.m.next
	gate := s.m.d.gate(i, s.t)
	material := map[string]any{
		"workflowId": i.ID, "definitionId": s.m.d.ID, "definitionHash": s.m.d.Hash,
		"state": i.State, "version": i.Version + 1, "transition": s.t.Name, "targets": s.t.targets(),
		"arguments": s.r.Arguments, "queue": s.t.Executor.queue(), "tier": s.t.Executor.Tier.String(),
		"client": s.m.by.Client, "user": i.User, "prompt": gate.Prompt,
	}
	if gate.Presented != nil {
		material["presented"] = gate.Presented
	}
	if gate.Defect != "" {
		material["defect"] = gate.Defect
	}
	return material
}

// queue is who is asked.
func (e *Executor) queue() string {
	if e.Queue == "" {
		return DefaultQueue
	}
	return e.Queue
}

// targets are the states that the transition can lead to.
func (t *Transition) targets() []any {
	targets := []any{t.Target}
	for _, b := range t.Branches {
		targets = append(targets, b.Target)
	}
	return targets
}
