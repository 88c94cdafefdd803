package runner

import "context"

// ResolveRequest is a person's answer to an open approval.
type ResolveRequest struct {
	ApprovalID string
	Digest     string // of the material that the person was shown
	Approve    bool   // false: reject
	Note       string
}

// Resolve answers an approval: yes takes the transition that it is about, no leaves the state. One that the caller may
// not see is [ErrUnknownApproval].
func (r *Runner) Resolve(ctx context.Context, w Work, q ResolveRequest) (*Answer, error) {
	return nil, ErrUnknownApproval
}
