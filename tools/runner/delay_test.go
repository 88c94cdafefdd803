package runner_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"prax/tools/executor"
	"prax/tools/workflow"
)

// TestDelays: the tries of an executor keep the distances that its reliability says.
func TestDelays(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		backoff string
		most    []time.Duration // between two tries
		exact   bool
	}{
		"none":        {"backoff: none, initialDelayMs: 1000", []time.Duration{0, 0, 0, 0}, true},
		"fixed":       {"backoff: fixed, initialDelayMs: 1000", []time.Duration{time.Second, time.Second, time.Second, time.Second}, true},
		"exponential": {"backoff: exponential, initialDelayMs: 1000, maxDelayMs: 3000", []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second}, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			h, p, _ := effects(t, retrying("            reliability: { retry: { maxAttempts: 5, retryOn: [connection_error], "+tt.backoff+" } }\n"))
			var at []time.Time
			p.do = func(context.Context, int, executor.Request) workflow.Result {
				at = append(at, time.Now())
				return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassConnection, Message: "nobody there", Begun: workflow.NotBegun}}
			}
			h.submit(agent, h.begin(agent, "ship"), "go", "")
			if len(at) != 5 {
				t.Fatalf("%s: %d tries", name, len(at))
			}
			for n, most := range tt.most {
				if got := at[n+1].Sub(at[n]); got > most || tt.exact && got != most {
					t.Errorf("%s: %v between the tries %d and %d, want %v", name, got, n+1, n+2, most)
				}
			}
		})
	}
}

// TestTimeOfATry: the time is that of one try, not of all.
func TestTimeOfATry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, p, _ := effects(t, retrying("              idempotencyKey: true\n            reliability: { timeoutMs: 2000, retry: { maxAttempts: 3 } }\n"))
		p.do = func(ctx context.Context, n int, _ executor.Request) workflow.Result {
			if n == 3 {
				return workflow.Result{Output: map[string]any{"n": 3.0}}
			}
			<-ctx.Done()
			return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "too slow"}}
		}
		began := time.Now()
		h.must(agent, h.begin(agent, "ship"), "go", "", "done 2")
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("it took %v, want two tries of two seconds each", took)
		}
	})
}
