package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/tools"
)

// TestAProtocolErrorStaysOne: it reaches the caller as it was given, also when it is wrapped, and the audit
// has its code.
func TestAProtocolErrorStaysOne(t *testing.T) {
	t.Parallel()
	given := &tools.ProtocolError{Code: -32603, Message: "broken on purpose"}
	g := newRig(t, work(func(context.Context, *tools.Call) (*tools.Result, error) {
		return nil, errors.Join(errors.New("while playing"), given)
	}))
	res, err := g.Call(t.Context(), &tools.Call{Principal: principal("alice", "work"), Name: "work"})
	var got *tools.ProtocolError
	if res != nil || !errors.As(err, &got) || got != given || err.Error() != "broken on purpose" {
		t.Errorf("%v, %v", res, err)
	}
	if e := g.audit(t); e.Outcome != "error" || e.Code != "-32603" || e.Decision != "allowed" {
		t.Errorf("event %+v", e)
	}
	if log := g.logs.String(); log != "" {
		t.Errorf("it is no fault of the server's, and logged:\n%s", log)
	}
}

// TestAnySchema: an operator's schema may hold what only some clients refuse, and is validated against.
func TestAnySchema(t *testing.T) {
	t.Parallel()
	const rich = `{"type":"object","$defs":{"n":{"type":"integer"}},"properties":{"a b":{"$ref":"#/$defs/n"}},"anyOf":[{"required":["a b"]}]}`
	for _, tt := range []struct {
		name, schema string
		lenient, ok  bool
	}{
		{"of ours", rich, false, false},
		{"of an operator's", rich, true, true},
		{"no object", `{"type":"string"}`, true, false},
		{"a list", `[]`, true, false},
		{"a cycle", `{"type":"object","properties":{"a":{"$ref":"#"}}}`, true, false},
	} {
		r := tools.NewRegistry(tools.Config{Store: open(t)})
		one := tool("rich", auth.Low)
		one.Input, one.AnySchema = jsontext.Value(tt.schema), tt.lenient
		err := r.Set("one", []*tools.Tool{one})
		if (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err != nil {
			continue
		}
		for arguments, fits := range map[string]bool{`{"a b":1}`: true, `{"a b":"x"}`: false, `{}`: false} {
			res, err := r.Call(t.Context(), &tools.Call{Principal: principal("alice", "rich"), Name: "rich", Arguments: jsontext.Value(arguments)})
			if err != nil || res.IsError == fits {
				t.Errorf("%s: %+v, %v", arguments, res, err)
			}
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"a": true, "a.b_c-D9": true, strings.Repeat("n", 64): true, "": false, strings.Repeat("n", 65): false, "a b": false, "a/b": false, "ä": false, "a\n": false} {
		if got := tools.IsName(name); got != want {
			t.Errorf("IsName(%q) = %v", name, got)
		}
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"note_create", "Note.Create", true}, {"a-b", "ab", true}, {"a", "b", false}} {
		if got := tools.Alike(tt.a, tt.b); got != tt.want {
			t.Errorf("Alike(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
	for name, want := range map[string]string{"inputschema": "inputSchema", "capabilites": "capabilities", "cpaabilities": "capabilities", "zzz": "", "": "", "y": ""} {
		if got := tools.Nearest(name, []string{"capabilities", "inputSchema", "x"}); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
