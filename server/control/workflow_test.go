package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/store"
	"prax/tools"
	"prax/tools/definition"
	"prax/tools/executor"
	"prax/tools/praxec"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// workflowActs is what both ends can do.
type workflowActs interface {
	Drive(ctx context.Context, r Request) (Reply, error)
	Instances(ctx context.Context, l Listing) (Instances, error)
	History(ctx context.Context, p Past) ([]Step, error)
	Graph(ctx context.Context, d Drawing) (Graph, error)
	Approval(ctx context.Context, q Question) (Approval, error)
	Resolve(ctx context.Context, v Verdict) (Resolved, error)

	Operations(ctx context.Context, f OperationFilter) (OperationPage, error)
	Operation(ctx context.Context, q OneOperation) (Operation, error)
	Reconcile(ctx context.Context, d Discovery) (Settled, error)
}

var (
	_ workflowActs = (*Operator)(nil)
	_ workflowActs = (*Client)(nil)
)

const workflows = `
version: "1"
workflows:
  release:
    initialState: draft
    states:
      draft: { transitions: { ask: { target: out, executor: { kind: human, queue: owners } } } }
      out: { terminal: true }
  pay:
    initialState: due
    states:
      due: { transitions: { pay: { target: paid, executor: { kind: doubt, secret: canary-material } } } }
      paid: { terminal: true }
`

// run puts the two tools of workflows behind the house, with one definition.
func (h *house) run() {
	h.t.Helper()
	path := filepath.Join(h.dir, "praxec.yaml")
	if err := os.WriteFile(path, []byte(workflows), 0o600); err != nil {
		h.t.Fatal(err)
	}
	set, problems := definition.Load(path, doubtKinds)
	if set == nil {
		h.t.Fatal(problems)
	}
	h.cfg.Definitions = set.Definition
	h.cfg.Runner = runner.New(runner.Config{
		Store: h.db, Catalog: catalog{set}, Executors: executor.Kinds{"doubt": new(doubt)}, Worker: "worker",
		Live: h.clients.ByName,
		Decode: func(text jsontext.Value) (*workflow.Definition, error) {
			return definition.Decode(text, doubtKinds)
		},
	})
	err := h.tools.Set("praxec", praxec.Tools(praxec.Config{
		Runner: h.cfg.Runner, Definitions: func() *definition.Set { return set }, Lexicon: h.cfg.Lexicon, Store: h.db,
	}))
	if err != nil {
		h.t.Fatal(err)
	}
	h.server = New(h.cfg)
	h.admit()
}

// admit adds an agent of ann's, and eve, who was granted no definition.
func (h *house) admit() {
	h.t.Helper()
	text, err := os.ReadFile(h.file())
	if err != nil {
		h.t.Fatal(err)
	}
	more := strings.TrimSuffix(strings.TrimSpace(string(text)), "]}") + `,
		{"name": "ann", "token": "prx_canary-of-ann-0123456789", "user_id": "u-ann", "allow": ["praxec.query", "praxec.command"]},
		{"name": "eve", "token": "prx_canary-of-eve-0123456789", "user_id": "u-eve", "allow": ["praxec.query"], "workflows": []}]}`
	if err := os.WriteFile(h.file(), []byte(more), 0o600); err != nil {
		h.t.Fatal(err)
	}
	if r := h.clients.Reload("test"); !r.OK || r.Refused > 0 {
		h.t.Fatalf("%+v", r)
	}
}

type catalog struct{ set *definition.Set }

func (c catalog) Definition(id string) (*workflow.Definition, bool) {
	d := c.set.Definition(id)
	return d, d != nil
}

// bothDriving runs f with both ends of a house that runs workflows.
func bothDriving(t *testing.T, f func(t *testing.T, h *house, a workflowActs)) {
	t.Run("socket", func(t *testing.T) {
		t.Parallel()
		h := open(t)
		h.run()
		h.serve()
		f(t, h, h.dial())
	})
	t.Run("direct", func(t *testing.T) {
		t.Parallel()
		h := open(t)
		h.run()
		h.serve()
		f(t, h, NewOperator(h.cfg, os.Geteuid()))
	})
}

