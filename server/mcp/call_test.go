package mcp_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/server/edge"
	"prax/server/mcp"
	"prax/store"
	"prax/tools"
)

// withTool adds one LOW tool that everybody in everyTool's list calls "hang", in place of the
// fixture's.
func withTool(t *testing.T, h *house, handler tools.Handler) {
	t.Helper()
	list := fixtureTools()
	for _, tool := range list {
		if tool.Name == "hang" {
			tool.Handler = handler
		}
	}
	if err := h.registry.Set("fixture", list); err != nil {
		t.Fatal(err)
	}
}

func callHang(meta string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang","arguments":{}` + meta + `}}`
}

// Hanging up is the cancellation in 2026-07-28, and none before.
func TestHangUpCancels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		headers    []string
		cancels    bool
	}{
		{"modern", callHang(`,` + modernMeta), modern("tools/call", "hang"), true},
		{"2025-11-25", callHang(``), []string{"MCP-Protocol-Version: 2025-11-25"}, false},
		{"no header", callHang(``), nil, false},
		{"batch", `[` + callHang(``) + `]`, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, nil)
				stopped := make(chan error, 1)
				withTool(t, h, func(ctx context.Context, _ *tools.Call) (*tools.Result, error) {
					select {
					case <-ctx.Done():
						stopped <- ctx.Err()
						return nil, ctx.Err()
					case <-time.After(20 * time.Second):
						stopped <- nil
						return tools.Text("finished"), nil
					}
				})
				v := h.begin(t, newPost("alice", c.body, c.headers...))
				synctest.Wait()
				v.hangUp()
				if err := <-stopped; (err != nil) != c.cancels {
					t.Errorf("the tool was stopped by %v, want a cancellation: %v", err, c.cancels)
				}
				<-v.done
				if inFlight, _ := h.edge.Clients(); inFlight != 0 {
					t.Error("the call's place is still taken")
				}
			})
		})
	}
}

func TestTooManyInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, func(_ *mcp.Config, e *edge.Config) { e.MaxInFlight = 1 })
		running := h.begin(t, newPost("alice", callHang(`,`+modernMeta), modern("tools/call", "hang")...))
		synctest.Wait()

		const refused = `"error":{"code":429,"message":"too many requests of this client at once: wait for an answer, then try again","data":{"retryAfter":1}}}`
		w := h.post("alice", `{"jsonrpc":"2.0","id":7,"method":"ping"}`)
		if want := `{"jsonrpc":"2.0","id":7,` + refused; w.Code != 429 || w.Header().Get("Retry-After") != "1" || w.Body.String() != want+"\n" {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		w = h.post("alice", `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]`)
		if want := `[{"jsonrpc":"2.0","id":1,` + refused + `,{"jsonrpc":"2.0","id":2,` + refused + `]`; w.Code != 200 || w.Body.String() != want+"\n" {
			t.Errorf("batch: %d %s", w.Code, w.Body)
		}
		if w = h.post("clerk", `{"jsonrpc":"2.0","id":1,"method":"ping"}`); w.Code != 200 {
			t.Errorf("another client got %d", w.Code)
		}
		running.hangUp()
		<-running.done
		if w = h.post("alice", `{"jsonrpc":"2.0","id":1,"method":"ping"}`); w.Code != 200 {
			t.Errorf("after the call: %d", w.Code)
		}
	})
}

