package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func published(c *Config) {
	c.PublicURL = "https://prax.example.net/tools"
	c.Card = &Card{Title: "prax", Description: "Tools.", Version: "1.2.3", Revisions: []string{"2026-07-28", "2025-11-25"}}
}

func TestCard(t *testing.T) {
	t.Parallel()
	g := start(t, published)
	const want = `{"$schema":"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json","name":"net.example.prax/prax","title":"prax",` +
		`"description":"Tools.","version":"1.2.3","remotes":[{"type":"streamable-http","url":"https://prax.example.net/tools/mcp","headers":[` +
		`{"name":"Authorization","isRequired":true,"isSecret":true,"value":"Bearer {token}","variables":{"token":` +
		`{"description":"The bearer token that the operator of this server gave out.","isRequired":true,"isSecret":true}}}],` +
		`"supportedProtocolVersions":["2026-07-28","2025-11-25"]}]}` + "\n"
	first := g.ask("GET", "/mcp/server-card")
	if first.status != 200 || first.body != want {
		t.Fatalf("%d %s", first.status, cmp.Diff(want, first.body))
	}
	tag := first.header.Get("Etag")
	if len(tag) < 10 || tag[0] != '"' {
		t.Errorf("tag %s", tag)
	}
	for _, path := range []string{"/mcp/server-card", "/tools/mcp/server-card", "/tools/mcp/server-card?x=1"} {
		if got := g.ask("HEAD", path); got.status != 200 || got.body != "" || got.header.Get("Content-Length") != first.header.Get("Content-Length") {
			t.Errorf("HEAD %s: %d, %d bytes, %v", path, got.status, len(got.body), got.header)
		}
		for known, status := range map[string]int{
			tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200, strings.Trim(tag, `"`): 200, "": 200,
		} {
			got := g.ask("GET", path, "If-None-Match: "+known)
			if got.status != status || (got.body == "") != (status == 304) || got.header.Get("Etag") != tag {
				t.Errorf("GET %s, known %s: %d, want %d", path, known, got.status, status)
			}
		}
		for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
			if got := g.ask(method, path, good); got.status != 405 || got.header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %d", method, path, got.status)
			}
		}
	}
	if n := g.calls.Load(); n != 0 {
		t.Errorf("%d calls got through", n)
	}
}

// Whoever has only the name of the host is led to the card, from where the two standards look.
func TestCatalogLeadsToTheCard(t *testing.T) {
	t.Parallel()
	g := start(t, published)
	const want = `{"specVersion":"0.9","host":{"displayName":"prax.example.net"},"entries":[{"identifier":"urn:air:prax.example.net:prax:mcp",` +
		`"displayName":"prax","type":"application/mcp-server-card+json","url":"https://prax.example.net/tools/mcp/server-card",` +
		`"description":"Tools.","version":"1.2.3"}]}` + "\n"
	for _, path := range []string{"/.well-known/ai-catalog.json", "/.well-known/ard.json"} {
		got := g.ask("GET", path, "Host: evil.example", "Origin: https://evil.example")
		if got.status != 200 || got.body != want || got.header.Get("Content-Type") != "application/ai-catalog+json" ||
			got.header.Get("Access-Control-Allow-Origin") != "*" || got.header.Get("Cache-Control") != "public, max-age=3600" {
			t.Errorf("%s: %d %v %s", path, got.status, got.header, cmp.Diff(want, got.body))
		}
		if again := g.ask("GET", path, "If-None-Match: "+got.header.Get("Etag")); again.status != 304 || again.body != "" {
			t.Errorf("%s again: %d", path, again.status)
		}
		if got := g.ask("POST", path, good); got.status != 405 || got.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: %d", path, got.status)
		}
		if got := g.ask("GET", "/tools"+path); got.status != 404 {
			t.Errorf("/tools%s: %d", path, got.status)
		}
	}
	if got := g.ask("GET", "/.well-known/oauth-protected-resource"); got.status != 404 || got.header.Get("Www-Authenticate") != "" {
		t.Errorf("metadata of an authorization server: %d", got.status)
	}
}

// What is not published is what is not there, byte for byte; so is a card of an endpoint that is off.
func TestCardIsOptIn(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Config){
		"nothing said":      nil,
		"off":               func(c *Config) { published(c); c.Card = nil },
		"no public URL":     func(c *Config) { published(c); c.PublicURL = "" },
		"no TLS":            func(c *Config) { published(c); c.PublicURL = "http://prax.example.net/tools" },
		"an address":        func(c *Config) { published(c); c.PublicURL = "https://192.0.2.7/tools" },
		"an IPv6 address":   func(c *Config) { published(c); c.PublicURL = "https://[2001:db8::1]/tools" },
		"a bare name":       func(c *Config) { published(c); c.PublicURL = "https://localhost/tools" },
		"MCP off":           func(c *Config) { published(c); c.Enabled = func() bool { return false } },
		"MCP not there yet": func(c *Config) { published(c); c.Enabled = nil },
	} {
		g := start(t, change)
		for _, path := range []string{"/mcp/server-card", "/tools/mcp/server-card", "/.well-known/ai-catalog.json", "/.well-known/ard.json"} {
			for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "OPTIONS"} {
				want, got := g.ask(method, "/nothing"), g.ask(method, path)
				for _, r := range []reply{want, got} {
					r.header.Del("X-Request-Id")
					r.header.Del("Date")
				}
				if d := cmp.Diff(want, got, cmp.AllowUnexported(reply{})); d != "" || got.status != http.StatusNotFound {
					t.Errorf("%s: %s %s (-unknown +it):\n%s", name, method, path, d)
				}
			}
		}
	}
	g := start(t, published)
	for _, path := range []string{"/mcp/server-card/", "/server-card", "/tools/server-card", "/mcp//server-card", "/MCP/server-card", "/mcp/server-card.json", "/other/mcp/server-card"} {
		if got := g.ask("GET", path); got.status != 404 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}
