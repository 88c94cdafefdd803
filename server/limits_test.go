package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"prax/server/edge"
)

// never is a time limit that a test must not depend on.
const never = time.Hour

// A caller without a token is refused at once, whatever it says about a body that never comes.
func TestRefusedBeforeTheBody(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.BodyTimeout, c.WriteTimeout = never, never })
	var all sync.WaitGroup
	for name, framing := range map[string]string{
		"1 GB":            "Content-Length: 1000000000",
		"100 KB":          "Content-Length: 100000",
		"chunked":         "Transfer-Encoding: chunked",
		"expects a nod":   "Content-Length: 100000\r\nExpect: 100-continue",
		"1 EB":            "Content-Length: 1000000000000000000",
		"chunked, opened": "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
	} {
		for target, status := range map[string]int{"/mcp": 401, "/nothing": 404, "/healthz": 405} {
			all.Go(func() {
				c := g.dial()
				c.send("POST "+target+" HTTP/1.1", "Host: "+g.addr, framing, "", "")
				if got := c.reply(); got.status != status {
					t.Errorf("%s to %s: %d, want %d", name, target, got.status, status)
				}
				if !c.ends() {
					t.Errorf("%s to %s: the connection stays with a body that nobody reads", name, target)
				}
			})
		}
	}
	all.Wait()
	if n := g.calls.Load(); n != 0 {
		t.Errorf("%d calls got through", n)
	}
}

// The rest of a refused body is never taken for a request of its own, however late it comes.
func TestRefusedBodyIsNoRequest(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	smuggled := "POST /mcp HTTP/1.1\r\nHost: " + g.addr + "\r\n" + good + "\r\nContent-Length: 2\r\n\r\n{}"
	for _, framing := range []string{"Content-Length: 100000", "Transfer-Encoding: chunked"} {
		c := g.dial()
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, framing, "", "")
		if got := c.reply(); got.status != 401 {
			t.Fatalf("%s: %d", framing, got.status)
		}
		g.until("the connection's end", func() bool {
			_, err := io.WriteString(c, smuggled)
			return err != nil
		})
	}
	if n := g.calls.Load(); n != 0 {
		t.Errorf("%d calls got through", n)
	}
}

// Closing after each refusal would make every mistaken caller pay for a new connection.
func TestRefusalKeepsTheConnection(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	c := g.dial()
	for range 3 {
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, "Content-Length: 2", "", "{}")
		if got := c.reply(); got.status != 401 {
			t.Fatalf("%d, want 401", got.status)
		}
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
		if got := c.reply(); got.status != 200 {
			t.Fatalf("%d, want 200", got.status)
		}
		c.send("POST /nothing HTTP/1.1", "Host: "+g.addr, "Content-Length: 200000", "", strings.Repeat("x", 200_000))
		if got := c.reply(); got.status != 404 {
			t.Fatalf("%d, want 404", got.status)
		}
	}
}

func TestBodySize(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.MaxBody = 1000 })
	for _, tt := range []struct {
		size   int
		status int
	}{{0, 200}, {1, 200}, {999, 200}, {1000, 200}, {1001, 413}, {50_000, 413}} {
		body := strings.Repeat("x", tt.size)
		c := g.dial()
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, fmt.Sprintf("Content-Length: %d", tt.size), "", body)
		got := c.reply()
		if got.status != tt.status {
			t.Errorf("%d bytes: %d, want %d", tt.size, got.status, tt.status)
		}
		if tt.status == 200 && !strings.Contains(got.body, fmt.Sprintf(`"bytes":%d`, tt.size)) {
			t.Errorf("%d bytes: %s", tt.size, got.body)
		}
		c = g.dial()
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Transfer-Encoding: chunked", "", "")
		if tt.size > 0 {
			c.send(fmt.Sprintf("%x", tt.size), body, "")
		}
		c.send("0", "", "")
		if got := c.reply(); got.status != tt.status {
			t.Errorf("%d bytes in chunks: %d, want %d", tt.size, got.status, tt.status)
		}
	}
}

// What announces too much is refused without waiting for it.
func TestAnnouncedTooLarge(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.BodyTimeout = never })
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 68719476736", "", "")
	if got := c.reply(); got.status != 413 || !strings.Contains(got.body, fmt.Sprint(DefaultMaxBody)) {
		t.Errorf("%+v, want 413", got)
	}
}

func TestHeaderSize(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	c := g.dial()
	// The server may close before all of it is sent.
	go func() {
		_, _ = io.WriteString(c, "POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+strings.Repeat("x", 1<<20)+"\r\n\r\n")
	}()
	if got := c.reply(); got.status != 431 {
		t.Errorf("a token of 1 MB: %d, want 431", got.status)
	}
	if got := g.ask("POST", "/mcp", good); got.status != 200 {
		t.Errorf("the next caller: %d", got.status)
	}
}

func TestSlowHeaders(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.HeaderTimeout = 50 * time.Millisecond })
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: ")
	if _, err := io.ReadAll(c.r); isTimeout(err) {
		t.Error("headers that never end keep the connection")
	}
}

func TestSlowBody(t *testing.T) {
	t.Parallel()
	cause := make(chan error, 1)
	g := start(t, func(c *Config) {
		c.BodyTimeout = 50 * time.Millisecond
		c.MCP = func(w http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
			_, err := io.ReadAll(r.Body)
			cause <- err
			w.WriteHeader(http.StatusRequestTimeout)
		}
	})
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 100", "", "{")
	if got := c.reply(); got.status != 408 {
		t.Errorf("%d, want the handler's 408", got.status)
	}
	if err := <-cause; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("reading gave %v, want a deadline", err)
	}
	if !c.ends() {
		t.Error("the connection stays with half a body")
	}
}

