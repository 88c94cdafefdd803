package praxec

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/store"
	"prax/tools"
)

// FuzzArguments: what is read of a request is what stands there: each member by its own name and type, null as if it
// were absent, nothing beyond its bound; what does not fit is refused by its path, and what is unknown counts for
// nothing.
func FuzzArguments(f *testing.F) {
	for _, text := range []string{
		`{"query":"x","kind":"instance","limit":5}`, `{"workflowId":"wf","expectedVersion":2,"transition":"a","arguments":{}}`, `{"limit":1.0,"observe":"yes"}`, `{"limit":-0,"before":9007199254740993}`,
		`{"runId":"a\u0000b","input":[]}`, `{"query":null,"x":1}`, `{"definition":{"a":1},"reload":true}`, `{}`, `{"limit":1e2}`, `{"workflowId":"wf_\u0061"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		raw := jsontext.Value(text)
		call := tools.Call{Arguments: raw}
		given, err := call.Members()
		if err != nil || raw.Kind() != '{' {
			return // the pipeline lets nothing else through
		}
		var members map[string]jsontext.Value
		if err := json.Unmarshal(raw, &members); err != nil {
			t.Fatal(err)
		}
		a, refusedQuery := readQuery(given)
		o, refusedCommand := readCommand(given)
		if id := onlyWorkflow(given); id != nil {
			text := string(id)
			if diff := cmp.Diff(&asked{workflowID: &text}, a, cmp.AllowUnexported(asked{})); diff != "" || refusedQuery != nil {
				t.Fatalf("%s asks for more than a workflow: %s", raw, diff)
			}
		}
		for _, r := range []*refusal{refusedQuery, refusedCommand} {
			if r != nil && len(r.Violations) == 0 {
				t.Fatalf("%s is refused without a reason", raw)
			}
			if r != nil && slices.ContainsFunc(r.Violations, func(v tools.Violation) bool { return members[v.Path[1:]] == nil }) {
				t.Fatalf("%s is refused for %v", raw, r.Violations)
			}
		}
		if refusedQuery == nil {
			same(t, members, map[string]*string{"query": a.query, "kind": a.kind, "subject": a.subject, "workflowId": a.workflowID, "transition": a.transition, "definitionId": a.definitionID, "since": a.since, "bounded_context": a.context})
			whole(t, members, "limit", a.limit)
			whole(t, members, "before", a.before)
			if a.observe != (string(members["observe"]) == "true") {
				t.Fatalf("%s: observe is %t", raw, a.observe)
			}
		}
		if refusedCommand == nil {
			same(t, members, map[string]*string{"definitionId": o.definitionID, "workflowId": o.workflowID, "transition": o.transition, "subject": o.subject, "intent": o.intent, "unknown_subject": o.unknown, "summary": o.summary, "digest": o.digest})
			whole(t, members, "expectedVersion", o.expectedVersion)
			if !utf8.ValidString(o.runID) || store.SafeString(o.runID) != o.runID || len(o.runID) > maxName {
				t.Fatalf("%s has the run %q", raw, o.runID)
			}
			for name, v := range map[string]jsontext.Value{"input": o.input, "arguments": o.arguments, "definition": o.definition} {
				if v != nil && (v.Kind() != '{' || string(v) != string(members[name])) || v == nil && members[name].Kind() == '{' {
					t.Fatalf("%s: %s is %s", raw, name, v)
				}
			}
		}
	})
}

// same holds texts against the members that they were read from.
func same(t *testing.T, members map[string]jsontext.Value, read map[string]*string) {
	t.Helper()
	for name, got := range read {
		var want *string
		if err := json.Unmarshal(orNull(members[name]), &want); err != nil {
			t.Fatalf("%s is %s, and was read", name, members[name])
		}
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Fatalf("%s is %s, and was read as something else", name, members[name])
		}
	}
}

func whole(t *testing.T, members map[string]jsontext.Value, name string, got *int64) {
	t.Helper()
	var want *int64
	if err := json.Unmarshal(orNull(members[name]), &want); err != nil || (got == nil) != (want == nil) || got != nil && (*got != *want || *got < 0) {
		t.Fatalf("%s is %s, and was read as %v", name, members[name], got)
	}
}

func orNull(v jsontext.Value) jsontext.Value {
	if v == nil {
		return jsontext.Value("null")
	}
	return v
}
