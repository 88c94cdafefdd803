package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/server/edge"
)

// A body that comes slowly is held in its client's budget, and one too many is not read at all.
func TestHeldBodiesAreBounded(t *testing.T) {
	t.Parallel()
	budget := edge.New(edge.Config{MaxInFlight: 2})
	g := start(t, func(c *Config) { c.Edge, c.BodyTimeout = budget, never })
	slow := []*conn{g.dial(), g.dial()}
	for _, c := range slow {
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 4", "", "[1")
	}
	g.until("two bodies to be held", func() bool { return g.calls.Load() == 2 })
	third := g.dial()
	for _, framing := range []string{"Content-Length: 2\r\n\r\n{}", "MCP-Protocol-Version: 2025-11-25\r\nContent-Length: 2\r\n\r\n{}"} {
		third.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, framing)
		got := third.reply()
		want := `{"jsonrpc":"2.0","id":null,"error":{"code":429,"message":"too many requests of this client at once: wait for an answer, then try again","data":{"retryAfter":1}}}`
		if strings.Contains(framing, "2025-11-25") {
			want = strings.Replace(want, `"id":null,`, "", 1)
		}
		if got.status != 429 || got.header.Get("Retry-After") != "1" || got.body != want+"\n" {
			t.Errorf("%+v", got)
		}
	}
	unread := g.dial()
	unread.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 1000000", "", "")
	if got := unread.reply(); got.status != 429 {
		t.Errorf("one whose body never comes got %d", got.status)
	}
	for _, c := range slow {
		c.send("2]")
		if got := c.reply(); got.status != 200 {
			t.Errorf("a slow body got %d", got.status)
		}
	}
	g.until("the places to be given back", func() bool { n, _ := budget.Clients(); return n == 0 })
	third.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
	if got := third.reply(); got.status != 200 {
		t.Errorf("after they ended: %d", got.status)
	}
	if n := g.calls.Load(); n != 3 {
		t.Errorf("%d calls got through, want 3", n)
	}
	g.until("the refusal's record", func() bool {
		g.Flush()
		return strings.Contains(g.lines.String(), `"status":429`) && strings.Contains(g.lines.String(), `"client":"alice","user":"u1","outcome":"error","code":"429"`)
	})
}

// The place is kept while the answer is written: an answer that nobody reads counts.
func TestPlaceIsKeptWhileWriting(t *testing.T) {
	t.Parallel()
	writing := make(chan struct{})
	g := start(t, func(c *Config) {
		c.Edge, c.WriteTimeout = edge.New(edge.Config{MaxInFlight: 1}), never
		c.MCP = func(w http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
			_, _ = io.ReadAll(r.Body)
			close(writing)
			piece := make([]byte, 1<<20)
			for {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}
	})
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
	g.await(writing, "the answer")
	if got := g.ask("POST", "/mcp", good); got.status != 429 {
		t.Errorf("a second call got %d", got.status)
	}
	_ = c.Close()
}

// changing is a registry of one client that can be revoked under way.
type changing struct {
	registry
	mu      sync.Mutex
	changed chan struct{}
	gone    bool
	now     time.Time
}

func (c *changing) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

func (c *changing) Again(p auth.Principal) (auth.Principal, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return p, !c.gone
}

func (c *changing) revoke() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *changing) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *changing) clock() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Law 3: who is revoked or lapses while its body is under way gets what an unknown token gets, byte for
// byte, and the operator the same record.
func TestLaw3OutWhileTheBodyComes(t *testing.T) {
	t.Parallel()
	for name, out := range map[string]func(*changing){
		"revoked": (*changing).revoke,
		"expired": func(c *changing) { c.pass(2 * time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clients := &changing{changed: make(chan struct{}), now: time.Now()}
			clients.registry = registry{"good": {Client: "alice", User: "u1", Expires: clients.now.Add(time.Hour)}}
			g := start(t, func(c *Config) {
				c.Authenticators = []edge.Authenticator{clients}
				c.Edge = edge.New(edge.Config{Now: clients.clock})
				c.MCP = func(w http.ResponseWriter, r *http.Request, x *edge.Exchange) {
					_, _ = io.ReadAll(r.Body)
					if x.Refresh() {
						_, _ = io.WriteString(w, "known")
					}
				}
			})
			stranger := g.dial()
			stranger.send("POST /mcp HTTP/1.1", "Host: "+g.addr, "Authorization: Bearer unknown", "Content-Length: 2", "", "{}")
			want := stranger.reply()

			c := g.dial()
			c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{")
			g.until("the call", func() bool { return g.calls.Load() == 1 })
			out(clients)
			c.send("}")
			got := c.reply()
			for _, r := range []reply{want, got} {
				r.header.Del("X-Request-Id")
				r.header.Del("Date")
			}
			if d := cmp.Diff(want, got, cmp.AllowUnexported(reply{})); d != "" || got.status != 401 {
				t.Errorf("not the answer for an unknown token (-unknown +%s):\n%s", name, d)
			}
			stranger.send("POST /mcp HTTP/1.1", "Host: "+g.addr, "Content-Length: 2", "", "{}")
			if got := stranger.reply(); got.status != 401 {
				t.Errorf("the connection does not stay: %d", got.status)
			}
			denied := g.denials()
			if len(denied) < 2 || denied[1].Reason != DeniedUnknownToken {
				t.Errorf("reported: %+v", denied)
			}
		})
	}
}

// Connections without a request make room for one more.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.MaxConns = 2 })
	for range 20 {
		c := g.dial()
		c.send("GET /healthz HTTP/1.1", "Host: "+g.addr, "", "")
		if got := c.reply(); got.status != 200 {
			t.Fatalf("%d", got.status)
		}
	}
}

