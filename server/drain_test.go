package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"prax/server/edge"
)

func TestDrainFinishesCalls(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	var hooks []string
	g := start(t, func(c *Config) {
		c.Grace = patience
		c.Drain = []func(){func() { hooks = append(hooks, "streams") }, func() { hooks = append(hooks, "more") }}
		c.MCP = func(w http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
			close(entered)
			<-release
			if r.Context().Err() != nil {
				t.Error("the call's context ended within the grace")
			}
			_, _ = io.WriteString(w, "finished")
		}
	})
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
	g.await(entered, "the call")
	g.stop()
	g.until("connections to be refused", func() bool {
		c, err := net.Dial("tcp", g.addr)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	if rec := get(g.Handler(), "/readyz"); rec.Code != 503 || !strings.Contains(rec.Body.String(), "draining") {
		t.Errorf("readyz while draining: %d %s", rec.Code, rec.Body)
	}
	if rec := get(g.Handler(), "/healthz"); rec.Code != 200 {
		t.Errorf("healthz while draining: %d", rec.Code)
	}
	close(release)
	if got := c.reply(); got.status != 200 || got.body != "finished" {
		t.Errorf("the running call got %+v", got)
	}
	if err := g.finish(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if len(hooks) != 2 || hooks[0] != "streams" {
		t.Errorf("drain hooks %v", hooks)
	}
	if !strings.Contains(g.lines.String(), `"status":200`) {
		t.Errorf("the last access record was not flushed: %q", g.lines)
	}
}

func TestDrainEndsStreams(t *testing.T) {
	t.Parallel()
	entered, drain := make(chan struct{}), make(chan struct{})
	g := start(t, func(c *Config) {
		c.Grace = patience
		c.Drain = []func(){func() { close(drain) }}
		c.MCP = func(w http.ResponseWriter, _ *http.Request, _ *edge.Exchange) {
			_ = http.NewResponseController(w).Flush()
			close(entered)
			<-drain
			_, _ = io.WriteString(w, "bye")
		}
	})
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
	g.await(entered, "the stream")
	g.stop()
	if got := c.reply(); got.body != "bye" {
		t.Errorf("the stream ended with %q", got.body)
	}
	if err := g.finish(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestDrainCutsAfterTheGrace(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	g := start(t, func(c *Config) {
		c.Grace = 50 * time.Millisecond
		c.MCP = func(_ http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
			_, _ = io.ReadAll(r.Body)
			close(entered)
			<-r.Context().Done()
		}
	})
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
	g.await(entered, "the call")
	err := g.finish()
	if err == nil || !strings.Contains(err.Error(), "1 requests cut off") {
		t.Errorf("Serve: %v, want one request cut off", err)
	}
}

// Connections that never said anything are no reason to wait, nor to report a failure.
func TestDrainIgnoresSilentConnections(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.Grace = 100 * time.Millisecond })
	silent, idle := g.dial(), g.dial()
	idle.send("GET /healthz HTTP/1.1", "Host: "+g.addr, "", "")
	if got := idle.reply(); got.status != 200 {
		t.Fatalf("%d", got.status)
	}
	if err := g.finish(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if !silent.ends() || !idle.ends() {
		t.Error("a connection outlived the server")
	}
}

// slow is a listener whose Accept takes a while to see that it was closed.
type slow struct {
	net.Listener
	accepting chan struct{}
}

func (l slow) Accept() (net.Conn, error) {
	close(l.accepting)
	c, err := l.Listener.Accept()
	time.Sleep(50 * time.Millisecond)
	return c, err
}

// That the listener is closed before the drain begins is no failure of the drain.
func TestDrainOfAClosedListener(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := slow{ln, make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-l.accepting
		stop()
	}()
	if err := New(Config{}).Serve(ctx, l); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestServeSaysWhyItEnded(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = ln.Close()
	if err := New(Config{}).Serve(t.Context(), ln); err == nil || !strings.Contains(err.Error(), ln.Addr().String()) {
		t.Errorf("Serve on a closed listener: %v", err)
	}
}

func (g *rig) until(what string, ok func() bool) {
	g.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(end) {
			g.t.Fatalf("waited %v for %s", patience, what)
		}
	}
}
