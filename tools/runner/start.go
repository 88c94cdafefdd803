package runner

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// StartRequest asks for a new instance.
type StartRequest struct {
	DefinitionID string
	Input        jsontext.Value // an object; nil: an empty one
	RunID        string         // the caller's own name for it; "": none
	TraceID      string         // repeated in every event of the instance; "": none
}

// Start begins an instance of a definition that is in force and granted to the caller; any other is
// [ErrUnknownDefinition]. A run id that the caller's user has used already is a [*RunTaken]. An input that does not fit
// is a Refusal in an Answer that has no instance.
func (r *Runner) Start(ctx context.Context, w Work, q StartRequest) (*Answer, error) {
	return nil, ErrUnknownDefinition
}
