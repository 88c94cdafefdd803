package runner

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools/workflow"
)

// SubmitRequest asks for a transition.
type SubmitRequest struct {
	InstanceID      string
	Transition      string
	ExpectedVersion int64
	Arguments       jsontext.Value // an object; nil: an empty one
	Summary         string         // "": keep the old one
	Digest          string         // of the material of the open approval that it answers; "": whatever is open
	Reject          bool           // a person says no to the open approval of the transition; Summary is the reason
}

// Submit takes a transition. What is refused is a Refusal in the Answer, and has changed nothing; a change whose
// answer has a Refusal stands all the same. Errors are [ErrUnknownInstance], a [*Corrupt], and what the store says;
// store.ErrQuota is the caller's own limit.
func (r *Runner) Submit(ctx context.Context, w Work, q SubmitRequest) (*Answer, error) {
	c := r.call(w)
	if !q.Reject { // no is an answer to a question, and settles nothing
		if a, err := r.reconciling(ctx, c, q); a != nil || err != nil {
			return a, err
		}
	}
	return r.change(ctx, c, q.InstanceID, q.Transition, triesOfMove, func(s *sight) workflow.Decision {
		if refusal := q.otherThanShown(s); refusal != nil {
			return workflow.Decision{Refusal: refusal}
		}
		if q.Reject && q.ExpectedVersion == s.i.Version {
			return c.reject(s, q)
		}
		return s.d.Plan(s.i, s.caller, workflow.Submit{
			Transition: q.Transition, ExpectedVersion: q.ExpectedVersion, Arguments: q.Arguments,
			Summary: q.Summary, Approval: c.approval,
		}, c.now)
	})
}

// otherThanShown refuses an answer to something else than what the caller says that it was shown.
func (q SubmitRequest) otherThanShown(s *sight) *workflow.Refusal {
	if q.Digest == "" || q.ExpectedVersion != s.i.Version {
		return nil
	}
	switch p := s.i.Parked; {
	case p == nil || p.Transition != q.Transition:
		return &workflow.Refusal{
			Code: workflow.ApprovalNotOpen, Transition: store.SafeString(q.Transition),
			Message: "no approval of this transition is open: it was answered, or nobody did in time",
			Hint:    "ask again by taking the transition without a digest",
		}
	case p.Digest == q.Digest:
		return nil
	}
	return &workflow.Refusal{
		Code: workflow.ApprovalMismatch, Transition: store.SafeString(q.Transition),
		Message: "the answer names another digest than that of what is to be approved",
		Hint:    "look at the approval again, and answer with the digest of what is shown now",
	}
}

// reject answers the open approval of a transition with no.
func (c *call) reject(s *sight, q SubmitRequest) workflow.Decision {
	answer := workflow.Answer{Note: note(q.Summary)}
	if p := s.i.Parked; p != nil && p.Transition == q.Transition {
		answer.Approval, answer.Digest = p.Approval, p.Digest
	}
	return s.d.Resolve(s.i, s.caller, answer, c.now)
}

// note is a person's remark, as short as evidence is kept.
func note(s string) string { return clip(s, store.MaxEvidenceText) }