// A tool that goes at the very moment when a stream's caller is judged again ends the call as well, and
// what the handler still reports reaches nobody.
func TestCallIsJudgedAgainstTheToolsNow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stopped := make(chan struct{})
		steps := &tools.Tool{Name: "steps", Tier: auth.Low, Input: object(`{"type":"object"}`),
			Handler: func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
				// A change on its way is awaited, so the call does not end with its context.
				return tools.Text("done"), c.Update(ctx, func(store.Tx) error {
					<-ctx.Done()
					c.Progress(tools.Progress{Done: 1})
					close(stopped)
					return nil
				})
			}}
		var meanwhile atomic.Pointer[func()]
		registry := tools.NewRegistry(tools.Config{Store: &journal{}, Now: func() time.Time { // asked within Decide
			if f := meanwhile.Swap(nil); f != nil {
				(*f)()
			}
			return time.Now()
		}})
		if err := registry.Set("fixture", []*tools.Tool{steps}); err != nil {
			t.Fatal(err)
		}
		h := newHouse(t, func(c *mcp.Config, _ *edge.Config) { c.Registry, c.KeepAlive = registry, time.Hour })
		v := h.begin(t, newPost("alice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":1}}}`))
		synctest.Wait()
		remove := func() { _ = registry.Set("fixture", nil) }
		meanwhile.Store(&remove)
		h.clients.set(client("alice", everyTool))
		select {
		case <-stopped:
		case <-time.After(10 * time.Second):
			t.Error("the call goes on without its tool")
		}
		v.hangUp()
		<-v.done
		if got, want := v.read(t), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool: steps"}}`+"\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// What the access record gets to know: never a string of the caller's as a method, and the code of
// whatever went wrong.
func TestAccessRecord(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	call := func(name, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
	}
	for _, c := range []struct {
		body string
		want edge.Access
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, edge.Access{Method: "ping", Outcome: "ok"}},
		{`{"jsonrpc":"2.0","method":"x"}`, edge.Access{Method: "notification", Outcome: "ok"}},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, edge.Access{Method: "response", Outcome: "ok"}},
		{`{"jsonrpc":"2.0","id":1,"method":"a\u001b[31m"}`, edge.Access{Method: "unknown", Outcome: "error", Code: "-32601"}},
		{`{`, edge.Access{Outcome: "error", Code: "-32700"}},
		{call("clock", "{}"), edge.Access{Method: "tools/call", Tool: "clock", Outcome: "ok"}},
		{call("nope", "{}"), edge.Access{Method: "tools/call", Tool: "nope", Outcome: "denied", Code: "-32602"}},
		{call("Bearer prx_canary", "{}"), edge.Access{Method: "tools/call", Tool: "(a token)", Outcome: "denied", Code: "-32602"}},
		{call("fail", "{}"), edge.Access{Method: "tools/call", Tool: "fail", Outcome: "error", Code: "NOT_FOUND"}},
		{call("clock", "[]"), edge.Access{Method: "tools/call", Tool: "clock", Outcome: "error", Code: "-32602"}},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"},` + call("clock", "{}") + `]`, edge.Access{Method: "batch", Outcome: "ok"}},
		{`[5,{"jsonrpc":"2.0","id":1,"method":"ping"}]`, edge.Access{Method: "batch", Outcome: "error"}},
		{`[]`, edge.Access{Method: "batch", Outcome: "error", Code: "-32600"}},
	} {
		p, _ := h.clients.Again(auth.Principal{Client: "alice"})
		x := h.exchange(p)
		h.server.Serve(httptest.NewRecorder(), newPost("alice", c.body), x)
		if diff := cmp.Diff(c.want, x.Access); diff != "" {
			t.Errorf("%s: access record differs (-want +got):\n%s", c.body, diff)
		}
	}
}

// Nothing of a failure's cause reaches a caller, on either plane.
func TestCausesStayIn(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	withTool(t, h, func(context.Context, *tools.Call) (*tools.Result, error) {
		return nil, fmt.Errorf("open /var/lib/secret.db: SELECT * FROM tokens")
	})
	for _, name := range []string{"hang", "fail", "panics"} {
		w := h.post("alice", strings.Replace(callHang(``), `"hang"`, `"`+name+`"`, 1))
		for _, secret := range []string{"secret", "SELECT", "hunter2", "goroutine", ".go:"} {
			if strings.Contains(w.Body.String(), secret) {
				t.Errorf("%s discloses %q: %s", name, secret, w.Body)
			}
		}
	}
}
