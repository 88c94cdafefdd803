package runner

import (
	"context"
	"errors"
	"sync"
	"time"

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
	done   chan struct{} // closed at its end: then answer and err are set
	answer *Answer
	err    error
	result workflow.Result // of a tool that was called directly
}

// drives are those that run.
type drives struct {
	mu      sync.Mutex
	running map[string]*drive // by the id of their instance, or of the attempt where there is none
	work    sync.WaitGroup
	stopped bool
	base    context.Context // ends what runs
	end     context.CancelCauseFunc
}

func newDrives() *drives {
	d := &drives{running: map[string]*drive{}}
	d.base, d.end = context.WithCancelCause(context.Background())
	return d
}

// place is kept for a drive while its attempt is made durable, so that a server that stops does not leave it behind.
type place struct {
	of   *drives
	open bool
}

func (d *drives) enter() *place {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return &place{of: d}
	}
	d.work.Add(1)
	return &place{of: d, open: true}
}

// leave gives the place up, unless a drive has it.
func (p *place) leave() {
	if p.open {
		p.open = false
		p.of.work.Done()
	}
}

// launch runs an attempt that is durable, in a goroutine of its own. The place becomes the drive's.
func (r *Runner) launch(c *call, p *place, a *attempt) *drive {
	v := &drive{r: r, call: r.goingOn(c, a), id: a.owner(), done: make(chan struct{})}
	if !p.open { // the server stops: whoever starts next finds the attempt
		close(v.done)
		return v
	}
	p.open = false
	ctx, cancel := context.WithCancelCause(r.drives.base)
	v.cancel = cancel
	r.drives.mu.Lock()
	r.drives.running[v.id] = v
	r.drives.mu.Unlock()
	go func() {
		defer r.drives.work.Done()
		defer close(v.done)
		defer r.drives.leave(v)
		defer cancel(nil)
		v.run(ctx, a)
	}()
	return v
}

// owner is by what an attempt's drive is found.
func (a *attempt) owner() string {
	if a.stored.Instance != "" {
		return a.stored.Instance
	}
	return a.stored.ID
}

func (d *drives) leave(v *drive) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running[v.id] == v {
		delete(d.running, v.id)
	}
}

// interrupt ends what runs for an instance that was cancelled.
func (d *drives) interrupt(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if v := d.running[id]; v != nil {
		v.cancel(errCancelled)
	}
}

// stopping tells whether no further attempts begin.
func (d *drives) stopping() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopped
}

// goingOn is the call as which a drive goes on: of the server, for the one who caused it.
func (r *Runner) goingOn(c *call, a *attempt) *call {
	next := *c
	next.On, next.server = r.config.Store, true
	next.acting = a.plan.principal
	next.scope = auth.Principal{User: a.stored.User}.Scope()
	next.approval = r.config.NewID("ap_")
	return &next
}

// run runs one attempt after the other, until nothing follows.
func (v *drive) run(ctx context.Context, a *attempt) {
	for a != nil {
		reach("attempt-opened")
		result := v.r.perform(ctx, v, a)
		if v.left(ctx, a, result) {
			return
		}
		if a.effect == nil {
			v.result = result
			v.err = v.closeDirect(ctx, a, result)
			reach("attempt-closed")
			return
		}
		answer, next, err := v.conclude(ctx, a, result)
		reach("attempt-closed")
		v.answer, v.err = joined(v.answer, answer), err
		if err != nil {
			return
		}
		a = next
	}
}

// left tells whether an attempt is left as it is, running: another worker has it, or the server stops and the next one
// can take it up again.
func (v *drive) left(ctx context.Context, a *attempt, result workflow.Result) bool {
	if result.Failure == nil {
		return false
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errFenced):
		v.err = cause
		return true
	case errors.Is(cause, errStopping):
		return a.repeatable()
	}
	return false
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
	change.Steps = append(first.Change.Steps[:len(first.Change.Steps):len(first.Change.Steps)], change.Steps...)
	change.Evidence = append(first.Change.Evidence[:len(first.Change.Evidence):len(first.Change.Evidence)], change.Evidence...)
	second.Change = &change
	return second
}

// margin is how long before a caller's time is up it is answered that work goes on.
const margin = time.Second

// await waits for what an answer set going, as long as the caller does.
func (r *Runner) await(ctx context.Context, c *call, a *Answer) (*Answer, error) {
	v := a.drive
	if v == nil {
		return a, nil
	}
	over, stop := almost(ctx)
	defer stop()
	select {
	case <-v.done:
		if v.answer != nil || v.err != nil {
			if v.err != nil {
				return nil, v.err
			}
			v.answer.Caller = a.Caller
			return joined(a, v.answer), nil
		}
	case <-over:
	case <-ctx.Done():
	}
	return r.inProgress(ctx, c, a)
}

// inProgress is the answer to a caller who cannot wait any longer: the instance as it is by now.
func (r *Runner) inProgress(ctx context.Context, c *call, a *Answer) (*Answer, error) {
	s, err := r.look(context.WithoutCancel(ctx), c, a.Stored.ID)
	if err != nil {
		return nil, err
	}
	return joined(a, s.answer()), nil
}

// Stop begins no further attempts, and waits for those that run until ctx ends; then it ends them, and waits until that
// is written down. What can be taken up again is left for the next start; what cannot is unknown.
func (r *Runner) Stop(ctx context.Context) error {
	r.drives.mu.Lock()
	r.drives.stopped = true
	r.drives.mu.Unlock()
	done := make(chan struct{})
	go func() { r.drives.work.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		r.drives.end(errStopping)
		<-done
	}
	return nil
}

// setAttempt says what the instance waits for.
func (a *Answer) setAttempt(s store.Attempt) {
	a.Attempt = &s
	instance := *a.Instance
	instance.Busy = busy(s)
	a.Instance = &instance
}

func busy(a store.Attempt) *workflow.Busy {
	return &workflow.Busy{
		Attempt: a.ID, Transition: a.Transition, Kind: a.Kind, Unknown: a.Status == store.AttemptUnknown, Since: a.Created,
	}
}
