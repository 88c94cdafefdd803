package runner

import (
	"context"
	"errors"

	"prax/store"
	"prax/tools/workflow"
)

// conclude makes durable how an attempt ended and what the engine makes of it; next is the attempt that follows.
func (v *drive) conclude(a *attempt, result workflow.Result) (answer *Answer, next *attempt, err error) {
	err = v.r.insist(a.stored.ID, func() (err error) {
		answer, next, err = v.concluded(a, result)
		return err
	})
	return answer, next, err
}

// passing tells whether an error of the store may be another the next time.
func passing(err error) bool {
	var corrupt *Corrupt
	switch {
	case err == nil, errors.As(err, &corrupt), errors.Is(err, ErrUnknownInstance), errors.Is(err, errFenced), errors.Is(err, store.ErrClosed):
		return false
	}
	return !errors.Is(err, store.ErrNotFound)
}

// concluded tries it once.
func (v *drive) concluded(a *attempt, result workflow.Result) (*Answer, *attempt, error) {
	c, ctx := v.call, context.Background()
	c.now = store.Milliseconds(v.r.config.Now())
	_, live := v.r.livePrincipal(causer(a.stored), a.stored.Definition)
	c.Principal, c.out = v.r.maker(c.actor(), a.effect), !live // what they may was perhaps narrowed meanwhile
	s, err := v.r.look(ctx, c, a.stored.Instance)
	if s == nil {
		return nil, nil, err
	}
	if err == nil && !a.runs(s.attempt) {
		return nil, nil, errFenced
	}
	o := &outcome{attempt: a, result: result}
	if err != nil || !s.i.Open || result.Failure != nil && result.Failure.Begun == workflow.Doubtful {
		answer, err := v.r.closeOnly(ctx, c, s, o, err)
		return answer, nil, err
	}
	answer, next, err := v.r.persist(ctx, c, s, v.decide(s, a, result), []*outcome{o})
	if errors.Is(err, store.ErrQuota) { // it happened, but there is no room for what would follow
		answer, err = v.r.closeOnly(ctx, c, s, o, err)
	}
	return answer, next, err
}

// runs tells whether the attempt that an instance waits for is still this one, and not taken over.
func (a *attempt) runs(b *store.Attempt) bool {
	return b != nil && b.ID == a.stored.ID && b.Fence == a.stored.Fence && b.Status == store.AttemptRunning
}

// decide asks the engine what comes of a result.
func (v *drive) decide(s *sight, a *attempt, result workflow.Result) workflow.Decision {
	if f := result.Failure; f != nil && f.Class == classRevoked {
		return workflow.Decision{Refusal: revoked(a.stored.Transition, f)}
	}
	if f := result.Failure; f != nil && a.effect.Kind == workflow.StepTimeout && f.Begun == workflow.NotBegun && v.r.drives.base.Err() != nil {
		return workflow.Decision{Refusal: &workflow.Refusal{ // the next start applies it
			Code: workflow.ExecutorFailed, Class: f.Class, Message: f.Message, Hint: "nothing was changed: the timeout is applied at the next start",
		}}
	}
	d := s.apply(a.effect, result, v.call.now)
	if d.Refusal != nil && a.effect.Kind == workflow.StepTimeout { // it must not go on as if there were time
		free := *s.i
		free.Busy = nil
		return s.d.Cancel(&free, workflow.Caller{}, clip("the timeout could not be applied: "+d.Refusal.Message, store.MaxFieldBytes), v.call.now)
	}
	return d
}

// closeOnly makes durable how an attempt ended, and nothing else: its instance does not go on by it. cause is why not,
// where that is not the outcome itself or that the instance has ended.
func (r *Runner) closeOnly(ctx context.Context, c *call, s *sight, o *outcome, cause error) (*Answer, error) {
	closing, refusal := o.closing(false, c.now), o.unused(cause)
	if closing.Message == "" && cause != nil {
		closing.Message = clip(cause.Error(), store.MaxEvidenceText)
	}
	if err := r.closeAlone(ctx, c, s.stored, o.attempt.stored, closing, c.actor(), refusal); err != nil {
		return nil, err
	}
	a := s.answer()
	a.Refusal = refusal
	a.waitFor(nil)
	if closing.Status == store.AttemptUnknown && s.i.Open {
		doubtful := o.attempt.stored
		doubtful.Status, doubtful.Class, doubtful.Message = closing.Status, closing.Class, closing.Message
		a.waitFor(&doubtful)
	}
	return a, nil
}
