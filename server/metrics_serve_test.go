package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// scrapable is a rig whose metrics are served at an address of their own.
func scrapable(t *testing.T, change func(*Config)) (g *rig, metrics *rig) {
	g = start(t, func(c *Config) {
		measured(c)
		if change != nil {
			change(c)
		}
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	metrics = &rig{t: t, addr: ln.Addr().String(), stop: cancel, ended: make(chan struct{})}
	go func() {
		defer close(metrics.ended)
		metrics.result = g.ServeMetrics(ctx, ln, Sources{})
	}()
	t.Cleanup(func() {
		if err := metrics.finish(); err != nil {
			t.Error(err)
		}
	})
	return g, metrics
}

// TestMetricsAlone: their address has them for who reads, under a name that is this machine's, and nothing else; and the
// other address has not.
func TestMetricsAlone(t *testing.T) {
	t.Parallel()
	g, m := scrapable(t, func(c *Config) { c.AllowedHosts = []string{"prometheus.example", "*.inside.example"} })
	for _, tt := range []struct {
		method, target string
		header         []string
		status         int
	}{
		{"GET", "/metrics", nil, 200},
		{"HEAD", "/metrics", nil, 200},
		{"GET", "/metrics?x=1", nil, 200},
		{"GET", "/metrics", []string{"Host: localhost"}, 200},
		{"GET", "/metrics", []string{"Host: [::1]:9"}, 200},
		{"GET", "/metrics", []string{"Host: prometheus.example"}, 200},
		{"GET", "/metrics", []string{"Host: a.inside.example:80"}, 200},
		{"GET", "/metrics", []string{"Host: evil.example"}, 403},
		{"GET", "/metrics", []string{"Host: machine.tail.ts.net"}, 403},
		{"GET", "/metrics", []string{"Host: 127.0.0.1.evil.example"}, 403},
		{"GET", "/metrics", []string{"Host: 192.0.2.1"}, 403},
		{"GET", "/metrics", []string{"Host: a b"}, 400}, // by net/http
		{"GET", "/metrics", []string{"Origin: http://127.0.0.1"}, 403},
		{"GET", "/metrics", []string{"Origin: null"}, 403},
		{"GET", "/metrics", []string{"Origin: https://evil.example"}, 403},
		{"POST", "/metrics", nil, 405},
		{"OPTIONS", "/metrics", nil, 405},
		{"DELETE", "/metrics", nil, 405},
		{"GET", "/metrics/", nil, 404},
		{"GET", "//metrics", nil, 404},
		{"GET", "/%6detrics", nil, 404},
		{"GET", "/x/../metrics", nil, 404},
		{"GET", "/", nil, 404},
		{"GET", "/healthz", nil, 404},
		{"GET", "/debug/pprof/", nil, 404},
		{"POST", "/mcp", []string{good}, 404},
		{"POST", "/mcp", []string{"Host: evil.example", good}, 403},
	} {
		got := m.ask(tt.method, tt.target, tt.header...)
		if got.status != tt.status {
			t.Errorf("%s %s %q: %d, want %d", tt.method, tt.target, tt.header, got.status, tt.status)
		}
		if told := strings.Contains(got.body, "prax_build_info"); told != (tt.status == 200 && tt.method == "GET") {
			t.Errorf("%s %s %q: metrics are told: %v", tt.method, tt.target, tt.header, told)
		}
		if tt.method == "HEAD" && got.header.Get("Content-Length") == "0" {
			t.Error("HEAD gives no length")
		}
		if tt.status == 405 && got.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow is %q", tt.method, got.header.Get("Allow"))
		}
		if got.header.Get("Location") != "" || got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %s: header %v", tt.method, tt.target, got.header)
		}
	}
	if g.calls.Load() != 0 {
		t.Error("a call came through the address of the metrics")
	}
	if got := g.ask("GET", "/metrics"); got.status != http.StatusNotFound {
		t.Errorf("the callers' address answers %d", got.status)
	}
}

// TestMetricsOutliveADrain: while calls finish there is still something to scrape, and then it ends.
func TestMetricsOutliveADrain(t *testing.T) {
	t.Parallel()
	g, m := scrapable(t, nil)
	if err := g.finish(); err != nil {
		t.Fatal(err)
	}
	if got := m.ask("GET", "/metrics"); got.status != 200 {
		t.Errorf("after the drain: %d", got.status)
	}
	idle := m.dial()
	idle.send("GET /metrics HTTP/1.1", "Host: 127.0.0.1", "", "")
	if got := idle.reply(); got.status != 200 {
		t.Errorf("on a connection that stays: %d", got.status)
	}
	if err := m.finish(); err != nil {
		t.Error(err)
	}
	if !idle.ends() {
		t.Error("the connection is still open")
	}
	if c, err := net.Dial("tcp", m.addr); err == nil {
		_ = c.Close()
		t.Error("the address is still listened on")
	}
}

// TestBodiesOfScrapesAreNotRead: one that comes with a body is answered, and its connection is over.
func TestBodiesOfScrapesAreNotRead(t *testing.T) {
	t.Parallel()
	_, m := scrapable(t, nil)
	c := m.dial()
	c.send("GET /metrics HTTP/1.1", "Host: 127.0.0.1", fmt.Sprintf("Content-Length: %d", 1<<30), "", "GET /metrics")
	if got := c.reply(); got.status != 200 {
		t.Errorf("%d, %v", got.status, got.header)
	}
	if !c.ends() {
		t.Error("what followed was taken for another request")
	}
}
