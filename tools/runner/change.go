package runner

import (
	"context"
	"errors"
	"fmt"

	"prax/store"
	"prax/tools/workflow"
)

// How often a change is decided when others are faster: a move names the version that it is about, so that a second
// look tells why it is too late; what must not be lost is tried more often.
const (
	triesOfMove   = 2
	triesOfCancel = 16
)

// decide asks the engine about an instance.
type decide func(*sight) workflow.Decision

// change decides and commits, and answers who was overtaken with what is there then. What it sets going it waits for,
// as long as the caller does.
func (r *Runner) change(ctx context.Context, c *call, id, transition string, tries int, ask decide) (*Answer, error) {
	a, err := r.try(ctx, c, id, transition, tries, ask)
	if errors.Is(err, store.ErrConflict) {
		return r.overtaken(ctx, c, id, transition)
	}
	if err != nil {
		return nil, err
	}
	return r.await(ctx, c, a)
}

// try decides and commits. When somebody else was faster it decides anew on what is there then; the error is
// [store.ErrConflict] when that did not help.
func (r *Runner) try(ctx context.Context, c *call, id, transition string, tries int, ask decide) (*Answer, error) {
	for n := 1; ; n++ {
		s, err := r.look(ctx, c, id)
		if err != nil {
			return nil, err
		}
		a, err := r.carryOut(ctx, c, s, transition, ask(s))
		if n == tries || !errors.Is(err, store.ErrConflict) {
			return a, err
		}
	}
}

// carryOut does what a decision says, and sets going what it leads to. outcomes are those that it comes from. An error
// that is [store.ErrConflict] says that the instance moved on meanwhile.
func (r *Runner) carryOut(ctx context.Context, c *call, s *sight, transition string, d workflow.Decision, outcomes ...*outcome) (*Answer, error) {
	if d.Refusal != nil {
		return r.refuse(c, s, transition, d), nil
	}
	permit := r.drives.enter()
	defer permit.leave()
	a, next, err := r.persist(ctx, c, s, d, outcomes)
	if err == nil && next != nil {
		a.drive = r.launch(c, permit, next)
	}
	return a, err
}

// refuse is the answer to what is refused, which is in the audit then.
func (r *Runner) refuse(c *call, s *sight, transition string, d workflow.Decision) *Answer {
	r.refused(c, s.stored, transition, d)
	a := s.answer()
	a.Refusal = d.Refusal
	return a
}

// persist makes a decision durable, together with the outcomes that it comes from and the beginning of the attempt that
// it leads to, all in one transaction. next is that attempt: it has to be run.
func (r *Runner) persist(ctx context.Context, c *call, s *sight, d workflow.Decision, outcomes []*outcome) (a *Answer, next *attempt, err error) {
	m := &mutation{sight: s, decision: d, outcomes: outcomes}
	if err := r.prepare(ctx, c, m); err != nil {
		return nil, nil, err
	}
	if m.decision.Refusal != nil {
		m.unsettle()
		m.tellKept()
	}
	switch {
	case !m.idle():
		a, err = r.commit(ctx, c, m)
	case m.decision.Refusal != nil:
		a = r.refuse(c, s, "", m.decision)
	default:
		a = s.answer()
	}
	if err != nil {
		return nil, nil, err
	}
	return a, m.next, nil
}

// commit makes a mutation durable, with everything that belongs to it.
func (r *Runner) commit(ctx context.Context, c *call, m *mutation) (*Answer, error) {
	was, change := m.sight.stored, m.decision.Change
	after := was
	var w *written
	var move *store.Move
	if change != nil {
		var err error
		if w, err = r.write(c, m.sight.d, was, change); err != nil {
			return nil, fmt.Errorf("write workflow %s: %w", was.ID, err)
		}
		moved := w.move(was.Version, change)
		if m.consumed(moved.Consumed) {
			moved.Consumed = "" // by the attempt, before its effect
		}
		move, after = &moved, w.next
	}
	if m.next != nil {
		m.next.attach(after)
	}
	closings := m.closings(c)
	event := m.event(c, after)
	m.notices = r.noticesOf(w)
	err := c.On.Update(ctx, func(tx store.Tx) error { return m.write(tx, closings, move, event) })
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrUnknownInstance
	}
	if err != nil {
		return nil, err
	}
	r.noted(m.notices, m.untold)
	if move != nil {
		r.config.Observe.Moved(after.Status)
	}
	r.timers.due(after.Due)
	if len(m.outcomes) == 0 && after.Status != store.Open {
		r.drives.interrupt(after.ID)
	}
	return m.answer(w), nil
}

// overtaken is the answer to a move that others were faster than, again and again.
func (r *Runner) overtaken(ctx context.Context, c *call, id, transition string) (*Answer, error) {
	s, err := r.look(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return r.refuse(c, s, transition, workflow.Decision{Refusal: &workflow.Refusal{
		Code: workflow.StaleVersion, Transition: store.SafeString(transition),
		Message: fmt.Sprintf("the workflow was changed meanwhile: it is at version %d", s.stored.Version),
		Hint:    "copy one of the links of this answer: they carry the current version",
	}}), nil
}
