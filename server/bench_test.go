package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"prax/auth"
	"prax/server/edge"
)

// nowhere is a ResponseWriter that costs nothing itself.
type nowhere struct{ h http.Header }

func (w nowhere) Header() http.Header         { return w.h }
func (w nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (w nowhere) WriteHeader(int)             {}

func cheap(t testing.TB, header string) func() {
	answer := []byte(`{}`)
	s := New(Config{
		Authenticators: []edge.Authenticator{registry{"good": {Client: "alice", User: "u1", Allow: auth.Everything()}}},
		MCP:            func(w http.ResponseWriter, _ *http.Request, _ *edge.Exchange) { _, _ = w.Write(answer) },
		Enabled:        func() bool { return true },
		Access:         &buffer{},
	})
	r := httptest.NewRequest("POST", "/mcp", http.NoBody)
	r.Host = "127.0.0.1:8808"
	if header != "" {
		r.Header.Set("Authorization", header)
	}
	w := nowhere{http.Header{}}
	h := s.Handler()
	return func() {
		clear(w.h)
		h.ServeHTTP(w, r)
		s.access.mu.Lock()
		s.access.buf = s.access.buf[:0]
		s.access.mu.Unlock()
	}
}

// What the server adds to a request: the exchange, its edge, the request id.
func TestServeAllocatesLittle(t *testing.T) {
	if n := testing.AllocsPerRun(200, cheap(t, "Bearer good")); n > 4 {
		t.Errorf("%v allocations an admitted request", n)
	}
	if n := testing.AllocsPerRun(200, cheap(t, "Bearer wrong")); n > 5 {
		t.Errorf("%v allocations a refused request", n)
	}
}

func BenchmarkServe(b *testing.B) {
	for name, header := range map[string]string{"admitted": "Bearer good", "refused": "Bearer wrong"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			one := cheap(b, header)
			for b.Loop() {
				one()
			}
		})
	}
}
