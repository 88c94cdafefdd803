package runner

import (
	"context"
	"slices"
	"time"
)

// margin is how long before a caller's time is up it is answered that work goes on.
const margin = time.Second

// await waits for what an answer set going, as long as the caller does; then the answer is the instance as it is by
// now.
func (r *Runner) await(ctx context.Context, c *call, a *Answer) (*Answer, error) {
	v := a.drive
	if v == nil {
		return a, nil
	}
	if v.wait(ctx) {
		if v.err != nil {
			return nil, v.err
		}
		if v.answer != nil { // nil: the attempt is left to the next start
			v.answer.Caller = a.Caller
			return joined(a, v.answer), nil
		}
	}
	s, err := r.look(context.WithoutCancel(ctx), c, a.Stored.ID)
	if err != nil {
		return nil, err
	}
	return joined(a, s.answer()), nil
}

// wait waits for the end of a drive, as long as the caller does, and tells whether it came.
func (v *drive) wait(ctx context.Context) bool {
	over, stop := almost(ctx)
	defer stop()
	select {
	case <-v.done:
	case <-over:
	case <-ctx.Done():
	}
	select {
	case <-v.done:
		return true
	default:
		return false
	}
}

// almost is when a caller has to be answered that work goes on.
func almost(ctx context.Context) (over <-chan time.Time, stop func()) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil, func() {}
	}
	left := time.Until(deadline)
	t := time.NewTimer(max(left-margin, left/2))
	return t.C, func() { t.Stop() }
}

// joined is what a caller is answered who waited for both.
func joined(first, second *Answer) *Answer {
	if first == nil || second == nil || first.Change == nil {
		return second
	}
	if second.Change == nil {
		second.Change = first.Change
		return second
	}
	change := *second.Change
	change.Steps = slices.Concat(first.Change.Steps, change.Steps)
	change.Evidence = slices.Concat(first.Change.Evidence, change.Evidence)
	second.Change = &change
	return second
}
