package edge_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"prax/auth"
	"prax/server/edge"
)

// verdict is what Next gave, and when.
type verdict struct {
	p   auth.Principal
	err error
	at  time.Time
}

// follow runs Next in a loop, as a stream does, until it fails.
func follow(ctx context.Context, x *edge.Exchange, wake <-chan struct{}) <-chan verdict {
	out := make(chan verdict, 16)
	go func() {
		defer close(out)
		live := x.Live()
		for {
			p, err := live.Next(ctx, wake)
			out <- verdict{p, err, time.Now()}
			if err != nil {
				return
			}
		}
	}()
	return out
}

func exchange(r *registry, p auth.Principal) *edge.Exchange {
	return edge.New(edge.Config{}).Exchange(r, p, "r1", "192.0.2.1", time.Now())
}

func TestLiveFirstJudgesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(time.Now, alice(nil))
		x := exchange(r, alice(nil))
		r.set(alice(func(p *auth.Principal) { p.User = "u_other" })) // between the request and its stream
		ctx, stop := context.WithCancel(t.Context())
		got := <-follow(ctx, x, nil)
		stop()
		if got.err != nil || got.p.User != "u_other" {
			t.Fatalf("first Next gave user %q, %v; want u_other at once", got.p.User, got.err)
		}
		synctest.Wait()
	})
}

func TestLiveEveryGeneration(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(time.Now, alice(nil))
		x := exchange(r, alice(nil))
		verdicts := follow(t.Context(), x, nil)
		<-verdicts
		synctest.Wait()

		r.set(alice(func(p *auth.Principal) { p.Allow = auth.Names("a") }))
		if got := <-verdicts; got.err != nil || got.p.Allow.Has("b") || !got.p.Allow.Has("a") {
			t.Fatalf("after narrowing: allow %v, %v", got.p.Allow.Sorted(), got.err)
		}
		r.set(alice(nil))
		if got := <-verdicts; got.err != nil || !got.p.Allow.Has("b") {
			t.Fatalf("after widening: allow %v, %v", got.p.Allow.Sorted(), got.err)
		}
		r.set()
		if got := <-verdicts; !errors.Is(got.err, edge.ErrOut) {
			t.Fatalf("after removal: %v, want ErrOut", got.err)
		}
		if x.Principal.Allow.Len() != 0 || x.Principal.Client != "alice" {
			t.Errorf("the principal of a client that is out is %+v", x.Principal)
		}
		// Once out, the exchange stays out: its credential is gone.
		r.set(alice(nil))
		if _, ok := x.Again(); ok {
			t.Error("an exchange whose client was out came back")
		}
	})
}

func TestLiveExpiry(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{time.Nanosecond, 3 * time.Second, 90 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			ends := time.Now().Add(after)
			p := alice(func(p *auth.Principal) { p.Expires = ends })
			verdicts := follow(t.Context(), exchange(newRegistry(time.Now, p), p), nil)
			if got := <-verdicts; got.err != nil {
				t.Fatalf("before expiry: %v", got.err)
			}
			got := <-verdicts
			if !errors.Is(got.err, edge.ErrOut) || got.at.Before(ends) || got.at.Sub(ends) > time.Second {
				t.Fatalf("expiry %v ahead: %v after %v", after, got.err, got.at.Sub(ends))
			}
		})
	}
}

// The edge judges the expiry by itself as well: an authenticator whose clock is behind, or that
// forgets, keeps no stream open.
func TestLiveExpiryDoesNotTrustTheAuthenticator(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := alice(func(p *auth.Principal) { p.Expires = start.Add(time.Minute) })
		r := newRegistry(func() time.Time { return start }, p)
		ctx, stop := context.WithTimeout(t.Context(), 61*time.Second)
		defer stop()
		verdicts := follow(ctx, exchange(r, p), nil)
		<-verdicts
		if got := <-verdicts; !errors.Is(got.err, edge.ErrOut) || got.at.Sub(start) < time.Minute {
			t.Fatalf("%v after %v", got.err, got.at.Sub(start))
		}
	})
}

// An expiry that is moved while the stream is open counts as it is now.
func TestLiveExpiryMoves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		until := func(d time.Duration) auth.Principal {
			return alice(func(p *auth.Principal) { p.Expires = start.Add(d) })
		}
		r := newRegistry(time.Now, until(time.Minute))
		verdicts := follow(t.Context(), exchange(r, until(time.Minute)), nil)
		<-verdicts
		synctest.Wait()
		r.set(until(time.Hour))
		if got := <-verdicts; got.err != nil {
			t.Fatalf("prolonged: %v", got.err)
		}
		if got := <-verdicts; !errors.Is(got.err, edge.ErrOut) || got.at.Sub(start) < time.Hour {
			t.Fatalf("%v after %v, want ErrOut after an hour", got.err, got.at.Sub(start))
		}
	})
}

