package runner_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"prax/auth"
	"prax/store"
	"prax/tools/runner"
)

// TestSubmit: a move is a version more, with its step and its event; what was read is what is stored.
func TestSubmit(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "ticket", run("r-1"))
	b := h.must(agent, a, "classify", `{"category":"canary"}`, "sorted 2")
	equal(t, "context", contextOf(b), `{"attempts":1,"category":"canary"}`)
	equal(t, "stored", h.restart().get(agent, a.Stored.ID).Stored, b.Stored)
	c := h.must(person, b, "approve", "", "closed 3")
	equal(t, "status", c.Stored.Status, store.Completed)
	steps := h.history(agent, a.Stored.ID)
	if s := steps[1]; s.Kind != "transition" || s.Transition != "classify" || s.From != "open" || s.To != "sorted" || s.Actor != "agent" ||
		string(s.Arguments) != `{"category":"canary"}` || string(s.Delta) != `{"attempts":1,"category":"canary"}` || string(s.Output) != `{}` {
		t.Errorf("step: %+v", s)
	}
	if s := steps[2]; s.Actor != "human" || s.Client != "ann" {
		t.Errorf("step: %+v", s)
	}
	changes, _ := h.events(a.Stored.ID)
	var got, correlations []string
	for _, e := range changes {
		got = append(got, e.Client+": "+e.types())
		correlations = append(correlations, e.Detail.Correlation)
		if e.Detail.RunID != "r-1" || e.Detail.TraceID != "trace-r-1" || strings.Contains(e.Event.Detail, "canary") {
			t.Errorf("event: %+v", e)
		}
	}
	equal(t, "events", got, []string{
		"ann-agent: workflow.started",
		"ann-agent: transition.requested executor.started executor.succeeded workflow.transition workflow.transitioned",
		"ann: transition.requested workflow.transition workflow.transitioned workflow.completed",
	})
	equal(t, "correlations", correlations, []string{steps[0].Correlation, steps[1].Correlation, steps[2].Correlation})
	if correlations[0] == correlations[1] || correlations[1] == correlations[2] {
		t.Errorf("two calls have one correlation: %q", correlations)
	}
}

// TestRefusalChangesNothing: whatever is refused leaves the instance as it was, and one record in the audit.
func TestRefusalChangesNothing(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.must(agent, h.begin(agent, "ticket"), "classify", `{"category":"hw"}`, "sorted 2")
	ahead, behind := *a, *a
	ahead.Stored.Version, behind.Stored.Version = 3, 1
	refused := 0
	for name, tt := range map[string]struct {
		by                    auth.Principal
		on                    *runner.Answer
		transition, arguments string
		want                  string
	}{
		"too late":         {agent, &behind, "back", "", "STALE_WORKFLOW_VERSION"},
		"too early":        {agent, &ahead, "back", "", "STALE_WORKFLOW_VERSION"},
		"of another state": {agent, a, "classify", "", "INVALID_TRANSITION"},
		"a person's":       {agent, a, "approve", `{"actor":"human","confirm":true}`, "ACTOR_MISMATCH"},
		"guarded":          {agent, a, "escalate", "", "GUARD_REJECTED"},
		"no object":        {agent, a, "back", `"canary"`, "INPUT_SCHEMA_VIOLATION"},
		"not JSON":         {agent, a, "back", `{"a":1,"a":2}`, "INPUT_SCHEMA_VIOLATION"},
	} {
		b, got := h.submit(tt.by, tt.on, tt.transition, tt.arguments)
		if got != tt.want || b.Stored.Version != 2 {
			t.Errorf("%s: %s at version %d", name, got, b.Stored.Version)
		}
		refused++
	}
	equal(t, "stored", h.restart().get(agent, a.Stored.ID).Stored, a.Stored)
	equal(t, "steps", len(h.history(agent, a.Stored.ID)), 2)
	changes, refusals := h.events(a.Stored.ID)
	equal(t, "changes and refusals", []int{len(changes), len(refusals)}, []int{2, refused})
	for _, e := range refusals {
		if e.types() == "" || e.Code == "" || e.Outcome != "error" || strings.Contains(e.Event.Detail, "canary") {
			t.Errorf("event: %+v", e)
		}
	}
}

// TestOneWinner (B087): of many moves from one version one succeeds, and the others are told the version that it made.
func TestOneWinner(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "ticket")
	const callers = 100
	outcomes := make([]string, callers)
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			b, err := h.Submit(context.Background(), work(agent), request(a, "again", ""))
			outcomes[n] = fmt.Sprintf("%s, at version %d", outcome(b, err), b.Stored.Version)
		})
	}
	all.Wait()
	count := map[string]int{}
	for _, o := range outcomes {
		count[o]++
	}
	equal(t, "outcomes", count, map[string]int{"open 2, at version 2": 1, "STALE_WORKFLOW_VERSION, at version 2": callers - 1})
	b := h.get(agent, a.Stored.ID)
	equal(t, "context", contextOf(b), `{"attempts":1}`)
	equal(t, "steps", len(h.history(agent, a.Stored.ID)), 2)
	changes, _ := h.events(a.Stored.ID)
	equal(t, "events of changes", len(changes), 2)
}

