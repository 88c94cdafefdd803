package server

import (
	"net/http"
	"strings"
	"testing"
)

func TestHostGuard(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) {
		c.Addr = "192.0.2.7:8808"
		c.PublicURL = "https://tools.example.org/prax"
		c.AllowedHosts = []string{"Box.local", "*.lan.example", "198.51.100.4"}
	})
	for host, admitted := range map[string]bool{
		"localhost":                 true,
		"LOCALHOST:1":               true,
		"localhost.":                true,
		"127.0.0.1":                 true,
		"127.9.9.9:8808":            true,
		"[::1]:8808":                true,
		"[::ffff:127.0.0.1]":        true,
		"192.0.2.7":                 true,
		"192.0.2.7:443":             true,
		"tools.example.org":         true,
		"box.local:80":              true,
		"a.lan.example":             true,
		"a.b.lan.example":           true,
		"198.51.100.4":              true,
		"box.tail1234.ts.net":       true,
		"box.tail1234.ts.net:8443":  true,
		"lan.example":               false,
		"ts.net":                    false,
		".ts.net":                   false,
		"evilts.net":                false,
		"box.ts.net.evil.example":   false,
		"localhost.evil.example":    false,
		"127.0.0.1.evil.example":    false,
		"127.0.0.1.nip.io":          false,
		"0.0.0.0":                   false,
		"[::]":                      false,
		"2130706433":                false,
		"0x7f.1":                    false,
		"evil.example":              false,
		"evil.example:8808":         false,
		"192.0.2.8":                 false,
		"sub.tools.example.org":     false,
		"[127.0.0.1]":               false,
		"localhost:80:80":           false,
		"localhost:x":               false,
		"[::1":                      false,
		"localhost,evil.example":    false,
		"evil.example, localhost":   false,
		strings.Repeat("a", 300):    false,
		"xn--lcalhost-54a.example.": false,
	} {
		got := g.ask("POST", "/mcp", good, "Host: "+host)
		switch {
		case admitted && got.status != 200:
			t.Errorf("Host %s: %d %s, want admitted", host, got.status, got.body)
		case !admitted && got.status == 400: // net/http refused it before us
		case !admitted && got.status != 403:
			t.Errorf("Host %s: %d, want 403", host, got.status)
		case !admitted && !strings.Contains(got.body, "PRAX_ALLOWED_HOSTS"):
			t.Errorf("Host %s: %s names no variable", host, got.body)
		}
	}
}

func TestHostGuardWithoutHost(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	c := g.dial()
	c.send("POST /mcp HTTP/1.0", good, "Content-Length: 2", "", "{}")
	if got := c.reply(); got.status != 403 {
		t.Errorf("HTTP/1.0 without Host: %d, want 403", got.status)
	}
}

// Bound to all addresses, a caller names the one that it reached.
func TestHostGuardOnAllAddresses(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"0.0.0.0:8808", "[::]:8808", ":8808"} {
		g := newGuard(Config{Addr: addr}.withDefaults())
		r, _ := http.NewRequest("POST", "/mcp", nil)
		for host, admitted := range map[string]bool{"127.0.0.1:8808": true, "0.0.0.0:8808": false, "[::]": false, "192.0.2.9": false} {
			r.Host = host
			if reason, _ := g.refuses(r); (reason == "") != admitted {
				t.Errorf("%s: Host %s: reason %q, want admitted %v", addr, host, reason, admitted)
			}
		}
	}
	g := start(t, func(c *Config) { c.Addr = "0.0.0.0:1" })
	if got := g.ask("POST", "/mcp", good); got.status != 200 {
		t.Errorf("the address of the connection itself: %d", got.status)
	}
}