// Beyond the limit a connection waits to be accepted, and is served once another is gone.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) {
		c.MaxConns = 2
		c.MCP = func(w http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	})
	health := func(c *conn) { c.send("GET /healthz HTTP/1.1", "Host: "+g.addr, "", "") }
	first, second := g.dial(), g.dial()
	for _, c := range []*conn{first, second} { // busy, so that they make no room
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
		if _, err := c.r.Peek(1); err != nil {
			t.Fatal(err)
		}
	}
	third := g.dial() // the system takes it, nobody accepts it
	health(third)
	_ = third.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	if _, err := third.r.Peek(1); !isTimeout(err) {
		t.Errorf("one connection too many was served: %v", err)
	}
	_ = first.Close()
	_ = third.SetReadDeadline(time.Now().Add(patience))
	if got := third.reply(); got.status != 200 {
		t.Errorf("after another ended: %d", got.status)
	}
	if err := g.finish(); err != nil { // the accept that waits ends with the server
		t.Errorf("Serve: %v", err)
	}
}

func TestConnectionsHaveADefault(t *testing.T) {
	t.Parallel()
	if n := (Config{}).withDefaults().MaxConns; n < 16 || n > DefaultMaxConns {
		t.Errorf("%d connections by default", n)
	}
}

// A drain does not wait for a body that has not come in: nothing has begun. It is no failure either.
func TestDrainCutsHalfBodies(t *testing.T) {
	t.Parallel()
	read := make(chan error, 1)
	g := start(t, func(c *Config) {
		c.Grace, c.BodyTimeout = never, never
		c.MCP = func(w http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
			_, err := io.ReadAll(r.Body)
			read <- err
			w.WriteHeader(http.StatusRequestTimeout)
		}
	})
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 100", "", "{")
	g.until("the call", func() bool { return g.calls.Load() == 1 })
	if err := g.finish(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if err := <-read; !errors.Is(err, edge.ErrStopping) {
		t.Errorf("reading the body gave %v", err)
	}
	if got := c.reply(); got.status != 408 {
		t.Errorf("%d", got.status)
	}
}

// Nor for a request whose headers have not come in.
func TestDrainIgnoresHalfHeaders(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.Grace, c.HeaderTimeout = never, never })
	c := g.dial()
	c.send("GET /healthz HTTP/1.1", "Host: "+g.addr, "", "")
	if got := c.reply(); got.status != 200 {
		t.Fatalf("%d", got.status)
	}
	c.send("POST /mcp HTTP/1.1", "Host: ")
	late, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	g.stop()
	select {
	case <-g.ended:
	case <-late.Done():
		t.Fatal("the drain waits for headers")
	}
	if g.result != nil {
		t.Errorf("Serve: %v", g.result)
	}
}

// The whole drain fits into what a container is given to stop.
func TestGraceFitsAContainer(t *testing.T) {
	t.Parallel()
	if d := (Config{}).withDefaults().Grace; d >= 10*time.Second-time.Second {
		t.Errorf("%v by default", d)
	}
}