// faster is a Changer of which the store is changed by somebody else whenever a call is about to write.
func (h *house) faster(id string, most int) *changing {
	return &changing{Store: h.db, before: func(attempt int) {
		if attempt <= most {
			h.must(agent, h.get(agent, id), "again", "", fmt.Sprintf("open %d", attempt+1))
		}
	}}
}

// TestOvertaken: who loses a race is decided anew on what is there then; a move that is too late says so with the
// version that there is, and a cancellation is not lost.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "ticket")
	w := work(agent)
	w.On = h.faster(a.Stored.ID, 1)
	b, err := h.Submit(context.Background(), w, request(a, "again", ""))
	equal(t, "submit", outcome(b, err), "STALE_WORKFLOW_VERSION")
	equal(t, "version that is shown", b.Stored.Version, 2)
	_, refusals := h.events(a.Stored.ID)
	if len(refusals) != 1 || refusals[0].Code != "STALE_WORKFLOW_VERSION" {
		t.Errorf("refusals: %+v", refusals)
	}

	other := h.begin(agent, "ticket")
	w.On = h.faster(other.Stored.ID, 3)
	c, err := h.Cancel(context.Background(), w, other.Stored.ID, "enough")
	equal(t, "cancel", outcome(c, err), "open 5")
	equal(t, "status", c.Stored.Status, store.Cancelled)

	third := h.begin(agent, "ticket")
	w.On = h.faster(third.Stored.ID, 1000)
	d, err := h.Cancel(context.Background(), w, third.Stored.ID, "enough")
	equal(t, "cancel without end", outcome(d, err), "STALE_WORKFLOW_VERSION")
}

// TestCancel ends an instance once, whatever is said again, and leaves a completed one alone.
func TestCancel(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "ticket")
	cancel := func(id, reason string) (*runner.Answer, string) {
		b, err := h.Cancel(context.Background(), work(agent), id, reason)
		return b, outcome(b, err)
	}
	b, got := cancel(a.Stored.ID, "oops")
	equal(t, "cancelled", got, "open 2")
	if b.Stored.Status != store.Cancelled || b.Stored.Reason != "oops" || !b.Stored.Ended.Equal(morning) || b.Instance.Open {
		t.Errorf("stored: %+v", b.Stored)
	}
	equal(t, "stored", h.restart().get(agent, a.Stored.ID).Stored, b.Stored)
	again, got := cancel(a.Stored.ID, "another reason")
	equal(t, "again", got, "open 2 unchanged")
	equal(t, "reason", again.Stored.Reason, "oops")
	_, got = h.submit(agent, b, "again", "")
	equal(t, "submit", got, "WORKFLOW_CANCELLED")

	done := h.must(agent, h.begin(agent, "ticket"), "drop", "", "dropped 2")
	_, got = cancel(done.Stored.ID, "")
	equal(t, "completed", got, "WORKFLOW_COMPLETED")
	long, got := cancel(h.begin(agent, "ticket").Stored.ID, strings.Repeat("é", 20<<10))
	equal(t, "long reason", got, "open 2")
	if n := len(long.Stored.Reason); n > store.MaxTextBytes || n < store.MaxTextBytes-8 {
		t.Errorf("the reason has %d bytes", n)
	}
}

// TestLargeContext (B103): a move whose context would be too large is refused, and leaves what was there.
func TestLargeContext(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "ticket")
	large := fmt.Sprintf(`{"category":%q}`, strings.Repeat("x", 1<<20-100))
	b := h.must(agent, a, "classify", large, "sorted 2")
	equal(t, "stored", h.restart().get(agent, a.Stored.ID).Stored, b.Stored)
	_, got := h.submit(agent, h.begin(agent, "ticket"), "classify", fmt.Sprintf(`{"category":%q}`, strings.Repeat("x", 5<<20)))
	equal(t, "too large", got, "INPUT_SCHEMA_VIOLATION")
	_, got = h.submit(agent, h.begin(agent, "ticket"), "classify", fmt.Sprintf(`{"category":%q}`, strings.Repeat("x", 1<<20-20)))
	equal(t, "too large with the rest of the context", got, "CONTEXT_TOO_LARGE")
}

// TestQuota: what a user has no room for is the store's error, and changes nothing.
func TestQuota(t *testing.T) {
	t.Parallel()
	h := open(t, tight)
	a := h.begin(agent, "ticket")
	_, got := h.submit(agent, a, "classify", fmt.Sprintf(`{"category":%q}`, strings.Repeat("x", 8<<10)))
	if !strings.HasPrefix(got, "error: "+store.ErrQuota.Error()) {
		t.Errorf("submit: %s", got)
	}
	equal(t, "stored", h.restart().get(agent, a.Stored.ID).Stored, a.Stored)
}
