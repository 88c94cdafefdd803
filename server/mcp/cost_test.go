package mcp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"prax/auth"
	"prax/tools"
)

// nothing is a ResponseWriter that costs nothing itself.
type nothing struct {
	header http.Header
	status int
	bytes  int
}

func (w *nothing) Header() http.Header { return w.header }

func (w *nothing) WriteHeader(status int) { w.status = status }

func (w *nothing) Write(p []byte) (int, error) {
	w.bytes += len(p)
	return len(p), nil
}

// again is a request that is served again and again without being made anew.
type again struct {
	strings.Reader
	body string
}

func (a *again) Close() error { return nil }

// serving gives a function that serves the same request to the same client.
func serving(t testing.TB, body string, headers ...string) func() {
	h := newHouse(t, nil)
	p, _ := h.clients.Again(auth.Principal{Client: "alice"})
	x := h.exchange(p)
	a := &again{body: body}
	r := newPost("alice", body, headers...)
	r.Body = a
	w := &nothing{header: http.Header{}}
	return func() {
		a.Reset(a.body)
		h.server.Serve(w, r, x)
		if w.status != http.StatusOK {
			t.Fatalf("answered %d", w.status)
		}
	}
}

var costs = []struct {
	name    string
	body    string
	headers []string
	most    float64 // allocations, beside those of the pipeline of tools
	tool    bool    // whether it goes through that
}{
	{"ping", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil, 4, false},
	{"list", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, nil, 6, false},
	{"list, modern", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`, modern("tools/list"), 7, false},
	{"call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"clock","arguments":{}}}`, nil, 8, true},
	{"call, modern", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"clock","arguments":{},` + modernMeta + `}}`, modern("tools/call", "clock"), 9, true},
}

// pipeline is what the same call allocates without a protocol around it.
func pipeline(t *testing.T) float64 {
	h := newHouse(t, nil)
	p, _ := h.clients.Again(auth.Principal{Client: "alice"})
	call := &tools.Call{Principal: p, Name: "clock", Arguments: object(`{}`), RequestID: "REQ1", Remote: "192.0.2.7"}
	return testing.AllocsPerRun(500, func() {
		if _, err := h.registry.Call(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	})
}

// What a request costs in allocations is pinned.
func TestAllocations(t *testing.T) {
	if underRace {
		t.Skip("under the race detector sync.Pool drops what it is given at random, so that counts vary")
	}
	for _, c := range costs {
		t.Run(c.name, func(t *testing.T) {
			serve := serving(t, c.body, c.headers...)
			serve()
			most := c.most
			if c.tool {
				most += pipeline(t)
			}
			if got := testing.AllocsPerRun(500, serve); got > most {
				t.Errorf("%v allocations, want at most %v", got, most)
			}
		})
	}
}

func BenchmarkServe(b *testing.B) {
	for _, c := range costs {
		b.Run(c.name, func(b *testing.B) {
			serve := serving(b, c.body, c.headers...)
			b.ReportAllocs()
			for b.Loop() {
				serve()
			}
		})
	}
}

var _ io.ReadCloser = (*again)(nil)
