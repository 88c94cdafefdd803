package tools_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
	"prax/tools"
)

func TestAPanicEndsItsCallOnly(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]tools.Handler{
		"panic":  func(context.Context, *tools.Call) (*tools.Result, error) { panic("secret of the handler") },
		"goexit": func(context.Context, *tools.Call) (*tools.Result, error) { runtime.Goexit(); return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, work(h))
			if got := failure(t, g.call(t, "")); got.Code != "INTERNAL" || strings.Contains(got.Message, "secret") {
				t.Errorf("failure %+v", got)
			}
			if e := g.audit(t); e.Outcome != "panic" || e.Code != "INTERNAL" {
				t.Errorf("audited as %s %s", e.Outcome, e.Code)
			}
			if name == "panic" && (!strings.Contains(g.logs.String(), "TestAPanicEndsItsCallOnly") || !strings.Contains(g.logs.String(), "secret of the handler")) {
				t.Errorf("no stack in the log:\n%s", g.logs)
			}
			if res := g.call(t, ""); !res.IsError {
				t.Error("the second call went well")
			}
		})
	}
}

// TestAHangEndsAtTheDeadline: the caller is answered, the handler can change nothing any more, and
// Close waits for it.
func TestAHangEndsAtTheDeadline(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	late := make(chan error, 1)
	made := work(func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
		<-release
		err := c.Update(context.WithoutCancel(ctx), func(store.Tx) error { return nil })
		late <- err
		return tools.Text("too late"), err
	})
	made.Timeout = 20 * time.Millisecond
	g := newRig(t, made)
	if got := failure(t, g.call(t, "")); got.Code != "TIMEOUT" || !strings.Contains(got.Message, "20ms") {
		t.Errorf("failure %+v", got)
	}
	if e := g.audit(t); e.Outcome != "timeout" {
		t.Errorf("audited as %s", e.Outcome)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Close(ctx); err == nil || !strings.Contains(err.Error(), "1 tool calls") {
		t.Errorf("Close with a handler running = %v", err)
	}
	if got := failure(t, g.call(t, "")); got.Code != "BUSY" || got.Message != "the server is stopping" {
		t.Errorf("a call after Close: %+v", got)
	}
	close(release)
	if err := g.Close(t.Context()); err != nil {
		t.Errorf("Close = %v", err)
	}
	if err := <-late; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a change after the deadline = %v", err)
	}
}

func TestTheDefaultDeadlineHolds(t *testing.T) {
	t.Parallel()
	g := newRig(t, work(func(ctx context.Context, _ *tools.Call) (*tools.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}), func(c *tools.Config) { c.Timeout = 20 * time.Millisecond })
	if got := failure(t, g.call(t, "")); got.Code != "TIMEOUT" {
		t.Errorf("failure %+v", got)
	}
}

// TestStraysAreBounded: a tool that hangs costs its client its calls, not the server its memory, and
// not another client anything.
func TestStraysAreBounded(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var reached atomic.Int32
	made := work(func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
		if c.Principal.User == "alice" {
			reached.Add(1)
			<-release
		}
		return tools.Text("fine"), nil
	})
	made.Timeout = time.Millisecond
	g := newRig(t, made)
	for range 40 {
		g.call(t, "")
	}
	deadline := time.Now().Add(10 * time.Second)
	for reached.Load() < 16 && time.Now().Before(deadline) {
		runtime.Gosched() // a handler may be left behind before it has begun
	}
	if n := reached.Load(); n != 16 {
		t.Errorf("%d handlers run, want 16", n)
	}
	if got := failure(t, g.call(t, "")); got.Code != "BUSY" {
		t.Errorf("failure %+v", got)
	}
	made2 := *made
	made2.Timeout = 0
	set(t, g.Registry, "one", &made2)
	res, err := g.Call(t.Context(), &tools.Call{Principal: principal("bob", "work"), Name: "work"})
	if err != nil || res.IsError {
		t.Errorf("another client: %+v, %v", res, err)
	}
	close(release)
	for deadline = time.Now().Add(10 * time.Second); g.call(t, "").IsError; {
		if time.Now().After(deadline) {
			t.Fatal("strays that came home are still counted")
		}
		runtime.Gosched()
	}
	if err := g.Close(t.Context()); err != nil {
		t.Errorf("Close = %v", err)
	}
}

func TestACallerThatLeaves(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	g := newRig(t, work(func(ctx context.Context, _ *tools.Call) (*tools.Result, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	res, err := g.Call(ctx, &tools.Call{Principal: principal("alice", "work"), Name: "work"})
	if err != nil || failure(t, res).Code != "CANCELLED" {
		t.Errorf("%+v, %v", res, err)
	}
	if e := g.audit(t); e.Outcome != "cancelled" {
		t.Errorf("audited as %s", e.Outcome)
	}
}

// TestProgressEndsWithTheCall: it only grows, and nothing comes after the answer.
func TestProgressEndsWithTheCall(t *testing.T) {
	t.Parallel()
	var handle func(tools.Progress)
	g := newRig(t, work(func(_ context.Context, c *tools.Call) (*tools.Result, error) {
		handle = c.Progress
		for _, done := range []float64{math.NaN(), math.Inf(-1), 0, 1, 1, 0.5, math.NaN(), 2, math.Inf(1)} {
			c.Progress(tools.Progress{Done: done})
		}
		return tools.Text("fine"), nil
	}))
	var got []float64
	_, err := g.Call(t.Context(), &tools.Call{Principal: principal("alice", "work"), Name: "work",
		Progress: func(p tools.Progress) { got = append(got, p.Done) }})
	if err != nil {
		t.Fatal(err)
	}
	handle(tools.Progress{Done: 3})
	if diff := cmp.Diff([]float64{0, 1, 2}, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	g.call(t, "") // without somebody to tell
}

// TestAChangeOnItsWayIsAwaited: what was done is not reported as undone because the caller's time was
// up during its commit.
func TestAChangeOnItsWayIsAwaited(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	g := newRig(t, work(func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
		err := c.Update(ctx, func(store.Tx) error {
			cancel()
			<-ctx.Done()
			return nil
		})
		return tools.Text("done"), err
	}))
	res, err := g.Call(ctx, &tools.Call{Principal: principal("alice", "work"), Name: "work"})
	if err != nil || res.IsError || res.Content[0].Text != "done" {
		t.Errorf("%+v, %v", res, err)
	}
	if e := g.audit(t); e.Outcome != "ok" {
		t.Errorf("audited as %s %s", e.Outcome, e.Code)
	}
}

func TestNoChangeBeginsForACallerThatLeft(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	g := newRig(t, work(func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
		cancel()
		return nil, c.Update(ctx, func(store.Tx) error { panic("ran") })
	}))
	res, err := g.Call(ctx, &tools.Call{Principal: principal("alice", "work"), Name: "work"})
	if err != nil || failure(t, res).Code != "CANCELLED" {
		t.Errorf("%+v, %v", res, err)
	}
}
