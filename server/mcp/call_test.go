package mcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
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

// A call that reports nothing for a while keeps its stream alive, and still ends with its answer.
func TestCallKeepsAlive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, meta, accept, want string
	}{
		{"with a token", `,"_meta":{"progressToken":1}`, "*/*", ":\n\n:\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"late\"}],\"isError\":false}}\n\n"},
		{"without one", ``, "*/*", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"late"}],"isError":false}}` + "\n"},
		{"JSON only", `,"_meta":{"progressToken":1}`, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"late"}],"isError":false}}` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, nil)
				withTool(t, h, func(context.Context, *tools.Call) (*tools.Result, error) {
					time.Sleep(2*mcp.DefaultKeepAlive + time.Second)
					return tools.Text("late"), nil
				})
				v := h.begin(t, newPost("alice", callHang(c.meta), "Accept: "+c.accept))
				<-v.done
				if got := v.read(t); got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
				time.Sleep(time.Hour)
				if got := v.read(t); got != "" {
					t.Errorf("after the answer came %q", got)
				}
			})
		})
	}
}

// A reader that is stuck is a caller that left: a modern call is cancelled, an older one goes on, and
// neither is held up by it for longer than one write.
func TestCallStuckReader(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		headers    []string
		cancels    bool
	}{
		{"modern", callHang(`,` + strings.Replace(modernMeta, `{`, `{"progressToken":1,`, 1)), modern("tools/call", "hang"), true},
		{"older", callHang(`,"_meta":{"progressToken":1}`), nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, nil)
				cancelled := make(chan bool, 1)
				withTool(t, h, func(ctx context.Context, call *tools.Call) (*tools.Result, error) {
					for i := range 20 {
						call.Progress(tools.Progress{Done: float64(i)})
					}
					cancelled <- ctx.Err() != nil
					return tools.Text("done"), nil
				})
				start := time.Now()
				v := h.begin(t, newPost("alice", c.body, c.headers...))
				v.jam()
				if got := <-cancelled; got != c.cancels {
					t.Errorf("cancelled: %v, want %v", got, c.cancels)
				}
				<-v.done
				if took := time.Since(start); took > mcp.DefaultWriteTimeout+time.Second {
					t.Errorf("the call was held up for %v", took)
				}
			})
		})
	}
}

// Progress that comes in a flood is thinned out; the last answer always comes.
func TestProgressIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, nil)
		withTool(t, h, func(_ context.Context, call *tools.Call) (*tools.Result, error) {
			for i := range 100_000 {
				call.Progress(tools.Progress{Done: float64(i)})
			}
			time.Sleep(time.Second)
			call.Progress(tools.Progress{Done: 1e6})
			return tools.Text("done"), nil
		})
		v := h.begin(t, newPost("alice", callHang(`,"_meta":{"progressToken":1}`)))
		<-v.done
		got := v.read(t)
		if n := strings.Count(got, "notifications/progress"); n < 3 || n > 100 {
			t.Errorf("%d reports came through", n)
		}
		if !strings.Contains(got, `"progress":1000000`) || !strings.HasSuffix(got, "\"isError\":false}}\n\n") {
			t.Errorf("the last report or the answer is missing: %q", got[max(0, len(got)-300):])
		}
	})
}

func TestTooManyInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, func(_ *mcp.Config, e *edge.Config) { e.MaxInFlight = 1 })
		running := h.begin(t, newPost("alice", callHang(`,`+modernMeta), modern("tools/call", "hang")...))
		synctest.Wait()

		const refused = `"error":{"code":429,"message":"too many requests of this client at once: wait for an answer, then try again"}}`
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

// A caller that is revoked or lapses while its body is under way reaches nothing by the rest of it, and
// is told nothing here: it is answered as an unknown one.
func TestLaw3ABodyThatTakesItsTime(t *testing.T) {
	t.Parallel()
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note_write"}}`
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, out := range map[string]func(h *house){
		"revoked": func(h *house) { h.clients.set(client("clerk", auth.Names("clock"))) },
		"expired": func(*house) { time.Sleep(2 * time.Minute) },
	} {
		for _, body := range []string{call, list, `[` + list + `]`, `[` + call, ``, `{"jsonrpc":"2.0","method":"notifications/initialized"}`} {
			t.Run(name+" "+body, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					h := newHouse(t, nil)
					h.clients.set(until(client("alice", everyTool), time.Now().Add(time.Minute)))
					r := newPost("alice", "")
					slow, late := io.Pipe()
					r.Body, r.ContentLength = slow, -1
					v := h.begin(t, r)
					synctest.Wait()
					out(h)
					_, _ = io.WriteString(late, body)
					_ = late.Close()
					<-v.done
					if got := v.read(t); v.status != 401 || got != "unauthorized\n" || len(h.journal.events) != 0 {
						t.Errorf("%d %q, and %d events", v.status, got, len(h.journal.events))
					}
				})
			})
		}
	}
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

