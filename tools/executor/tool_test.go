package executor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
	"prax/store/sqlite"
	"prax/tools"
	"prax/tools/executor"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// board is a registry with tools of each tier, and what they were called with.
type board struct {
	*tools.Registry
	called []string // arguments, by order
}

// newBoard has low, medium and high, each of which answers with a function, and medium.open, which takes anything.
func newBoard(t *testing.T, answer tools.Handler) *board {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Dir: t.TempDir(), BlockEvery: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	b := &board{Registry: tools.NewRegistry(tools.Config{Store: db})}
	t.Cleanup(func() {
		if err := errors.Join(b.Close(context.Background()), db.Close()); err != nil {
			t.Error(err)
		}
	})
	b.set(t, answer, "")
	return b
}

// set gives the board its tools, with this at the end of their descriptions.
func (b *board) set(t *testing.T, answer tools.Handler, more string) {
	t.Helper()
	handler := func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
		b.called = append(b.called, string(c.Arguments))
		if answer == nil {
			return tools.Text("fine"), nil
		}
		return answer(ctx, c)
	}
	strictly := jsontext.Value(`{"type":"object","properties":{"v":{}},"additionalProperties":false}`)
	err := b.Set("board", []*tools.Tool{
		{Name: "low", Tier: auth.Low, Input: strictly, Description: "Low." + more, Handler: handler},
		{Name: "medium", Tier: auth.Medium, Input: strictly, Description: "Medium." + more, Handler: handler},
		{Name: "medium.open", Tier: auth.Medium, Input: jsontext.Value(`{"type":"object"}`), Idempotent: true, Timeout: time.Minute, Handler: handler},
		{Name: "high", Tier: auth.High, Input: strictly, Description: "High." + more, Handler: handler},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ask is a request to call a tool as alice, who may use medium alone.
func (b *board) ask(t *testing.T, config string, env expr.Env) executor.Request {
	t.Helper()
	spec := strict[executor.Tool](t, config)
	tier, found := spec.Check(workflow.Surroundings{Roots: everywhere, Tool: b.Tier})
	if found != nil {
		t.Fatalf("%s: %v", config, found)
	}
	return executor.Request{
		Executor:  &workflow.Executor{Kind: "tool", Tier: tier, Spec: spec},
		Env:       env,
		Principal: auth.Principal{Client: "alice-agent", User: "alice", Allow: auth.Names("medium", "medium_open", "high")},
		Attempt:   "at_1", RequestID: "req-1",
	}
}

func admit(granted, approved bool) func(string) tools.Admission {
	return func(tool string) tools.Admission { return tools.Admit("at_1", tool, granted, approved) }
}

func TestToolsCannotBe(t *testing.T) {
	t.Parallel()
	b := newBoard(t, nil)
	for config, want := range map[string]string{
		`{}`:                                       "/tool",
		`{'tool':'gone'}`:                          "/tool",
		`{'tool':'$.arguments.t'}`:                 "/tool",
		`{'tool':'${env:TOOL}'}`:                   "/tool",
		`{'tool':'{{ $.context }}'}`:               "/tool",
		`{'tool':'praxec.query'}`:                  "/tool",
		`{'tool':'praxec_command'}`:                "/tool",
		`{'tool':'Praxec-Command'}`:                "/tool",
		`{'tool':'low','arguments':[]}`:            "/arguments",
		`{'tool':'low','arguments':'$.arguments'}`: "/arguments",
		`{'tool':'low','arguments':{'v':{'w':['${file:/etc/x}']}}}`:     "/arguments/v/w/0",
		`{'tool':'low','arguments':{'v':'$.output.x'}}`:                 "/arguments/v",
		`{'tool':'low','arguments':{'v':'Hello {{ $.context.name }}'}}`: "/arguments/v",
	} {
		if _, found := strict[executor.Tool](t, config).Check(workflow.Surroundings{Roots: everywhere, Tool: b.Tier}); !at(found, want) {
			t.Errorf("%s: %v, want something at %s", config, found, want)
		}
	}
	for name, want := range map[string]auth.Tier{"low": auth.Low, "medium_open": auth.Medium, "high": auth.High} {
		tier, found := strict[executor.Tool](t, `{'tool':'`+name+`'}`).Check(workflow.Surroundings{Roots: everywhere, Tool: b.Tier})
		if tier != want || found != nil {
			t.Errorf("%s: %v, %v", name, tier, found)
		}
	}
	if tier, found := strict[executor.Tool](t, `{'tool':'gone'}`).Check(workflow.Surroundings{Roots: everywhere}); tier != auth.Low || found != nil {
		t.Errorf("where the tools are not known: %v, %v", tier, found)
	}
}

// TestWhatAToolIsGiven: the arguments of the transition, or the mapping with values in place of paths.
func TestWhatAToolIsGiven(t *testing.T) {
	t.Parallel()
	env := expr.Env{Arguments: map[string]any{"v": "--x={{ $.context.secret }}\x00\r\n${file:/etc/passwd}", "n": 9007199254740991.0}, Context: map[string]any{"deep": []any{true, nil}}, ID: "wf_1"}
	for _, tt := range []struct{ config, want string }{
		{`{'tool':'medium.open'}`, `{"n":9007199254740991,"v":"--x={{ $.context.secret }}\u0000\r\n${file:/etc/passwd}"}`},
		{`{'tool':'medium.open','arguments':null}`, `{"n":9007199254740991,"v":"--x={{ $.context.secret }}\u0000\r\n${file:/etc/passwd}"}`},
		{`{'tool':'medium.open','arguments':{}}`, `{}`},
		{`{'tool':'medium.open','arguments':{'a':'$.arguments.v','b':['$.context.deep','lit',1.50,'$.workflow.id','$${x}']}}`,
			`{"a":"--x={{ $.context.secret }}\u0000\r\n${file:/etc/passwd}","b":[[true,null],"lit",1.50,"wf_1","${x}"]}`},
	} {
		b := newBoard(t, nil)
		res := run(t, executor.NewTool(b), b.ask(t, tt.config, env))
		if res.Failure != nil {
			t.Fatalf("%s: %+v", tt.config, res.Failure)
		}
		if diff := cmp.Diff([]string{tt.want}, b.called); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.config, diff)
		}
	}
	b := newBoard(t, nil)
	if res := run(t, executor.NewTool(b), b.ask(t, `{'tool':'medium.open'}`, expr.Env{})); res.Failure != nil || b.called[0] != "{}" {
		t.Errorf("no arguments at all: %+v, %v", res.Failure, b.called)
	}
}

