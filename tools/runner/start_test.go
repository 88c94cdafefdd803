package runner_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"prax/auth"
	"prax/store"
	"prax/tools/runner"
	"prax/tools/workflow"
	"prax/tools/workflow/workflowtest"
)

// TestStart: one transaction has the instance, its first step, its definition and its event.
func TestStart(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "ticket", run("r-1"))
	i := a.Stored
	equal(t, "answer", outcome(a, nil), "open 1")
	if !strings.HasPrefix(i.ID, "wf_") || i.User != "ann" || i.Client != "ann-agent" || i.RunID != "r-1" || i.TraceID != "trace-r-1" {
		t.Errorf("stored: %+v", i)
	}
	equal(t, "input", string(i.Input), `{"priority":"low"}`)
	equal(t, "context", string(i.Context), `{"attempts":0}`)
	equal(t, "version of the definition", i.DefinitionVersion, 1)
	equal(t, "stored", h.restart().get(agent, i.ID).Stored, i)
	steps := h.history(agent, i.ID)
	if len(steps) != 1 || steps[0].Seq != 1 || steps[0].Kind != "start" || string(steps[0].Delta) != `{"attempts":0}` || steps[0].Client != "ann-agent" {
		t.Errorf("steps: %+v", steps)
	}
	changes, refusals := h.events(i.ID)
	if len(changes) != 1 || len(refusals) != 0 {
		t.Fatalf("%d changes and %d refusals in the audit", len(changes), len(refusals))
	}
	e := changes[0]
	equal(t, "events", e.types(), "workflow.started")
	if e.Client != "ann-agent" || e.User != "ann" || e.RequestID != "req-ann-agent" || e.Remote != "192.0.2.1" || e.Outcome != "ok" ||
		e.Detail.TraceID != "trace-r-1" || e.Detail.RunID != "r-1" || e.Detail.Correlation != steps[0].Correlation || !strings.HasPrefix(e.Detail.Correlation, "cor_") {
		t.Errorf("event: %+v", e)
	}
}

// TestStartRunsTheChain: each automatic step of a start is a version of its own, all of them one fact.
func TestStartRunsTheChain(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "build")
	equal(t, "answer", outcome(a, nil), "c 3")
	equal(t, "context", contextOf(a), `{"linted":true,"tested":true}`)
	var kinds []string
	for _, s := range h.history(agent, a.Stored.ID) {
		kinds = append(kinds, fmt.Sprintf("%d %s %s %s>%s", s.Seq, s.Kind, s.Transition, s.From, s.To))
	}
	equal(t, "steps", kinds, []string{"1 start  >a", "2 chain lint a>b", "3 chain test b>c"})
	equal(t, "stored", h.restart().get(agent, a.Stored.ID).Stored, a.Stored)
	changes, _ := h.events(a.Stored.ID)
	equal(t, "events", len(changes), 1)
}

// TestStartAsksAPerson: a start can end at a question to a person, which is opened with it.
func TestStartAsksAPerson(t *testing.T) {
	t.Parallel()
	h, definitions := openRandom(t)
	ask := &workflow.Transition{Name: "ask", Actor: workflow.Deterministic, Target: "done", Action: workflow.Action{Executor: workflowtest.Human("board")}}
	d := definitions.pin(&workflow.Definition{Version: 1, Initial: "a", States: []*workflow.State{
		{Name: "a", Transitions: []*workflow.Transition{ask}}, {Name: "done", Terminal: true},
	}})
	h.catalog.set(d)
	a := h.begin(agent, d.ID)
	equal(t, "answer", outcome(a, nil), "a 2")
	if len(a.Approvals) != 1 || a.Instance.Parked == nil || a.Instance.Parked.Approval != a.Approvals[0].ID {
		t.Fatalf("approvals: %+v", a.Approvals)
	}
	if e := a.Instance.Evidence; len(e) != 1 || e[0].Kind != "human_request" || e[0].URI != a.Approvals[0].ID {
		t.Errorf("evidence: %+v", e)
	}
	b, err := h.Resolve(context.Background(), work(person), runner.ResolveRequest{
		ApprovalID: a.Approvals[0].ID, Digest: a.Approvals[0].Digest, Approve: true,
	})
	equal(t, "approved", outcome(b, err), "done 3")
}