// A machine that slept: timers stood still, the wall clock did not. The stream is judged within a
// minute all the same, and a stream where nothing happens returns nothing.
func TestLiveRechecks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var jump atomic.Int64
		clock := func() time.Time { return time.Now().Add(time.Duration(jump.Load())) }
		p := alice(func(p *auth.Principal) { p.Expires = start.Add(time.Hour) })
		r := newRegistry(clock, p)
		x := edge.New(edge.Config{Now: clock}).Exchange(r, p, "r1", "192.0.2.1", start)
		verdicts := follow(t.Context(), x, nil)
		<-verdicts
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if len(verdicts) != 0 {
			t.Fatal("Next returned although nothing happened")
		}
		jump.Store(int64(2 * time.Hour))
		if got := <-verdicts; !errors.Is(got.err, edge.ErrOut) || got.at.Sub(start) > 11*time.Minute+time.Second {
			t.Fatalf("%v after %v", got.err, got.at.Sub(start))
		}
	})
}

// late is a registry where another generation comes into force while Next asks whether one has.
type late struct {
	*registry
	meanwhile atomic.Pointer[func()]
}

func (l *late) Changed() <-chan struct{} {
	if f := l.meanwhile.Swap(nil); f != nil {
		(*f)()
	}
	return l.registry.Changed()
}

// A generation that comes into force at the very moment of a recheck is told like any other.
func TestLiveGenerationAtARecheck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &late{registry: newRegistry(time.Now, alice(nil))}
		x := edge.New(edge.Config{}).Exchange(r, alice(nil), "r1", "192.0.2.1", time.Now())
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		verdicts := follow(ctx, x, nil)
		<-verdicts
		synctest.Wait()
		narrow := func() { r.set(alice(func(p *auth.Principal) { p.Allow = auth.Names("a") })) }
		r.meanwhile.Store(&narrow)
		if got := <-verdicts; got.err != nil || got.p.Allow.Has("b") {
			t.Fatalf("narrowed while the time was up: allow %v, %v", got.p.Allow.Sorted(), got.err)
		}
	})
}

func TestLiveWakesAndEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(time.Now, alice(nil))
		wake := make(chan struct{})
		gone := errors.New("the caller hung up")
		ctx, hangUp := context.WithCancelCause(t.Context())
		verdicts := follow(ctx, exchange(r, alice(nil)), wake)
		<-verdicts
		wake <- struct{}{}
		if got := <-verdicts; got.err != nil || got.p.Client != "alice" {
			t.Fatalf("woken: %+v", got)
		}
		hangUp(gone)
		if got := <-verdicts; !errors.Is(got.err, gone) {
			t.Fatalf("ended with %v, want the context's cause", got.err)
		}
		if _, err := exchange(r, alice(nil)).Live().Next(ctx, nil); !errors.Is(err, gone) {
			t.Fatalf("a first Next under an ended context gave %v", err)
		}
	})
}

func TestAgainJudgesNow(t *testing.T) {
	t.Parallel()
	r := newRegistry(time.Now, alice(nil))
	x := exchange(r, alice(nil))
	r.set(alice(func(p *auth.Principal) { p.Allow = auth.Names("b") }))
	if p, ok := x.Again(); !ok || p.Allow.Has("a") || x.Principal.Allow.Has("a") {
		t.Fatalf("narrowed client still has %v, %v", p.Allow.Sorted(), ok)
	}
	r.set()
	p, ok := x.Again()
	if ok || p.Allow.Len() != 0 || p.Credential != (auth.Credential{}) {
		t.Fatalf("removed client: %+v, %v", p, ok)
	}
}

func TestRefreshJudgesAnotherGeneration(t *testing.T) {
	t.Parallel()
	r := newRegistry(time.Now, alice(nil))
	x := exchange(r, alice(nil))
	before := x.Principal
	if ok := x.Refresh(); !ok || x.Out() || x.Principal.Generation != before.Generation {
		t.Error("judged again although nothing changed")
	}
	r.set(alice(func(p *auth.Principal) { p.Allow = auth.Names("b") }))
	if ok := x.Refresh(); !ok || x.Out() || x.Principal.Allow.Has("a") {
		t.Errorf("a narrowed client is %+v, known %v", x.Principal, ok)
	}
	r.set()
	if ok := x.Refresh(); ok || !x.Out() || x.Principal.Allow.Len() != 0 || x.Principal.Client != "alice" {
		t.Errorf("a removed client is still %+v, known %v", x.Principal, ok)
	}
}

// A credential that lapses while the body is under way is out, although no file changed.
func TestRefreshSeesALapse(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	lapsing := alice(func(p *auth.Principal) { p.Expires = now.Add(time.Second) })
	r := newRegistry(clock, lapsing)
	x := edge.New(edge.Config{Now: clock}).Exchange(r, lapsing, "r1", "192.0.2.1", now)
	if !x.Refresh() || x.Out() {
		t.Error("out before it lapsed")
	}
	now = now.Add(time.Second)
	if x.Refresh() || !x.Out() || x.Principal.Allow.Len() != 0 {
		t.Errorf("a lapsed client is still %+v", x.Principal)
	}
}
