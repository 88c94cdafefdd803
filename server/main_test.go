package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"prax/auth"
	"prax/server/edge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait in these tests; nothing is expected to need it.
const patience = 20 * time.Second

// registry knows tokens by their text.
type registry map[string]auth.Principal

func (g registry) Authenticate(r *http.Request) (auth.Principal, bool) {
	token, ok := auth.ParseBearer(r.Header["Authorization"])
	if !ok {
		return auth.Principal{}, false
	}
	p, ok := g[token]
	return p, ok
}

func (g registry) Again(p auth.Principal) (auth.Principal, bool) { return p, true }
func (g registry) Changed() <-chan struct{}                      { return nil }

// buffer is a writer that may be read meanwhile.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// rig is a server on a real socket, with a stand-in for the adapter.
type rig struct {
	*Server
	t      *testing.T
	addr   string
	log    *buffer
	lines  *buffer // access records
	calls  atomic.Int64
	stop   context.CancelFunc
	ended  chan struct{}
	result error
	mu     sync.Mutex
	denied []Denial
}

func start(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &rig{t: t, addr: ln.Addr().String(), log: &buffer{}, lines: &buffer{}, ended: make(chan struct{})}
	c := Config{
		Addr: g.addr,
		Authenticators: []edge.Authenticator{registry{
			"good":    {Client: "alice", User: "u1", Generation: 7},
			"nobody":  {},
			"no-user": {Client: "bob"},
			"lapsed":  {Client: "carol", User: "u3", Expires: time.Now().Add(-time.Second)},
		}},
		MCP:     echo,
		Enabled: func() bool { return true },
		Ready:   func(context.Context) Readiness { return Readiness{} },
		Log:     slog.New(slog.NewTextHandler(g.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Access:  g.lines,
		Denied:  g.deny,
	}
	if change != nil {
		change(&c)
	}
	if inner := c.MCP; inner != nil {
		c.MCP = func(w http.ResponseWriter, r *http.Request, x *edge.Exchange) {
			g.calls.Add(1)
			inner(w, r, x)
		}
	}
	g.Server = New(c)
	ctx, cancel := context.WithCancel(t.Context())
	g.stop = cancel
	go func() {
		defer close(g.ended)
		g.result = g.Serve(ctx, ln)
	}()
	t.Cleanup(func() { _ = g.finish() })
	return g
}

// finish begins the drain and gives what Serve returned.
func (g *rig) finish() error {
	g.stop()
	g.await(g.ended, "the end of Serve")
	return g.result
}

func (g *rig) await(c <-chan struct{}, what string) {
	g.t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		g.t.Fatalf("waited %v for %s", patience, what)
	}
}

func (g *rig) deny(d Denial) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.denied = append(g.denied, d)
}

func (g *rig) denials() []Denial {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]Denial(nil), g.denied...)
}

// echo is the adapter's stand-in: it reads the body and says how long it was.
func echo(w http.ResponseWriter, r *http.Request, x *edge.Exchange) {
	x.Access = edge.Access{Method: "tools/call", Tool: "echo", Outcome: "ok"}
	b, err := io.ReadAll(r.Body)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		http.Error(w, fmt.Sprintf("over %d bytes", tooLarge.Limit), http.StatusRequestEntityTooLarge)
		return
	} else if err != nil {
		http.Error(w, "cut off", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"client":%q,"bytes":%d}`, x.Principal.Client, len(b))
}

// conn is a connection that is spoken to byte by byte.
type conn struct {
	net.Conn
	t *testing.T
	r *bufio.Reader
}

func (g *rig) dial() *conn {
	g.t.Helper()
	c, err := net.Dial("tcp", g.addr)
	if err != nil {
		g.t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(patience))
	g.t.Cleanup(func() { _ = c.Close() })
	return &conn{Conn: c, t: g.t, r: bufio.NewReader(c)}
}

func (c *conn) send(lines ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c, strings.Join(lines, "\r\n")); err != nil {
		c.t.Error(err)
	}
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (c *conn) reply() reply {
	c.t.Helper()
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		c.t.Errorf("read response: %v", err)
		return reply{}
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Errorf("read response body: %v", err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}

// ends tells whether the server closed the connection, without another byte.
func (c *conn) ends() bool {
	_, err := c.r.ReadByte()
	return err != nil && !errors.Is(err, context.DeadlineExceeded) && !isTimeout(err)
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// ask sends one request with these header lines on a connection of its own.
func (g *rig) ask(method, target string, header ...string) reply {
	g.t.Helper()
	c := g.dial()
	head := append([]string{method + " " + target + " HTTP/1.1"}, header...)
	if !hasHeader(header, "host") {
		head = append(head, "Host: "+g.addr)
	}
	body := ""
	if method == http.MethodPost {
		body = `{}`
	}
	head = append(head, fmt.Sprintf("Content-Length: %d", len(body)), "Connection: close", "", body)
	c.send(head...)
	res, err := http.ReadResponse(c.r, &http.Request{Method: method})
	if err != nil {
		g.t.Fatalf("%s %s: %v", method, target, err)
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}

func hasHeader(lines []string, name string) bool {
	for _, l := range lines {
		if k, _, _ := strings.Cut(l, ":"); strings.EqualFold(k, name) {
			return true
		}
	}
	return false
}

const good = "Authorization: Bearer good"