// TestLaw2ToolsThroughExecutors: what is reached through an executor is what the principal may use, what the
// definition was granted, and what a person has approved; HIGH only the last.
func TestLaw2ToolsThroughExecutors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tool  string
		admit func(string) tools.Admission
		want  bool
	}{
		{"medium", nil, true}, {"medium", admit(false, false), true}, {"low", nil, false}, {"low", admit(false, false), false}, {"low", admit(true, false), true},
		{"high", nil, false}, {"high", admit(true, false), false}, {"high", admit(false, true), true},
		{"high", func(string) tools.Admission { return tools.Admit("at_1", "low", true, true) }, false},
	} {
		b := newBoard(t, nil)
		q := b.ask(t, `{'tool':'`+tt.tool+`','arguments':{}}`, expr.Env{})
		q.Admit = tt.admit
		res := run(t, executor.NewTool(b), q)
		if reached := len(b.called) == 1; reached != tt.want || reached != (res.Failure == nil) {
			t.Errorf("%s: called %v, %+v", tt.tool, b.called, res.Failure)
		}
		if f := res.Failure; f != nil && (f.Begun != workflow.NotBegun || f.Class != workflow.ClassPermanent) {
			t.Errorf("%s: %+v", tt.tool, f)
		}
	}
}

// TestForbiddenIsMissing: the failure of a tool that may not be used is that of one which has gone.
func TestForbiddenIsMissing(t *testing.T) {
	t.Parallel()
	b := newBoard(t, nil)
	forbidden := run(t, executor.NewTool(b), b.ask(t, `{'tool':'low'}`, expr.Env{})).Failure
	q := b.ask(t, `{'tool':'medium'}`, expr.Env{})
	if err := b.Set("board", nil); err != nil {
		t.Fatal(err)
	}
	gone := run(t, executor.NewTool(b), q).Failure
	if diff := cmp.Diff(gone, forbidden); gone == nil || diff != "" {
		t.Errorf("gone and forbidden differ:\n%s", diff)
	}
}

