package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The laws hold for workflows on every route too: a definition that a client was not granted, and a workflow of
// somebody else, answer like what does not exist.

var (
	praxecNames = []string{"praxec.query", "praxec_command"} // the two spellings are one tool
	keeper      = lawClient{name: "keeper", user: "u_keeper", token: "law-token-keeper-0123456789", allow: praxecNames}
	stranger    = lawClient{name: "stranger", user: "u_stranger", token: "law-token-stranger-0123456789", allow: praxecNames}
	restricted  = lawClient{name: "restricted", user: "u_keeper", token: "law-token-restricted-0123456789", allow: praxecNames,
		extra: `,"workflows":["open.*"]`}
)

const lawFlows = `
version: "1.0.0"
workflows:
  open.flow: &flow
    initialState: s
    states: { s: { transitions: { ask: { target: s, executor: { kind: human } }, go: { target: t } } }, t: { terminal: true } }
  shut.flow: *flow
`

var workflowID = regexp.MustCompile(`wf_[0-9a-z]{26}`)

// begin starts a workflow on a route, and returns its id.
func (l *lawApp) begin(r lawRoute, c lawClient, definition string) string {
	l.t.Helper()
	got := r.call(l, c, "praxec.command", fmt.Sprintf(`{"definitionId":%q}`, definition))
	id := workflowID.FindString(got)
	if id == "" {
		l.t.Fatalf("%s was not started: %s", definition, got)
	}
	return id
}

// everyOperation is each way to name a workflow.
var everyOperation = [][2]string{
	{"praxec.query", `{"workflowId":"ID"}`},
	{"praxec_query", `{"workflowId":"ID","transition":"go"}`},
	{"praxec.query", `{"workflowId":"ID","subject":"open.flow"}`},
	{"praxec.command", `{"workflowId":"ID","expectedVersion":1,"transition":"go"}`},
	{"praxec_command", `{"workflowId":"ID","expectedVersion":7,"transition":"nope","intent":"reject"}`},
	{"praxec.command", `{"workflowId":"ID","intent":"cancel"}`},
}

// unknownToo holds what a client is answered about a workflow to what it is answered about none.
func (l *lawApp) unknownToo(r lawRoute, c lawClient, id string) {
	l.t.Helper()
	none := "wf_" + strings.Repeat("0", len(id)-len("wf_"))
	for _, op := range everyOperation {
		missing := r.call(l, c, op[0], strings.ReplaceAll(op[1], "ID", none))
		got := r.call(l, c, op[0], strings.ReplaceAll(op[1], "ID", id))
		if !strings.Contains(missing, "WORKFLOW_NOT_FOUND") {
			l.t.Errorf("%s about nothing: %s", op[1], missing)
		}
		if diff := cmp.Diff(missing, got); diff != "" {
			l.t.Errorf("%s calls %s %s (-unknown +this):\n%s", c.name, op[0], op[1], diff)
		}
	}
}

// TestLaw1Definitions: a definition that was not granted is in no list, and answers like none.
func TestLaw1Definitions(t *testing.T) {
	eachRoute(t, func(t *testing.T, r lawRoute, with, _ *lawApp) {
		with.define(write(t, "praxec.yaml", lawFlows))
		with.write(keeper, restricted)
		found := r.call(with, restricted, "praxec.query", `{"query":"","kind":"workflow"}`)
		if !strings.Contains(found, "open.flow") || strings.Contains(found, "shut.flow") {
			t.Errorf("listed: %s", found)
		}
		for _, op := range [][2]string{
			{"praxec.query", `{"subject":"ID"}`}, {"praxec.query", `{"definitionId":"ID"}`}, {"praxec.command", `{"definitionId":"ID","input":{}}`},
		} {
			missing := r.call(with, restricted, op[0], strings.ReplaceAll(op[1], "ID", "none.flow"))
			shut := r.call(with, restricted, op[0], strings.ReplaceAll(op[1], "ID", "shut.flow"))
			if diff := cmp.Diff(missing, strings.ReplaceAll(shut, "shut.flow", "none.flow")); diff != "" {
				t.Errorf("%s (-missing +not granted):\n%s", op[1], diff)
			}
		}
		with.begin(r, restricted, "open.flow")
		// A workflow of the same user, of a definition that this client may not use, is nobody's to it.
		with.unknownToo(r, restricted, with.begin(r, keeper, "shut.flow"))
	})
}

// TestLaw3Definitions: what the file takes away is gone at once, and back with the file.
func TestLaw3Definitions(t *testing.T) {
	eachRoute(t, func(t *testing.T, r lawRoute, with, _ *lawApp) {
		with.define(write(t, "praxec.yaml", lawFlows))
		with.write(keeper)
		id := with.begin(r, keeper, "shut.flow")
		narrowed := keeper
		narrowed.extra = `,"workflows":["open.flow"]`
		with.write(narrowed)
		with.unknownToo(r, narrowed, id)
		with.write(keeper)
		if got := r.call(with, keeper, "praxec.query", fmt.Sprintf(`{"workflowId":%q}`, id)); !strings.Contains(got, "waiting_for_action") {
			t.Errorf("it is not back: %s", got)
		}
	})
}

// TestLaw9Workflows: a workflow of somebody else answers like one that never was, and so does a run id.
func TestLaw9Workflows(t *testing.T) {
	eachRoute(t, func(t *testing.T, r lawRoute, with, _ *lawApp) {
		with.define(write(t, "praxec.yaml", lawFlows))
		with.write(keeper, stranger)
		r.call(with, keeper, "praxec.command", `{"definitionId":"open.flow","runId":"run"}`)
		id := with.begin(r, keeper, "open.flow")
		r.call(with, keeper, "praxec.command", fmt.Sprintf(`{"workflowId":%q,"expectedVersion":1,"transition":"ask"}`, id))
		with.unknownToo(r, stranger, id)
		r.call(with, keeper, "praxec.query", fmt.Sprintf(`{"workflowId":%q}`, id))
		with.unknownToo(r, stranger, id)
		if got := r.call(with, stranger, "praxec.command", `{"definitionId":"open.flow","runId":"run"}`); !strings.Contains(got, "started") {
			t.Errorf("another's run id is taken: %s", got)
		}
		for _, list := range []string{`{"kind":"instance"}`, `{"approvals":true}`, `{"observe":true}`} {
			if got := r.call(with, stranger, "praxec.query", list); strings.Contains(got, id) {
				t.Errorf("%s: %s", list, got)
			}
		}
	})
}
