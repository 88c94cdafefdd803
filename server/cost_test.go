package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"prax/auth"
	"prax/auth/clients"
	"prax/server/edge"
	"prax/server/mcp"
	"prax/store"
	"prax/tools"
)

// nothing is a connection that costs nothing itself.
type nothing struct {
	header http.Header
	status int
}

func (w *nothing) Header() http.Header              { return w.header }
func (w *nothing) WriteHeader(status int)           { w.status = status }
func (w *nothing) Write(p []byte) (int, error)      { return len(p), nil }
func (w *nothing) SetReadDeadline(time.Time) error  { return nil }
func (w *nothing) SetWriteDeadline(time.Time) error { return nil }

// again is a body that is read again and again.
type again struct{ strings.Reader }

func (*again) Close() error { return nil }

// unrecorded is as much of a store as a call of a read needs.
type unrecorded struct{ store.Store }

func (unrecorded) Record(store.Event) {}

const costToken = "prx_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// costly is a server as cmd/prax puts it together, with one tool and n clients. m may be nil.
func costly(t testing.TB, n int, m *Metrics) (*Server, *tools.Registry, *clients.Registry) {
	t.Helper()
	config := tools.Config{Store: unrecorded{}, AuditReads: false}
	if m != nil {
		config.Observe = m
	}
	registry := tools.NewRegistry(config)
	echo := &tools.Tool{
		Name: "echo", Description: "Gives back nothing.", Tier: auth.Low, Input: []byte(`{"type":"object"}`),
		Handler: func(context.Context, *tools.Call) (*tools.Result, error) { return echoed, nil },
	}
	if err := registry.Set("test", []*tools.Tool{echo}); err != nil {
		t.Fatal(err)
	}
	known, err := clients.Open(clients.Config{Path: clientsFile(t, n)}, registry, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{
		Authenticators: []edge.Authenticator{known}, MCP: mcp.New(mcp.Config{Registry: registry}).Serve,
		Enabled: func() bool { return true }, Access: io.Discard, Metrics: m,
	}), registry, known
}

var echoed = &tools.Result{Content: []tools.Block{{Type: "text", Text: "hello"}}}

func clientsFile(t testing.TB, n int) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `{"clients":[{"name":"alice","user_id":"u1","token":%q,"allow":["echo"]}`, costToken)
	for i := range n - 1 {
		fmt.Fprintf(&b, `,{"name":"c%d","user_id":"u%d","token_sha256":%q,"allow":["echo"]}`, i, i, auth.HashToken(fmt.Sprint("token ", i)).Hex())
	}
	b.WriteString("]}")
	path := filepath.Join(t.TempDir(), "clients.json")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// asking gives a function that has the same request served again, and fails when it is answered otherwise.
func asking(t testing.TB, s *Server, c cost) func() {
	body := &again{}
	r := httptest.NewRequest("POST", "/mcp", body)
	r.ContentLength = int64(len(c.body))
	r.Host = "127.0.0.1:8808"
	r.Header = http.Header{
		"Authorization": {"Bearer " + c.token}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"},
	}
	w := &nothing{header: http.Header{}}
	h := s.Handler()
	return func() {
		body.Reset(c.body)
		clear(w.header)
		h.ServeHTTP(w, r)
		if w.status != c.status {
			t.Fatalf("answered %d", w.status)
		}
		s.failures.clear[s.failures.cellOf("192.0.2.1")] = 0 // nobody is to wait here
		s.access.mu.Lock()
		s.access.buf = s.access.buf[:0]
		s.access.mu.Unlock()
	}
}

// cost is a request and how many allocations it takes beside net/http's own.
type cost struct {
	name, token, body string
	status            int
	allocations       float64 // beside those of the pipeline of tools
	tool              bool    // whether it goes through that
}

var costs = []cost{
	{"list", costToken, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, 200, 5, false}, // exchange, id, edge's exchange, message, body
	{"call", costToken, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}`, 200, 8, true},
	{"unknown", "nobody", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, 401, 4, false},
}

// What a request costs in allocations, from the headers to the access record, is pinned: the same whether it is counted or not.
func TestAllocations(t *testing.T) {
	if effort > 1 {
		t.Skip("under the race detector sync.Pool drops what it is given at random, so that counts vary")
	}
	for name, m := range map[string]*Metrics{"not counted": nil, "counted": NewMetrics(mcpProtocol)} {
		t.Run(name, func(t *testing.T) { pinned(t, m) })
	}
}

func pinned(t *testing.T, m *Metrics) {
	s, registry, known := costly(t, 2, m)
	p, _ := known.Lookup(auth.HashToken(costToken))
	call := &tools.Call{Principal: p, Name: "echo", Arguments: []byte(`{"text":"hello"}`), RequestID: "REQ1", Remote: "192.0.2.7"}
	pipeline := testing.AllocsPerRun(500, func() {
		if _, err := registry.Call(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	})
	for _, c := range costs {
		if c.tool {
			c.allocations += pipeline
		}
		ask := asking(t, s, c)
		ask()
		if got := testing.AllocsPerRun(500, ask); got != c.allocations {
			t.Errorf("%s: %v allocations, want %v", c.name, got, c.allocations)
		}
	}
}

func BenchmarkRequest(b *testing.B) {
	b.Run("plain", func(b *testing.B) { benchmarkRequest(b, nil) })
	b.Run("metrics", func(b *testing.B) { benchmarkRequest(b, NewMetrics(mcpProtocol)) })
}

func benchmarkRequest(b *testing.B, m *Metrics) {
	s, _, _ := costly(b, 1000, m)
	for _, c := range costs {
		b.Run(c.name, func(b *testing.B) {
			ask := asking(b, s, c)
			b.ReportAllocs()
			for b.Loop() {
				ask()
			}
		})
	}
}

// What counting adds to a request and to a call, and what asking costs that is not counted.
func BenchmarkCounted(b *testing.B) {
	m := NewMetrics(mcpProtocol)
	x := spoken("alice", "tools/call", "ok")
	told := m.Tool("echo")
	for _, bench := range []struct {
		name string
		f    func()
	}{
		{"request", func() { m.answered(x) }},
		{"call", func() { told("ok", time.Millisecond) }},
		{"off", func() { (*Metrics)(nil).answered(x) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.f()
			}
		})
	}
}
