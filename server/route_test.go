package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/server/edge"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	for _, tt := range []struct {
		method, target string
		status         int
		allow          string
	}{
		{"POST", "/mcp", 200, ""},
		{"POST", "/mcp/", 200, ""},
		{"POST", "/mcp?session=1", 200, ""},
		{"GET", "/mcp", 405, "POST"},
		{"GET", "/mcp/", 405, "POST"},
		{"HEAD", "/mcp", 405, "POST"},
		{"DELETE", "/mcp", 405, "POST"},
		{"PUT", "/mcp", 405, "POST"},
		{"PATCH", "/mcp", 405, "POST"},
		{"OPTIONS", "/mcp", 405, "POST"},
		{"BREW", "/mcp", 405, "POST"},
		{"OPTIONS", "*", 404, ""},
		{"GET", "/healthz", 200, ""},
		{"HEAD", "/healthz", 200, ""},
		{"POST", "/healthz", 405, "GET, HEAD"},
		{"GET", "/readyz", 200, ""},
		{"HEAD", "/readyz", 200, ""},
		{"DELETE", "/readyz", 405, "GET, HEAD"},
		{"GET", "/healthz/", 404, ""},
		{"GET", "/", 404, ""},
		{"POST", "/", 404, ""},
		{"POST", "//mcp", 404, ""},
		{"POST", "/mcp//", 404, ""},
		{"POST", "/./mcp", 404, ""},
		{"POST", "/x/../mcp", 404, ""},
		{"POST", "/MCP", 404, ""},
		{"POST", "/%6dcp", 404, ""},
		{"POST", "/mcp%2f", 404, ""},
		{"POST", "/mcp%2F", 404, ""},
		{"GET", "/%68ealthz", 404, ""},
		{"POST", "/mcp/server-card", 404, ""},
		{"GET", "/metrics", 404, ""},
		{"GET", "/debug/pprof/", 404, ""},
	} {
		got := g.ask(tt.method, tt.target, good)
		if got.status != tt.status {
			t.Errorf("%s %s: %d, want %d", tt.method, tt.target, got.status, tt.status)
		}
		if allow := got.header.Get("Allow"); allow != tt.allow {
			t.Errorf("%s %s: Allow %q, want %q", tt.method, tt.target, allow, tt.allow)
		}
		if got.header.Get("Location") != "" {
			t.Errorf("%s %s: redirects", tt.method, tt.target)
		}
		if got.header.Get("X-Request-Id") == "" {
			t.Errorf("%s %s: no X-Request-Id", tt.method, tt.target)
		}
		if tt.method == "HEAD" && got.body != "" {
			t.Errorf("%s %s: has a body", tt.method, tt.target)
		}
	}
}

// Clients look for authorization metadata when they meet a 401, and prefer it to the token they have.
func TestWellKnownIsAPlain404(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	for _, target := range []string{
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
		"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp",
		"/.well-known/openid-configuration", "/.well-known/ai-catalog.json", "/.well-known/agent-card.json",
		"/mcp/.well-known/openid-configuration", "/authorize", "/token", "/register",
	} {
		for _, header := range []string{good, "Accept: */*"} {
			got := g.ask("GET", target, header)
			if got.status != 404 || got.header.Get("Www-Authenticate") != "" || got.header.Get("Location") != "" {
				t.Errorf("%s: %d %v, want a 404 without challenge", target, got.status, got.header)
			}
		}
	}
}

func TestDisabledDoesNotExist(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Config){
		"off":        func(c *Config) { c.Enabled = func() bool { return false } },
		"not said":   func(c *Config) { c.Enabled = nil },
		"no adapter": func(c *Config) { c.MCP = nil },
	} {
		g := start(t, change)
		want := g.ask("POST", "/nothing", good)
		for _, method := range []string{"POST", "GET", "OPTIONS", "DELETE"} {
			for _, header := range []string{good, "Authorization: Bearer wrong", "Host: evil.example"} {
				got := g.ask(method, "/mcp", header)
				for _, h := range []http.Header{want.header, got.header} {
					h.Del("X-Request-Id")
					h.Del("Date")
				}
				if d := cmp.Diff(want, got, cmp.AllowUnexported(reply{})); d != "" {
					t.Errorf("%s: %s /mcp differs from an unknown path:\n%s", name, method, d)
				}
			}
		}
		if n := g.calls.Load(); n != 0 {
			t.Errorf("%s: %d calls got through", name, n)
		}
	}
}

