package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"prax/store"
	"prax/tools/workflow"
)

// leaseTime is how long a worker is taken to be alive after it said so.
const leaseTime = time.Minute

// attempt is one that is about to be opened, or that runs.
type attempt struct {
	stored  store.Attempt
	effect  *workflow.Effect // what the engine waits for; nil: a tool was called
	plan    *plan
	revived bool // after a crash: its effect may have begun before
}

// repeatable tells whether the attempt may be taken up again once its effect may have begun.
func (a *attempt) repeatable() bool { return a.plan.executor.Idempotent || a.harmless() }

// harmless tells whether it makes no difference how often any of its executors is run, as with reading.
func (a *attempt) harmless() bool {
	for _, c := range a.plan.choices {
		if !c.repeatable() {
			return false
		}
	}
	return true
}

// newAttempt is an attempt that can be opened.
func (r *Runner) newAttempt(c *call, p *plan, effect *workflow.Effect) (*attempt, error) {
	if err := r.roomFor(c, p); err != nil {
		return nil, err
	}
	a := &attempt{effect: effect, plan: p, stored: store.Attempt{
		ID: p.attempt, Client: p.principal.Client, Actor: p.principal.User, Grant: p.principal.Grant.Text(), User: p.principal.User,
		Kind: p.executor.Kind, Tier: p.tier.String(), Digest: p.digest, Key: p.key(), Tries: 1,
		Worker: r.config.Worker, Fence: 1, Lease: c.now.Add(leaseTime), Status: store.AttemptRunning,
		Correlation: c.correlation, RequestID: c.RequestID, Created: c.now, Updated: c.now,
	}}
	var err error
	if a.stored.Work, err = workOf(a, c.actor()); err != nil {
		return nil, fmt.Errorf("write an attempt: %w", err)
	}
	return a, nil
}

// attach makes an attempt one of an instance.
func (a *attempt) attach(i store.Instance) {
	s, e := &a.stored, a.effect
	s.User, s.Instance, s.Version, s.Shared, s.Definition = i.User, i.ID, i.Version, i.Shared, i.DefinitionID
	s.State, s.Transition = e.State, e.Transition
	if e.Approved && len(e.Results) == 0 { // the first attempt of its step uses the approval up
		s.Approval, s.Approver = e.Approval, e.Client
	}
}

// ErrUnknownAttempt says of an operation what the other errors of its kind say of workflows.
var ErrUnknownAttempt = errors.New("unknown operation")

// Attempts are the newest attempts that the caller may see, of definitions that it may use.
func (r *Runner) Attempts(ctx context.Context, w Work, f store.AttemptFilter) (rows []store.ListedAttempt, err error) {
	c := r.call(w)
	err = c.view(ctx, func(tx store.Tx) (err error) {
		rows, err = tx.ListAttempts(c.scope, f)
		return err
	})
	kept := rows[:0]
	for _, row := range rows {
		if c.seesAttempt(row.Attempt) {
			kept = append(kept, row)
		}
	}
	return kept, err
}

func (c *call) seesAttempt(a store.Attempt) bool { return a.Instance == "" || c.granted(a.Definition) }

// Attempt is one that the caller may see; any other is [ErrUnknownAttempt].
func (r *Runner) Attempt(ctx context.Context, w Work, id string) (store.Attempt, error) {
	return r.attempt(ctx, r.call(w), id)
}

func (r *Runner) attempt(ctx context.Context, c *call, id string) (a store.Attempt, err error) {
	err = c.view(ctx, func(tx store.Tx) (err error) {
		a, err = tx.Attempt(c.scope, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.seesAttempt(a) {
		return store.Attempt{}, ErrUnknownAttempt
	}
	return a, err
}
