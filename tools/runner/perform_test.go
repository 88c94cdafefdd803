package runner_test

import (
	"context"
	"strings"
	"testing"

	"prax/tools/executor"
	"prax/tools/workflow"
)

func retrying(more string) string {
	return `
  ship:
    initialState: s
    states:
      s:
        transitions:
          go:
            target: done
            executor:
              kind: probe
              name: first
              risk: low
` + more + `
            output: { n: "$.output.n" }
      done: { terminal: true }
`
}

// TestLaw6Retries: what may be tried again depends on what is known of the effect, and on whether it is idempotent.
func TestLaw6Retries(t *testing.T) {
	t.Parallel()
	const retries = "            reliability: { retry: { maxAttempts: 3, retryOn: [timeout, transient_error, connection_error] }, fallback: { executors: [ { kind: probe, name: second, risk: low } ] } }\n"
	const key = "              idempotencyKey: true\n"
	tests := map[string]struct {
		flow    string
		class   string
		begun   workflow.Begun
		repeats bool
		runs    int
		want    string
	}{
		"never begun":                  {retries, workflow.ClassConnection, workflow.NotBegun, false, 6, "EXECUTOR_FAILED"},
		"answered":                     {retries, workflow.ClassTransient, workflow.Answered, false, 1, "EXECUTOR_FAILED"},
		"answered, idempotent":         {key + retries, workflow.ClassTransient, workflow.Answered, false, 6, "EXECUTOR_FAILED"},
		"doubtful":                     {retries, workflow.ClassTimeout, workflow.Doubtful, false, 1, "EFFECT_UNKNOWN"},
		"doubtful, idempotent":         {key + retries, workflow.ClassTimeout, workflow.Doubtful, false, 6, "EFFECT_UNKNOWN"},
		"doubtful, repeatable":         {retries, workflow.ClassTimeout, workflow.Doubtful, true, 6, "EXECUTOR_FAILED"},
		"another class":                {key + retries, workflow.ClassPermanent, workflow.Answered, false, 2, "EXECUTOR_FAILED"},
		"no reliability":               {"", workflow.ClassTransient, workflow.NotBegun, false, 1, "EXECUTOR_FAILED"},
		"no reliability, with its key": {key, workflow.ClassTransient, workflow.Answered, false, 1, "EXECUTOR_FAILED"},
	}
	for name, tt := range tests {
		h, p, _ := effects(t, retrying(tt.flow))
		p.do, p.repeatable = failingBy(tt.class, tt.begun), tt.repeats
		a := h.begin(agent, "ship")
		_, got := h.submit(agent, a, "go", "")
		equal(t, name, got, tt.want)
		equal(t, name+": runs", p.count(), tt.runs)
		keys := map[string]bool{}
		for _, q := range p.runs {
			keys[q.Key] = true
		}
		equal(t, name+": keys", len(keys), 1)
		one := h.attempts(agent, a.Stored.ID)[0]
		equal(t, name+": tries", one.Tries, tt.runs)
		if strings.Contains(tt.flow, "idempotencyKey") != (one.Key != "") {
			t.Errorf("%s: key %q", name, one.Key)
		}
	}
}

// TestLaw3Retry: a client that is withdrawn between two tries gets no second one.
func TestLaw3Retry(t *testing.T) {
	t.Parallel()
	h, p, people := effects(t, retrying("            reliability: { retry: { maxAttempts: 3, retryOn: [connection_error] } }\n"))
	p.do = func(context.Context, int, executor.Request) workflow.Result {
		people.revoke("ann-agent")
		return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassConnection, Message: "nobody there", Begun: workflow.NotBegun}}
	}
	a := h.begin(agent, "ship")
	_, got := h.submit(agent, a, "go", "")
	equal(t, "answer", got, "CLIENT_REVOKED")
	equal(t, "runs", p.count(), 1)
	equal(t, "attempts", statuses(h.attempts(agent, a.Stored.ID)), "failed")
}

// TestChangedBetweenTries: what a connection leads to must not change under an attempt.
func TestChangedBetweenTries(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, retrying("            reliability: { retry: { maxAttempts: 3, retryOn: [connection_error] } }\n"))
	p.do = func(context.Context, int, executor.Request) workflow.Result {
		p.set(func(p *probe) { p.to = "elsewhere" })
		return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassConnection, Message: "nobody there", Begun: workflow.NotBegun}}
	}
	a := h.begin(agent, "ship")
	b, got := h.submit(agent, a, "go", "")
	equal(t, "answer", []string{got, b.Refusal.Message}, []string{"EXECUTOR_FAILED", "what it would do was changed meanwhile"})
	equal(t, "runs", p.count(), 1)
}
