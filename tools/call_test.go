package tools_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

// logs is where a registry's log goes; it may be read while it is written.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// rig is a registry with one tool, "work", of tier MEDIUM, and all that can be seen of it.
type rig struct {
	*tools.Registry
	db   store.Store
	logs *logs
}

func newRig(t *testing.T, work *tools.Tool, change ...func(*tools.Config)) *rig {
	t.Helper()
	g := &rig{db: open(t), logs: &logs{}}
	config := tools.Config{
		Store: g.db, Log: slog.New(slog.NewTextHandler(g.logs, nil)), AuditReads: true,
		HMAC: func(canonical []byte) string { return "mac of " + string(canonical) },
	}
	for _, f := range change {
		f(&config)
	}
	g.Registry = tools.NewRegistry(config)
	set(t, g.Registry, "one", work)
	return g
}

// call calls work as alice.
func (g *rig) call(t *testing.T, arguments string) *tools.Result {
	t.Helper()
	res, err := g.Call(t.Context(), &tools.Call{
		Principal: principal("alice", "work"), Name: "work", Arguments: jsontext.Value(arguments), RequestID: "req-1", Remote: "192.0.2.1",
	})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func work(h tools.Handler) *tools.Tool {
	made := tool("work", auth.Medium)
	made.Handler = h
	return made
}

// failure reads a failed result's Meta.
func failure(t *testing.T, res *tools.Result) (f struct {
	Code, Message, Hint string
	Violations          []tools.Violation
}) {
	t.Helper()
	if !res.IsError || res.Structured != nil {
		t.Fatalf("not a plain failure: %+v", res)
	}
	if err := json.Unmarshal(res.Meta[tools.ErrorMeta], &f, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("meta %s: %v", res.Meta[tools.ErrorMeta], err)
	}
	if len(res.Content) != 1 || !strings.HasPrefix(res.Content[0].Text, "Tool error: "+f.Message) {
		t.Errorf("content %+v does not begin with the message %q", res.Content, f.Message)
	}
	return f
}

// audit is the one event of the one call.
func (g *rig) audit(t *testing.T) store.Event {
	t.Helper()
	found := events(t, g.db, 1)
	if len(found) != 1 {
		t.Fatalf("%d events, want 1: %+v", len(found), found)
	}
	return found[0]
}

func TestErrorsHaveTwoFaces(t *testing.T) {
	t.Parallel()
	const secret = "sqlite: /srv/data/prax.db: INSERT INTO document"
	wrap := func(err error) error { return fmt.Errorf("%s: %w", secret, err) }
	tests := []struct {
		name   string
		err    error
		code   tools.Code
		logged bool
	}{
		{"the tool's own", tools.Errorf(tools.CodeNotFound, "no such %s", "thing"), tools.CodeNotFound, false},
		{"the tool's own, wrapped", wrap(&tools.Error{Code: tools.CodeConflict, Message: "taken", Hint: "take another"}), tools.CodeConflict, false},
		{"the tool's own with a cause", &tools.Error{Code: tools.CodeInternal, Message: "no luck", Cause: errors.New(secret)}, tools.CodeInternal, true},
		{"not found", wrap(store.ErrNotFound), tools.CodeNotFound, false},
		{"conflict", wrap(store.ErrConflict), tools.CodeConflict, false},
		{"quota", wrap(store.ErrQuota), tools.CodeQuota, false},
		{"full", wrap(store.ErrFull), tools.CodeStoreFull, false},
		{"busy", wrap(store.ErrBusy), tools.CodeBusy, false},
		{"slow", wrap(store.ErrSlow), tools.CodeTimeout, false},
		{"closed", wrap(store.ErrClosed), tools.CodeBusy, false},
		{"anything else", errors.New(secret), tools.CodeInternal, true},
		{"a deadline of its own", wrap(context.DeadlineExceeded), tools.CodeTimeout, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, work(func(context.Context, *tools.Call) (*tools.Result, error) { return nil, tt.err }))
			res := g.call(t, "")
			got := failure(t, res)
			if got.Code != string(tt.code) {
				t.Errorf("code %s, want %s", got.Code, tt.code)
			}
			if shown := fmt.Sprintf("%+v", res); strings.Contains(shown, "sqlite") || strings.Contains(shown, "/srv") {
				t.Errorf("the cause is shown: %s", shown)
			}
			if logged := strings.Contains(g.logs.String(), secret); logged != tt.logged {
				t.Errorf("cause logged %v, want %v:\n%s", logged, tt.logged, g.logs)
			}
			if e := g.audit(t); e.Code != string(tt.code) || e.Outcome == "ok" {
				t.Errorf("audited as %s %s", e.Outcome, e.Code)
			}
		})
	}
}

func TestInternalFailuresNameTheRequest(t *testing.T) {
	t.Parallel()
	g := newRig(t, work(func(context.Context, *tools.Call) (*tools.Result, error) { return nil, errors.New("boom") }))
	if got := failure(t, g.call(t, "")); !strings.Contains(got.Message, "req-1") {
		t.Errorf("message %q", got.Message)
	}
}

