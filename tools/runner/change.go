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

// change decides and commits, and answers who was overtaken with what is there then.
func (r *Runner) change(ctx context.Context, c *call, id, transition string, tries int, ask decide) (*Answer, error) {
	a, err := r.try(ctx, c, id, transition, tries, ask)
	if errors.Is(err, store.ErrConflict) {
		return r.overtaken(ctx, c, id, transition)
	}
	return a, err
}

// try decides and commits. When somebody else was faster it decides anew on what is there then; the error is
// [store.ErrConflict] when that did not help.
func (r *Runner) try(ctx context.Context, c *call, id, transition string, tries int, ask decide) (*Answer, error) {
	for n := 1; ; n++ {
		s, err := r.look(ctx, c, id)
		if err != nil {
			return nil, err
		}
		a, err := r.settle(ctx, c, s, transition, ask(s))
		if n == tries || !errors.Is(err, store.ErrConflict) {
			return a, err
		}
	}
}

// settle does what a decision says. An error that is [store.ErrConflict] says that the instance moved on meanwhile.
func (r *Runner) settle(ctx context.Context, c *call, s *sight, transition string, d workflow.Decision) (*Answer, error) {
	if d.Effect != nil {
		d.Refusal = r.unable(c, s.stored.Client, d.Effect)
	}
	switch {
	case d.Refusal != nil:
		r.refused(c, s.stored, transition, d)
		a := s.answer()
		a.Refusal = d.Refusal
		return a, nil
	case d.Change == nil:
		return s.answer(), nil
	}
	return r.commit(ctx, c, s, d)
}

// commit makes a change durable, with everything that belongs to it.
func (r *Runner) commit(ctx context.Context, c *call, s *sight, d workflow.Decision) (*Answer, error) {
	w, err := r.write(c, s.d, s.stored, d.Change)
	if err != nil {
		return nil, fmt.Errorf("write workflow %s: %w", s.stored.ID, err)
	}
	failed := r.failure(c, s.stored.Client, d.Change)
	move, event := w.move(s.stored.Version, d.Change), c.event(w.next, d.Trail, actedBy(d.Change), failed)
	err = c.On.Update(ctx, func(tx store.Tx) error {
		if err := tx.Move(move); err != nil {
			return err
		}
		tx.AddEvent(event)
		return nil
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrUnknownInstance
	}
	if err != nil {
		return nil, err
	}
	r.timers.due(w.next.Due)
	return w.answer(s.d, s.caller, d.Change, failed), nil
}

// answer is what was committed.
func (w *written) answer(d *workflow.Definition, by workflow.Caller, change *workflow.Change, failed *workflow.Refusal) *Answer {
	a := &Answer{
		Definition: d, Instance: &w.instance, Stored: w.next.Normal(), Change: change, Refusal: failed, Caller: by,
		Expired: change.Steps[0].Kind == workflow.StepTimeout && d.OnTimeout != "",
	}
	if w.approval != nil {
		a.Approvals = []store.Approval{*w.approval}
	}
	return a
}

// actedBy is who made a change.
func actedBy(c *workflow.Change) actor { return actor{c.Steps[0].Client, c.Steps[0].User} }

// failure is the error of an answer whose change stands.
func (r *Runner) failure(c *call, starter string, change *workflow.Change) *workflow.Refusal {
	if change.Failure == nil && change.Then != nil {
		return r.unable(c, starter, change.Then)
	}
	return change.Failure
}

// unable says why an executor is not run. What the server sets going by itself needs a starter who is still live; and
// there is none yet that runs outside the engine.
func (r *Runner) unable(c *call, starter string, e *workflow.Effect) *workflow.Refusal {
	refusal := &workflow.Refusal{
		Code: workflow.ExecutorFailed, Transition: e.Transition, Class: "permanent_error",
		Message: "this version has no executor of the kind " + store.SafeString(e.Executor.Kind),
		Hint:    "the operator must take it out of the definition",
	}
	if c.server && !r.isLive(starter) {
		refusal.Code = ClientRevoked
		refusal.Message = "the client that started this workflow is out, so that nothing more is done for it"
		refusal.Hint = "a person has to take it on, or cancel it"
	}
	return refusal
}

func (r *Runner) isLive(client string) bool {
	if r.config.Live == nil {
		return false
	}
	p, there := r.config.Live(client)
	return there && !p.Expired(r.config.Now())
}

// overtaken is the answer to a move that others were faster than, again and again.
func (r *Runner) overtaken(ctx context.Context, c *call, id, transition string) (*Answer, error) {
	s, err := r.look(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return r.settle(ctx, c, s, transition, workflow.Decision{Refusal: &workflow.Refusal{
		Code: workflow.StaleVersion, Transition: store.SafeString(transition),
		Message: fmt.Sprintf("the workflow was changed meanwhile: it is at version %d", s.stored.Version),
		Hint:    "copy one of the links of this answer: they carry the current version",
	}})
}