// TestTheMaterialOfATool: who looked at one tool has not approved another of the same name.
func TestTheMaterialOfATool(t *testing.T) {
	t.Parallel()
	b := newBoard(t, nil)
	k, q := executor.NewTool(b), b.ask(t, `{'tool':'medium_open','arguments':{'a':'$.arguments.v'}}`, expr.Env{Arguments: map[string]any{"v": "x"}})
	r, failure := k.Prepare(t.Context(), q)
	if failure != nil {
		t.Fatal(failure)
	}
	toolDigest, _ := r.Material["toolDigest"].(string)
	want := map[string]any{"kind": "tool", "tool": "medium.open", "tier": "medium", "arguments": map[string]any{"a": "x"}, "toolDigest": toolDigest, "as": "alice-agent", "user": "alice"}
	if diff := cmp.Diff(want, r.Material); diff != "" || len(toolDigest) != 64 || !r.Repeatable || r.Tier != auth.Medium {
		t.Errorf("%+v (-want +got):\n%s", r, diff)
	}
	of := func(name string) *executor.Run {
		r, failure := k.Prepare(t.Context(), b.ask(t, `{'tool':'`+name+`','arguments':{}}`, expr.Env{}))
		if failure != nil {
			t.Fatal(failure)
		}
		return r
	}
	before, low, high := of("medium"), of("low"), of("high")
	if before.Repeatable || !low.Repeatable || high.Repeatable || high.Tier != auth.High {
		t.Errorf("repeatable %v %v %v", before.Repeatable, low.Repeatable, high.Repeatable)
	}
	b.set(t, nil, " In another way.")
	if after := of("medium"); after.Material["toolDigest"] == before.Material["toolDigest"] {
		t.Error("a tool with another description has the same digest")
	}
	if res := before.Do(t.Context()); res.Failure == nil || res.Failure.Begun != workflow.NotBegun || b.called != nil {
		t.Errorf("a tool that was exchanged after it was looked at: %+v, called %v", res.Failure, b.called)
	}
}

// TestAToolOfSomebodyElse: the same call as another client reaches other things, and is another.
func TestAToolOfSomebodyElse(t *testing.T) {
	t.Parallel()
	b := newBoard(t, nil)
	k, q := executor.NewTool(b), b.ask(t, `{'tool':'low','arguments':{}}`, expr.Env{})
	seen := map[string]bool{}
	for _, p := range []auth.Principal{q.Principal, {Client: "alice-person", User: "alice"}, {Client: "alice-agent", User: "bob"}} {
		q.Principal = p
		r, failure := k.Prepare(t.Context(), q)
		if failure != nil {
			t.Fatal(failure)
		}
		seen[fmt.Sprint(r.Material)] = true
	}
	if len(seen) != 3 {
		t.Errorf("three clients share %d calls", len(seen))
	}
}

// TestWhatAToolGives: structure if there is any, else the content as MCP has it, and the evidence of it.
func TestWhatAToolGives(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		result     *tools.Result
	}{
		{"structure", `{"n":1,"big":"9007199254740993"}`, &tools.Result{Structured: jsontext.Value(`{"n":1,"big":9007199254740993}`), Content: []tools.Block{{Type: "text", Text: "n is 1"}}}},
		{"content", `{"content":[{"type":"text","text":"a"},{"type":"image","data":"AQI=","mimeType":"image/png"},{"type":"resource_link","uri":"x:y","name":"n"},{"type":"resource","resource":{"uri":"u","text":"t"}}]}`,
			&tools.Result{Content: []tools.Block{
				{Type: "text", Text: "a"}, {Type: "image", Data: []byte{1, 2}, MIMEType: "image/png"}, {Type: "resource_link", URI: "x:y", Name: "n"},
				{Type: "resource", Resource: jsontext.Value(`{"uri":"u","text":"t"}`)},
			}}},
		{"nothing", `{"content":[]}`, &tools.Result{}},
	} {
		b := newBoard(t, func(context.Context, *tools.Call) (*tools.Result, error) { return tt.result, nil })
		res := run(t, executor.NewTool(b), b.ask(t, `{'tool':'medium','arguments':{}}`, expr.Env{}))
		var want any
		if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, res.Output); diff != "" || res.Failure != nil {
			t.Errorf("%s: %+v (-want +got):\n%s", tt.name, res.Failure, diff)
		}
		if len(res.Evidence) != 1 || res.Evidence[0].Kind != "tool_result" || res.Evidence[0].URI != "tool:medium" || len(res.Evidence[0].Digest) != len("sha256:")+64 {
			t.Errorf("%s: evidence %+v", tt.name, res.Evidence)
		}
		if raw := tt.result.Structured; raw != nil && res.Evidence[0].Digest != "sha256:"+digest.Hex(raw) {
			t.Errorf("%s: the digest is not that of the output", tt.name)
		}
	}
}

