package runner

import (
	"context"
	"time"

	"prax/store"
	"prax/tools/workflow"
)

// outcome is how an attempt ended.
type outcome struct {
	attempt *attempt
	result  workflow.Result
	settled *store.Closing // by a person, in place of the result
}

// status is what becomes of the attempt. used: what it gave is committed together with that.
func (o *outcome) status(used bool) store.AttemptStatus {
	failure := o.result.Failure
	switch {
	case failure == nil && used:
		return store.AttemptDone
	case failure == nil:
		return store.AttemptKept
	case failure.Begun == workflow.Doubtful:
		return store.AttemptUnknown
	}
	return store.AttemptFailed
}

// closing is the outcome as the store takes it.
func (o *outcome) closing(used bool, now time.Time) store.Closing {
	if o.settled != nil {
		return *o.settled
	}
	c := store.Closing{ID: o.attempt.stored.ID, Fence: o.attempt.stored.Fence, Status: o.status(used), At: now}
	if f := o.result.Failure; f != nil {
		c.Class, c.Message = classOf(f), clip(f.Message, store.MaxEvidenceText)
	}
	if c.Status != store.AttemptKept {
		return c
	}
	kept := outputOf(o.result)
	if e := o.attempt.effect; e != nil && e.Approved {
		kept.Digest, kept.Approver = e.Digest, actor{Client: e.Client, User: e.User}
	}
	raw, err := encode(kept)
	if err != nil || len(raw) > store.MaxValueBytes { // it happened all the same
		c.Message = "its output cannot be kept"
		return c
	}
	c.Output = raw
	return c
}

// kept is the refusal of a move whose effect has happened: that is not undone, and not done again.
func (o *outcome) kept(r *workflow.Refusal) *workflow.Refusal {
	told := *r
	told.Hint = "it has happened, and what it gave is kept: take the same transition with arguments by which it does the same, and it is not run again"
	return &told
}

// unused is what the answer says of an attempt that its instance does not go on by. cause is what the store had against
// what would follow, or that the instance cannot be read; nil: its instance has ended.
func (o *outcome) unused(cause error) *workflow.Refusal {
	refusal := &workflow.Refusal{Code: workflow.ExecutorFailed, Transition: o.attempt.stored.Transition, Class: workflow.ClassPermanent}
	f := o.result.Failure
	switch {
	case f != nil && f.Begun == workflow.Doubtful:
		refusal.Code, refusal.Class = workflow.EffectUnknown, classOf(f)
		refusal.Message = "whether it happened is not known: " + f.Message
		refusal.Hint = "a person has to find out, and take reconcile_applied or reconcile_not_applied"
	case f != nil:
		refusal.Class, refusal.Message = classOf(f), f.Message
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

// closeAlone ends an attempt in a transaction of its own: nothing else changes by it.
func (r *Runner) closeAlone(ctx context.Context, c *call, i store.Instance, a store.Attempt, closing store.Closing, by actor, failed *workflow.Refusal) error {
	event := c.event(i, []workflow.Fact{closedFact(a, closing)}, by, failed)
	notices, untold := r.doubtNotice(a, closing), 0
	err := c.On.Update(ctx, func(tx store.Tx) (err error) {
		if err := tx.CloseAttempt(closing); err != nil {
			return err
		}
		tx.AddEvent(event)
		untold, err = addNotices(tx, notices)
		return err
	})
	if err == nil {
		r.noted(notices, untold)
	}
	return err
}

// owner is as much of an attempt's instance as the attempt knows; without one, whose it is.
func owner(a store.Attempt) store.Instance {
	return store.Instance{ID: a.Instance, DefinitionID: a.Definition, User: a.User}
}

func openedFact(a store.Attempt) workflow.Fact {
	more := map[string]any{"tier": a.Tier, "digest": a.Digest}
	if a.Approval != "" {
		more["approval"] = a.Approval
	}
	return attemptFact("attempt.opened", a, more)
}

func closedFact(a store.Attempt, c store.Closing) workflow.Fact {
	more := map[string]any{"status": string(c.Status)}
	if c.By != "" {
		more["by"] = c.By
	}
	return attemptFact("attempt.closed", a, more)
}

// attemptFact is what the audit keeps of an attempt, with the members of more.
func attemptFact(kind string, a store.Attempt, more map[string]any) workflow.Fact {
	payload := map[string]any{"attempt": a.ID, "kind": a.Kind}
	if a.Transition != "" {
		payload["transition"] = a.Transition
	}
	if a.Tool != "" {
		payload["tool"] = a.Tool
	}
	for key, value := range more {
		payload[key] = value
	}
	return workflow.Fact{Type: kind, Payload: payload}
}
