package praxec_test

import (
	"errors"
	"strings"
	"testing"

	"prax/auth"
	"prax/tools"
	"prax/tools/praxec"
)

// TestDispatchOfQuery: which operation the shape of the arguments means.
func TestDispatchOfQuery(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	run := h.start(agent, "ticket", `{"subject":"x"}`).id()
	for _, tt := range []struct{ name, arguments, want string }{
		{"nothing", `{}`, "home"},
		{"a kind alone", `{"kind":"workflow"}`, "home"},
		{"a limit alone", `{"limit":3}`, "home"},
		{"what is accepted and not looked at", `{"discover":"x","evaluate":{"verbs":["x"]},"more":[1]}`, "home"},
		{"null is as absent", `{"query":null,"subject":null,"observe":null,"limit":null}`, "home"},
		{"false is as absent", `{"observe":false,"approvals":false}`, "home"},
		{"traces are not looked at", `{"traceId":"t","runId":7}`, "home"},
		{"a query", `{"query":""}`, "search"},
		{"a query and its modifiers", `{"query":"x","kind":"capability","limit":1}`, "search"},
		{"a subject", `{"subject":"ticket"}`, "describe"},
		{"a subject and a kind", `{"subject":"ticket","kind":"workflow"}`, "describe"},
		{"a subject within a workflow", `{"subject":"ticket","workflowId":"WF"}`, "describe"},
		{"a term within a workflow is a subject", `{"subject":"lexicon:basket","workflowId":"WF"}`, "describe"},
		{"a term", `{"subject":"lexicon:basket"}`, "lookup"},
		{"terms", `{"kind":"lexicon"}`, "lexicon"},
		{"skills", `{"kind":"skill","subject":"x","workflowId":"y"}`, "list"},
		{"scripts", `{"kind":"script"}`, "list"},
		{"instances", `{"query":"","kind":"instance"}`, "instances"},
		{"instances without a query", `{"kind":"instance"}`, "instances"},
		{"a workflow", `{"workflowId":"WF"}`, "get"},
		{"a transition of a workflow", `{"workflowId":"WF","transition":"drop"}`, "explain"},
		{"a definition", `{"definitionId":"ticket"}`, "definition"},
		{"approvals", `{"approvals":true}`, "approvals"},
		{"events", `{"observe":true,"limit":1}`, "audit"},
		{"events since", `{"observe":true,"since":"2026-01-01T00:00:00Z"}`, "audit"},

		{"a subject and a query", `{"subject":"ticket","query":"x"}`, "AMBIGUOUS_INTENT"},
		{"a workflow and a query", `{"workflowId":"WF","query":""}`, "AMBIGUOUS_INTENT"},
		{"a subject and a transition", `{"subject":"ticket","transition":"drop"}`, "AMBIGUOUS_INTENT"},
		{"all of them", `{"subject":"ticket","workflowId":"WF","transition":"drop"}`, "AMBIGUOUS_INTENT"},
		{"a transition alone", `{"transition":"drop"}`, "AMBIGUOUS_INTENT"},
		{"since alone", `{"since":"2026-01-01T00:00:00Z"}`, "AMBIGUOUS_INTENT"},
		{"events and more", `{"observe":true,"query":"x"}`, "AMBIGUOUS_INTENT"},
		{"events and approvals", `{"observe":true,"approvals":true}`, "AMBIGUOUS_INTENT"},
		{"approvals and more", `{"approvals":true,"subject":"x"}`, "AMBIGUOUS_INTENT"},
		{"approvals since", `{"approvals":true,"since":"2026-01-01T00:00:00Z"}`, "AMBIGUOUS_INTENT"},
		{"a definition and more", `{"definitionId":"ticket","workflowId":"WF"}`, "AMBIGUOUS_INTENT"},
		{"a definition and events", `{"definitionId":"ticket","observe":true}`, "AMBIGUOUS_INTENT"},
		{"instances and a workflow", `{"kind":"instance","workflowId":"WF"}`, "AMBIGUOUS_INTENT"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := h.query(agent, strings.ReplaceAll(tt.arguments, "WF", run))
			equal(t, tt.arguments, operation(a), tt.want)
			if tt.want == "AMBIGUOUS_INTENT" {
				equal(t, "links", a.rels(), "home search")
			}
		})
	}
}

