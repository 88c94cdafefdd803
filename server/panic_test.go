package server

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/server/edge"
)

func TestPanicIsAnInternalError(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) {
		c.MCP = func(w http.ResponseWriter, r *http.Request, x *edge.Exchange) {
			if r.Header.Get("X-Panic") != "" {
				w.Header().Set("Content-Encoding", "gzip")
				x.Access.Outcome = "ok"
				panic("the secret plan")
			}
			echo(w, r, x)
		}
	})
	for version, id := range map[string]any{"": nil, "2025-03-26": nil, "2025-06-18": nil, "2025-11-25": "absent", "2026-07-28": "absent", "nonsense": nil} {
		c := g.dial()
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "X-Panic: 1", "MCP-Protocol-Version: "+version, "Content-Length: 2", "", "{}")
		got := c.reply()
		if got.status != 500 || got.header.Get("Content-Type") != "application/json" || got.header.Get("Content-Encoding") != "" {
			t.Errorf("%q: %d %v", version, got.status, got.header)
		}
		want := map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{
			"code": -32603.0, "message": "internal error", "data": map[string]any{"requestId": got.header.Get("X-Request-Id")},
		}}
		if id != nil {
			delete(want, "id")
		}
		var body map[string]any
		if err := json.Unmarshal([]byte(got.body), &body); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, body); d != "" {
			t.Errorf("%q:\n%s", version, d)
		}
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
		if got := c.reply(); got.status != 200 {
			t.Errorf("%q: the next request of the connection: %d", version, got.status)
		}
		if !strings.Contains(g.log.String(), got.header.Get("X-Request-Id")) {
			t.Errorf("%q: the log does not know the request", version)
		}
	}
	g.Flush()
	if lines := g.lines.String(); strings.Count(lines, `"outcome":"panic"`) != 6 {
		t.Errorf("access records %s", lines)
	}
	if log := g.log.String(); !strings.Contains(log, "the secret plan") || !strings.Contains(log, "panic_test.go") {
		t.Errorf("no cause or no stack in the log: %s", log)
	}
}

// Half an answer must not look whole.
func TestPanicAfterHalfAnAnswer(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) {
		c.MCP = func(w http.ResponseWriter, _ *http.Request, _ *edge.Exchange) {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic("now")
		}
	})
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("%q reads as a whole answer", b)
	}
}

func TestAbortIsNoPanic(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) {
		c.MCP = func(http.ResponseWriter, *http.Request, *edge.Exchange) { panic(http.ErrAbortHandler) }
	})
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
	if !c.ends() {
		t.Error("an aborted exchange was answered")
	}
	if log := g.log.String(); strings.Contains(log, "panic") {
		t.Errorf("logged: %s", log)
	}
}

func TestPanicElsewhere(t *testing.T) {
	t.Parallel()
	h := New(Config{Ready: nil, Enabled: func() bool { panic("broken") }, MCP: echo}).Handler()
	rec := get(h, "/mcp")
	if rec.Code != 500 {
		t.Errorf("%d", rec.Code)
	}
}
