package control

import (
	"context"
	"errors"
	"time"

	"prax/store"
	"prax/tools"
)

// auditStep is how many events are read in one snapshot.
const auditStep = 500

// Events calls f with the events after a number, oldest first, some at a time. A negative number
// counts from the end: -10 begins with the last ten. With follow it goes on until ctx ends, which is
// no error.
func (o *Operator) Events(ctx context.Context, after int64, follow bool, f func([]store.Event) error) error {
	o.end(o.begin("audit", "", ""), tools.OutcomeOK, "")
	after, err := o.startingPoint(ctx, after)
	if err != nil {
		return err
	}
	tick := time.NewTicker(o.cfg.Poll)
	defer tick.Stop()
	for {
		if after, err = o.passOn(ctx, after, f); err != nil || !follow {
			return unlessEnded(ctx, follow, err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// unlessEnded is err, unless whoever followed has ended it.
func unlessEnded(ctx context.Context, follow bool, err error) error {
	if follow && ctx.Err() != nil {
		return nil
	}
	return err
}

func (o *Operator) startingPoint(ctx context.Context, after int64) (int64, error) {
	if after >= 0 {
		return after, nil
	}
	var last store.Event
	err := o.cfg.Audit.View(ctx, func(tx store.Tx) (err error) {
		last, err = tx.LastEvent()
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	return max(last.Seq+after, 0), err
}

// passOn gives f all that there is after a number, and returns the number of the last.
func (o *Operator) passOn(ctx context.Context, after int64, f func([]store.Event) error) (int64, error) {
	for {
		var events []store.Event
		err := o.cfg.Audit.View(ctx, func(tx store.Tx) (err error) {
			events, err = tx.EventsAfter(after, auditStep)
			return err
		})
		if err != nil || len(events) == 0 {
			return after, err
		}
		if err := f(events); err != nil {
			return after, err
		}
		after = events[len(events)-1].Seq
		if len(events) < auditStep {
			return after, nil
		}
	}
}
