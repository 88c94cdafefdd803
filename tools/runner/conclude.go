package runner

import (
	"context"
	"errors"

	"prax/store"
	"prax/tools/workflow"
)

// conclude makes durable how an attempt ended and what the engine makes of it; next is the attempt that follows. While
// the store cannot take it, it is tried again: what happened outside must not be forgotten.
func (v *drive) conclude(ctx context.Context, a *attempt, result workflow.Result) (answer *Answer, next *attempt, err error) {
	for pause := firstRetry; ; pause = min(2*pause, longestSleep) {
		answer, next, err = v.concluded(a, result)
		if !passing(err) {
			return answer, next, err
		}
		v.r.config.Log.Error("the end of an attempt cannot be written down", "attempt", a.stored.ID, "cause", err, "again_in", pause)
		if !sleep(v.r.drives.base, pause) {
			return nil, nil, err
		}
	}
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
	_, live := v.r.livePrincipal(a.stored.Client, a.stored.Actor, a.stored.Definition)
	c.out = !live
	s, err := v.r.look(ctx, c, a.stored.Instance)
	if s == nil {
		return nil, nil, err
	}
	if err == nil && !a.runs(s.attempt) {
		return nil, nil, errFenced
	}
	e := &ended{attempt: a, result: result}
	if err != nil || !s.i.Open || result.Failure != nil && result.Failure.Begun == workflow.Doubtful {
		return v.r.put(ctx, c, s, e, err)
	}
	d := v.decide(s, a, result)
	answer, next, err := v.r.take(ctx, c, s, d, []*ended{e})
	if errors.Is(err, store.ErrQuota) { // it happened, but there is no room for what would follow
		return v.r.put(ctx, c, s, e, err)
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
	d := s.d.Apply(s.i, a.effect, result, s.caller, v.call.now)
	if d.Refusal != nil && a.effect.Kind == workflow.StepTimeout { // it must not go on as if there were time
		free := *s.i
		free.Busy = nil
		return s.d.Cancel(&free, workflow.Caller{}, clip("the timeout could not be applied: "+d.Refusal.Message, store.MaxFieldBytes), v.call.now)
	}
	return d
}

// put writes down how an attempt ended, and nothing else: its instance does not go on by it.
func (r *Runner) put(ctx context.Context, c *call, s *sight, e *ended, cause error) (*Answer, *attempt, error) {
	f := &fact{sight: s, ends: []*ended{e}}
	status := f.status(e)
	closing, err := e.closing(status, c.now)
	if err != nil {
		return nil, nil, err
	}
	refusal := r.why(e, status, cause)
	if closing.Message == "" && cause != nil {
		closing.Message = clip(cause.Error(), store.MaxEvidenceText)
	}
	trail := []workflow.Fact{attemptFact("attempt.closed", e.attempt.stored, map[string]any{"status": string(status)})}
	event := c.event(s.stored, trail, c.actor(), refusal)
	err = c.On.Update(ctx, func(tx store.Tx) error {
		if err := tx.CloseAttempt(closing); err != nil {
			return err
		}
		tx.AddEvent(event)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	a := s.answer()
	a.Attempt, a.Refusal = nil, refusal
	if a.Instance != nil {
		instance := *a.Instance
		instance.Busy = nil
		a.Instance = &instance
		if status == store.AttemptUnknown && instance.Open {
			stored := e.attempt.stored
			stored.Status, stored.Class, stored.Message = status, closing.Class, closing.Message
			a.setAttempt(stored)
		}
	}
	return a, nil, nil
}

// why is what the answer says of an attempt that its instance does not go on by.
func (r *Runner) why(e *ended, status store.AttemptStatus, cause error) *workflow.Refusal {
	refusal := &workflow.Refusal{Code: workflow.ExecutorFailed, Transition: e.attempt.stored.Transition, Class: workflow.ClassPermanent}
	f := e.result.Failure
	switch {
	case status == store.AttemptUnknown:
		refusal.Code, refusal.Class = workflow.EffectUnknown, f.Class
		refusal.Message = "whether it happened is not known: " + f.Message
		refusal.Hint = "a person has to find out, and take reconcile_applied or reconcile_not_applied"
	case f != nil:
		refusal.Class, refusal.Message = f.Class, f.Message
		refusal.Hint = "start a new workflow: this one has ended"
	case cause != nil:
		refusal.Message = "it happened, but there is no room for what follows, or the workflow cannot be read"
		refusal.Hint = "its output is kept: take the same transition again once that is mended"
	default:
		refusal.Code = workflow.WorkflowCancelled
		refusal.Message = "it happened, but the workflow had been cancelled meanwhile"
		refusal.Hint = "start a new one"
	}
	return refusal
}
