package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

func TestTraces(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	ids := map[string]string{}
	for _, tt := range []struct{ name, tool, arguments string }{
		{"recall", "memory_recall", `{"query":"tea"}`}, {"clock", "get_current_datetime", ``},
		{"failed", "memory_recall", `{}`}, {"stored", "memory_remember", `{"content":"tea"}`},
	} {
		ids[tt.name] = store.NewID()
		if _, err := g.Call(t.Context(), &tools.Call{Principal: principal("alice"), Name: tt.tool, Arguments: []byte(tt.arguments), RequestID: ids[tt.name]}); err != nil {
			t.Fatal(err)
		}
		g.await(t, "alice", ids[tt.name])
	}
	for query, want := range map[string][]string{
		"memory_recall":       {"failed", "recall"},
		"memory_recall error": {"failed", "recall"},
		"INVALID_arguments":   {"failed"},
		ids["clock"]:          {"clock"},
		"remember ok":         {"stored", "clock", "recall"},
	} {
		text, object := g.good(t, "alice", "trace_search", `{"query":`+quote(query)+`,"top_k":20}`)
		var got []string
		for _, item := range object["items"].([]any) {
			for name, id := range ids {
				if id == item.(map[string]any)["trace_id"] {
					got = append(got, name)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s\n%s", query, diff, text)
		}
	}
}

func TestTraceTexts(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	id := store.NewID()
	if _, err := g.Call(t.Context(), &tools.Call{Principal: principal("alice"), Name: "memory_recall", Arguments: []byte(`{}`), RequestID: id}); err != nil {
		t.Fatal(err)
	}
	e := g.await(t, "alice", id)
	at := e.At.UTC().Format("2006-01-02T15:04:05")
	text, _ := g.good(t, "alice", "trace_search", `{"query":"`+id+`"}`)
	if want := fmt.Sprintf("Found 1 trace(s):\n  %s  score=1.00  status=error  tools=1  %s\n    trigger: tools/call memory_recall (alice-agent)", id, at); text != want {
		t.Errorf("search says %q, want %q", text, want)
	}
	text, object := g.good(t, "alice", "trace_detail", `{"trace_id":" `+id+` "}`)
	for _, want := range []string{
		"Trace " + id, "Status: error (INVALID_ARGUMENTS)", "Trigger: tools/call memory_recall (alice-agent)", "Started: " + at + "Z",
		"Nodes: 1", fmt.Sprintf("  #1 [error] memory_recall  tools=1  %.1fs", object["duration_ms"].(float64)/1000), `Raw: {"trace_id":"` + id + `"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("detail says %q, not %q", text, want)
		}
	}
	want := map[string]any{
		"trace_id": id, "at": at + "Z", "status": "error", "code": "INVALID_ARGUMENTS", "tool": "memory_recall", "method": "tools/call",
		"client": "alice-agent", "duration_ms": object["duration_ms"],
	}
	if diff := cmp.Diff(want, object); diff != "" {
		t.Errorf("object (-want +got):\n%s", diff)
	}
	for _, unknown := range []string{"nonesuch", store.NewID()} {
		if code, text := g.refused(t, "alice", "trace_detail", `{"trace_id":"`+unknown+`"}`); code != "NOT_FOUND" || strings.Contains(text, unknown) {
			t.Errorf("%s: %s %s", unknown, code, text)
		}
	}
}

// digits are what differs from call to call: times.
var digits = regexp.MustCompile(`[0-9.]+`)

// TestLaw1TracesTellNothing: the trace of a refused call does not tell a tool that exists from one
// that does not.
func TestLaw1TracesTellNothing(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	hidden := func(name string, tier auth.Tier) *tools.Tool {
		return &tools.Tool{Name: name, Tier: tier, Input: []byte(`{"type":"object"}`), Handler: func(context.Context, *tools.Call) (*tools.Result, error) { return tools.Text(""), nil }}
	}
	if err := g.Set("hidden", []*tools.Tool{hidden("x.high", auth.High), hidden("x.other", auth.Low)}); err != nil {
		t.Fatal(err)
	}
	p := principal("alice")
	p.Allow = auth.Names("x.high", "trace_detail", "trace_search")
	var first string
	for i, asked := range []string{"x.none", "x.high", "x_high", "x.other", "x_other", "x_none"} {
		id := fmt.Sprintf("call-%d", i)
		if _, err := g.Call(t.Context(), &tools.Call{Principal: p, Name: asked, RequestID: id}); !errors.Is(err, tools.ErrUnknownTool) {
			t.Fatal(err)
		}
		g.await(t, "alice", id)
		var shown strings.Builder
		for _, look := range []struct{ tool, arguments string }{{"trace_detail", `{"trace_id":"` + id + `"}`}, {"trace_search", `{"query":"` + id + `"}`}} {
			text, object := g.good(t, "alice", look.tool, look.arguments)
			delete(object, "duration_ms")
			fmt.Fprintln(&shown, text, object)
		}
		_, got, _ := strings.Cut(shown.String(), "\n")
		for _, secret := range []string{asked, id, "x_none", "x_high", "x_other"} {
			got = strings.ReplaceAll(got, secret, "?")
		}
		got = digits.ReplaceAllString(got, "0")
		if first == "" {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" || strings.Contains(got, "high") || strings.Contains(got, "allow") {
			t.Errorf("%s (-x.none +got):\n%s", asked, diff)
		}
	}
}
