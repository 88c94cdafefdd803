package server

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"prax/auth"
	"prax/server/edge"
)

// limitedRig is a server with two clients, of which alice has this rate, and its clock, which stands still.
func limitedRig(t *testing.T, r auth.Rate) (*rig, *edge.Edge, func(time.Duration)) {
	t.Helper()
	clock := new(handClock)
	limits := edge.New(edge.Config{Now: clock.now})
	return start(t, func(c *Config) {
		c.Edge, c.BodyTimeout = limits, never
		c.Authenticators = []edge.Authenticator{registry{
			"good": {Client: "alice", User: "u1", Rate: r}, "other": {Client: "bob", User: "u1"},
		}}
	}), limits, clock.move
}

// A client beyond its rate is refused before its body is read, told for how long, and in again then. No other client is.
func TestRate(t *testing.T) {
	t.Parallel()
	g, limits, move := limitedRig(t, auth.Rate{PerSecond: 0.3, Burst: 2})
	for range 2 {
		if got := g.ask("POST", "/mcp", good); got.status != 200 {
			t.Fatalf("within the burst: %+v", got)
		}
	}
	unread := g.dial()
	unread.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 1000000", "", "")
	got := unread.reply()
	want := `{"jsonrpc":"2.0","id":null,"error":{"code":429,"message":"this client sends more than it may: wait 4 s, then send it again","data":{"retryAfter":4}}}` + "\n"
	if got.status != 429 || got.header.Get("Retry-After") != "4" || got.body != want || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%+v", got)
	}
	if got := g.ask("POST", "/mcp", good, "MCP-Protocol-Version: 2025-11-25"); got.status != 429 || got.body != strings.Replace(want, `"id":null,`, "", 1) {
		t.Errorf("%+v", got)
	}
	for range 10 {
		if got := g.ask("POST", "/mcp", "Authorization: Bearer other"); got.status != 200 {
			t.Errorf("another client of the same user: %+v", got)
		}
	}
	if got := g.ask("GET", "/healthz"); got.status != 200 {
		t.Errorf("/healthz: %d", got.status)
	}
	told, _ := strconv.Atoi(got.header.Get("Retry-After"))
	move(time.Duration(told) * time.Second)
	if got := g.ask("POST", "/mcp", good); got.status != 200 {
		t.Errorf("after what it was told: %+v", got)
	}
	if n := g.calls.Load(); n != 13 {
		t.Errorf("%d calls got through, want 13", n)
	}
	if n, _ := limits.Clients(); n != 0 {
		t.Errorf("%d clients have something in hand", n)
	}
}

// Who is not known learns nothing of limits: whatever a client is beyond, a token that lapsed or was taken away is unknown.
func TestRateComesAfterTheToken(t *testing.T) {
	t.Parallel()
	g, _, _ := limitedRig(t, auth.Rate{PerSecond: 0.001, Burst: 1})
	for _, token := range []string{"good", "good", "bad", ""} {
		got := g.ask("POST", "/mcp", "Authorization: Bearer "+token)
		if token != "good" && (got.status != 401 || got.body != string(unauthorized) || got.header.Get("Retry-After") != "") {
			t.Errorf("%q: %+v", token, got)
		}
	}
}

// A flood by one client costs log and audit a bounded number of lines, and they tell whose it was.
func TestRateIsRecorded(t *testing.T) {
	t.Parallel()
	g, _, _ := limitedRig(t, auth.Rate{PerSecond: 0.001, Burst: 1})
	const n = 200
	c := g.dial()
	for i := range n {
		c.send("POST /mcp HTTP/1.1", "Host: "+g.addr, good, "Content-Length: 2", "", "{}")
		if got := c.reply(); (got.status == 200) != (i == 0) {
			t.Fatalf("request %d: %d", i+1, got.status)
		}
	}
	if err := g.finish(); err != nil {
		t.Fatal(err)
	}
	told, counted := 0, 0
	for _, d := range g.denials() {
		counted += d.Count
		if d.Reason != DeniedTooMany && d.Reason != DeniedMore || d.Reason == DeniedTooMany && (d.Client != "alice" || d.User != "u1" || d.RequestID == "") {
			t.Errorf("%+v", d)
		}
		told++
	}
	if counted != n-1 || told > denialsARemote+1 {
		t.Errorf("%d of %d refusals are told, by %d events", counted, n-1, told)
	}
	lines := g.lines.String()
	if !strings.Contains(lines, `"denied":"too many requests","client":"alice","user":"u1","outcome":"error","code":"429"`) {
		t.Errorf("no record of it: %s", lines)
	}
	if got := strings.Count(lines, "\n"); got > refusalsARemote+2 || !strings.Contains(lines, `"msg":"more refusals","count":`+strconv.Itoa(n-1-refusalsARemote)) {
		t.Errorf("%d lines for %d requests: %s", got, n, lines)
	}
}

// What a limit refuses within an answer is told too.
func TestRateWithinAnAnswer(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) {
		c.Edge = edge.New(edge.Config{PerSecond: 0.001, Burst: 2})
		c.MCP = func(w http.ResponseWriter, _ *http.Request, x *edge.Exchange) {
			for range 3 {
				if place, refused := x.Take(); refused == nil {
					place.Release()
				}
			}
			w.WriteHeader(http.StatusOK)
		}
	})
	if got := g.ask("POST", "/mcp", good); got.status != 200 {
		t.Fatalf("%+v", got)
	}
	g.until("the refusal", func() bool {
		d := g.denials()
		return len(d) == 1 && d[0].Reason == DeniedTooMany && d[0].Client == "alice"
	})
}

// handClock is a time that only a test moves.
type handClock struct{ passed atomic.Int64 }

func (c *handClock) now() time.Time        { return time.Unix(1_800_000_000, c.passed.Load()) }
func (c *handClock) move(by time.Duration) { c.passed.Add(int64(by)) }