// Law 4: whatever is wrong with a credential, the answer is the same, and nothing runs.
func TestLaw4OneAnswerForEveryBadCredential(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	want := g.ask("POST", "/mcp")
	if want.status != 401 || want.body != `{"error":"missing or invalid bearer token"}`+"\n" ||
		want.header.Get("Www-Authenticate") != `Bearer error="invalid_token"` {
		t.Fatalf("without a token: %+v", want)
	}
	for name, ask := range map[string]func() reply{
		"unknown":      func() reply { return g.ask("POST", "/mcp", "Authorization: Bearer wrong") },
		"expired":      func() reply { return g.ask("POST", "/mcp", "Authorization: Bearer lapsed") },
		"nobody":       func() reply { return g.ask("POST", "/mcp", "Authorization: Bearer nobody") },
		"no user":      func() reply { return g.ask("POST", "/mcp", "Authorization: Bearer no-user") },
		"basic":        func() reply { return g.ask("POST", "/mcp", "Authorization: Basic good") },
		"scheme only":  func() reply { return g.ask("POST", "/mcp", "Authorization: Bearer") },
		"empty token":  func() reply { return g.ask("POST", "/mcp", "Authorization: Bearer  ") },
		"no scheme":    func() reply { return g.ask("POST", "/mcp", "Authorization: good") },
		"two tokens":   func() reply { return g.ask("POST", "/mcp", "Authorization: Bearer good good") },
		"two headers":  func() reply { return g.ask("POST", "/mcp", good, good) },
		"in the query": func() reply { return g.ask("POST", "/mcp?token=good&access_token=good") },
		"in a proxy's header": func() reply {
			return g.ask("POST", "/mcp", "Tailscale-User-Login: alice", "X-Forwarded-User: alice", "X-Auth-Request-User: alice")
		},
		"in a cookie":       func() reply { return g.ask("POST", "/mcp", "Cookie: token=good") },
		"other body type":   func() reply { return g.ask("POST", "/mcp", "Content-Type: text/plain", "Content-Encoding: gzip") },
		"asks for a stream": func() reply { return g.ask("POST", "/mcp", "Accept: text/event-stream") },
		"long":              func() reply { return g.ask("POST", "/mcp", "Authorization: Bearer "+strings.Repeat("x", 50_000)) },
	} {
		got := ask()
		for _, h := range []http.Header{want.header, got.header} {
			h.Del("X-Request-Id")
			h.Del("Date")
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(reply{})); d != "" {
			t.Errorf("%s: differs from no token:\n%s", name, d)
		}
	}
	if n := g.calls.Load(); n != 0 {
		t.Errorf("%d calls got through", n)
	}
}

func TestFirstAuthenticatorThatKnowsWins(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) {
		c.Authenticators = []edge.Authenticator{
			registry{"both": {Client: "first", User: "u"}, "void": {Client: "nameless"}},
			registry{"both": {Client: "second", User: "u"}, "only": {Client: "third", User: "u"}, "void": {Client: "fourth", User: "u"}},
		}
	})
	for token, client := range map[string]string{"both": "first", "only": "third", "void": "fourth"} {
		got := g.ask("POST", "/mcp", "Authorization: Bearer "+token)
		var body struct{ Client string }
		if err := json.Unmarshal([]byte(got.body), &body); err != nil || body.Client != client {
			t.Errorf("%s: %+v, want client %s", token, got, client)
		}
	}
	none := start(t, func(c *Config) { c.Authenticators = nil })
	if got := none.ask("POST", "/mcp", good); got.status != 401 {
		t.Errorf("without authenticators: %d, want 401", got.status)
	}
}

// A request id from outside would let one caller write under another's.
func TestRequestIDIsOurs(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	seen := map[string]bool{"forged": true}
	for range 20 {
		got := g.ask("POST", "/mcp", good, "X-Request-Id: forged")
		id := got.header.Values("X-Request-Id")
		if len(id) != 1 || len(id[0]) < 26 || seen[id[0]] {
			t.Fatalf("X-Request-Id %q", id)
		}
		seen[id[0]] = true
	}
}
