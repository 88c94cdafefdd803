package mcp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"prax/server/edge"
	"prax/server/mcp"
	"prax/tools"
)

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
				stuck, cancelled := make(chan struct{}), make(chan bool, 1)
				withTool(t, h, func(ctx context.Context, call *tools.Call) (*tools.Result, error) {
					<-stuck
					for i := range 20 {
						call.Progress(tools.Progress{Done: float64(i)})
					}
					cancelled <- ctx.Err() != nil
					return tools.Text("done"), nil
				})
				start := time.Now()
				v := h.begin(t, newPost("alice", c.body, c.headers...))
				v.jam()
				close(stuck)
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
