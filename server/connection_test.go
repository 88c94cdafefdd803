package server

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/server/edge"
)

// edited is a registry that is exchanged as a whole while the server runs.
type edited struct{ now atomic.Pointer[registry] }

func (e *edited) set(clients registry) { e.now.Store(&clients) }

func (e *edited) Authenticate(r *http.Request) (auth.Principal, bool) {
	return e.now.Load().Authenticate(r)
}

func (e *edited) Again(p auth.Principal) (auth.Principal, bool) {
	for _, now := range *e.now.Load() {
		if now.Client == p.Client {
			return now, true
		}
	}
	return auth.Principal{}, false
}

func (e *edited) Changed() <-chan struct{} { return nil }

// Law 3: a connection that was opened earlier keeps nothing. Each request on it is judged by what is
// in force when it arrives.
func TestLaw3EachRequestOfAConnectionIsJudged(t *testing.T) {
	t.Parallel()
	alice := auth.Principal{Client: "alice", User: "u1"}
	clients := &edited{}
	clients.set(registry{"good": alice})
	g := start(t, func(c *Config) { c.Authenticators = []edge.Authenticator{clients} })
	c := g.dial()
	for i, step := range []struct {
		clients registry
		status  int
	}{
		{registry{"good": alice}, 200},
		{registry{}, 401},
		{registry{"good": alice}, 200},
		{registry{"rotated": alice}, 401},
		{registry{"good": {Client: "alice"}}, 401},
		{registry{"good": alice}, 200},
	} {
		clients.set(step.clients)
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
		if got := c.reply(); got.status != step.status {
			t.Errorf("request %d of the connection: %d %s, want %d", i, got.status, got.body, step.status)
		}
	}
	if n := g.calls.Load(); n != 3 {
		t.Errorf("%d calls got through, want 3", n)
	}
}

// A client that looks for a stream or ends a session learns at once that there is none, whoever it
// is: a 401 or a wait would send it into a login flow or a loop.
func TestOtherMethodsAreRefusedWhoeverAsks(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		want := g.ask(method, "/mcp", good)
		if want.status != 405 || want.header.Get("Allow") != "POST" || want.header.Get("Www-Authenticate") != "" {
			t.Errorf("%s: %d %v, want 405 and Allow", method, want.status, want.header)
		}
		for _, header := range []string{"Accept: text/event-stream", "Authorization: Bearer wrong", "Authorization: Basic good"} {
			got := g.ask(method, "/mcp", header)
			for _, h := range []http.Header{want.header, got.header} {
				h.Del("X-Request-Id")
				h.Del("Date")
			}
			if d := cmp.Diff(want, got, cmp.AllowUnexported(reply{})); d != "" {
				t.Errorf("%s with %s differs from a known caller's:\n%s", method, header, d)
			}
		}
	}
	if n := g.calls.Load(); n != 0 {
		t.Errorf("%d calls got through", n)
	}
}
