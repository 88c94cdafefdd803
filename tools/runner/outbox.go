package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"prax/store"
	"prax/tools"
)

const (
	hookTime   = 10 * time.Second       // for one delivery
	hookPace   = 200 * time.Millisecond // between two of them, however much waits
	firstDelay = 5 * time.Second        // after a delivery that failed; doubled up to longestDelay
	noticeLife = 24 * time.Hour         // a delivery that fails so long after what it tells was the last

	longestDelay = 10 * time.Minute
)

// Hook is how the operator is told of something outside.
type Hook interface {
	// Tell delivers one line of JSON, and tells whether it got there. Nothing else of the answer means anything. The
	// same id may come again: it was not known then that it had got there. The error is for the operator.
	Tell(ctx context.Context, id string, line []byte) error
}

// outbox wakes who delivers notices when one was written down.
type outbox struct {
	ring chan struct{} // holds one
}

func newOutbox() *outbox { return &outbox{ring: make(chan struct{}, 1)} }

func (o *outbox) wake() {
	select {
	case o.ring <- struct{}{}:
	default:
	}
}

// Deliver tells the operator what was written down to be told, until ctx ends: those that an earlier start has left, and each
// other one when it was written. It is one delivery after the other, so that a hook that hangs holds up nothing else.
// One that fails is tried again, ever more seldom, for a day. It always returns nil.
func (r *Runner) Deliver(ctx context.Context) error {
	if r.config.Hook == nil {
		return nil
	}
	before := ageless // of other workers: at its start a process that owns the store takes over what they had
	retry := firstRetry
	for ctx.Err() == nil {
		n, err := r.claimNotice(ctx, before)
		switch {
		case err == nil:
			retry = firstRetry
			r.deliver(ctx, n)
			sleep(ctx, hookPace)
		case errors.Is(err, store.ErrNotFound):
			before = time.Time{}
			r.awaitNotice(ctx)
		default:
			if ctx.Err() == nil {
				r.config.Log.Error("notices to the operator cannot be read", "cause", err, "again_in", retry.String())
			}
			sleep(ctx, retry)
			retry = min(2*retry, longestSleep)
		}
	}
	return nil
}

func (r *Runner) claimNotice(ctx context.Context, before time.Time) (n store.Notice, err error) {
	now := r.now()
	err = r.config.Store.Update(ctx, func(tx store.Tx) (err error) {
		n, err = tx.ClaimNotice(r.config.Worker, before, now.Add(leaseTime), now)
		return err
	})
	return n, err
}

// awaitNotice waits until one is written, or comes due.
func (r *Runner) awaitNotice(ctx context.Context) {
	var next time.Time
	err := r.config.Store.View(ctx, func(tx store.Tx) (err error) {
		next, err = tx.NextNotice()
		return err
	})
	pause := longestSleep
	if err == nil && !next.IsZero() {
		pause = r.pause(next)
	}
	over := time.NewTimer(pause)
	defer over.Stop()
	select {
	case <-over.C:
	case <-r.outbox.ring:
	case <-ctx.Done():
	}
}

// deliver tries a notice that was claimed, and writes down what came of it. One that a stop interrupts is left to the next
// start.
func (r *Runner) deliver(ctx context.Context, n store.Notice) {
	reach("notice-claimed")
	err := r.tell(ctx, n)
	reach("notice-told")
	log := r.config.Log.With("notice", n.ID, "kind", string(n.Kind), "tries", n.Tries)
	now := r.now()
	switch {
	case err == nil:
		log.Debug("the operator was told")
		r.settleNotice(ctx, n, func(tx store.Tx) error { return tx.EndNotice(n.ID, r.config.Worker) })
	case ctx.Err() != nil:
	case now.Sub(n.At) >= noticeLife:
		log.Error("the operator could not be told, and is not told any more", "cause", err)
		r.settleNotice(ctx, n, func(tx store.Tx) error {
			tx.AddEvent(givenUp(n, now))
			return tx.EndNotice(n.ID, r.config.Worker)
		})
	default:
		delay := delayOf(n.Tries)
		log.Warn("the operator could not be told", "cause", err, "again_in", delay.String())
		r.settleNotice(ctx, n, func(tx store.Tx) error { return tx.DelayNotice(n.ID, r.config.Worker, now.Add(delay)) })
	}
}

// tell runs the hook once.
func (r *Runner) tell(ctx context.Context, n store.Notice) error {
	line, err := messageOf(n)
	if err != nil {
		return fmt.Errorf("write a notice: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	return r.config.Hook.Tell(ctx, n.ID, line)
}

// settleNotice writes down what came of a delivery, ever more seldom while the store cannot take it: what was told once
// should not be told again for that.
func (r *Runner) settleNotice(ctx context.Context, n store.Notice, write func(store.Tx) error) {
	for pause := firstRetry; ; pause = min(2*pause, longestSleep) {
		err := r.config.Store.Update(context.WithoutCancel(ctx), write)
		if err == nil || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrClosed) {
			return // or another worker has it by now
		}
		r.config.Log.Error("what came of a notice cannot be written down", "notice", n.ID, "cause", err, "again_in", pause.String())
		if !sleep(ctx, pause) {
			return
		}
	}
}

// delayOf is how long to wait after the n-th try.
func delayOf(tries int) time.Duration {
	delay := firstDelay
	for range tries - 1 {
		if delay = min(2*delay, longestDelay); delay == longestDelay {
			break
		}
	}
	return delay
}

// givenUp is the event of a notice that nobody got.
func givenUp(n store.Notice, now time.Time) store.Event {
	text, _ := json.Marshal(struct { // ids and names
		Event  string           `json:"event"`
		Notice string           `json:"notice"`
		Kind   store.NoticeKind `json:"kind"`
		At     time.Time        `json:"at"`
		Tries  int              `json:"tries"`
	}{"notice_given_up", n.ID, n.Kind, n.At, n.Tries}, json.Deterministic(true))
	return store.Event{At: now, Kind: store.EventServer, Outcome: tools.OutcomeError, Detail: string(text)}
}
