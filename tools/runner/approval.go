package runner

import (
	"context"
	"errors"

	"prax/store"
	"prax/tools/workflow"
)

// ResolveRequest is a person's answer to an open approval.
type ResolveRequest struct {
	ApprovalID string
	Digest     string // of the material that the person was shown
	Approve    bool   // false: reject
	Note       string // kept with the evidence, as far as it fits
}

// Resolve answers an approval: yes takes the transition that it is about, as a step of the person who answers; no
// leaves the state. One that the caller may not see is [ErrUnknownApproval]; one that is not open any more, whose time
// is over or whose material is other than what was shown is a Refusal.
func (r *Runner) Resolve(ctx context.Context, w Work, q ResolveRequest) (*Answer, error) {
	c := r.call(w)
	approval, err := r.approval(ctx, c, q.ApprovalID)
	if err != nil {
		return nil, err
	}
	a, err := r.change(ctx, c, approval.Instance, approval.Transition, triesOfMove, func(s *sight) workflow.Decision {
		i := s.i
		if i.Parked == nil {
			i = late(s, approval, c)
		}
		return s.d.Resolve(i, s.caller, workflow.Answer{
			Approval: q.ApprovalID, Digest: q.Digest, Approve: q.Approve, Note: note(q.Note),
		}, c.now)
	})
	if errors.Is(err, ErrUnknownInstance) {
		return nil, ErrUnknownApproval
	}
	return a, err
}

// late is the instance with an approval whose time is over, so that the answer can say so.
func late(s *sight, a store.Approval, c *call) *workflow.Instance {
	if a.Status != store.ApprovalOpen || c.now.Before(a.Expires) {
		return s.i
	}
	parked, err := park(s.stored, a)
	if err != nil {
		return s.i
	}
	i := *s.i
	i.Parked = parked
	return &i
}

// Approval is an approval of an instance that the caller may see, of a definition that it may use, whatever became of
// it; any other is [ErrUnknownApproval].
func (r *Runner) Approval(ctx context.Context, w Work, id string) (store.Approval, error) {
	return r.approval(ctx, r.call(w), id)
}

func (r *Runner) approval(ctx context.Context, c *call, id string) (a store.Approval, err error) {
	err = c.view(ctx, func(tx store.Tx) (err error) {
		a, err = tx.Approval(c.scope, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.granted(a.Definition) {
		return store.Approval{}, ErrUnknownApproval
	}
	return a, err
}
