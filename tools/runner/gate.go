package runner

import (
	"context"
	"time"

	"prax/store"
	"prax/tools/workflow"
)

// Gate is something that waits for a person.
type Gate struct {
	Answer                      // the instance that waits
	Gate     workflow.HumanGate // the transition, and what a person is shown
	Approval *store.Approval    // the open approval; nil: the gate is answered by taking the transition
	Since    time.Time          // when it began to wait
}

// Gates is what waits for a person among the open instances that the caller may see, oldest first: at most limit
// (50 for 0, [store.MaxPage] at most).
func (r *Runner) Gates(ctx context.Context, w Work, limit int) ([]Gate, error) { return nil, nil }