// answered is what the tests look at of an answer.
type answered struct {
	Workflow struct {
		ID      string `json:"id"`
		Version int64  `json:"version"`
	} `json:"workflow"`
	Pending struct {
		Approval struct {
			ID     string `json:"id"`
			Digest string `json:"digest"`
		} `json:"approval"`
	} `json:"pending_human"`
	Error struct {
		Code string `json:"code"`
	} `json:"error"`
}

func drive(t *testing.T, a workflowActs, as, tool, arguments string) (got answered) {
	t.Helper()
	r, err := a.Drive(t.Context(), Request{as, tool, jsontext.Value(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(r.Structured, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// atGate is a workflow of ann's that waits for an answer.
func atGate(t *testing.T, a workflowActs) answered {
	t.Helper()
	begun := drive(t, a, "ann", praxec.Command, `{"definitionId":"release"}`)
	return drive(t, a, "ann", praxec.Command, fmt.Sprintf(`{"workflowId":%q,"transition":"ask","expectedVersion":1}`, begun.Workflow.ID))
}

// TestDriveHasTheRightsOfItsCaller: the operator's own without a name, with one exactly that client's.
func TestDriveHasTheRightsOfItsCaller(t *testing.T) {
	t.Parallel()
	bothDriving(t, func(t *testing.T, h *house, a workflowActs) {
		own := drive(t, a, "", praxec.Command, `{"definitionId":"release"}`)
		theirs := drive(t, a, "ann", praxec.Command, `{"definitionId":"release"}`)
		for _, tt := range []struct{ as, id, want string }{
			{"", own.Workflow.ID, ""},
			{"", theirs.Workflow.ID, ""},
			{"ann", theirs.Workflow.ID, ""},
			{"ann", own.Workflow.ID, "WORKFLOW_NOT_FOUND"},
			{"eve", theirs.Workflow.ID, "WORKFLOW_NOT_FOUND"},
			{"", "wf_none", "WORKFLOW_NOT_FOUND"},
		} {
			if got := drive(t, a, tt.as, praxec.Query, fmt.Sprintf(`{"workflowId":%q}`, tt.id)); got.Error.Code != tt.want {
				t.Errorf("%q reads %s: %q, want %q", tt.as, tt.id, got.Error.Code, tt.want)
			}
		}
		// Who oversees does not do the work of others.
		push := fmt.Sprintf(`{"workflowId":%q,"transition":"ask","expectedVersion":1}`, theirs.Workflow.ID)
		if got := drive(t, a, "", praxec.Command, push); got.Error.Code == "" {
			t.Error("the operator took a transition of an agent's")
		}
		for _, tt := range []struct {
			as, tool string
			want     error
		}{
			{"ann", "echo", tools.ErrUnknownTool},
			{"", "echo", tools.ErrUnknownTool},
			{"", "destroy", tools.ErrUnknownTool},
			{"alice", praxec.Query, tools.ErrUnknownTool}, // was not granted it
			{"eve", praxec.Command, tools.ErrUnknownTool},
			{"carol", praxec.Query, ErrNoClient},
			{"operator:0", praxec.Query, ErrNoClient},
		} {
			if _, err := a.Drive(t.Context(), Request{tt.as, tt.tool, nil}); !errors.Is(err, tt.want) {
				t.Errorf("%q calls %s: %v, want %v", tt.as, tt.tool, err, tt.want)
			}
		}
		acts := h.events(1, func(e store.Event) bool {
			return e.Kind == EventOperator && e.Code == "WORKFLOW_NOT_FOUND" && e.Outcome == tools.OutcomeDenied
		})
		if acts[0].Method != "workflow" {
			t.Errorf("%+v", acts[0])
		}
	})
}

// TestReadingHasTheRightsOfItsCaller: a client that may not call praxec.query reads nothing by another way, and what is
// foreign is unknown.
func TestReadingHasTheRightsOfItsCaller(t *testing.T) {
	t.Parallel()
	bothDriving(t, func(t *testing.T, _ *house, a workflowActs) {
		ctx, one := t.Context(), atGate(t, a)
		id, approval := one.Workflow.ID, one.Pending.Approval.ID
		for _, tt := range []struct {
			as                                string
			listed                            int
			list, history, graph, gate, judge error
		}{
			{"", 1, nil, nil, nil, nil, nil},
			{"ann", 1, nil, nil, nil, nil, nil},
			{"eve", 0, nil, runner.ErrUnknownInstance, runner.ErrUnknownDefinition, runner.ErrUnknownApproval, tools.ErrUnknownTool},
			{"alice", 0, tools.ErrUnknownTool, tools.ErrUnknownTool, tools.ErrUnknownTool, tools.ErrUnknownTool, tools.ErrUnknownTool},
			{"carol", 0, ErrNoClient, ErrNoClient, ErrNoClient, ErrNoClient, ErrNoClient},
		} {
			list, err := a.Instances(ctx, Listing{As: tt.as})
			if !errors.Is(err, tt.list) || len(list.Items) != tt.listed {
				t.Errorf("%q lists %d: %v", tt.as, len(list.Items), err)
			}
			if _, err := a.History(ctx, Past{As: tt.as, ID: id}); !errors.Is(err, tt.history) {
				t.Errorf("%q, history: %v, want %v", tt.as, err, tt.history)
			}
			for _, what := range []string{id, "release"} {
				if _, err := a.Graph(ctx, Drawing{tt.as, what, Mermaid}); !errors.Is(err, tt.graph) {
					t.Errorf("%q, graph of %s: %v, want %v", tt.as, what, err, tt.graph)
				}
			}
			if _, err := a.Approval(ctx, Question{tt.as, approval}); !errors.Is(err, tt.gate) {
				t.Errorf("%q, approval: %v, want %v", tt.as, err, tt.gate)
			}
			if _, err := a.Resolve(ctx, Verdict{As: tt.as, ID: approval, Digest: "0"}); !errors.Is(err, tt.judge) {
				t.Errorf("%q, answer: %v, want %v", tt.as, err, tt.judge)
			}
		}
		if _, err := a.Graph(ctx, Drawing{"", "release", "png"}); !errors.Is(err, ErrFormat) {
			t.Errorf("png: %v", err)
		}
		for format, want := range map[string]string{Mermaid: "flowchart", SVG: "<svg "} {
			if g, err := a.Graph(ctx, Drawing{"", "release", format}); err != nil || !strings.HasPrefix(g.Text, want) {
				t.Errorf("%s: %q, %v", format, g.Text, err)
			}
		}
	})
}

// TestResolve: an answer names what was shown, is given once, by a person, and stands in the audit with the change.
func TestResolve(t *testing.T) {
	t.Parallel()
	bothDriving(t, func(t *testing.T, h *house, a workflowActs) {
		ctx, one := t.Context(), atGate(t, a)
		shown, err := a.Approval(ctx, Question{"", one.Pending.Approval.ID})
		if err != nil || shown.Status != store.ApprovalOpen || shown.Digest != one.Pending.Approval.Digest || shown.AskedBy != "ann" || shown.Queue != "owners" {
			t.Fatalf("%+v, %v", shown, err)
		}
		refused := func(v Verdict, code workflow.Code) {
			t.Helper()
			r, err := a.Resolve(ctx, v)
			if err != nil || r.Moved || r.Refused == nil || r.Refused.Code != string(code) || r.Version != 2 && code != workflow.ApprovalNotOpen {
				t.Errorf("%+v: %+v, %v, want %s", v, r, err, code)
			}
		}
		yes := Verdict{ID: shown.ID, Digest: shown.Digest, Approve: true, Note: "prx_canary"}
		refused(Verdict{ID: shown.ID, Approve: true}, workflow.ApprovalMismatch)
		refused(Verdict{ID: shown.ID, Digest: strings.Repeat("0", 64), Approve: true}, workflow.ApprovalMismatch)
		refused(Verdict{As: "ann", ID: shown.ID, Digest: shown.Digest, Approve: true}, workflow.ActorMismatch)
		r, err := a.Resolve(ctx, yes)
		if want := (Resolved{Workflow: one.Workflow.ID, State: "out", Version: 3, Status: store.Completed, Moved: true}); err != nil || r != want {
			t.Errorf("%+v, %v, want %+v", r, err, want)
		}
		if r, err = a.Resolve(ctx, yes); err != nil || r.Moved || r.Refused == nil {
			t.Errorf("a second time: %+v, %v", r, err)
		}
		acts := h.events(5, func(e store.Event) bool { return e.Method == "approvals/approve" })
		var got []string
		for _, e := range acts {
			got = append(got, e.Outcome+" "+e.Code)
			if strings.Contains(e.Detail, "canary") || !strings.Contains(e.Detail, shown.ID) {
				t.Errorf("detail %s", e.Detail)
			}
		}
		count := map[string]int{}
		for _, one := range got {
			count[one]++
		}
		if count["ok "] != 1 || count["denied "+string(workflow.ApprovalMismatch)] != 2 || count["denied "+string(workflow.ActorMismatch)] != 1 {
			t.Errorf("%q", got)
		}
	})
}

// TestRejection: a no leaves the state, and the history says who said it.
func TestRejection(t *testing.T) {
	t.Parallel()
	bothDriving(t, func(t *testing.T, _ *house, a workflowActs) {
		ctx, one := t.Context(), atGate(t, a)
		q := one.Pending.Approval
		r, err := a.Resolve(ctx, Verdict{ID: q.ID, Digest: q.Digest, Note: "not today"})
		if want := (Resolved{Workflow: one.Workflow.ID, State: "draft", Version: 3, Status: store.Open, Moved: true}); err != nil || r != want {
			t.Errorf("%+v, %v, want %+v", r, err, want)
		}
		if shown, err := a.Approval(ctx, Question{"", q.ID}); err != nil || shown.Status != store.ApprovalRejected {
			t.Errorf("%+v, %v", shown, err)
		}
		var got []string
		for after := int64(0); ; {
			steps, err := a.History(ctx, Past{ID: one.Workflow.ID, After: after, Limit: 2})
			if err != nil {
				t.Fatal(err)
			}
			if len(steps) == 0 {
				break
			}
			for _, s := range steps {
				got = append(got, fmt.Sprintf("%d %s %s %s", s.Version, s.Kind, s.Transition, s.Client))
				after = s.Version
			}
		}
		operator := operatorName(os.Geteuid())
		want := []string{"1 start  ann", "2 request ask ann", "3 rejection ask " + operator}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// TestInstancesPages: pages meet without a gap, and filters hold.
func TestInstancesPages(t *testing.T) {
	t.Parallel()
	bothDriving(t, func(t *testing.T, _ *house, a workflowActs) {
		var want, got []string
		for range 5 {
			want = append([]string{drive(t, a, "ann", praxec.Command, `{"definitionId":"release"}`).Workflow.ID}, want...)
		}
		drive(t, a, "", praxec.Command, `{"definitionId":"release"}`)
		for l := (Listing{User: "u-ann", Status: store.Open, Definition: "release", Limit: 2}); ; {
			page, err := a.Instances(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range page.Items {
				got = append(got, i.ID)
			}
			if l.Before = page.Next; l.Before == 0 {
				break
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if page, err := a.Instances(t.Context(), Listing{Status: store.Completed}); err != nil || len(page.Items) != 0 {
			t.Errorf("%+v, %v", page, err)
		}
	})
}

// TestNoRunner: where no workflows run, acts on them say so.
func TestNoRunner(t *testing.T) {
	t.Parallel()
	o := NewOperator(start(t).cfg, os.Geteuid())
	if _, err := o.Instances(t.Context(), Listing{}); !errors.Is(err, errNoRunner) {
		t.Errorf("list: %v", err)
	}
	if _, err := o.Resolve(t.Context(), Verdict{}); !errors.Is(err, errNoRunner) {
		t.Errorf("answer: %v", err)
	}
	if _, err := o.Drive(t.Context(), Request{"", praxec.Query, nil}); !errors.Is(err, tools.ErrUnknownTool) {
		t.Errorf("query: %v", err)
	}
}

// TestNamed: only the names of those who may operate are an operator's.
func TestNamed(t *testing.T) {
	t.Parallel()
	own := fmt.Sprintf("operator:%d", os.Geteuid())
	for name, want := range map[string]bool{
		own: true, "operator:0": true, "operator:" + fmt.Sprint(os.Geteuid()+1): false, "operator:": false, "operator:00": false,
		"operator:-1": false, "operator:+0": false, " operator:0": false, "alice": false, "": false,
	} {
		p, is := Named(name)
		if is != want || is && (p.Client != name || !p.Roles.Has("human")) {
			t.Errorf("%q: %v, %+v", name, is, p)
		}
	}
}
