package mcp_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"prax/auth"
	"prax/server/edge"
	"prax/server/mcp"
	"prax/tools"
)

const (
	acknowledged = "event: message\n" + `data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"s1"}}}` + "\n\n"
	listChanged  = "event: message\n" + `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s1"}}}` + "\n\n"
	concluded    = "event: message\n" + `data: {"jsonrpc":"2.0","id":"s1","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"s1","io.modelcontextprotocol/serverInfo":{"name":"prax","version":"1.2.3"}}}}` + "\n\n"
)

// expect waits until everything has settled and compares what came meanwhile.
func expect(t *testing.T, v *visit, what, want string) {
	t.Helper()
	synctest.Wait()
	if got := v.read(t); got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func fixtureClients(more ...auth.Principal) []auth.Principal {
	return append([]auth.Principal{client("alice", everyTool), client("clerk", auth.Names("clock"))}, more...)
}

func TestListenFollowsTheList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, nil)
		v := h.listen(t, "clerk", `{"toolsListChanged":true,"promptsListChanged":true,"somethingElse":5}`)
		expect(t, v, "opened", acknowledged)
		if ct, ab := v.header.Get("Content-Type"), v.header.Get("X-Accel-Buffering"); ct != "text/event-stream" || ab != "no" || v.header.Get("Cache-Control") != "no-cache" || v.status != 200 {
			t.Errorf("headers %v", v.header)
		}

		h.clients.set(fixtureClients(client("dora", everyTool))...)
		expect(t, v, "another client came", "")
		h.clients.set(fixtureClients()[0], client("clerk", auth.Names("clock", "fail")))
		expect(t, v, "widened", listChanged)
		h.clients.set(fixtureClients()[0], client("clerk", auth.Names("clock", "fail", "wipe", "nope")))
		expect(t, v, "granted what cannot be seen", "")
		h.clients.set(fixtureClients()...)
		expect(t, v, "narrowed", listChanged)

		more := &tools.Tool{Name: "extra", Description: "d", Tier: auth.Low, Input: object(`{"type":"object"}`), Handler: answer(tools.Text("x"))}
		if err := h.registry.Set("more", []*tools.Tool{more}); err != nil {
			t.Fatal(err)
		}
		expect(t, v, "a tool that it was not granted came", "")
		h.clients.set(client("clerk", auth.Names("clock", "extra")))
		expect(t, v, "granted the new tool", listChanged)
		if err := h.registry.Set("more", nil); err != nil {
			t.Fatal(err)
		}
		expect(t, v, "the tool went", listChanged)
		p := client("clerk", auth.Names("clock"))
		p.User = "u_other"
		h.clients.set(p)
		expect(t, v, "the same list", "")
		v.hangUp()
		expect(t, v, "hung up", "")
		<-v.done
	})
}

func TestListenOnlyWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	for _, asked := range []string{`{}`, `{"toolsListChanged":false}`, `{"promptsListChanged":true}`} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(t, nil)
			v := h.listen(t, "clerk", asked)
			expect(t, v, "opened", strings.Replace(acknowledged, `"toolsListChanged":true`, ``, 1))
			h.clients.set(client("clerk", auth.Names("clock", "fail")))
			expect(t, v, "widened", "")
			h.clients.set()
			expect(t, v, "revoked", concluded)
			<-v.done
		})
	}
}

// However a subscription ends, its caller sees the same bytes.
func TestListenHasOneEnding(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(h *house){
		"removed":        func(h *house) { h.clients.set(fixtureClients()[0]) },
		"nobody is left": func(h *house) { h.clients.set() },
		"expired now":    func(h *house) { h.clients.set(until(client("clerk", auth.Names("clock")), time.Now())) },
		"expires":        func(*house) { time.Sleep(90 * time.Second) },
		"drained":        func(h *house) { h.server.Drain() },
		"drained and removed": func(h *house) {
			h.server.Drain()
			h.clients.set()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, func(c *mcp.Config, _ *edge.Config) { c.KeepAlive = time.Hour })
				h.clients.set(fixtureClients()[0], until(client("clerk", auth.Names("clock")), time.Now().Add(90*time.Second)))
				v := h.listen(t, "clerk", `{"toolsListChanged":true}`)
				expect(t, v, "opened", acknowledged)
				end(h)
				expect(t, v, "ended", concluded)
				if !v.ended() {
					t.Error("the exchange goes on")
				}
				if _, streaming := h.edge.Clients(); streaming != 0 {
					t.Error("the stream's place is still taken")
				}
			})
		})
	}
}