// TestStartRefused: what does not fit starts nothing, and is told to the audit without values.
func TestStartRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	for name, q := range map[string]runner.StartRequest{
		"wrong type":    {DefinitionID: "ticket", Input: []byte(`{"priority":7}`)},
		"no object":     {DefinitionID: "ticket", Input: []byte(`["canary"]`)},
		"long run id":   {DefinitionID: "ticket", RunID: strings.Repeat("canary", 30)},
		"long trace id": {DefinitionID: "ticket", TraceID: strings.Repeat("t", 129)},
	} {
		a, err := h.Start(context.Background(), work(agent), q)
		if got := outcome(a, err); got != "INVALID_INPUT" || a.Instance != nil || len(a.Refusal.Violations) == 0 {
			t.Errorf("%s: %s, %+v", name, got, a)
		}
	}
	_, refusals := h.events("")
	if len(refusals) != 4 {
		t.Fatalf("%d refusals in the audit, want 4", len(refusals))
	}
	for _, e := range refusals {
		if e.types() != "workflow.rejected" || e.Code != "INVALID_INPUT" || e.Outcome != "error" || strings.Contains(e.Event.Detail, "canary") {
			t.Errorf("event: %+v", e)
		}
	}
	page, err := h.List(context.Background(), work(agent), store.InstanceFilter{})
	if err != nil || len(page.Instances) != 0 {
		t.Errorf("instances: %v, %v", page, err)
	}
}

// TestLaw1UngrantedDefinition: a definition that the client was not granted cannot be told from one that is not there.
func TestLaw1UngrantedDefinition(t *testing.T) {
	t.Parallel()
	h := open(t)
	none := granting(client("none", "ann"))
	for name, tt := range map[string]struct {
		by         auth.Principal
		definition string
	}{
		"not there":            {agent, "nowhere"},
		"nothing":              {agent, ""},
		"not granted":          {few, "ticket"},
		"none granted":         {none, "ticket"},
		"neither":              {none, "nowhere"},
		"nobody":               {auth.Principal{Workflows: auth.Everything()}, "ticket"},
		"a user and no client": {auth.Principal{User: "ann", Workflows: auth.Everything()}, "ticket"},
	} {
		a, err := h.Start(context.Background(), work(tt.by), runner.StartRequest{DefinitionID: tt.definition, Input: []byte("[]"), RunID: "r"})
		if a != nil || err != runner.ErrUnknownDefinition {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
	h.begin(few, "build")
}

// TestOneRunID (B089): of many starts with one run id one starts, and the others are told which.
func TestOneRunID(t *testing.T) {
	t.Parallel()
	h := open(t)
	const callers = 50
	ids := make([]string, callers)
	taken := make([]bool, callers)
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			a, err := h.Start(context.Background(), work(agent), runner.StartRequest{DefinitionID: "ticket", RunID: "r-1"})
			var other *runner.RunTaken
			switch {
			case errors.As(err, &other):
				ids[n], taken[n] = other.InstanceID, true
			case err == nil:
				ids[n] = a.Stored.ID
			default:
				t.Errorf("start: %v", err)
			}
		})
	}
	all.Wait()
	started := 0
	for n := range callers {
		if !taken[n] {
			started++
		}
		if ids[n] == "" || ids[n] != ids[0] {
			t.Errorf("another id: %q and %q", ids[n], ids[0])
		}
	}
	equal(t, "started", started, 1)
	equal(t, "steps", len(h.history(agent, ids[0])), 1)
}

// TestRunIDStaysTaken: for another definition and after the end, too; for the user's own clients only.
func TestRunIDStaysTaken(t *testing.T) {
	t.Parallel()
	h := open(t)
	first := h.begin(agent, "ticket", run("r-1"))
	h.must(agent, first, "drop", "", "dropped 2")
	start := func(p auth.Principal, definition string) string {
		_, err := h.Start(context.Background(), work(p), runner.StartRequest{DefinitionID: definition, RunID: "r-1"})
		var taken *runner.RunTaken
		if !errors.As(err, &taken) {
			return fmt.Sprint(err)
		}
		return "taken by " + strings.Replace(taken.InstanceID, first.Stored.ID, "the first", 1)
	}
	equal(t, "another definition", start(agent, "board"), "taken by the first")
	equal(t, "the user's person", start(person, "ticket"), "taken by the first")
	equal(t, "a client that may not use the first's definition", start(few, "build"), "taken by ")
	equal(t, "who oversees the user", start(boss, "ticket"), "<nil>")
	equal(t, "another user (B105)", start(bob, "ticket"), "<nil>")
}
