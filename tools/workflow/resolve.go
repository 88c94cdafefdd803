package workflow

import "time"

// Resolve answers the open approval. Yes takes the transition with the arguments that were asked about, as a step of
// the person who answers, under whom the guards are judged again; no is a step of its own that leaves the state. Who
// answers must be a person, and must name the digest of what was shown.
func (d *Definition) Resolve(i *Instance, c Caller, a Answer, now time.Time) Decision {
	m := d.move(i, c, now)
	if r := m.ended(); r != nil {
		return Decision{Refusal: r}
	}
	if d.overdue(i, now) && d.OnTimeout != "" {
		return m.tooLate("")
	}
	t, r := m.answerable(a)
	if r != nil {
		return m.reject(r)
	}
	if !a.Approve {
		return m.decline(t, a)
	}
	if v := m.judge(t, i.Parked.Arguments); v.truth != yes {
		return m.reject(v.refusal().of(t.Name))
	}
	request := Request{
		Kind: StepTransition, Transition: t.Name, Version: i.Version, Arguments: i.Parked.Arguments,
		Note: clipTo(a.Note, MaxSummary),
	}
	request.approve(i.Parked, c)
	return m.run(request, nil)
}

// approve makes a request one that a person said yes to.
func (r *Request) approve(p *Parked, by Caller) {
	r.Approved, r.Approval, r.Digest = true, p.Approval, p.Digest
	r.Client, r.User = by.Client, by.User
}

// answerable finds what an answer is about.
func (m *move) answerable(a Answer) (*Transition, *Refusal) {
	p := m.next.Parked
	switch {
	case !m.by.Human():
		return nil, refuse(ActorMismatch, "an approval is answered by a person: it needs a client of the role human")
	case m.next.Busy != nil:
		return nil, m.next.waits()
	case p == nil || p.Approval != a.Approval:
		return nil, refuse(ApprovalNotOpen, "this approval is not open: it was answered, or the workflow moved on")
	case !m.now.Before(p.Expires):
		return nil, refuse(ApprovalExpired, "nobody answered this approval in time").of(p.Transition)
	case p.Digest != a.Digest:
		return nil, refuse(ApprovalMismatch, "the answer names another digest than that of what is to be approved").of(p.Transition)
	}
	t := m.d.offer(m.state(), p.Transition)
	if t == nil || !t.answerable() {
		return nil, refuse(Corrupt, "the approval is about a transition that the state "+m.next.State+" does not have")
	}
	return t, nil
}

// decline is the step by which a person says no.
func (m *move) decline(t *Transition, a Answer) Decision {
	i := &m.next
	m.trail = append(m.trail, resolved(a.Approval, t, "rejected"))
	i.Version++
	m.change.Steps = []Step{{
		Seq: i.Version, Kind: StepRejection, Transition: t.Name, From: i.State, To: i.State, Actor: Human,
		Client: m.by.Client, User: m.by.User, Arguments: i.Parked.Arguments, Output: answered("rejected", t.Executor, a.Approval, m.by.Client, a.Note),
	}}
	m.change.Rejected = a.Approval
	i.Parked = nil
	m.note()
	return m.done()
}

func resolved(approval string, t *Transition, outcome string) Fact {
	return Fact{"human.approval.resolved", map[string]any{
		"requestId": approval, "transition": t.Name, "queue": t.Executor.queue(), "outcome": outcome,
	}}
}

func answered(status string, e *Executor, approval, by, note string) map[string]any {
	output := map[string]any{"queue": e.queue(), "requestId": approval, "status": status, "by": by}
	if note != "" {
		output["note"] = note
	}
	return output
}

// approved is what a human executor gives once a person said yes, with the evidence of it.
func (s *stage) approved(e *Executor, onEnter bool) (any, *halt) {
	if onEnter || !s.r.Approved || s.t == nil {
		return nil, halted(ExecutorFailed, "a person can be asked by a transition only")
	}
	s.witness()
	return answered("approved", e, s.r.Approval, s.r.Client, s.r.Note), nil
}

// witness notes that a person said yes, with the evidence of it.
func (s *stage) witness() {
	approval := Evidence{
		Kind: humanApproval, URI: s.r.Approval, Summary: s.r.Note, Digest: s.r.Digest, Client: s.r.Client, User: s.r.User,
	}
	if s.m.d.helps(s.t) {
		approval.Kind = humanAnswer
	}
	s.evidence = append(s.evidence, approval)
	s.before = append(s.before, resolved(s.r.Approval, s.t, "approved"))
}