func TestOriginGuard(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) {
		c.PublicURL = "https://tools.example.org"
		c.AllowedHosts = []string{"box.local"}
		c.AllowedOrigins = []string{"https://app.example.com", "http://dev.example.com:3000", "vscode-webview://abc"}
	})
	for _, tt := range []struct {
		host, origin string
		admitted     bool
	}{
		{"localhost", "http://localhost", true},
		{"localhost:8808", "http://localhost:5173", true},
		{"localhost:8808", "http://127.0.0.1:5173", true},
		{"127.0.0.1", "https://[::1]:1", true},
		{"box.local", "http://box.local", true},
		{"box.local:80", "http://box.local", true},
		{"box.local:443", "https://box.local", true},
		{"box.local:9", "http://box.local:9", true},
		{"box.local", "https://tools.example.org", true},
		{"box.local", "HTTPS://Tools.Example.org:443", true},
		{"box.local", "https://app.example.com", true},
		{"box.local", "http://dev.example.com:3000", true},
		{"box.local", "vscode-webview://abc", true},
		{"a.ts.net", "https://a.ts.net", true},
		{"box.local", "http://localhost", false},
		{"a.ts.net", "http://localhost:3000", false},
		{"box.local", "http://box.local:81", false},
		{"box.local", "https://tools.example.org:444", false},
		{"box.local", "http://tools.example.org", false},
		{"box.local", "http://app.example.com", false},
		{"box.local", "https://app.example.com.evil.example", false},
		{"box.local", "https://sub.app.example.com", false},
		{"box.local", "http://dev.example.com", false},
		{"box.local", "vscode-webview://other", false},
		{"box.local", "chrome-extension://abc", false},
		{"localhost", "https://evil.example", false},
		{"localhost", "null", false},
		{"localhost", "", false},
		{"localhost", "*", false},
		{"localhost", "localhost", false},
		{"localhost", "http://localhost/", false},
		{"localhost", "http://user@localhost", false},
		{"localhost", "http://localhost evil", false},
		{"localhost", "file://", false},
		{"localhost", "http://localhost.evil.example", false},
	} {
		got := g.ask("POST", "/mcp", good, "Host: "+tt.host, "Origin: "+tt.origin)
		switch {
		case tt.admitted && got.status != 200:
			t.Errorf("Host %s, Origin %s: %d %s, want admitted", tt.host, tt.origin, got.status, got.body)
		case !tt.admitted && got.status != 403:
			t.Errorf("Host %s, Origin %s: %d, want 403", tt.host, tt.origin, got.status)
		case !tt.admitted && !strings.Contains(got.body, "PRAX_ALLOWED_ORIGINS"):
			t.Errorf("Origin %s: %s names no variable", tt.origin, got.body)
		}
	}
	if got := g.ask("POST", "/mcp", good, "Origin: http://"+g.addr, "Origin: http://"+g.addr); got.status != 403 {
		t.Errorf("two origins: %d, want 403", got.status)
	}
}

func TestCORS(t *testing.T) {
	t.Parallel()
	const page = "https://app.example.com"
	g := start(t, func(c *Config) { c.AllowedOrigins = []string{page} })

	got := g.ask("OPTIONS", "/mcp", "Origin: "+page, "Access-Control-Request-Method: POST",
		"Access-Control-Request-Headers: mcp-method, mcp-name,Mcp-Param-City , mcp-param-a\tb, x-other")
	if got.status != 204 || got.header.Get("Access-Control-Allow-Origin") != page || got.header.Get("Access-Control-Allow-Methods") != "POST" {
		t.Errorf("preflight: %+v", got)
	}
	allowed := got.header.Get("Access-Control-Allow-Headers")
	for _, h := range []string{"authorization", "content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name",
		"mcp-session-id", "last-event-id", "mcp-param-city"} {
		if !strings.Contains(", "+allowed+",", ", "+h+",") {
			t.Errorf("preflight allows %q: %s is missing", allowed, h)
		}
	}
	if strings.Contains(allowed, "x-other") || strings.Contains(allowed, "mcp-param-a") || strings.Contains(allowed, "*") {
		t.Errorf("preflight allows %q: too much", allowed)
	}
	if c := got.header.Get("Access-Control-Allow-Credentials"); c != "" {
		t.Errorf("credentials allowed: %q", c)
	}
	for name, header := range map[string]string{"answer": good, "refusal": "Authorization: Bearer wrong"} {
		got := g.ask("POST", "/mcp", header, "Origin: "+page)
		if got.header.Get("Access-Control-Allow-Origin") != page || got.header.Get("Vary") != "Origin" {
			t.Errorf("%s: not readable by the page: %v", name, got.header)
		}
	}
	if got := g.ask("OPTIONS", "/mcp", "Origin: https://evil.example"); got.status != 403 || got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("preflight of a foreign page: %+v", got)
	}
	if got := g.ask("OPTIONS", "/mcp"); got.status != 204 || got.header.Get("Access-Control-Allow-Headers") != "" {
		t.Errorf("OPTIONS of no page: %+v", got)
	}
	if got := g.ask("GET", "/mcp"); got.header.Get("Allow") != "POST, OPTIONS" {
		t.Errorf("Allow %q", got.header.Get("Allow"))
	}
	if n := g.calls.Load(); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

// The marks of tools become headers of any name that a header may have, and nothing else does.
func TestPreflightOfParameters(t *testing.T) {
	t.Parallel()
	longest := "mcp-param-" + strings.Repeat("y", maxParamName-len("mcp-param-"))
	for asked, want := range map[string]string{
		"mcp-param-region":                 ", mcp-param-region",
		"Mcp-Param-Region":                 ", mcp-param-region",
		"accept,mcp-param-a,mcp-param-b,x": ", mcp-param-a, mcp-param-b",
		"mcp-param-a!#$%&'*+-.^_`|~9":      ", mcp-param-a!#$%&'*+-.^_`|~9",
		longest:                            ", " + longest,
		longest + "y":                      "",
		"mcp-param-":                       "",
		"mcp-param":                        "",
		"x-mcp-param-a":                    "",
		"*":                                "",
		"mcp-param-a b,mcp-param-(c),mcp-param-d;e,mcp-param-Ã©": "",
		"": "",
	} {
		r, _ := http.NewRequest("OPTIONS", "/mcp", nil)
		r.Header.Set("Access-Control-Request-Headers", asked)
		if got := paramHeaders(r); got != want {
			t.Errorf("%q allows %q, want %q", asked, got, want)
		}
	}
}

