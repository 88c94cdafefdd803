package tools_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/tools"
)

// A result is held to its size as callers get it: escapes and base64 count.
func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	const most = tools.MaxResult - 64 // what is around one block
	of := func(n int, one string) string { return strings.Repeat(one, n) }
	text := func(s string) *tools.Result { return tools.Text(s) }
	structured := func(n int) jsontext.Value { return jsontext.Value(`{"a":"` + of(n-8, "x") + `"}`) }
	for _, tt := range []struct {
		name  string
		res   *tools.Result
		large bool
	}{
		{"as large as may be", text(of(most, "x")), false},
		{"one byte more", text(of(most+1, "x")), true},
		{"many blocks", &tools.Result{Content: []tools.Block{{Type: "text", Text: of(most, "x")}, {Type: "text", Text: "x"}}}, true},
		{"control characters", text(of(most/6+1, "\x01")), true},
		{"fewer of them", text(of(most/6, "\x01")), false},
		{"quotes", text(of(most/2+1, `"`)), true},
		{"fewer of them", text(of(most/2, `"`)), false},
		{"no UTF-8", text(of(most/3+1, "\xff")), true},
		{"letters of three bytes", text(of(most/3, "あ")), false},
		{"data", &tools.Result{Content: []tools.Block{{Type: "image", Data: make([]byte, most*3/4+3)}}}, true},
		{"less data", &tools.Result{Content: []tools.Block{{Type: "image", Data: make([]byte, most*3/4-3)}}}, false},
		{"a resource", &tools.Result{Content: []tools.Block{{Type: "resource", Resource: structured(tools.MaxResult + 1)}}}, true},
		{"structured, beside its text", &tools.Result{Content: []tools.Block{{Type: "text", Text: "x"}}, Structured: structured(tools.MaxResult)}, true},
		{"structured, shown as text too", &tools.Result{Structured: structured(tools.MaxResult/3 + 1)}, true},
		{"less of it", &tools.Result{Structured: structured(tools.MaxResult / 3)}, false},
		{"meta", &tools.Result{Meta: map[string]jsontext.Value{"prax/x": structured(tools.MaxResult)}}, true},
		{"a great many blocks", &tools.Result{Content: slices.Repeat([]tools.Block{{Type: "text"}}, tools.MaxResult/64+1)}, true},
		{"a failure of its own", &tools.Result{IsError: true, Content: []tools.Block{{Type: "text", Text: of(tools.MaxResult+1, "x")}}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, work(func(context.Context, *tools.Call) (*tools.Result, error) { return tt.res, nil }))
			res := g.call(t, "{}")
			e := g.audit(t)
			if !tt.large {
				if res.IsError || e.Outcome != "ok" {
					t.Errorf("refused: %v, %+v", res.Meta, e)
				}
				return
			}
			if f := failure(t, res); f.Code != "TOO_LARGE" || f.Hint == "" || !strings.Contains(f.Message, "4 MiB") {
				t.Errorf("%+v", f)
			}
			if e.Outcome != "error" || e.Code != "TOO_LARGE" {
				t.Errorf("event %+v", e)
			}
		})
	}
}