// operation is which operation gave an answer, or the code of its error.
func operation(a answer) string {
	switch {
	case a.text("error.code") != "":
		return a.text("error.code")
	case a.text("interaction.kind") != "":
		return a.text("interaction.kind")
	case a["resource"] != nil:
		if a.text("resource.type") == "gateway" {
			return a.text("resource.id")
		}
		return a.text("resource.type")
	case a["hits"] != nil:
		return "lexicon"
	case a["persisted_to"] != nil:
		return "persisted"
	case a["query"] != nil && a["kind"] == "instance":
		return "instances"
	case a["query"] != nil:
		return "search"
	case a["term"] != nil:
		return "lookup"
	case a["items"] != nil:
		return "list"
	case a["currentState"] != nil:
		return "explain"
	case a["workflow"] != nil:
		return "get"
	case a["workflowId"] != nil:
		return "ended"
	case a["links"] != nil && (a["id"] != nil || a["body"] != nil):
		return "describe"
	}
	return show(a)
}

// TestDispatchOfCommand: exactly one shape must match.
func TestDispatchOfCommand(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	const ambiguous = "AMBIGUOUS_INTENT"
	for _, tt := range []struct{ name, arguments, want string }{
		{"nothing", `{}`, ambiguous},
		{"a start", `{"definitionId":"build","repoRoot":5,"limit":"x"}`, "get"},
		{"a start and a workflow", `{"definitionId":"ticket","workflowId":"wf_x"}`, ambiguous},
		{"a start and a subject", `{"definitionId":"ticket","subject":"lexicon:x"}`, ambiguous},
		{"a submit without version", `{"workflowId":"wf_x","transition":"drop"}`, ambiguous},
		{"a submit without transition", `{"workflowId":"wf_x","expectedVersion":0}`, ambiguous},
		{"a workflow alone", `{"workflowId":"wf_x"}`, ambiguous},
		{"a submit", `{"workflowId":"wf_x","expectedVersion":1,"transition":"drop"}`, "WORKFLOW_NOT_FOUND"},
		{"a submit and a definition beside it", `{"workflowId":"wf_x","expectedVersion":1,"transition":"drop","definitionId":"ticket"}`, "WORKFLOW_NOT_FOUND"},
		{"a submit and a subject", `{"workflowId":"wf_x","expectedVersion":1,"transition":"drop","subject":"lexicon:x"}`, ambiguous},
		{"a submit that is to cancel", `{"workflowId":"wf_x","expectedVersion":1,"transition":"drop","intent":"cancel"}`, ambiguous},
		{"a submit with an intent that is none", `{"workflowId":"wf_x","expectedVersion":1,"transition":"drop","intent":"Reject"}`, ambiguous},
		{"a submit that gives a subject up", `{"workflowId":"wf_x","expectedVersion":1,"transition":"drop","intent":"cancel_pending_subject","unknown_subject":"x"}`, ambiguous},
		{"a submit with an empty intent", `{"workflowId":"wf_x","expectedVersion":1,"transition":"drop","intent":""}`, "WORKFLOW_NOT_FOUND"},
		{"a cancellation", `{"workflowId":"wf_x","intent":"cancel"}`, "WORKFLOW_NOT_FOUND"},
		{"a cancellation of a definition", `{"definitionId":"ticket","intent":"cancel"}`, ambiguous},
		{"a rejection", `{"workflowId":"wf_x","expectedVersion":1,"transition":"drop","intent":"reject"}`, "WORKFLOW_NOT_FOUND"},
		{"a rejection of nothing", `{"workflowId":"wf_x","intent":"reject"}`, ambiguous},
		{"a term", `{"subject":"lexicon:basket","definition":{"definition_short":"y"}}`, "persisted"},
		{"a term and a workflow", `{"subject":"lexicon:churn","workflowId":"wf_1","definition":{"definition_short":"x"}}`, ambiguous},
		{"a term without a definition", `{"subject":"lexicon:x"}`, ambiguous},
		{"another namespace", `{"subject":"skill:x","definition":{"definition_short":"y"}}`, ambiguous},
		{"a workflow's namespace", `{"subject":"workflow:x","definition":{"definition_short":"y"}}`, ambiguous},
		{"no namespace", `{"subject":"x","definition":{"definition_short":"y"}}`, ambiguous},
		{"a namespace in capitals", `{"subject":"LEXICON:x","definition":{"definition_short":"y"}}`, ambiguous},
		{"a subject given up", `{"intent":"cancel_pending_subject","unknown_subject":"x"}`, "INVALID_RESOLUTION"},
		{"a subject given up and a start", `{"intent":"cancel_pending_subject","unknown_subject":"x","definitionId":"ticket"}`, ambiguous},
		{"a subject given up without one", `{"intent":"cancel_pending_subject"}`, ambiguous},
		{"a reload for who may not", `{"reload":true,"definitionId":"ticket"}`, "RELOAD_UNAVAILABLE"},
		{"no reload", `{"reload":false}`, ambiguous},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := h.command(agent, tt.arguments)
			equal(t, tt.arguments, operation(a), tt.want)
			if tt.want == ambiguous {
				equal(t, "links", a.rels(), "start_example submit_example define_example")
			}
		})
	}
	h.settings.Store(&praxec.Settings{})
	off := h.command(agent, `{"subject":"lexicon:churn","workflowId":"wf_1","definition":{"definition_short":"x"}}`)
	equal(t, "what is switched off wins over what is ambiguous", operation(off), "LEXICON_WRITES_DISABLED")
}

