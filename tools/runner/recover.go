package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"prax/auth"
	"prax/store"
	"prax/tools/workflow"
)

// ageless is later than any lease: at its start a process that owns the store takes over whatever others left behind.
var ageless = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// recover takes over the attempts that nobody runs any more: those of other workers whose lease ended before a time.
func (r *Runner) recover(ctx context.Context, before time.Time) error {
	for {
		now := store.Milliseconds(r.config.Now())
		var found []store.Attempt
		err := r.config.Store.Update(ctx, func(tx store.Tx) (err error) {
			found, err = tx.ClaimAttempts(r.config.Worker, before, now.Add(leaseTime), now, store.MaxPage)
			return err
		})
		if err != nil {
			return fmt.Errorf("take over attempts: %w", err)
		}
		for _, a := range found {
			r.takeOver(ctx, a)
		}
		if len(found) == 0 {
			return nil
		}
	}
}

// takeOver goes on with an attempt, if it may be started again; else its effect is unknown.
func (r *Runner) takeOver(ctx context.Context, stored store.Attempt) {
	permit := r.drives.enter()
	defer permit.leave()
	c := r.recovering(stored)
	a, why := r.revive(ctx, c, stored)
	if why == "" {
		r.launch(c, permit, a)
		return
	}
	r.config.Log.Warn("an effect may have happened: a person has to find out", "attempt", stored.ID, "workflow", stored.Instance, "why", why)
	if err := r.doubt(ctx, c, stored, why); passing(err) && permit.take() {
		go func() {
			defer r.drives.work.Done()
			_ = r.insist(stored.ID, func() error { return r.doubt(r.drives.base, c, stored, why) })
		}()
	}
}

// recovering is the call as which an attempt is taken over.
func (r *Runner) recovering(a store.Attempt) *call {
	c := r.timer(a.User)
	c.RequestID, c.correlation = a.RequestID, a.Correlation
	return c
}

// maker is who makes the step of an effect that ran meanwhile, or is taken up again: as clients.json has it now, or as
// little as is known.
func (r *Runner) maker(by actor, e *workflow.Effect) auth.Principal {
	if p, live := r.livePrincipal(by, ""); live {
		return p
	}
	p := auth.Principal{Client: by.Client, User: by.User, Grant: by.grant()}
	if e.Approved { // by a person, as whom it was judged
		p.Roles = auth.Names(auth.Human)
	}
	return p
}

// revive is an attempt that can be started again, or why not.
func (r *Runner) revive(ctx context.Context, c *call, stored store.Attempt) (a *attempt, why string) {
	const stopped = "the server stopped while it ran, and what it had started may still be running"
	o, effect, why := r.orderOf(ctx, c, stored)
	if why != "" {
		return nil, stopped + ", and " + why
	}
	p, failure := r.plan(ctx, o)
	if failure != nil {
		return nil, stopped + ", and it cannot be started again: " + failure.Message
	}
	a = &attempt{stored: stored, effect: effect, plan: p, revived: true}
	switch {
	case p.digest != stored.Digest:
		return nil, stopped + ", and it would do something else now"
	case !a.repeatable():
		return nil, stopped
	case !p.tier.Exposable() && !o.approved:
		return nil, stopped + ", and it is of the risk high by now"
	}
	return a, ""
}

// orderOf is what an attempt was to be planned for.
func (r *Runner) orderOf(ctx context.Context, c *call, stored store.Attempt) (*order, *workflow.Effect, string) {
	principal, live := r.livePrincipal(causer(stored), stored.Definition)
	if !live {
		return nil, nil, "the client that caused it is out"
	}
	o := &order{
		attempt: stored.ID, principal: principal, transition: stored.Transition, call: stored.Correlation, request: stored.RequestID,
	}
	w, err := readWork(stored)
	if err != nil {
		return nil, nil, err.Error()
	}
	o.approved = w.Bound && stored.Approval != ""
	if stored.Instance == "" {
		return o, nil, r.directOrder(o, stored.Tool, w)
	}
	s, err := r.look(ctx, c, stored.Instance)
	if err != nil {
		return nil, nil, "its workflow cannot be read"
	}
	effect := w.effect(stored)
	c.Principal = r.maker(w.By, effect)
	d := s.d.Again(s.i, effect, c.caller(s.stored), c.now)
	if d.Effect == nil || d.Effect.Ask {
		return nil, nil, "its workflow went on without it"
	}
	o.executor, o.env, o.grants = d.Effect.Executor, d.Effect.Env, s.d.Grants
	return o, d.Effect, ""
}

// doubt makes an attempt unknown, unless somebody else was faster.
func (r *Runner) doubt(ctx context.Context, c *call, a store.Attempt, why string) error {
	closing := store.Closing{
		ID: a.ID, Fence: a.Fence, Status: store.AttemptUnknown, Class: workflow.ClassTransient, Message: clip(why, store.MaxEvidenceText), At: c.now,
	}
	err := r.closeAlone(ctx, c, owner(a), a, closing, causer(a), &workflow.Refusal{Code: workflow.EffectUnknown})
	if errors.Is(err, store.ErrConflict) {
		return nil
	}
	return err
}
