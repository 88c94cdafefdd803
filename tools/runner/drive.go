package runner

import (
	"context"
	"errors"

	"prax/auth"
	"prax/store"
	"prax/tools/workflow"
)

// The causes for which a drive ends before its attempt does.
var (
	errCancelled = errors.New("the workflow was cancelled")
	errStopping  = errors.New("the server stopped")
	errFenced    = errors.New("another worker took the attempt over")
)

// drive runs an attempt, and what follows from it, on behalf of the runner: it goes on whoever waits for it.
type drive struct {
	r      *Runner
	call   *call // as which it goes on
	id     string
	cancel context.CancelCauseFunc
	done   chan struct{} // closed at its end: then what follows is set
	left   bool          // the attempt is left to the next start
	answer *Answer
	err    error
	result workflow.Result // of a tool that was called directly
}

// launch runs an attempt that is durable, in a goroutine of its own, which has the permit then. Without one the server
// stops: whoever starts next finds the attempt.
func (r *Runner) launch(c *call, p *permit, a *attempt) *drive {
	v := &drive{r: r, call: r.driving(c, a), id: a.driveID(), done: make(chan struct{})}
	if !p.take() {
		v.left = true
		close(v.done)
		return v
	}
	ctx, cancel := context.WithCancelCause(r.drives.base)
	v.cancel = cancel
	r.drives.add(v)
	go func() {
		defer r.drives.work.Done()
		defer close(v.done)
		defer r.drives.remove(v)
		defer cancel(nil)
		v.run(ctx, a)
	}()
	return v
}

// driveID is by what an attempt's drive is found.
func (a *attempt) driveID() string {
	if a.stored.Instance != "" {
		return a.stored.Instance
	}
	return a.stored.ID
}

// driving is the call as which a drive goes on: of the server, for the one who caused it.
func (r *Runner) driving(c *call, a *attempt) *call {
	next := *c
	next.On, next.server = forClient{r.config.Store, a.stored.Client}, true
	next.acting = a.plan.principal
	next.scope = auth.Principal{User: a.stored.User}.Scope()
	next.approval = r.config.NewID("ap_")
	return &next
}

// run runs one attempt after the other, until nothing follows.
func (v *drive) run(ctx context.Context, a *attempt) {
	v.endIfCancelled(ctx, a)
	for a != nil {
		reach("attempt-opened")
		result := v.r.perform(ctx, v, a)
		if v.handsOver(ctx, a, result) {
			return
		}
		if a.effect == nil {
			v.result = result
			v.err = v.closeDirect(a, result)
			reach("attempt-closed")
			return
		}
		answer, next, err := v.conclude(a, result)
		reach("attempt-closed")
		v.answer, v.err = joined(v.answer, answer), err
		if err != nil {
			return
		}
		a = next
	}
}

// endIfCancelled ends a drive whose instance was cancelled before there was a drive to end.
func (v *drive) endIfCancelled(ctx context.Context, a *attempt) {
	if a.stored.Instance == "" {
		return
	}
	i, err := v.r.config.Store.Instance(ctx, v.call.scope, a.stored.Instance)
	if err == nil && i.Status != store.Open {
		v.cancel(errCancelled)
	}
}

// handsOver tells whether an attempt is left as it is, running: another worker has it, or the server stops and the next
// one can take it up again.
func (v *drive) handsOver(ctx context.Context, a *attempt, result workflow.Result) bool {
	if result.Failure == nil {
		return false
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errFenced):
		v.err = cause
		return true
	case errors.Is(cause, errStopping):
		v.left = a.repeatable()
		return v.left
	}
	return false
}