func TestPreflightIsBounded(t *testing.T) {
	t.Parallel()
	r, _ := http.NewRequest("OPTIONS", "/mcp", nil)
	r.Header.Set("Access-Control-Request-Headers", strings.Repeat("mcp-param-x,", 5000)+"mcp-param-"+strings.Repeat("y", 500))
	if got := paramHeaders(r); len(got) > maxParamHeaders*len(", mcp-param-x") {
		t.Errorf("%d bytes of parameter headers", len(got))
	}
}

func TestConfigCheck(t *testing.T) {
	t.Parallel()
	fine := Config{PublicURL: "https://tools.example.org:8443/x", AllowedHosts: []string{"a", "*.b.c", "192.0.2.1", "[::1]", "fe80::1"},
		AllowedOrigins: []string{"http://a", "https://b:1", "app://x"}}
	if err := fine.Check(); err != nil {
		t.Errorf("fine: %v", err)
	}
	for name, c := range map[string]Config{
		"no scheme":       {PublicURL: "tools.example.org"},
		"no host":         {PublicURL: "https://"},
		"other scheme":    {PublicURL: "ftp://a"},
		"credentials":     {PublicURL: "https://u:p@a"},
		"any host":        {AllowedHosts: []string{"*"}},
		"inner wildcard":  {AllowedHosts: []string{"a.*.c"}},
		"host is a URL":   {AllowedHosts: []string{"https://a"}},
		"empty host":      {AllowedHosts: []string{""}},
		"any origin":      {AllowedOrigins: []string{"*"}},
		"wildcard origin": {AllowedOrigins: []string{"https://*.example.com"}},
		"null origin":     {AllowedOrigins: []string{"null"}},
		"origin is a URL": {AllowedOrigins: []string{"https://a/b"}},
	} {
		if c.Check() == nil {
			t.Errorf("%s: %+v passed", name, c)
			continue
		}
		g := newGuard(c.withDefaults())
		r, _ := http.NewRequest("POST", "/mcp", nil)
		r.Host = "anything.example"
		if reason, _ := g.refuses(r); reason == "" {
			t.Errorf("%s: opens the guard", name)
		}
		r.Host = "localhost"
		r.Header.Set("Origin", "https://evil.example")
		if reason, _ := g.refuses(r); reason == "" {
			t.Errorf("%s: opens the guard to origins", name)
		}
	}
}

func TestCheckBind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		addr          string
		tls, insecure bool
		ok            bool
	}{
		{"127.0.0.1:8808", false, false, true},
		{"127.0.0.1:0", false, false, true},
		{"127.3.2.1:80", false, false, true},
		{"localhost:8808", false, false, true},
		{"[::1]:8808", false, false, true},
		{"0.0.0.0:8808", false, false, false},
		{":8808", false, false, false},
		{"[::]:8808", false, false, false},
		{"192.168.1.5:8808", false, false, false},
		{"100.64.0.1:8808", false, false, false},
		{"myhost:8808", false, false, false},
		{"localhost.evil.example:8808", false, false, false},
		{"0.0.0.0:8808", true, false, true},
		{"0.0.0.0:8808", false, true, true},
		{"8808", false, true, false},
		{"", true, true, false},
		{"127.0.0.1", false, false, false},
		{"127.0.0.1:http", false, false, false},
		{"127.0.0.1:99999", false, false, false},
		{"127.0.0.1:-1", false, true, false},
		{"127.0.0.1:", false, true, false},
	} {
		if err := CheckBind(tt.addr, tt.tls, tt.insecure); (err == nil) != tt.ok {
			t.Errorf("CheckBind(%q, %v, %v) = %v, want ok %v", tt.addr, tt.tls, tt.insecure, err, tt.ok)
		}
	}
}

// Two readings of one header must not differ: whatever is taken is its own canonical form.
func FuzzHost(f *testing.F) {
	for _, s := range []string{"localhost", "[::1]:80", "a.b:80", "A.", "::1", "[::ffff:1.2.3.4]", "x:", "[fe80::1%eth0]:1", "é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, port, ok := splitHost(s)
		if !ok {
			return
		}
		if name == "" || strings.ContainsAny(name, "/@[]% \t\r\n,") || name != strings.ToLower(name) {
			t.Fatalf("splitHost(%q) = %q", s, name)
		}
		if strings.Trim(port, "0123456789") != "" {
			t.Fatalf("splitHost(%q): port %q", s, port)
		}
		if again, _, ok := splitHost(name); !ok || again != name {
			t.Fatalf("%q is read as %q, and that as %q, %v", s, name, again, ok)
		}
		_ = loopback(name)
	})
}