func TestIdleConnection(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.IdleTimeout = 50 * time.Millisecond })
	c := g.dial()
	c.send("GET /healthz HTTP/1.1", "Host: "+g.addr, "", "")
	if got := c.reply(); got.status != 200 {
		t.Fatalf("%d", got.status)
	}
	if !c.ends() {
		t.Error("an idle connection stays")
	}
}

// A stream outlives the limits of a body and of an answer, and a hang-up still ends it.
func TestStreamOutlivesTheLimits(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	g := start(t, func(c *Config) {
		c.BodyTimeout, c.WriteTimeout, c.IdleTimeout, c.HeaderTimeout = time.Second, time.Second, time.Second, time.Second
		c.MCP = func(w http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
			defer close(ended)
			_, _ = io.ReadAll(r.Body)
			out := http.NewResponseController(w)
			_, _ = io.WriteString(w, ": open\n")
			if err := out.SetWriteDeadline(time.Time{}); err != nil {
				t.Errorf("no write deadline through the wrapper: %v", err)
			}
			_ = out.Flush()
			select {
			case <-r.Context().Done():
				t.Error("the stream's context ended with the body's deadline")
			case <-time.After(1500 * time.Millisecond):
			}
			_, _ = io.WriteString(w, ": still open\n")
			if err := out.Flush(); err != nil {
				t.Errorf("flush: %v", err)
			}
			<-r.Context().Done()
		}
	})
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, len(": open\n: still open\n"))
	if _, err := io.ReadFull(res.Body, b); err != nil || !strings.Contains(string(b), "still") {
		t.Fatalf("%q, %v", b, err)
	}
	_ = c.Close()
	g.await(ended, "the stream's end after the hang-up")
}

// A call that has no body is not cut by the time that one would have.
func TestCallWithoutBodyOutlivesTheLimit(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) {
		c.BodyTimeout = 100 * time.Millisecond
		c.MCP = func(w http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
			select {
			case <-r.Context().Done():
				t.Error("the call's context ended with the deadline of a body")
			case <-time.After(300 * time.Millisecond):
			}
			w.WriteHeader(http.StatusOK)
		}
	})
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 0", "", "")
	if got := c.reply(); got.status != 200 {
		t.Errorf("%d, want 200", got.status)
	}
}

// Who reads no answer does not keep a place, whatever it has read on its connection before.
func TestStuckReader(t *testing.T) {
	t.Parallel()
	for _, read := range []int{0, 1, 5} {
		var left atomic.Int64
		left.Store(int64(read))
		failed := make(chan struct{})
		g := start(t, func(c *Config) {
			c.WriteTimeout = time.Second
			c.MCP = func(w http.ResponseWriter, r *http.Request, x *edge.Exchange) {
				if left.Add(-1) >= 0 {
					echo(w, r, x)
					return
				}
				piece := make([]byte, 1<<20)
				for {
					if _, err := w.Write(piece); err != nil {
						close(failed)
						return
					}
				}
			}
		})
		c := g.dial()
		for range read {
			c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
			if got := c.reply(); got.status != 200 {
				t.Fatalf("%d, want 200", got.status)
			}
		}
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
		g.await(failed, "the end of an answer that nobody reads, after "+strconv.Itoa(read)+" that were read")
	}
}

// The time to read an answer runs from its own beginning, however long the call took.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	const timeout = 100 * time.Millisecond
	g := start(t, func(c *Config) {
		c.WriteTimeout = timeout
		c.MCP = func(w http.ResponseWriter, r *http.Request, x *edge.Exchange) {
			<-time.After(2 * timeout)
			echo(w, r, x)
		}
	})
	c := g.dial()
	for range 2 {
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
		if got := c.reply(); got.status != 200 {
			t.Errorf("%d, want 200", got.status)
		}
	}
}

// pipes is a listener of connections that hold nothing: what the server writes waits until it is read.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, open := <-p; open {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// What net/http says by itself keeps no connection either when nobody reads it.
func TestStuckReaderOfNoAnswer(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"bad request": "nonsense\r\n\r\n",
		"continue":    "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + good + "\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
	} {
		g := start(t, func(c *Config) { c.WriteTimeout, c.BodyTimeout = 100*time.Millisecond, 100*time.Millisecond })
		ctx, cancel := context.WithCancel(t.Context())
		ln, ended := make(pipes), make(chan struct{})
		go func() {
			defer close(ended)
			_ = g.Serve(ctx, ln)
		}()
		c, inner := net.Pipe()
		closed := &watched{Conn: inner, closed: make(chan struct{})}
		ln <- closed
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		g.await(closed.closed, name+": the end of a connection that nobody reads")
		cancel()
		close(ln)
		g.await(ended, "the end of Serve")
	}
}

// watched tells when it is closed.
type watched struct {
	net.Conn
	closed chan struct{}
	once   sync.Once
}

func (w *watched) Close() error {
	w.once.Do(func() { close(w.closed) })
	return w.Conn.Close()
}

// The deadline of one answer must not end the next on the same connection.
func TestWriteTimeoutIsOfOneAnswer(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.WriteTimeout = time.Second })
	c := g.dial()
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
		if got := c.reply(); got.status != 200 {
			t.Fatalf("%d", got.status)
		}
	}
}
