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
		a, err := r.settle(ctx, c, s, transition, ask(s))
		if n == tries || !errors.Is(err, store.ErrConflict) {
			return a, err
		}
	}
}

// settle does what a decision says, and sets going what it leads to. An error that is [store.ErrConflict] says that
// the instance moved on meanwhile.
func (r *Runner) settle(ctx context.Context, c *call, s *sight, transition string, d workflow.Decision) (*Answer, error) {
	if d.Refusal != nil {
		r.refused(c, s.stored, transition, d)
		a := s.answer()
		a.Refusal = d.Refusal
		return a, nil
	}
	place := r.drives.enter()
	defer place.leave()
	a, next, err := r.take(ctx, c, s, d, nil)
	if err == nil && next != nil {
		a.drive = r.launch(c, place, next)
	}
	return a, err
}

// take makes a decision durable, together with the ends of the attempts that it comes from and the beginning of the one
// that it leads to, all in one transaction. next is that one: it is durable, and has to be run.
func (r *Runner) take(ctx context.Context, c *call, s *sight, d workflow.Decision, ends []*ended) (a *Answer, next *attempt, err error) {
	f := &fact{sight: s, decision: d, ends: ends}
	if err := r.lead(ctx, c, f); err != nil {
		return nil, nil, err
	}
	if f.decision.Refusal != nil {
		f.withdraw()
	}
	if f.idle() {
		a := s.answer()
		if f.decision.Refusal != nil {
			r.refused(c, s.stored, "", f.decision)
			a.Refusal = f.decision.Refusal
		}
		return a, nil, nil
	}
	a, err = r.commit(ctx, c, f)
	if err != nil {
		return nil, nil, err
	}
	return a, f.next, nil
}

// commit makes a fact durable, with everything that belongs to it.
func (r *Runner) commit(ctx context.Context, c *call, f *fact) (*Answer, error) {
	var w *written
	var move store.Move
	after, change := f.sight.stored, f.decision.Change
	if change != nil {
		var err error
		if w, err = r.write(c, f.sight.d, f.sight.stored, change); err != nil {
			return nil, fmt.Errorf("write workflow %s: %w", f.sight.stored.ID, err)
		}
		move, after = w.move(f.sight.stored.Version, change), w.next
		if f.consumed(move.Consumed) {
			move.Consumed = "" // by the attempt, before its effect
		}
	}
	if f.next != nil {
		f.next.of(after)
	}
	closings, err := f.closings(c)
	if err != nil {
		return nil, err
	}
	event := c.event(after, f.trail(), f.actor(c), f.failure())
	err = c.On.Update(ctx, func(tx store.Tx) error { return f.write(tx, closings, w, move, event) })
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrUnknownInstance
	}
	if err != nil {
		return nil, err
	}
	r.timers.due(after.Due)
	if len(f.ends) == 0 && after.Status != store.Open {
		r.drives.interrupt(after.ID)
	}
	return f.answer(w), nil
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
