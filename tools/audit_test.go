package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

func TestTheEventOfACall(t *testing.T) {
	t.Parallel()
	g := newRig(t, work(fine))
	g.call(t, `{"b":1, "a":"secret"}`)
	got := g.audit(t)
	want := store.Event{
		Kind: store.EventCall, RequestID: "req-1", Client: "alice-agent", User: "alice", Remote: "192.0.2.1", Tool: "work", Tier: "medium",
		Method: "tools/call", Decision: "allowed", Outcome: "ok", Args: `mac of {"a":"secret","b":1}`, Registry: 7,
	}
	want.At, want.Duration = got.At, got.Duration
	if diff := cmp.Diff(want, bare(got)); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
	if age := time.Since(got.At); age < 0 || age > time.Minute {
		t.Errorf("at %v", got.At)
	}
}

// bare is an event without what the store gave it.
func bare(e store.Event) store.Event {
	e.Chain, e.Seq, e.Prev, e.Hash = "", 0, "", ""
	return e
}

func TestTheEventOfARefusal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, asked, tool, decision string }{
		{"missing", "nothing", "nothing", "unknown tool"},
		{"not granted", "work", "work", "not in the allowlist"},
		{"a hostile name", "../../x\n\x1b[31m\u202e", `../../x\n\x1b[31m\u202e`, "unknown tool"},
		{"a name of 1 MB", strings.Repeat("n", 1<<20), strings.Repeat("n", 125) + "…", "unknown tool"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, work(fine))
			if _, err := g.Call(t.Context(), &tools.Call{Principal: principal("alice", "other"), Name: tt.asked,
				Arguments: jsontext.Value(`{"a":1}`), Method: "message/send"}); !errors.Is(err, tools.ErrUnknownTool) {
				t.Fatal(err)
			}
			e := g.audit(t)
			if e.Tool != tt.tool || e.Decision != tt.decision || e.Outcome != "denied" || e.Args != "" || e.Method != "message/send" {
				t.Errorf("event %+v", e)
			}
		})
	}
}

// TestLaw5OneFact: a change and its event commit together, once; a failed change leaves neither.
func TestLaw5OneFact(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for _, tt := range []struct {
		name    string
		change  error // of the change itself
		after   error // of the handler, after the change
		reads   bool
		outcome []string
		code    tools.Code
	}{
		{"a change", nil, nil, true, []string{"ok"}, ""},
		{"a change, reads unrecorded", nil, nil, false, []string{"ok"}, ""},
		{"a change that fails", boom, boom, true, []string{"error"}, "INTERNAL"},
		{"a failure after the change", nil, boom, true, []string{"ok", "error"}, "INTERNAL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, work(func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
				err := c.Update(ctx, func(tx store.Tx) error { return tt.change })
				if !errors.Is(err, tt.change) {
					t.Errorf("Update = %v", err)
				}
				return tools.Text("fine"), tt.after
			}), func(c *tools.Config) { c.AuditReads = tt.reads })
			g.call(t, "")
			var got []string
			for _, e := range events(t, g.db, len(tt.outcome)) {
				got = append(got, e.Outcome)
			}
			if diff := cmp.Diff(tt.outcome, got); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReadsMayGoUnrecorded: only LOW calls that went well.
func TestReadsMayGoUnrecorded(t *testing.T) {
	t.Parallel()
	db := open(t)
	r := tools.NewRegistry(tools.Config{Store: db})
	fails := tool("fails", auth.Low)
	fails.Handler = func(context.Context, *tools.Call) (*tools.Result, error) { return nil, errors.New("boom") }
	set(t, r, "one", tool("read", auth.Low), tool("write", auth.Medium), fails)
	for _, name := range []string{"read", "write", "fails", "missing"} {
		_, _ = r.Call(t.Context(), &tools.Call{Principal: principal("alice", "read", "write", "fails"), Name: name})
	}
	var got []string
	for _, e := range events(t, db, 3) {
		got = append(got, e.Tool+" "+e.Outcome)
	}
	if diff := cmp.Diff([]string{"write ok", "fails error", "missing denied"}, got); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

// TestArgumentsAreHashedForTheAudit: in their canonical form, once, and not at all where nothing is recorded.
func TestArgumentsAreHashedForTheAudit(t *testing.T) {
	t.Parallel()
	change := func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
		return tools.Text("fine"), c.Update(ctx, func(store.Tx) error { return nil })
	}
	fail := func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
		_, err := change(ctx, c)
		return nil, errors.Join(err, errors.New("after the change"))
	}
	for _, tt := range []struct {
		name      string
		handler   tools.Handler
		arguments string
		hashed    []string
	}{
		{"a read", fine, `{"a":1}`, nil},
		{"a read that fails", func(context.Context, *tools.Call) (*tools.Result, error) { return nil, errors.New("boom") }, `{"a":1}`, []string{`{"a":1}`}},
		{"a change", change, "\n{\"b\":[1.0, \"\\u0041\"],\"a\":null}", []string{`{"a":null,"b":[1,"A"]}`}},
		{"a failure after a change", fail, "", []string{`{}`}},
		{"what does not fit", fine, `{"n":"x" }`, []string{`{"n":"x"}`}},
		{"what cannot be read", fine, `{"n":1,"n":1}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var hashed []string
			r := tools.NewRegistry(tools.Config{Store: open(t), HMAC: func(canonical []byte) string {
				hashed = append(hashed, string(canonical))
				return "mac"
			}})
			made := tool("work", auth.Low)
			made.Handler = tt.handler
			made.Input = jsontext.Value(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
			set(t, r, "one", made)
			_, _ = r.Call(t.Context(), &tools.Call{Principal: principal("alice", "work"), Name: "work", Arguments: jsontext.Value(tt.arguments)})
			if diff := cmp.Diff(tt.hashed, hashed); diff != "" {
				t.Errorf("hashed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestValue: a handler gets the arguments decoded, as they are without the nulls that mean nothing.
func TestValue(t *testing.T) {
	t.Parallel()
	made := work(func(_ context.Context, c *tools.Call) (*tools.Result, error) {
		value, err := c.Value()
		if diff := cmp.Diff(map[string]any{"s": "x", "list": []any{1.5, true, nil}}, value); err != nil || diff != "" {
			t.Errorf("value (-want +got), %v:\n%s", err, diff)
		}
		return tools.Text("fine"), nil
	})
	made.Input = jsontext.Value(`{"type":"object","properties":{"n":{"type":"integer"},"s":{},"list":{}}}`)
	newRig(t, made).call(t, `{"s":"\u0078","n":null,"list":[1.5,true,null]}`)
	outside := &tools.Call{Arguments: jsontext.Value(`{"a":1}`)}
	if value, err := outside.Value(); err != nil || value["a"] != 1.0 {
		t.Errorf("outside of the pipeline: %v, %v", value, err)
	}
	if _, err := (&tools.Call{}).Value(); err == nil {
		t.Error("no arguments at all were decoded")
	}
}
