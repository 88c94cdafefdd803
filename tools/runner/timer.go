package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"prax/store"
	"prax/tools/workflow"
)

const (
	// longestSleep bounds how long a clock that was set forward goes unnoticed.
	longestSleep = time.Minute

	shortestSleep = 5 * time.Millisecond
	firstRetry    = time.Second // after the store failed; doubled up to longestSleep
	atOnce        = 16          // timeouts under way together: they share a commit
)

// timers wake who waits for the next timeout when an earlier one comes up.
type timers struct {
	next atomic.Int64  // what is waited for, in Unix milliseconds
	ring chan struct{} // holds one
}

func newTimers() *timers {
	t := &timers{ring: make(chan struct{}, 1)}
	t.next.Store(math.MaxInt64)
	return t
}

// due notes that something comes due.
func (t *timers) due(at time.Time) {
	if at.IsZero() || at.UnixMilli() >= t.next.Load() {
		return
	}
	select {
	case t.ring <- struct{}{}:
	default:
	}
}

// Run applies timeouts until ctx ends: those that came due while nobody was running at once, each other one when its
// time comes. It is called once, and always returns nil. While the store fails it tries again, ever more seldom.
func (r *Runner) Run(ctx context.Context) error {
	retry := firstRetry
	for ctx.Err() == nil {
		if err := r.recover(ctx, ageless); err == nil {
			close(r.recovered)
			break
		} else if ctx.Err() == nil {
			r.config.Log.Error("attempts of an earlier start cannot be taken over", "cause", err, "again_in", retry.String())
		}
		sleep(ctx, retry)
		retry = min(2*retry, longestSleep)
	}
	retry = firstRetry
	for ctx.Err() == nil {
		next, err := r.tend(ctx)
		pause := r.pause(next)
		if err == nil {
			retry = firstRetry
		} else if ctx.Err() == nil {
			r.config.Log.Error("timeouts of workflows cannot be applied", "cause", err, "again_in", retry.String())
			pause, retry = retry, min(2*retry, longestSleep)
		}
		r.sleep(ctx, pause)
	}
	return nil
}

// pause is how long to sleep until the next timeout; without one, until somebody rings.
func (r *Runner) pause(next time.Time) time.Duration {
	if next.IsZero() {
		return 0
	}
	return min(max(next.Sub(r.config.Now()), shortestSleep), longestSleep)
}

func (r *Runner) sleep(ctx context.Context, pause time.Duration) {
	var over <-chan time.Time
	if pause > 0 {
		t := time.NewTimer(pause)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-over:
	case <-r.timers.ring:
	case <-ctx.Done():
	}
}

// tend applies everything that is due, and tells when something is again; zero: nothing is.
func (r *Runner) tend(ctx context.Context) (next time.Time, err error) {
	r.timers.next.Store(math.MaxInt64) // what comes up from now on rings
	if err := r.recover(ctx, r.config.Now()); err != nil {
		return time.Time{}, err
	}
	for {
		var due []store.Instance
		err := r.config.Store.View(ctx, func(tx store.Tx) (err error) {
			if due, err = tx.DueInstances(r.config.Now(), store.MaxPage); err != nil || len(due) > 0 {
				return err
			}
			next, err = tx.NextDue()
			return err
		})
		if err != nil {
			return time.Time{}, fmt.Errorf("read what is due: %w", err)
		}
		if len(due) == 0 {
			break
		}
		if err := r.expireAll(ctx, due); err != nil {
			return time.Time{}, err
		}
	}
	if !next.IsZero() {
		r.timers.next.Store(next.UnixMilli())
	}
	return next, nil
}

// expireAll applies the timeouts of these instances, several at once. The error is the first of the store's.
func (r *Runner) expireAll(ctx context.Context, due []store.Instance) error {
	var work sync.WaitGroup
	var once sync.Once
	var first error
	places := make(chan struct{}, atOnce)
	for _, i := range due {
		places <- struct{}{}
		work.Go(func() {
			defer func() { <-places }()
			if err := r.expire(ctx, i); err != nil {
				once.Do(func() { first = fmt.Errorf("workflow %s: %w", i.ID, err) })
			}
		})
	}
	work.Wait()
	return first
}

