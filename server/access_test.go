package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"prax/auth"
	"prax/server/edge"
)

func records(t *testing.T, g *rig) []map[string]any {
	t.Helper()
	g.Flush()
	var all []map[string]any
	for line := range strings.Lines(g.lines.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, m)
	}
	return all
}

func TestAccessRecords(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	// An answer may be with the caller before its record is: each is waited for, so that their order is known.
	recorded := func(n int) {
		g.until("the record", func() bool { g.Flush(); return strings.Count(g.lines.String(), "\n") == n })
	}
	first := g.ask("POST", "/mcp", good)
	recorded(1)
	g.ask("POST", "/mcp?token=prx_canary", "Authorization: Bearer prx_canary")
	recorded(2)
	g.ask("GET", "/prx_canary")
	recorded(3)
	g.ask("GET", "/healthz")
	recorded(4)
	got := records(t, g)
	want := []map[string]any{
		{"level": "INFO", "msg": "request", "id": first.header.Get("X-Request-Id"), "remote": "127.0.0.1", "http": "POST", "route": "/mcp",
			"status": 200.0, "bytes": float64(len(first.body)), "client": "alice", "user": "u1", "method": "tools/call", "tool": "echo", "outcome": "ok", "registry": 7.0},
		{"level": "INFO", "msg": "request", "remote": "127.0.0.1", "http": "POST", "route": "/mcp", "status": 401.0, "bytes": float64(len(unauthorized)), "denied": "unknown token"},
		{"level": "INFO", "msg": "request", "remote": "127.0.0.1", "http": "GET", "route": "other", "status": 404.0, "bytes": float64(len(notFound))},
		{"level": "INFO", "msg": "request", "remote": "127.0.0.1", "http": "GET", "route": "/healthz", "status": 200.0, "bytes": 16.0},
	}
	ignore := cmpopts.IgnoreMapEntries(func(k string, v any) bool { return k == "time" || k == "duration_ms" })
	delete(got[1], "id")
	delete(got[2], "id")
	delete(got[3], "id")
	if d := cmp.Diff(want, got, ignore); d != "" {
		t.Error(d)
	}
	for _, r := range got {
		at, err := time.Parse(time.RFC3339Nano, r["time"].(string))
		if err != nil || time.Since(at).Abs() > patience {
			t.Errorf("time %v: %v", r["time"], err)
		}
		if ms := r["duration_ms"].(float64); ms < 0 || ms > 60_000 {
			t.Errorf("duration_ms %v", ms)
		}
	}
	// Law 10: no token, wherever the caller put it.
	if all := g.lines.String() + g.log.String(); strings.Contains(all, "canary") || strings.Contains(all, "good") {
		t.Errorf("a token in the records: %s", all)
	}
}

