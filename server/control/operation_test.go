package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/tools"
	"prax/tools/definition"
	"prax/tools/executor"
	"prax/tools/praxec"
	"prax/tools/runner"
	"prax/tools/schema"
	"prax/tools/workflow"
)

// doubt is an executor of which nobody ever knows what came of it.
type doubt struct {
	Secret string `json:"secret"`
}

var doubtKinds = definition.Kinds{Specs: workflow.Specs{Executors: map[string]func() workflow.Spec{
	"doubt": func() workflow.Spec { return new(doubt) },
}}}

// Check accepts it.
func (*doubt) Check(workflow.Surroundings) (auth.Tier, []schema.Violation) { return auth.Medium, nil }

// Prepare resolves it to its secret.
func (*doubt) Prepare(_ context.Context, q executor.Request) (*executor.Run, *workflow.Failure) {
	return &executor.Run{Material: map[string]any{"secret": q.Executor.Spec.(*doubt).Secret}, Tier: q.Executor.Tier, Do: func(context.Context) workflow.Result {
		return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassConnection, Message: "it broke off", Begun: workflow.Doubtful}}
	}}, nil
}

// inDoubt is a workflow of ann's whose effect is in doubt, and the operation.
func inDoubt(t *testing.T, a workflowActs) (id, operation string) {
	t.Helper()
	begun := drive(t, a, "ann", praxec.Command, `{"definitionId":"pay"}`)
	got := drive(t, a, "ann", praxec.Command, fmt.Sprintf(`{"workflowId":%q,"transition":"pay","expectedVersion":1}`, begun.Workflow.ID))
	page, err := a.Operations(t.Context(), OperationFilter{Limit: 1})
	if err != nil || len(page.Items) != 1 || page.Items[0].Workflow != begun.Workflow.ID || got.Error.Code != "EFFECT_UNKNOWN" {
		t.Fatalf("%+v, %+v, %v", got, page, err)
	}
	return begun.Workflow.ID, page.Items[0].ID
}

// TestOperations: what is in doubt is shown, to a person with what it was to do, and settled once, by a person.
func TestOperations(t *testing.T) {
	t.Parallel()
	bothDriving(t, func(t *testing.T, h *house, a workflowActs) {
		ctx := t.Context()
		id, operation := inDoubt(t, a)
		shown, err := a.Operation(ctx, OneOperation{"", operation})
		if err != nil || shown.Status != store.AttemptUnknown || shown.Workflow != id || shown.Version != 1 || shown.Transition != "pay" ||
			shown.User != "u-ann" || shown.Client != "ann" || shown.Class != "connection_error" || shown.Worker != "worker" || len(shown.Digest) != 64 {
			t.Errorf("%+v, %v", shown, err)
		}
		if string(shown.Does) != `{"secret":"canary-material"}` {
			t.Errorf("the operator is shown that it does %s", shown.Does)
		}
		as, err := a.Operation(ctx, OneOperation{"ann", operation})
		if text, _ := json.Marshal(as); err != nil || as.ID != operation || strings.Contains(string(text), "canary") {
			t.Errorf("an agent is shown %s, %v", text, err)
		}
		refused := func(d Discovery, code workflow.Code) {
			t.Helper()
			s, err := a.Reconcile(ctx, d)
			if err != nil || s.Refused == nil || s.Refused.Code != string(code) || s.Workflow != nil {
				t.Errorf("%+v: %+v, %v, want %s", d, s, err, code)
			}
		}
		yes := Discovery{ID: operation, Applied: true, Output: jsontext.Value(`{"receipt":"canary"}`), Note: "prx_canary"}
		refused(Discovery{As: "ann", ID: operation, Applied: true}, workflow.ActorMismatch)
		s, err := a.Reconcile(ctx, yes)
		want := &Resolved{Workflow: id, State: "paid", Version: 2, Status: store.Completed, Moved: true}
		if d := cmp.Diff(want, s.Workflow); err != nil || s.Refused != nil || s.Operation.Status != store.AttemptApplied || d != "" {
			t.Errorf("%+v, %v: %s", s, err, d)
		}
		refused(yes, workflow.InvalidTransition)
		count := map[string]int{}
		for _, e := range h.events(3, func(e store.Event) bool { return e.Method == "operations/applied" }) {
			count[e.Outcome+" "+e.Code]++
			if strings.Contains(e.Detail, "canary") || !strings.Contains(e.Detail, operation) {
				t.Errorf("detail %s", e.Detail)
			}
		}
		if d := cmp.Diff(map[string]int{"ok ": 1, "denied ACTOR_MISMATCH": 1, "denied INVALID_TRANSITION": 1}, count); d != "" {
			t.Error(d)
		}
	})
}