// Each element of a batch is judged when its turn comes: one that is out midway may use nothing.
func TestBatchIsJudgedMidway(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	withTool(t, h, func(context.Context, *tools.Call) (*tools.Result, error) {
		h.clients.set(client("clerk", auth.Names("clock")))
		return tools.Text("revoked"), nil
	})
	clock := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"clock"}}`
	w := h.post("alice", `[`+fmt.Sprintf(clock, 1)+`,`+callHang(``)+`,`+fmt.Sprintf(clock, 3)+`,{"jsonrpc":"2.0","id":4,"method":"tools/list"}]`)
	want := `[{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"It is noon."}],"structuredContent":{"now":"12:00"},"isError":false}},` +
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"revoked"}],"isError":false}},` +
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"unknown tool: clock"}},` +
		`{"jsonrpc":"2.0","id":4,"result":{"tools":[]}}]`
	if diff := cmp.Diff(want+"\n", w.Body.String()); diff != "" {
		t.Errorf("answers differ (-want +got):\n%s", diff)
	}
}

// Each element of a batch is a call of its own in the audit: none hides another's trace.
func TestBatchElementsHaveTheirOwnIDs(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	fail := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail"}}`
	h.post("alice", `[`+fail+`,`+fail+`]`)
	var ids []string
	for _, e := range h.journal.events {
		ids = append(ids, e.RequestID)
	}
	if len(ids) != 2 || ids[0] == ids[1] || !strings.HasSuffix(ids[1], ".2") {
		t.Errorf("the two calls have the ids %q", ids)
	}
}

// A batch starts nothing more once the server stops.
func TestBatchWhileDraining(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	withTool(t, h, func(context.Context, *tools.Call) (*tools.Result, error) {
		h.server.Drain()
		return tools.Text("draining"), nil
	})
	w := h.post("alice", `[`+callHang(``)+`,{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"note_write"}}]`)
	want := `,{"jsonrpc":"2.0","id":2,"error":{"code":503,"message":"the server is stopping: send what is left again"}}]` + "\n"
	if got := w.Body.String(); !strings.HasSuffix(got, want) || !strings.Contains(got, "draining") {
		t.Errorf("got %s", got)
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	padded := func(n int) string { return ping + strings.Repeat(" ", n-len(ping)) }
	const tooLarge = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the body has more than 65536 bytes"}}`
	for _, c := range []struct {
		name   string
		body   io.Reader
		length int64 // announced; -1: chunked
		status int
		want   string
	}{
		{"as large as may be", strings.NewReader(padded(maxBody)), maxBody, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"one byte more", strings.NewReader(padded(maxBody + 1)), maxBody + 1, 413, tooLarge},
		{"much more, chunked", strings.NewReader(padded(10 * maxBody)), -1, 413, tooLarge},
		{"chunked", strings.NewReader(padded(30_000)), -1, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"byte by byte", iotest.OneByteReader(strings.NewReader(ping)), -1, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"data with the end", iotest.DataErrReader(strings.NewReader(ping)), int64(len(ping)), 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"announced too long", strings.NewReader(ping), 1 << 40, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"cut off", io.MultiReader(strings.NewReader(`{"jsonrpc"`), iotest.ErrReader(io.ErrUnexpectedEOF)), 40, 408,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the body did not arrive whole"}}`},
		{"cut by the drain", io.MultiReader(strings.NewReader(`{"jsonrpc"`), iotest.ErrReader(edge.ErrStopping)), 40, 503,
			`{"jsonrpc":"2.0","id":null,"error":{"code":503,"message":"the server is stopping: send it again"}}`},
		{"empty", strings.NewReader(""), 0, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the body is empty"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newPost("alice", "")
			r.Body, r.ContentLength = io.NopCloser(c.body), c.length
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.status || w.Body.String() != c.want+"\n" {
				t.Errorf("%d %s, want %d %s", w.Code, w.Body, c.status, c.want)
			}
		})
	}
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

// Over a real connection: the first byte of a stream comes at once, the stream outlives the server's
// write timeout, and hanging up ends the exchange.
func TestStreamOverHTTP(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *mcp.Config, _ *edge.Config) { c.KeepAlive = 50 * time.Millisecond })
	over := make(chan struct{})
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		close(over)
	}))
	srv.Config.WriteTimeout = 200 * time.Millisecond
	srv.Start()
	defer srv.Close()

	ctx, hangUp := context.WithTimeout(t.Context(), time.Minute)
	defer hangUp()
	r := newPost("clerk", `{"jsonrpc":"2.0","id":"s1","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+modernMeta+`}}`, modern("subscriptions/listen")...)
	out, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL, r.Body)
	if err != nil {
		t.Fatal(err)
	}
	out.Header = r.Header
	res, err := srv.Client().Do(out)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	want := acknowledged + strings.Repeat(":\n\n", 12) // three times the write timeout
	got := make([]byte, len(want))
	if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != want {
		t.Fatalf("stream gave %q, %v", got, err)
	}
	hangUp()
	select {
	case <-over:
	case <-time.After(10 * time.Second):
		t.Error("the exchange outlives its caller")
	}
}