// TestWhatAToolFails: what each way to fail says of the effect.
func TestWhatAToolFails(t *testing.T) {
	t.Parallel()
	fails := func(err error) tools.Handler {
		return func(context.Context, *tools.Call) (*tools.Result, error) { return nil, err }
	}
	gives := func(res *tools.Result) tools.Handler {
		return func(context.Context, *tools.Call) (*tools.Result, error) { return res, nil }
	}
	begun, end := context.WithCancel(t.Context())
	defer end()
	hangs := func(ctx context.Context, _ *tools.Call) (*tools.Result, error) {
		end()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for _, tt := range []struct {
		name, arguments string
		handler         tools.Handler
		class           string
		begun           workflow.Begun
		message         string
	}{
		{"its own failure", `{}`, fails(tools.Errorf(tools.CodeNotFound, "no such thing")), workflow.ClassPermanent, workflow.Answered, "no such thing"},
		{"a failed result", `{}`, gives(&tools.Result{IsError: true, Content: []tools.Block{{Type: "text", Text: "no\nluck"}}}), workflow.ClassPermanent, workflow.Answered, "no luck"},
		{"a long one", `{}`, gives(&tools.Result{IsError: true, Content: []tools.Block{{Type: "text", Text: strings.Repeat("x", 1<<20)}}}), workflow.ClassPermanent, workflow.Answered, "xx…"},
		{"an error of the protocol", `{}`, fails(&tools.ProtocolError{Code: -32603, Message: "boom"}), workflow.ClassPermanent, workflow.Answered, "boom"},
		{"what went wrong inside", `{}`, fails(errors.New("sqlite: /srv")), workflow.ClassPermanent, workflow.Doubtful, "req-1"},
		{"a panic", `{}`, func(context.Context, *tools.Call) (*tools.Result, error) { panic("boom") }, workflow.ClassPermanent, workflow.Doubtful, "req-1"},
		{"a result that is too large", `{}`, gives(tools.Text(strings.Repeat("x", 5<<20))), workflow.ClassPermanent, workflow.Doubtful, "4 MiB"},
		{"an executor's that goes on", `{}`, fails(tools.Errorf("IN_PROGRESS", "goes on")), workflow.ClassPermanent, workflow.Doubtful, "goes on"},
		{"an executor's in doubt", `{}`, fails(tools.Errorf("EFFECT_UNKNOWN", "who knows")), workflow.ClassPermanent, workflow.Doubtful, "who knows"},
		{"an executor's that failed", `{}`, fails(tools.Errorf("EXECUTOR_FAILED", "exit status 1")), workflow.ClassPermanent, workflow.Answered, "exit status 1"},
		{"busy", `{}`, fails(store.ErrBusy), workflow.ClassTransient, workflow.Answered, "waiting"},
		{"no end", `{}`, hangs, workflow.ClassTimeout, workflow.Doubtful, "cancelled"},
		{"its own deadline", `{}`, fails(context.DeadlineExceeded), workflow.ClassTimeout, workflow.Doubtful, "in time"},
		{"a question", `{}`, gives(&tools.Result{Input: &tools.InputRequest{}}), workflow.ClassPermanent, workflow.Answered, "asks"},
		{"work that goes on", `{}`, gives(&tools.Result{Pending: &tools.Handle{ID: "1"}}), workflow.ClassPermanent, workflow.Doubtful, "goes on"},
		{"arguments that do not fit", `{"other":1}`, nil, workflow.ClassPermanent, workflow.NotBegun, "other"},
		{"arguments that nobody reads alike", `{"v":1e300,"w":12345678901234567890}`, nil, workflow.ClassPermanent, workflow.NotBegun, "2^53"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBoard(t, tt.handler)
			r, failure := executor.NewTool(b).Prepare(t.Context(), b.ask(t, `{'tool':'medium','arguments':`+strings.ReplaceAll(tt.arguments, `"`, "'")+`}`, expr.Env{}))
			if failure != nil {
				t.Fatal(failure)
			}
			ctx := t.Context()
			if tt.name == "no end" {
				ctx = begun
			}
			f := r.Do(ctx).Failure
			if f == nil || f.Class != tt.class || f.Begun != tt.begun || !strings.Contains(f.Message, tt.message) || len(f.Message) > 600 || strings.Contains(f.Message, "/srv") {
				t.Errorf("%+v, want %s %v about %q", f, tt.class, tt.begun, tt.message)
			}
		})
	}
}

// TestAToolTooLate: when the time is over before it begins, nothing begins.
func TestAToolTooLate(t *testing.T) {
	t.Parallel()
	b := newBoard(t, nil)
	r, failure := executor.NewTool(b).Prepare(t.Context(), b.ask(t, `{'tool':'medium'}`, expr.Env{}))
	if failure != nil {
		t.Fatal(failure)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f := r.Do(ctx).Failure; f == nil || f.Begun != workflow.NotBegun || b.called != nil {
		t.Errorf("%+v, called %v", f, b.called)
	}
}

// TestMappingsAreBounded: naming a large argument many times does not make a call of any size.
func TestMappingsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBoard(t, nil)
	many := strings.TrimSuffix(strings.Repeat("'$.arguments.v',", 100), ",")
	q := b.ask(t, `{'tool':'medium','arguments':{'v':[`+many+`]}}`, expr.Env{Arguments: map[string]any{"v": strings.Repeat("x", 100_000)}})
	if f := run(t, executor.NewTool(b), q).Failure; f == nil || f.Begun != workflow.NotBegun || !strings.Contains(f.Message, "1 MiB") {
		t.Errorf("%+v", f)
	}
}
