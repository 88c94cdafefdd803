package tools_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

func TestAPanicEndsItsCallOnly(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]tools.Handler{
		"panic":  func(context.Context, *tools.Call) (*tools.Result, error) { panic("secret of the handler") },
		"goexit": func(context.Context, *tools.Call) (*tools.Result, error) { runtime.Goexit(); return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, work(h))
			if got := failure(t, g.call(t, "")); got.Code != "INTERNAL" || strings.Contains(got.Message, "secret") {
				t.Errorf("failure %+v", got)
			}
			if e := g.audit(t); e.Outcome != "panic" || e.Code != "INTERNAL" {
				t.Errorf("audited as %s %s", e.Outcome, e.Code)
			}
			if name == "panic" && (!strings.Contains(g.logs.String(), "call_test.go") || !strings.Contains(g.logs.String(), "secret of the handler")) {
				t.Errorf("no stack in the log:\n%s", g.logs)
			}
			if res := g.call(t, ""); !res.IsError {
				t.Error("the second call went well")
			}
		})
	}
}

// TestAHangEndsAtTheDeadline: the caller is answered, the handler can change nothing any more, and
// Close waits for it.
func TestAHangEndsAtTheDeadline(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	late := make(chan error, 1)
	made := work(func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
		<-release
		err := c.Update(context.WithoutCancel(ctx), func(store.Tx) error { return nil })
		late <- err
		return tools.Text("too late"), err
	})
	made.Timeout = 20 * time.Millisecond
	g := newRig(t, made)
	if got := failure(t, g.call(t, "")); got.Code != "TIMEOUT" || !strings.Contains(got.Message, "20ms") {
		t.Errorf("failure %+v", got)
	}
	if e := g.audit(t); e.Outcome != "timeout" {
		t.Errorf("audited as %s", e.Outcome)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Close(ctx); err == nil || !strings.Contains(err.Error(), "1 tool calls") {
		t.Errorf("Close with a handler running = %v", err)
	}
	if got := failure(t, g.call(t, "")); got.Code != "BUSY" {
		t.Errorf("a call after Close: %+v", got)
	}
	close(release)
	if err := g.Close(t.Context()); err != nil {
		t.Errorf("Close = %v", err)
	}
	if err := <-late; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a change after the deadline = %v", err)
	}
}

func TestTheDefaultDeadlineHolds(t *testing.T) {
	t.Parallel()
	g := newRig(t, work(func(ctx context.Context, _ *tools.Call) (*tools.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}), func(c *tools.Config) { c.Timeout = 20 * time.Millisecond })
	if got := failure(t, g.call(t, "")); got.Code != "TIMEOUT" {
		t.Errorf("failure %+v", got)
	}
}

// TestStraysAreBounded: a tool that hangs costs its client its calls, not the server its memory, and
// not another client anything.
func TestStraysAreBounded(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var reached atomic.Int32
	made := work(func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
		if c.Principal.User == "alice" {
			reached.Add(1)
			<-release
		}
		return tools.Text("fine"), nil
	})
	made.Timeout = time.Millisecond
	g := newRig(t, made)
	for range 40 {
		g.call(t, "")
	}
	if n := reached.Load(); n != 16 {
		t.Errorf("%d handlers run, want 16", n)
	}
	if got := failure(t, g.call(t, "")); got.Code != "BUSY" {
		t.Errorf("failure %+v", got)
	}
	made2 := *made
	made2.Timeout = 0
	set(t, g.Registry, "one", &made2)
	res, err := g.Call(t.Context(), &tools.Call{Principal: principal("bob", "work"), Name: "work"})
	if err != nil || res.IsError {
		t.Errorf("another client: %+v, %v", res, err)
	}
	close(release)
	deadline := time.Now().Add(10 * time.Second)
	for g.call(t, "").IsError {
		if time.Now().After(deadline) {
			t.Fatal("strays that came home are still counted")
		}
		runtime.Gosched()
	}
	if err := g.Close(t.Context()); err != nil {
		t.Errorf("Close = %v", err)
	}
}

func TestACallerThatLeaves(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	g := newRig(t, work(func(ctx context.Context, _ *tools.Call) (*tools.Result, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	res, err := g.Call(ctx, &tools.Call{Principal: principal("alice", "work"), Name: "work"})
	if err != nil || failure(t, res).Code != "CANCELLED" {
		t.Errorf("%+v, %v", res, err)
	}
	if e := g.audit(t); e.Outcome != "cancelled" {
		t.Errorf("audited as %s", e.Outcome)
	}
}

// TestProgressEndsWithTheCall: it only grows, and nothing comes after the answer.
func TestProgressEndsWithTheCall(t *testing.T) {
	t.Parallel()
	var handle func(tools.Progress)
	g := newRig(t, work(func(_ context.Context, c *tools.Call) (*tools.Result, error) {
		handle = c.Progress
		for _, done := range []float64{0, 1, 1, 0.5, 2} {
			c.Progress(tools.Progress{Done: done})
		}
		return tools.Text("fine"), nil
	}))
	var got []float64
	_, err := g.Call(t.Context(), &tools.Call{Principal: principal("alice", "work"), Name: "work",
		Progress: func(p tools.Progress) { got = append(got, p.Done) }})
	if err != nil {
		t.Fatal(err)
	}
	handle(tools.Progress{Done: 3})
	if diff := cmp.Diff([]float64{0, 1, 2}, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	g.call(t, "") // without somebody to tell
}

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