// TestNotApplied: what did not happen leaves the workflow where it was, to be tried again.
func TestNotApplied(t *testing.T) {
	t.Parallel()
	bothDriving(t, func(t *testing.T, _ *house, a workflowActs) {
		id, operation := inDoubt(t, a)
		s, err := a.Reconcile(t.Context(), Discovery{ID: operation, Note: "nothing there"})
		if err != nil || s.Refused != nil || s.Operation.Status != store.AttemptNotApplied || s.Operation.SettledBy != operatorName(os.Geteuid()) || s.Operation.Note != "nothing there" {
			t.Errorf("%+v, %v", s, err)
		}
		got := drive(t, a, "ann", praxec.Command, fmt.Sprintf(`{"workflowId":%q,"transition":"pay","expectedVersion":1}`, id))
		page, err := a.Operations(t.Context(), OperationFilter{Status: store.AttemptUnknown})
		if err != nil || got.Error.Code != "EFFECT_UNKNOWN" || len(page.Items) != 1 || page.Items[0].ID == operation {
			t.Errorf("%+v, %+v, %v", got, page, err)
		}
	})
}

// TestOperationsHaveTheRightsOfTheirCaller: what is foreign is unknown, and who may not use workflows sees none of it.
func TestOperationsHaveTheRightsOfTheirCaller(t *testing.T) {
	t.Parallel()
	bothDriving(t, func(t *testing.T, _ *house, a workflowActs) {
		ctx := t.Context()
		_, operation := inDoubt(t, a)
		for _, tt := range []struct {
			as                string
			listed            int
			list, show, judge error
		}{
			{"", 1, nil, nil, nil},
			{"ann", 1, nil, nil, nil},
			{"eve", 0, nil, runner.ErrUnknownAttempt, tools.ErrUnknownTool},
			{"alice", 0, tools.ErrUnknownTool, tools.ErrUnknownTool, tools.ErrUnknownTool},
			{"carol", 0, ErrNoClient, ErrNoClient, ErrNoClient},
		} {
			page, err := a.Operations(ctx, OperationFilter{As: tt.as})
			if !errors.Is(err, tt.list) || len(page.Items) != tt.listed {
				t.Errorf("%q lists %d: %v", tt.as, len(page.Items), err)
			}
			if _, err := a.Operation(ctx, OneOperation{tt.as, operation}); !errors.Is(err, tt.show) {
				t.Errorf("%q, show: %v, want %v", tt.as, err, tt.show)
			}
			if tt.as == "" {
				continue // it would settle it
			}
			if _, err := a.Reconcile(ctx, Discovery{As: tt.as, ID: operation}); !errors.Is(err, tt.judge) {
				t.Errorf("%q, reconcile: %v, want %v", tt.as, err, tt.judge)
			}
		}
		for _, id := range []string{"", "at_none", operation + "x"} {
			if _, err := a.Operation(ctx, OneOperation{"", id}); !errors.Is(err, runner.ErrUnknownAttempt) {
				t.Errorf("show %q: %v", id, err)
			}
			if _, err := a.Reconcile(ctx, Discovery{ID: id, Applied: true}); !errors.Is(err, runner.ErrUnknownAttempt) {
				t.Errorf("reconcile %q: %v", id, err)
			}
		}
	})
}

// TestOperationsPages: pages meet without a gap, newest first, and filters hold.
func TestOperationsPages(t *testing.T) {
	t.Parallel()
	bothDriving(t, func(t *testing.T, _ *house, a workflowActs) {
		var want, got []string
		for range 5 {
			_, operation := inDoubt(t, a)
			want = append([]string{operation}, want...)
		}
		for f := (OperationFilter{User: "u-ann", Status: store.AttemptUnknown, Limit: 2}); ; {
			page, err := a.Operations(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range page.Items {
				got = append(got, one.ID)
			}
			if f.Before = page.Next; f.Before == 0 {
				break
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		for _, f := range []OperationFilter{{Status: store.AttemptRunning}, {User: "u-else"}} {
			if page, err := a.Operations(t.Context(), f); err != nil || len(page.Items) != 0 {
				t.Errorf("%+v: %+v, %v", f, page, err)
			}
		}
	})
}
