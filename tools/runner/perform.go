package runner

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"prax/store"
	"prax/tools/workflow"
)

// usualRetries are the classes that are tried again where a definition does not say.
var usualRetries = []string{workflow.ClassTimeout, workflow.ClassTransient, workflow.ClassRateLimited}

// trying is an attempt on its way through its tries.
type trying struct {
	v       *drive
	a       *attempt
	doubt   *workflow.Failure // of an earlier try whose effect may have happened
	started bool              // a try was made in this process
}

// perform runs the executor of an attempt: as often as its reliability says, then its fallbacks, as long as the effect
// has not begun, or may be begun again. The result of several tries is as doubtful as the most doubtful of them.
func (r *Runner) perform(ctx context.Context, v *drive, a *attempt) workflow.Result {
	t := &trying{v: v, a: a}
	if a.revived && !a.harmless() {
		t.doubt = &workflow.Failure{Class: workflow.ClassTransient, Message: "the server stopped while it ran", Begun: workflow.Doubtful}
	}
	began := r.config.Now()
	stop := r.keepLease(ctx, v, a)
	result := t.all(ctx)
	stop()
	result.Took = max(r.config.Now().Sub(began), 0)
	if result.Failure != nil && t.doubt != nil && result.Failure.Begun != workflow.Doubtful {
		failure := *result.Failure
		failure.Begun = workflow.Doubtful
		failure.Message = t.doubt.Message + "; tried again: " + failure.Message
		result.Failure = &failure
	}
	return result
}

// all goes through the choices in order.
func (t *trying) all(ctx context.Context) (result workflow.Result) {
	for n := range t.a.plan.choices {
		if n < t.a.stored.Choice {
			continue // a start before has been through with it
		}
		var more bool
		if result, more = t.choice(ctx, n); !more {
			break
		}
	}
	return result
}

// choice tries one executor; more tells whether the next one may be tried.
func (t *trying) choice(ctx context.Context, n int) (result workflow.Result, more bool) {
	c := t.a.plan.choices[n]
	if c.failure != nil {
		return workflow.Result{Failure: c.failure}, true
	}
	rel := t.a.plan.executor.Reliability
	for try := 1; ; try++ {
		result = t.once(ctx, n)
		f := result.Failure
		if f == nil || ctx.Err() != nil || !t.again(n, f) {
			return result, false
		}
		if try >= max(rel.Tries, 1) || !slices.Contains(retriesOf(rel), f.Class) {
			return result, true
		}
		if !sleep(ctx, delay(rel, try)) {
			return result, false
		}
	}
}

// again tells whether anything may be started after a failure, and remembers a doubt.
func (t *trying) again(n int, f *workflow.Failure) bool {
	if f.Begun == workflow.Doubtful && t.doubt == nil {
		t.doubt = f
	}
	return f.Begun == workflow.NotBegun || t.a.plan.choices[n].repeatable() || t.a.plan.executor.Idempotent
}

// once makes one try, when there is room for it. All but the very first are judged again, and noted before they begin.
func (t *trying) once(ctx context.Context, n int) workflow.Result {
	leave, failure := t.room(ctx, n)
	if failure != nil {
		return workflow.Result{Failure: failure}
	}
	defer leave()
	if t.started || t.a.revived {
		if f := t.renew(ctx, n); f != nil {
			return workflow.Result{Failure: f}
		}
	}
	t.started = true
	result := t.v.r.do(ctx, t.a.plan, n)
	if f := result.Failure; f != nil && f.Begun == workflow.Doubtful && t.a.plan.choices[n].repeatable() {
		known := *f
		known.Begun = workflow.Answered // whether it happened makes no difference
		result.Failure = &known
	}
	return result
}

// renew judges an attempt again and makes durable that its executor is started once more.
func (t *trying) renew(ctx context.Context, n int) *workflow.Failure {
	r, a := t.v.r, t.a
	if failure := r.rejudge(ctx, a, n); failure != nil {
		return failure
	}
	now := store.Milliseconds(r.config.Now())
	err := r.config.Store.Update(ctx, func(tx store.Tx) error {
		return tx.RenewAttempt(a.stored.ID, a.stored.Fence, a.stored.Tries+1, n, now.Add(leaseTime), now)
	})
	if err != nil {
		return notBegun(workflow.ClassPermanent, "the next try could not be noted")
	}
	a.stored.Tries, a.stored.Choice = a.stored.Tries+1, n
	reach("attempt-renews")
	return nil
}

// rejudge tells whether the client is still admitted, and whether the executor would still do the same.
func (r *Runner) rejudge(ctx context.Context, a *attempt, n int) *workflow.Failure {
	p, ok := r.livePrincipal(causer(a.stored), a.stored.Definition)
	if !ok {
		return notBegun(classRevoked, "the client that caused it is out")
	}
	a.plan.principal = p
	if a.stored.Tool != "" && r.withdrawn(a.plan.order, a.stored.Tool) {
		return notBegun(classRevoked, "the tool was withdrawn")
	}
	fresh := r.resolve(ctx, a.plan.order, a.plan.choices[n].Executor)
	switch {
	case fresh.failure != nil:
		return fresh.failure
	case fresh.digest != a.plan.choices[n].digest, fresh.run.Tier > a.plan.tier:
		return notBegun(workflow.ClassPermanent, "what it would do was changed meanwhile")
	}
	a.plan.choices[n] = fresh
	return nil
}

// do runs an executor once, within the time of a try.
func (r *Runner) do(ctx context.Context, p *plan, n int) (result workflow.Result) {
	defer func() {
		if cause := recover(); cause != nil {
			result = workflow.Result{Failure: r.panicked(p.order, cause, workflow.Doubtful)}
		}
	}()
	timeout := p.executor.Reliability.Timeout
	if timeout <= 0 {
		timeout = workflow.DefaultTryTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	reach("attempt-begins")
	result = p.choices[n].run.Do(ctx)
	r.tellCause(p.order, result.Failure)
	reach("attempt-ended")
	return result
}

// tellCause tells the operator what a caller is not told of a failure.
func (r *Runner) tellCause(o *order, f *workflow.Failure) {
	if f != nil && f.Cause != nil {
		r.config.Log.Warn("an executor failed", "attempt", o.attempt, "kind", o.executor.Kind, "class", f.Class, "cause", f.Cause)
	}
}

// keepLease says again and again that the attempt's worker is alive, and ends the drive when another has taken over.
func (r *Runner) keepLease(ctx context.Context, v *drive, a *attempt) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(leaseTime / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			now := store.Milliseconds(r.config.Now())
			err := r.config.Store.Update(ctx, func(tx store.Tx) error {
				return tx.RenewAttempt(a.stored.ID, a.stored.Fence, 0, 0, now.Add(leaseTime), now)
			})
			if errors.Is(err, store.ErrConflict) {
				v.cancel(errFenced)
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}

func retriesOf(r workflow.Reliability) []string {
	if r.RetryOn == nil {
		return usualRetries
	}
	return r.RetryOn
}

// delay is how long to wait after the n-th try. An exponential one is drawn anew each time, so that many who failed
// together do not come back together.
func delay(r workflow.Reliability, n int) time.Duration {
	longest := r.Longest
	if longest <= 0 {
		longest = workflow.DefaultLongestDelay
	}
	switch r.Backoff {
	case workflow.BackoffFixed:
		return min(r.First, longest)
	case workflow.BackoffExponential:
		most := r.First
		for range n - 1 {
			if most = min(2*most, longest); most == longest {
				break
			}
		}
		return rand.N(min(most, longest) + 1)
	}
	return 0
}
