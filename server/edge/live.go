package edge

import (
	"context"
	"errors"
	"time"

	"prax/auth"
)

// ErrOut is how a stream ends whose client is known no more: removed, disabled, rotated, narrowed
// to nothing it could hold, or past its expiry. It says no more than that on purpose.
var ErrOut = errors.New("the credential is no longer accepted")

// recheck bounds how long a stream goes unjudged although nothing seems to have happened: timers
// stand still while a machine sleeps, the wall clock that expiry is written in does not.
const recheck = time.Minute

// soonest keeps a clock that runs a little behind the timers from turning a wait into a spin.
const soonest = time.Millisecond

// Live judges one exchange's principal again for as long as its stream is open. It belongs to the
// goroutine that serves the exchange.
type Live struct {
	x       *Exchange
	changed <-chan struct{}
}

// Live begins to judge the exchange again.
func (x *Exchange) Live() *Live { return &Live{x: x} }

// Next waits until there is a reason to look again, and judges: another registry generation, a
// value or the closing of wake (nil: never), or the credential's own expiry. It returns the
// principal that the credential gives now, and keeps it in the exchange.
// The first Next returns at once: the registry may have changed since the request was judged.
//
// The error is [ErrOut] when the client is out, and the context's when ctx has ended. A stream gets
// the one and the other only from here, so that no cause of an ending can be told from another.
func (l *Live) Next(ctx context.Context, wake <-chan struct{}) (auth.Principal, error) {
	for {
		lapsed, err := l.wait(ctx, wake)
		if err != nil {
			return auth.Principal{}, err
		}
		before := l.changed
		p, err := l.judge()
		// A generation may come into force just as the time is up: then there is news after all.
		if err != nil || !lapsed || l.changed != before {
			return p, err
		}
	}
}

// wait returns nil when there is a reason to judge; lapsed tells that it was the time alone.
func (l *Live) wait(ctx context.Context, wake <-chan struct{}) (lapsed bool, err error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if l.changed == nil {
		return false, nil
	}
	timer := time.NewTimer(l.patience())
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-l.changed:
	case <-wake:
	case <-timer.C:
		lapsed = true
	}
	return lapsed, nil
}

// patience is how long the last judgement may stand.
func (l *Live) patience() time.Duration {
	at := l.x.Principal.Expires
	if at.IsZero() {
		return recheck
	}
	return min(max(at.Sub(l.x.edge.now()), soonest), recheck)
}

// judge takes the channel before it asks: a generation that comes into force in between is seen by
// the next wait.
func (l *Live) judge() (auth.Principal, error) {
	l.changed = l.x.judge.Changed()
	p, ok := l.x.Again()
	if !ok {
		return auth.Principal{}, ErrOut
	}
	return p, nil
}

// Again judges the exchange's principal by the registry in force now and keeps the outcome: the
// principal that the credential gives now, or, with ok false, one of the same name that can do
// nothing. An adapter asks before each further step of one exchange, such as the next element of a
// batch.
func (x *Exchange) Again() (p auth.Principal, ok bool) {
	p, ok = x.judge.Again(x.Principal)
	if !ok || p.Expired(x.edge.now()) {
		p, ok = auth.Principal{Client: x.Principal.Client, User: x.Principal.User, Rate: x.Principal.Rate}, false
	}
	x.Principal = p
	return p, ok
}

// Refresh is Again when another registry generation came into force since the exchange began, or the
// credential has lapsed. An adapter calls it once it has read the body, which may come in long after
// its token: until then the request has not arrived. False says that the client is out: the adapter
// must write nothing.
func (x *Exchange) Refresh() bool {
	now := x.judge.Changed()
	lapsed := !x.Principal.Expires.IsZero() && x.Principal.Expired(x.edge.now())
	if now == x.changed && !lapsed {
		return true
	}
	x.changed = now
	_, ok := x.Again()
	x.out = !ok
	return ok
}

// Out tells whether Refresh found the client out.
func (x *Exchange) Out() bool { return x.out }