func TestViolationsComeBackTogether(t *testing.T) {
	t.Parallel()
	made := work(func(context.Context, *tools.Call) (*tools.Result, error) { panic("reached with bad arguments") })
	made.Input = jsontext.Value(`{"type":"object","additionalProperties":false,"required":["must"],"properties":{"must":{"type":"string"},"n":{"type":"integer"}}}`)
	g := newRig(t, made)
	got := failure(t, g.call(t, `{"n":"five","other":1}`))
	want := []tools.Violation{
		{Path: "/must", Message: "is required"},
		{Path: "/n", Message: "must be an integer, is a string"},
		{Path: "/other", Message: "is not known here"},
	}
	if diff := cmp.Diff(want, got.Violations); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	for _, v := range want {
		if !strings.Contains(got.Message, v.Path[1:]+" "+v.Message) {
			t.Errorf("the sentence %q does not tell of %s", got.Message, v.Path)
		}
	}
	if e := g.audit(t); e.Outcome != "error" || e.Code != "INVALID_ARGUMENTS" {
		t.Errorf("audited as %+v", e)
	}
}

func TestNullOptionalsAreAbsent(t *testing.T) {
	t.Parallel()
	var got string
	made := work(func(_ context.Context, c *tools.Call) (*tools.Result, error) {
		got = string(c.Arguments)
		return tools.Text("fine"), nil
	})
	made.Input = jsontext.Value(`{"type":"object","additionalProperties":false,"properties":{"n":{"type":"integer"},"m":{"type":"integer"}}}`)
	g := newRig(t, made)
	if res := g.call(t, `{"n":null,"m":3}`); res.IsError || got != `{"m":3}` {
		t.Errorf("result %+v, the handler got %s", res, got)
	}
}

func TestAToolMayDecodeForItself(t *testing.T) {
	t.Parallel()
	var got string
	made := work(func(_ context.Context, c *tools.Call) (*tools.Result, error) {
		got = string(c.Arguments)
		return tools.Text("fine"), nil
	})
	made.Arguments = tools.ByTool
	made.Input = jsontext.Value(`{"type":"object","additionalProperties":false,"properties":{"n":{"type":"integer"}}}`)
	g := newRig(t, made)
	if res := g.call(t, `{"n":null,"other":"x"}`); res.IsError || got != `{"n":null,"other":"x"}` {
		t.Errorf("result %+v, the handler got %s", res, got)
	}
}

func TestOutputIsAPromise(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		give *tools.Result
		ok   bool
	}{
		{"kept", &tools.Result{Structured: jsontext.Value(`{"n":1}`)}, true},
		{"another type", &tools.Result{Structured: jsontext.Value(`{"n":"1"}`)}, false},
		{"missing", tools.Text("n is 1"), false},
		{"no result at all", nil, false},
		{"not JSON", &tools.Result{Structured: jsontext.Value(`{"n":`)}, false},
		{"a question first", &tools.Result{Input: &tools.InputRequest{}}, true},
		{"work that goes on", &tools.Result{Pending: &tools.Handle{ID: "1"}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			made := work(func(context.Context, *tools.Call) (*tools.Result, error) { return tt.give, nil })
			made.Output = jsontext.Value(`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`)
			g := newRig(t, made)
			res := g.call(t, "")
			if tt.ok != !res.IsError || tt.ok && res.Content == nil {
				t.Fatalf("result %+v", res)
			}
			if !tt.ok && failure(t, res).Code != "INTERNAL" {
				t.Errorf("meta %s", res.Meta[tools.ErrorMeta])
			}
			if !tt.ok && !strings.Contains(g.logs.String(), "level=ERROR") {
				t.Error("a broken promise is not in the log")
			}
		})
	}
}

func TestAFailedResultHasNoStructure(t *testing.T) {
	t.Parallel()
	g := newRig(t, work(func(context.Context, *tools.Call) (*tools.Result, error) {
		return &tools.Result{IsError: true, Content: []tools.Block{{Type: "text", Text: "no"}}, Structured: jsontext.Value(`{}`)}, nil
	}))
	if res := g.call(t, ""); !res.IsError || res.Structured != nil || res.Content[0].Text != "no" {
		t.Errorf("result %+v", res)
	}
	if e := g.audit(t); e.Outcome != "error" {
		t.Errorf("audited as %s", e.Outcome)
	}
}

func TestTheGivenCallIsNotChanged(t *testing.T) {
	t.Parallel()
	g := newRig(t, work(func(_ context.Context, c *tools.Call) (*tools.Result, error) {
		c.Name = "changed"
		return tools.Text("fine"), nil
	}))
	c := &tools.Call{Principal: principal("alice", "work"), Name: "work"}
	if _, err := g.Call(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if c.Name != "work" || c.Arguments != nil || c.Progress != nil {
		t.Errorf("call %+v", c)
	}
}

func BenchmarkCall(b *testing.B) {
	r := tools.NewRegistry(tools.Config{Store: open(b)})
	if err := r.Set("one", []*tools.Tool{tool("echo", auth.Low)}); err != nil {
		b.Fatal(err)
	}
	p := principal("alice", "echo")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Call(b.Context(), &tools.Call{Principal: p, Name: "echo", Arguments: jsontext.Value(`{"a":1}`)}); err != nil {
			b.Fatal(err)
		}
	}
}