func TestListenWhileDraining(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, nil)
		h.server.Drain()
		h.server.Drain()
		v := h.listen(t, "clerk", `{"toolsListChanged":true}`)
		expect(t, v, "opened", acknowledged+concluded)
		<-v.done
	})
}

func TestListenKeepsAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, nil)
		v := h.listen(t, "clerk", `{"toolsListChanged":true}`)
		expect(t, v, "opened", acknowledged)
		time.Sleep(mcp.DefaultKeepAlive - time.Second)
		expect(t, v, "before the pause is over", "")
		h.clients.set(client("clerk", auth.Names("clock", "fail")))
		expect(t, v, "widened", listChanged)
		time.Sleep(2 * time.Second)
		expect(t, v, "an event was sign enough", "")
		time.Sleep(3 * mcp.DefaultKeepAlive)
		expect(t, v, "three pauses later", strings.Repeat(":\n\n", 3))
		v.hangUp()
		<-v.done
		time.Sleep(time.Hour)
		expect(t, v, "after the end", "")
	})
}

// A reader that takes nothing loses its stream after one write's time, and holds nothing up.
func TestListenStuckReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, nil)
		v := h.listen(t, "clerk", `{"toolsListChanged":true}`)
		expect(t, v, "opened", acknowledged)
		v.jam()
		start := time.Now()
		<-v.done
		if took, most := time.Since(start), mcp.DefaultKeepAlive+mcp.DefaultWriteTimeout+time.Second; took > most {
			t.Errorf("a stuck reader was kept for %v, want at most %v", took, most)
		}
	})
}

func TestListenRefusals(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	for _, c := range []struct {
		name, notifications string
		headers             []string
		status              int
		want                string
	}{
		{"no notifications", `null`, nil, 200, `{"code":-32602,"message":"params.notifications must be an object"}`},
		{"a list", `[]`, nil, 200, `{"code":-32602,"message":"params.notifications must be an object"}`},
		{"a word for yes", `{"toolsListChanged":"yes"}`, nil, 200, `{"code":-32602,"message":"params.notifications.toolsListChanged must be true or false"}`},
		{"no stream taken", `{}`, []string{"Accept: application/json"}, 406, `{"code":-32600,"message":"subscriptions are streams: send the header Accept: application/json, text/event-stream"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := h.post("clerk", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":`+c.notifications+`,`+modernMeta+`}}`,
				append(modern("subscriptions/listen"), c.headers...)...)
			if want := `{"jsonrpc":"2.0","id":1,"error":` + c.want + `}`; w.Code != c.status || w.Body.String() != want+"\n" {
				t.Errorf("%d %s, want %d %s", w.Code, w.Body, c.status, want)
			}
		})
	}
}

func TestListenStreamsCountApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, func(_ *mcp.Config, e *edge.Config) { e.MaxStreams, e.MaxInFlight = 2, 1 })
		var open []*visit
		for range 2 {
			open = append(open, h.listen(t, "clerk", `{}`))
		}
		synctest.Wait()
		third := h.listen(t, "clerk", `{}`)
		<-third.done
		if third.status != http.StatusTooManyRequests || third.header.Get("Retry-After") == "" {
			t.Errorf("a third stream got %d %v", third.status, third.header)
		}
		if w := h.post("clerk", `{"jsonrpc":"2.0","id":1,"method":"ping"}`); w.Code != 200 {
			t.Errorf("a call beside open streams got %d", w.Code)
		}
		open[0].hangUp()
		<-open[0].done
		fourth := h.listen(t, "clerk", `{}`)
		synctest.Wait()
		if fourth.ended() {
			t.Error("a place that was given back is still taken")
		}
		fourth.hangUp()
		open[1].hangUp()
		<-fourth.done
		<-open[1].done
	})
}
