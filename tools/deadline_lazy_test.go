package tools

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestDeadline: for who asks, it is the context that context.WithTimeout gives.
func TestDeadline(t *testing.T) {
	t.Parallel()
	type key struct{}
	within := func(parent context.Context) (context.Context, func()) {
		d := newDeadline(parent, time.Second)
		return d, d.end
	}
	for name, ask := range map[string]func(context.Context){
		"nobody asked":            func(context.Context) {},
		"Done was asked":          func(ctx context.Context) { ctx.Done() },
		"somebody builds upon it": func(ctx context.Context) { context.AfterFunc(ctx, func() {}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cause := errors.New("gone")
				caller, leave := context.WithCancelCause(context.WithValue(t.Context(), key{}, 7))
				defer leave(nil)
				first, endFirst := within(caller)
				second, endSecond := within(caller)
				third, endThird := within(caller)
				defer endSecond()
				defer endThird()
				for _, ctx := range []context.Context{first, second, third} {
					ask(ctx)
					if at, ok := ctx.Deadline(); !ok || time.Until(at) != time.Second {
						t.Errorf("deadline %v, %v", at, ok)
					}
					if ctx.Err() != nil || ctx.Value(key{}) != 7 {
						t.Errorf("at first: %v, value %v", ctx.Err(), ctx.Value(key{}))
					}
				}
				endFirst()
				ended(t, first, context.Canceled, context.Canceled)
				time.Sleep(time.Second)
				synctest.Wait()
				ended(t, second, context.DeadlineExceeded, context.DeadlineExceeded)
				leave(cause)
				ended(t, first, context.Canceled, context.Canceled)
				ended(t, second, context.DeadlineExceeded, context.DeadlineExceeded)
				if third.Value(key{}) != 7 {
					t.Error("the value is gone")
				}
				fourth, endFourth := within(caller)
				defer endFourth()
				ended(t, fourth, context.Canceled, cause)
			})
		})
	}
}

// TestDeadlineOfTheCaller: the earlier of the two holds, and a caller that leaves ends it.
func TestDeadlineOfTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		caller, leave := context.WithTimeout(t.Context(), time.Minute)
		defer leave()
		ctx := newDeadline(caller, time.Hour)
		defer ctx.end()
		if at, _ := ctx.Deadline(); time.Until(at) != time.Minute {
			t.Errorf("deadline in %v", time.Until(at))
		}
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		leave()
		<-inner.Done()
		ended(t, ctx, context.Canceled, context.Canceled)
	})
}

func ended(t *testing.T, ctx context.Context, err, cause error) {
	t.Helper()
	if got := ctx.Err(); !errors.Is(got, err) {
		t.Errorf("Err() = %v, want %v", got, err)
	}
	select {
	case <-ctx.Done():
	default:
		t.Error("Done is open")
	}
	if got := context.Cause(ctx); !errors.Is(got, cause) {
		t.Errorf("Cause = %v, want %v", got, cause)
	}
}
