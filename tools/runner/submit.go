package runner

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// SubmitRequest asks for a transition.
type SubmitRequest struct {
	InstanceID      string
	Transition      string
	ExpectedVersion int64
	Arguments       jsontext.Value // an object; nil: an empty one
	Summary         string         // "": keep the old one
	Reject          bool           // a person says no to the open approval of the transition; Summary is the reason
}

// Submit takes a transition. What is refused is a Refusal in the Answer, and has changed nothing; a change whose
// answer has a Refusal stands all the same.
func (r *Runner) Submit(ctx context.Context, w Work, q SubmitRequest) (*Answer, error) {
	return nil, ErrUnknownInstance
}
