package server

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Below the path of the public URL there is the endpoint and nothing else, and it answers as /mcp does.
func TestPublicPath(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.PublicURL = "https://prax.example.net/behind/prax" })
	alike := func(want, got reply) string {
		for _, r := range []reply{want, got} {
			r.header.Del("X-Request-Id")
			r.header.Del("Date")
		}
		return cmp.Diff(want, got, cmp.AllowUnexported(reply{}))
	}
	for _, method := range []string{"POST", "GET", "DELETE", "OPTIONS"} {
		for _, header := range []string{good, "Authorization: Bearer wrong", "Accept: */*"} {
			for _, path := range []string{"/behind/prax/mcp", "/behind/prax/mcp/", "/behind/prax/mcp?x=1"} {
				if d := alike(g.ask(method, "/mcp", header), g.ask(method, path, header)); d != "" {
					t.Errorf("%s %s with %s (-/mcp +it):\n%s", method, path, header, d)
				}
			}
		}
	}
	before := g.calls.Load()
	for _, path := range []string{
		"/behind/prax", "/behind/prax/", "/behind", "/behind/mcp", "/prax/mcp", "/behind/prax/mcp//", "/behind/prax/mcp/x", "/behind/prax//mcp",
		"//behind/prax/mcp", "/behind/./prax/mcp", "/x/../behind/prax/mcp", "/mcp/behind/prax", "/mcp/behind/prax/mcp", "/behind/prax/mcp/mcp",
		"/BEHIND/prax/mcp", "/behind/prax/MCP", "/behind%2fprax/mcp", "/behind/pra%78/mcp", "/behind/prax/behind/prax/mcp",
		"/behind/prax/healthz", "/behind/prax/readyz", "/behind/prax/metrics", "/behind/prax/.well-known/oauth-protected-resource",
		"/behind/prax/mcp/server-card",
	} {
		for _, method := range []string{"POST", "GET"} {
			if d := alike(g.ask(method, "/nothing", good), g.ask(method, path, good)); d != "" {
				t.Errorf("%s %s is there (-unknown +it):\n%s", method, path, d)
			}
		}
	}
	if n := g.calls.Load() - before; n != 0 {
		t.Errorf("%d calls got through", n)
	}
}

// What a header says of a prefix, or of another path, is only what the caller claims.
func TestPathsOfHeadersAreNotBelieved(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	for _, header := range []string{"X-Forwarded-Prefix: /x", "X-Original-Url: /mcp", "X-Rewrite-Url: /mcp", "X-Forwarded-Uri: /mcp", "Forwarded: path=/mcp"} {
		for path, status := range map[string]int{"/x/mcp": 404, "/x": 404, "/mcp": 200} {
			if got := g.ask("POST", path, good, header); got.status != status {
				t.Errorf("%s with %s: %d, want %d", path, header, got.status, status)
			}
		}
	}
}

// A path that could be read in two ways, or would open what is closed, is no public path.
func TestPublicPathIsPlain(t *testing.T) {
	t.Parallel()
	for raw, ok := range map[string]bool{
		"https://a.example": true, "https://a.example/": true, "https://a.example/prax": true, "https://a.example/a/b-c_d.e~f/": true,
		"https://a.example/mcp": true, "https://a.example/prax/mcp/": true, "https://a.example/well-known": true,
		"https://a.example//": false, "https://a.example//prax": false, "https://a.example/a//b": false, "https://a.example/a/../b": false,
		"https://a.example/./a": false, "https://a.example/..": false, "https://a.example/a%2fb": false, "https://a.example/a%20b": false,
		"https://a.example/ü": false, "https://a.example/a;b": false, "https://a.example/a:b": false, "https://a.example/*": false,
		"https://a.example/%6dcp": false, "https://a.example/.well-known": false, "https://a.example/.well-known/oauth": false,
	} {
		err := Config{PublicURL: raw}.Check()
		if (err == nil) != ok {
			t.Errorf("%s: %v", raw, err)
		}
		if !ok {
			if s := New(Config{PublicURL: raw}); s.endpoint != routeMCP {
				t.Errorf("%s opens %s", raw, s.endpoint)
			}
		}
	}
	g := start(t, func(c *Config) { c.PublicURL = "https://a.example/.well-known" })
	if got := g.ask(http.MethodPost, "/.well-known/mcp", good); got.status != 404 {
		t.Errorf("below /.well-known: %d", got.status)
	}
}