// expire applies the timeout of one instance, as the server. Whatever comes of it, the timer does not see the instance
// again for this reason: one whose timeout its user has no room for is cancelled, one that cannot be read is put
// aside. What is left are errors of the store, and of others who were faster.
func (r *Runner) expire(ctx context.Context, due store.Instance) error {
	c := r.timer(due.User)
	a, err := r.expired(ctx, c, due.ID)
	var corrupt *Corrupt
	switch {
	case errors.Is(err, ErrUnknownInstance), errors.Is(err, store.ErrConflict):
		return nil // gone, or others were faster: it is seen again, if it is still due
	case errors.Is(err, store.ErrQuota):
		return r.giveUp(ctx, c, due.ID, err)
	case errors.As(err, &corrupt):
		return r.putAside(ctx, c, due, workflow.Corrupt, err)
	case err == nil && a.Refusal != nil && a.Change == nil && a.Refusal.Code == workflow.ClientRevoked:
		return r.putAside(ctx, c, a.Stored, workflow.ClientRevoked, errors.New(a.Refusal.Message)) // a person takes it on
	case err == nil && a.Refusal != nil && a.Change == nil:
		return r.giveUp(ctx, c, due.ID, errors.New(a.Refusal.Message))
	case err != nil || a.Change != nil || a.Attempt != nil || a.Stored.Due.IsZero() || a.Stored.Due.After(c.now):
		return err
	}
	return r.putAside(ctx, c, a.Stored, workflow.Corrupt, errors.New("its timer does not stand in its definition"))
}

// expired asks the engine. A panic of it must not end the server.
func (r *Runner) expired(ctx context.Context, c *call, id string) (a *Answer, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			r.config.Log.Error("a timeout panicked", "workflow", id, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
			err = &Corrupt{InstanceID: id, Err: fmt.Errorf("panic: %v", cause)}
		}
	}()
	return r.try(ctx, c, id, "", triesOfMove, func(s *sight) workflow.Decision { return s.d.Expire(s.i, c.now) })
}

// giveUp cancels an instance whose timeout cannot be kept: it must not go on as if there were time.
func (r *Runner) giveUp(ctx context.Context, c *call, id string, cause error) error {
	reason := clip("the timeout could not be applied: "+cause.Error(), store.MaxFieldBytes)
	_, err := r.try(ctx, c, id, "", triesOfCancel, func(s *sight) workflow.Decision {
		return s.d.Cancel(s.i, s.caller, reason, c.now)
	})
	return err
}

// putAside takes an instance from the timer without its definition. It stays as it is, and whoever touches it once it
// can be read again meets the timeout.
func (r *Runner) putAside(ctx context.Context, c *call, i store.Instance, code workflow.Code, cause error) error {
	r.config.Log.Error("a timeout cannot be applied", "workflow", i.ID, "definition", i.DefinitionID, "state", i.State, "cause", cause)
	next := i
	next.Version, next.Due, next.Updated = i.Version+1, time.Time{}, c.now
	step := store.Step{
		Seq: next.Version, Kind: string(workflow.StepTimeout), From: i.State, To: i.State, Correlation: c.correlation, At: c.now,
	}
	event := c.event(next, []workflow.Fact{{Type: "workflow.timed_out", Payload: map[string]any{
		"fromState": i.State, "applied": false, "code": string(code),
	}}}, actor{}, &workflow.Refusal{Code: code})
	err := c.On.Update(ctx, func(tx store.Tx) error {
		if err := tx.Move(store.Move{Next: next, From: i.Version, Steps: []store.Step{step}}); err != nil {
			return err
		}
		tx.AddEvent(event)
		return nil
	})
	switch {
	case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrNotFound):
		return nil
	case errors.Is(err, store.ErrQuota):
		return r.giveUpCorrupt(ctx, c, i, cause)
	case err == nil:
		r.config.Observe.Moved(next.Status)
	}
	return err
}

func (r *Runner) giveUpCorrupt(ctx context.Context, c *call, i store.Instance, cause error) error {
	_, err := r.cancelCorrupt(ctx, c, i.ID, "the timeout could not be applied: there is no room to put it aside", cause)
	return err
}
