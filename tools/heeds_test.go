package tools_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"prax/store"
	"prax/tools"
)

// heeding is work that says it heeds its context.
func heeding(h tools.Handler) *tools.Tool {
	made := work(h)
	made.Heeds = true
	return made
}

// goroutine is the first line of the caller's stack: its number.
func goroutine() string {
	stack := make([]byte, 64)
	line, _, _ := strings.Cut(string(stack[:runtime.Stack(stack, false)]), "[")
	return line
}

// TestWhereHandlersRun: one that heeds its context has the caller's goroutine, any other one of its own.
func TestWhereHandlersRun(t *testing.T) {
	t.Parallel()
	for _, heeds := range []bool{true, false} {
		var at string
		made := work(func(context.Context, *tools.Call) (*tools.Result, error) {
			at = goroutine()
			return tools.Text("fine"), nil
		})
		made.Heeds = heeds
		newRig(t, made).call(t, "")
		if same := at == goroutine(); same != heeds {
			t.Errorf("heeds %v: on the caller's goroutine %v", heeds, same)
		}
	}
}

func TestHeedingHandlersEnd(t *testing.T) {
	t.Parallel()
	wait := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	for _, tt := range []struct {
		name          string
		handler       tools.Handler
		code, message string
		outcome       string
	}{
		{"at the deadline", func(ctx context.Context, _ *tools.Call) (*tools.Result, error) { return nil, wait(ctx) },
			"TIMEOUT", "the tool did not finish in time (20ms)", "timeout"},
		{"at the deadline, wrapped", func(ctx context.Context, _ *tools.Call) (*tools.Result, error) {
			return nil, fmt.Errorf("waiting: %w", wait(ctx))
		}, "TIMEOUT", "the tool did not finish in time (20ms)", "timeout"},
		{"before a change", func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
			_ = wait(ctx)
			return nil, c.Update(ctx, func(store.Tx) error { panic("ran") })
		}, "TIMEOUT", "the tool did not finish in time (20ms)", "timeout"},
		{"with a failure of its own", func(ctx context.Context, _ *tools.Call) (*tools.Result, error) {
			_ = wait(ctx)
			return nil, tools.Errorf("LATE", "it goes on")
		}, "LATE", "it goes on", "error"},
		{"by a panic", func(ctx context.Context, _ *tools.Call) (*tools.Result, error) { panic("boom") },
			"INTERNAL", "something went wrong inside the server (request req-1)", "panic"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			made := heeding(tt.handler)
			made.Timeout = 20 * time.Millisecond
			g := newRig(t, made)
			if got := failure(t, g.call(t, "")); got.Code != tt.code || got.Message != tt.message {
				t.Errorf("failure %+v", got)
			}
			if e := g.audit(t); e.Outcome != tt.outcome || e.Code != tt.code || e.Args != "mac of {}" {
				t.Errorf("audited as %s %s %s", e.Outcome, e.Code, e.Args)
			}
			if err := g.Close(t.Context()); err != nil {
				t.Errorf("Close = %v", err)
			}
		})
	}
}

// TestAHeedingHandlerOfACallerThatLeft: what it gives all the same is what the call gave.
func TestAHeedingHandlerOfACallerThatLeft(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		give    error
		outcome string
	}{{"nothing", context.Canceled, "cancelled"}, {"a result", nil, "ok"}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			g := newRig(t, heeding(func(ctx context.Context, _ *tools.Call) (*tools.Result, error) {
				cancel()
				<-ctx.Done()
				return tools.Text("fine"), tt.give
			}))
			res, err := g.Call(ctx, &tools.Call{Principal: principal("alice", "work"), Name: "work"})
			if err != nil || res.IsError != (tt.give != nil) {
				t.Errorf("%+v, %v", res, err)
			}
			if e := g.audit(t); e.Outcome != tt.outcome {
				t.Errorf("audited as %s", e.Outcome)
			}
		})
	}
}

// TestCloseWaitsForHeedingHandlers as for any other.
func TestCloseWaitsForHeedingHandlers(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	g := newRig(t, heeding(func(context.Context, *tools.Call) (*tools.Result, error) {
		close(begun)
		<-release
		return tools.Text("fine"), nil
	}))
	answered := make(chan error, 1)
	go func() {
		_, err := g.Call(t.Context(), &tools.Call{Principal: principal("alice", "work"), Name: "work"})
		answered <- err
	}()
	<-begun
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Close(ended); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "1 tool calls") {
		t.Errorf("Close with a handler running = %v", err)
	}
	close(release)
	if err := g.Close(t.Context()); err != nil {
		t.Errorf("Close = %v", err)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
}