// What a caller named is one bounded line without control, bidi or ANSI characters, in both forms.
func TestAccessEscapes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"../../x", "a\nlevel=ERROR msg=forged", "\x1b[31mred", "\u202egnp.exe", "a\x00b", "\xff\xfe", `"quoted"\`, "a=b", "a b", "😀", "é",
		strings.Repeat("x", 1<<20), strings.Repeat("é", 1000), "\u2028", "\u200b", "\x7f", "\u0085",
	} {
		for _, text := range []bool{false, true} {
			var out strings.Builder
			a := newAccessLog(&out, text)
			r := httptest.NewRequest("POST", "/mcp", nil)
			x := &exchange{edge: &edge.Exchange{Principal: auth.Principal{Client: name}, Access: edge.Access{Tool: name}}}
			a.add(x, r)
			if err := a.flush(); err != nil {
				t.Fatal(err)
			}
			line := out.String()
			if strings.Count(line, "\n") != 1 || len(line) > 2500 {
				t.Errorf("%.30q: %d lines, %d bytes", name, strings.Count(line, "\n"), len(line))
			}
			if i := strings.IndexFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return r > unicode.MaxASCII || unicode.IsControl(r) }); i >= 0 {
				t.Errorf("%.30q: %.200q", name, line)
			}
			if text {
				continue
			}
			var m map[string]any
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Errorf("%.30q: %v", name, err)
			}
			if valid := strings.ToValidUTF8(name, ""); valid == name && len(name) <= fieldMax && m["tool"] != name {
				t.Errorf("%q came out as %q", name, m["tool"])
			}
		}
	}
}

func TestAccessText(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.AccessText = true })
	g.ask("POST", "/mcp", good)
	g.until("the record", func() bool { g.Flush(); return strings.Contains(g.lines.String(), "\n") })
	for _, want := range []string{"time=2", " level=INFO msg=request id=", " route=/mcp status=200 ", " client=alice user=u1 method=tools/call tool=echo outcome=ok registry=7\n"} {
		if !strings.Contains(g.lines.String(), want) {
			t.Errorf("%q is not in %q", want, g.lines)
		}
	}
}

func TestAccessOfHungUp(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	g := start(t, func(c *Config) {
		c.MCP = func(_ http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
			_, _ = io.ReadAll(r.Body)
			close(entered)
			<-r.Context().Done()
		}
	})
	c := g.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
	g.await(entered, "the call")
	_ = c.Close()
	g.until("the record", func() bool { g.Flush(); return strings.Contains(g.lines.String(), `"status":499`) })
}

// A writer that takes nothing costs memory up to a bound, then records, and says how many.
func TestAccessIsBounded(t *testing.T) {
	t.Parallel()
	out := &buffer{}
	a := newAccessLog(out, false)
	x, r := &exchange{route: routeMCP, remote: "192.0.2.1", edge: &edge.Exchange{}}, httptest.NewRequest("POST", "/mcp", nil)
	const n = 20_000
	for range n {
		a.add(x, r)
	}
	if len(a.buf) > bufferMax+1000 {
		t.Errorf("%d bytes wait", len(a.buf))
	}
	select {
	case <-a.full:
	default:
		t.Error("nobody was told that it is full")
	}
	if err := a.flush(); err != nil {
		t.Fatal(err)
	}
	kept := strings.Count(out.String(), `"msg":"request"`)
	var last struct {
		Msg   string
		Count int
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if last.Msg != "access records dropped" || kept == 0 || kept+last.Count != n {
		t.Errorf("%d kept, %+v, want %d in all", kept, last, n)
	}
	a.add(x, r)
	if err := a.flush(); err != nil || strings.Count(out.String(), "dropped") != 1 {
		t.Errorf("after the flush: %v", err)
	}
}

// A flood of refusals of nobody we know is a number of records a minute, and then one with the count.
// So are probes and whatever else is answered without a token, apart from them. What a known client is refused, and a failure of
// ours, is always recorded.
func TestAccessFoldsRefusals(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	a := newAccessLog(&out, false)
	r := httptest.NewRequest("POST", "/mcp", nil)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	count := func(what string) int {
		t.Helper()
		if err := a.flush(); err != nil {
			t.Fatal(err)
		}
		return strings.Count(out.String(), what)
	}
	for i := range 1000 {
		status := []int{401, 403, 404, 405}[i%4]
		a.add(&exchange{route: routeMCP, remote: fmt.Sprintf("192.0.2.%d", i%200), status: status, start: at}, r)
		a.add(&exchange{route: routeHealth, remote: fmt.Sprintf("192.0.2.%d", i%200), status: []int{200, 204, 304, 503}[i%4], start: at}, r)
		a.add(&exchange{route: routeMCP, remote: "192.0.2.1", status: 500, start: at}, r)
		a.add(&exchange{route: routeMCP, remote: "192.0.2.1", status: 403, start: at, edge: &edge.Exchange{Principal: auth.Principal{Client: "alice"}}}, r)
	}
	refused := count(`"status":4`) - 1000
	if refused != refusalsAMinute {
		t.Errorf("%d refusals recorded of 1,000", refused)
	}
	if n := count(`"route":"/healthz"`); n != refusalsAMinute {
		t.Errorf("%d answers recorded of 1,000", n)
	}
	if n := count(`"status":500`); n != 1000 {
		t.Errorf("%d failures recorded of 1,000", n)
	}
	if n := count(`"client":"alice"`); n != 1000 {
		t.Errorf("%d requests of a known client recorded of 1,000", n)
	}
	a.turn(at.Add(59*time.Second), false)
	if n := count("more refusals"); n != 0 {
		t.Error("counted within the minute")
	}
	a.turn(at.Add(time.Minute), false)
	if want := fmt.Sprintf(`"msg":"more refusals","count":%d}`, 1000-refusalsAMinute); count(want) != 1 {
		t.Errorf("no %s in %.2000s", want, out.String()[max(0, len(out.String())-300):])
	}
	if want := fmt.Sprintf(`"msg":"more requests without a token","count":%d}`, 1000-refusalsAMinute); count(want) != 1 {
		t.Errorf("no %s in %.2000s", want, out.String()[max(0, len(out.String())-300):])
	}
	a.add(&exchange{route: routeMCP, remote: "192.0.2.1", status: 401, start: at.Add(time.Minute)}, r)
	a.turn(at.Add(time.Hour), true)
	if n := count("more refusals"); n != 1 {
		t.Errorf("a quiet minute was counted: %d", n)
	}
	if n := count(`"status":401`); n == 0 {
		t.Error("the next minute is not recorded")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk on fire") }

func TestAccessWriterFails(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.Access = broken{} })
	if got := g.ask("POST", "/mcp", good); got.status != 200 {
		t.Errorf("%d", got.status)
	}
	g.until("the failure in the log", func() bool { return strings.Contains(g.log.String(), "disk on fire") })
}

// Serve flushes by itself.
func TestAccessIsFlushed(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	g.ask("GET", "/healthz")
	g.until("the record", func() bool { return strings.Contains(g.lines.String(), "/healthz") })
}

func TestAccessAllocatesNothing(t *testing.T) {
	a := newAccessLog(io.Discard, false)
	r := httptest.NewRequest("POST", "/mcp", nil)
	x := &exchange{route: routeMCP, remote: "192.0.2.1", status: 200, bytes: 12, start: time.Now(),
		edge: &edge.Exchange{Principal: auth.Principal{Client: "alice", User: "u1"}, Access: edge.Access{Method: "tools/call", Tool: "praxec.query", Outcome: "ok"}}}
	x.id[0] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for range 2 { // both buffers grow once
		for range 200 {
			a.add(x, r)
		}
		_ = a.flush()
	}
	if n := testing.AllocsPerRun(100, func() {
		a.add(x, r)
		_ = a.flush()
	}); n != 0 {
		t.Errorf("%v allocations a record", n)
	}
}