// TestUnknownKind: a kind that does not exist and one that is switched off are one error of the protocol, the only one
// that there is.
func TestUnknownKind(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.settings.Store(&praxec.Settings{})
	said := map[string]string{}
	for _, kind := range []string{"skill", "script", "bogus", "guidance", "Workflow", ""} {
		for _, with := range []string{``, `,"query":"x"`, `,"limit":"wrong"`} {
			_, err := h.call(agent, praxec.Query, `{"kind":"`+kind+`"`+with+`}`)
			var protocol *tools.ProtocolError
			if !errors.As(err, &protocol) || protocol.Code != -32602 {
				t.Fatalf("kind %q: %v", kind, err)
			}
			said[strings.ReplaceAll(protocol.Message, `"`+kind+`"`, "KIND")] = kind
		}
	}
	if len(said) != 1 {
		t.Errorf("they can be told apart: %v", said)
	}
	if _, err := h.call(agent, "bogus.tool", `{}`); !errors.Is(err, tools.ErrUnknownTool) {
		t.Errorf("an unknown tool: %v", err)
	}
}

// TestInvalidArguments: a value of a wrong type is an answer with links that says what must change.
func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	long := strings.Repeat("x", 1025)
	for _, tt := range []struct{ tool, arguments, path string }{
		{praxec.Query, `{"query":7}`, "/query"},
		{praxec.Query, `{"query":"` + long + `"}`, "/query"},
		{praxec.Query, `{"kind":["workflow"]}`, "/kind"},
		{praxec.Query, `{"subject":{}}`, "/subject"},
		{praxec.Query, `{"subject":"` + long + `"}`, "/subject"},
		{praxec.Query, `{"workflowId":true}`, "/workflowId"},
		{praxec.Query, `{"workflowId":"x","transition":1}`, "/transition"},
		{praxec.Query, `{"query":"","limit":"5"}`, "/limit"},
		{praxec.Query, `{"query":"","limit":2.5}`, "/limit"},
		{praxec.Query, `{"query":"","limit":-1}`, "/limit"},
		{praxec.Query, `{"query":"","limit":1e2}`, "/limit"},
		{praxec.Query, `{"observe":"true"}`, "/observe"},
		{praxec.Query, `{"approvals":1}`, "/approvals"},
		{praxec.Query, `{"observe":true,"since":"yesterday"}`, "/since"},
		{praxec.Query, `{"observe":true,"since":5}`, "/since"},
		{praxec.Query, `{"subject":"lexicon:"}`, "/subject"},
		{praxec.Query, `{"subject":"lexicon: "}`, "/subject"},
		{praxec.Command, `{"definitionId":5}`, "/definitionId"},
		{praxec.Command, `{"definitionId":"build","input":[]}`, "/input"},
		{praxec.Command, `{"definitionId":"build","input":"{}"}`, "/input"},
		{praxec.Command, `{"definitionId":"build","runId":7}`, "/runId"},
		{praxec.Command, `{"definitionId":"build","runId":"` + long + `"}`, "/runId"},
		{praxec.Command, `{"definitionId":"build","runId":"a\u0000b"}`, "/runId"},
		{praxec.Command, `{"definitionId":"build","traceId":"a\u202eb"}`, "/traceId"},
		{praxec.Command, `{"reload":"yes"}`, "/reload"},
		{praxec.Command, `{"workflowId":"x","expectedVersion":1,"transition":"t","arguments":[1]}`, "/arguments"},
		{praxec.Command, `{"workflowId":"x","expectedVersion":1,"transition":"t","summary":` + `"` + strings.Repeat("x", 16<<10+1) + `"}`, "/summary"},
		{praxec.Command, `{"subject":"lexicon:x","definition":"y"}`, "/definition"},
		// A version is a whole number, and written as one.
		{praxec.Command, `{"workflowId":"x","expectedVersion":"4","transition":"t"}`, "/expectedVersion"},
		{praxec.Command, `{"workflowId":"x","expectedVersion":4.0,"transition":"t"}`, "/expectedVersion"},
		{praxec.Command, `{"workflowId":"x","expectedVersion":4.5,"transition":"t"}`, "/expectedVersion"},
		{praxec.Command, `{"workflowId":"x","expectedVersion":4e0,"transition":"t"}`, "/expectedVersion"},
		{praxec.Command, `{"workflowId":"x","expectedVersion":-1,"transition":"t"}`, "/expectedVersion"},
		{praxec.Command, `{"workflowId":"x","expectedVersion":-0,"transition":"t"}`, "/expectedVersion"},
		{praxec.Command, `{"workflowId":"x","expectedVersion":true,"transition":"t"}`, "/expectedVersion"},
	} {
		a := h.ask(agent, tt.tool, tt.arguments)
		if a.text("error.code") != "INVALID_ARGUMENTS" || a.text("error.violations.0.path") != tt.path || len(a["links"].([]any)) == 0 {
			t.Errorf("%.80s: %s", tt.arguments, show(a))
		}
	}
	// Beyond 2⁵³ the pipeline itself refuses: no reader could be sure of the number.
	if _, err := h.call(agent, praxec.Command, `{"workflowId":"x","expectedVersion":9223372036854775808,"transition":"t"}`); !errors.Is(err, tools.ErrArguments) {
		t.Errorf("2^63: %v", err)
	}
	run := h.start(agent, "ticket", `{"subject":"x"}`)
	for _, version := range []string{"0", "2", "9007199254740992"} {
		a := h.command(agent, `{"workflowId":"`+run.id()+`","expectedVersion":`+version+`,"transition":"drop"}`)
		equal(t, "version "+version, a.brief(), "open 1 rejected STALE_WORKFLOW_VERSION")
		equal(t, "fresh links", a.text("links.0.args.expectedVersion"), "1")
	}
}

// TestToolsAsDeclared: two tools, of these tiers, with schemas that clients take.
func TestToolsAsDeclared(t *testing.T) {
	t.Parallel()
	list := praxec.Tools(praxec.Config{})
	for n, want := range []struct {
		name string
		tier auth.Tier
	}{{"praxec.query", auth.Low}, {"praxec.command", auth.Medium}} {
		if list[n].Name != want.name || list[n].Tier != want.tier || list[n].Output != nil || list[n].Arguments != tools.ByTool {
			t.Errorf("%+v", list[n])
		}
	}
	if len(list) != 2 {
		t.Errorf("%d tools", len(list))
	}
}
