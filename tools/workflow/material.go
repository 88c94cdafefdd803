package workflow

import "prax/auth"

// question asks a person, at once or after what would be run has been resolved.
func (s *stage) question() *halt {
	e := s.t.Executor
	switch {
	case !e.within(s.t, s.kind == StepChain):
		return &halt{refusal: forbidden()}
	case !e.Effect():
		s.ask(Result{})
		s.commit()
		return nil
	case s.m.by.Out:
		return &halt{refusal: out()}
	}
	effect := s.effect(e, s.from, false)
	effect.Ask = true
	effect.Env.Version++ // the request is a step, and the run comes after it
	return &halt{effect: effect}
}

// propose asks a person whether an effect may run, now that it is known what would be.
func (m *move) propose(e *Effect, r Result) Decision {
	request := e.Request
	request.Approved = false
	s, refusal := m.stage(request)
	switch {
	case refusal != nil:
	case s.t == nil || e.OnEnter || s.t.Actor != Human || !s.t.Executor.Effect():
		refusal = forbidden()
	case m.next.Busy != nil:
		refusal = m.next.waits()
	case r.Failure != nil:
		refusal = refuse(ExecutorFailed, r.Failure.Message)
		refusal.Class = r.Failure.Class
	case m.by.Out:
		refusal = out()
	}
	if refusal != nil {
		return m.reject(refusal.of(e.Transition))
	}
	s.ask(r)
	s.commit()
	return m.done()
}

// ask makes the step that opens an approval: the state stays, and the move waits for a person's answer. One that asks
// anew, because what was approved does not hold any more, has counted already.
func (s *stage) ask(would Result) {
	s.kind, s.to = StepRequest, s.from
	if s.r.Digest == "" {
		s.memo = s.memo.fired(s.m.d, s.t)
	}
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
	tier := s.t.Executor.Tier
	if tier != auth.TierUnknown {
		tier = max(tier, would.Tier)
	}
	s.m.change.Ask = &Ask{
		Transition: s.t, Arguments: s.r.Arguments, Queue: s.t.Executor.queue(), Tier: tier, Material: s.material(tier, would.Material),
	}
}

// MaterialExecutor is the member of what a person is shown that says what would be run.
const MaterialExecutor = "executor"

// material is what a person is shown of a move, and what the answer binds.
func (s *stage) material(tier auth.Tier, would map[string]any) map[string]any {
	i := &s.m.next
	gate := s.m.d.gate(i, s.t)
	material := map[string]any{
		"workflowId": i.ID, "definitionId": s.m.d.ID, "definitionHash": s.m.d.Hash,
		"state": i.State, "version": i.Version + 1, "transition": s.t.Name, "targets": s.t.targets(),
		"arguments": s.r.Arguments, "queue": s.t.Executor.queue(), "tier": tier.String(),
		"client": s.m.by.Client, "user": i.User, "prompt": gate.Prompt,
	}
	if would != nil {
		material[MaterialExecutor] = would
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
