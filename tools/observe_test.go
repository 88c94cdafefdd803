package tools_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

// watching counts what a registry tells, by tool and outcome.
type watching struct {
	mu    sync.Mutex
	calls map[string]int
	took  time.Duration
}

func (w *watching) Tool(name string) func(string, time.Duration) {
	return func(outcome string, took time.Duration) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.calls[name+" "+outcome]++
		w.took += took
	}
}

// TestObserved: each call is told once, under the tool's own name or under none, with how it ended and how long it took.
func TestObserved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &watching{calls: map[string]int{}}
		handlers := map[string]tools.Handler{
			"fine":   func(context.Context, *tools.Call) (*tools.Result, error) { return tools.Text("ok"), nil },
			"failed": func(context.Context, *tools.Call) (*tools.Result, error) { return &tools.Result{IsError: true}, nil },
			"broken": func(context.Context, *tools.Call) (*tools.Result, error) { return nil, errors.New("broken") },
			"panics": func(context.Context, *tools.Call) (*tools.Result, error) { panic("panics") },
			"speaks": func(context.Context, *tools.Call) (*tools.Result, error) {
				return nil, &tools.ProtocolError{Code: -32000, Message: "no"}
			},
			"slow": func(ctx context.Context, _ *tools.Call) (*tools.Result, error) { <-ctx.Done(); return nil, ctx.Err() },
			"left": func(context.Context, *tools.Call) (*tools.Result, error) { return nil, context.Canceled },
			"with.dot": func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
				return tools.Text("ok"), c.Update(ctx, func(store.Tx) error { return nil })
			},
		}
		r := tools.NewRegistry(tools.Config{Store: quiet{}, Observe: w, Timeout: 3 * time.Second})
		var list []*tools.Tool
		names := []string{"ungranted"}
		for name, h := range handlers {
			one := tool(name, auth.Medium)
			one.Handler, one.Input = h, []byte(`{"type":"object","additionalProperties":false}`)
			list, names = append(list, one), append(names, name)
		}
		list = append(list, tool("ungranted", auth.Low), tool("high", auth.High))
		set(t, r, "one", list...)
		call := func(name, arguments string) {
			_, _ = r.Call(t.Context(), &tools.Call{Principal: principal("alice", names[1:]...), Name: name, Arguments: []byte(arguments), RequestID: "r"})
		}
		for name := range handlers {
			call(name, `{}`)
		}
		call("fine", `{"a":1,"a":2}`)
		call("fine", `{"unknown":1}`)
		call("with_dot", `{}`)
		call("ungranted", `{}`)
		call("high", `{}`)
		call("no such tool", `{}`)
		call("nor this", `{}`)
		want := map[string]int{
			"fine ok": 1, "failed error": 1, "broken error": 1, "panics panic": 1, "speaks error": 1, "slow timeout": 1, "left cancelled": 1, "with.dot ok": 2,
			"fine error": 2, "ungranted denied": 1, "high denied": 1, " denied": 2,
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if diff := cmp.Diff(want, w.calls); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if w.took != 3*time.Second {
			t.Errorf("the calls took %v together, want the 3s of the slow one", w.took)
		}
	})
}

// quiet is as much of a store as calls need, and keeps nothing.
type quiet struct{ store.Store }

func (quiet) Record(store.Event) {}

func (quiet) Update(_ context.Context, f func(store.Tx) error) error { return f(forgetful{}) }

// forgetful is a transaction that takes events and nothing else.
type forgetful struct{ store.Tx }

func (forgetful) AddEvent(store.Event) {}

// TestRunning: handlers are counted while they run, and apart once they were left behind.
func TestRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		hangs := tool("work", auth.Low)
		hangs.Handler = func(context.Context, *tools.Call) (*tools.Result, error) { <-over; return tools.Text("late"), nil }
		r := tools.NewRegistry(tools.Config{Store: quiet{}, Timeout: time.Second})
		set(t, r, "one", hangs)
		running := func(wantActive, wantStrayed int) {
			t.Helper()
			if active, strayed := r.Running(); active != wantActive || strayed != wantStrayed {
				t.Errorf("%d run, %d were left behind; want %d, %d", active, strayed, wantActive, wantStrayed)
			}
		}
		running(0, 0)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = r.Call(t.Context(), &tools.Call{Principal: principal("alice", "work"), Name: "work", RequestID: "r"})
		}()
		synctest.Wait()
		running(1, 0)
		<-done
		running(1, 1)
		close(over)
		synctest.Wait()
		running(0, 0)
	})
}
