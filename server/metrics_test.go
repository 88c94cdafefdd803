package server

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/server/edge"
	"prax/server/mcp"
	"prax/store"
	"prax/tools"
)

var mcpProtocol = Protocol{Name: "mcp", Route: routeMCP, Methods: mcp.Methods()}

// measured has a server count.
func measured(c *Config) { c.Metrics = NewMetrics(mcpProtocol) }

// scraped is one scrape of a server: each series with its value. It fails on what Prometheus could not read.
func scraped(t testing.TB, s *Server, from Sources) map[string]float64 {
	t.Helper()
	r := httptest.NewRequest("GET", "http://127.0.0.1:9/metrics", nil)
	w := httptest.NewRecorder()
	s.metricsHandler("127.0.0.1:9", from).ServeHTTP(w, r)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/plain; version=0.0.4; charset=utf-8" {
		t.Fatalf("a scrape is answered with %d, %v: %s", w.Code, w.Header(), w.Body)
	}
	return parsed(t, w.Body.String())
}

// sampleLine is one sample of the text format: a name, labels, a value.
var sampleLine = regexp.MustCompile(`^([a-z_:][a-z0-9_:]*)(\{[a-zA-Z_]\w*="(?:[^"\\]|\\["\\n])*"(?:, ?[a-zA-Z_]\w*="(?:[^"\\]|\\["\\n])*")*\})? (-?[0-9.e+-]+)$`)

func parsed(t testing.TB, text string) map[string]float64 {
	t.Helper()
	all, types := map[string]float64{}, map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "# TYPE ") {
			if types[line] {
				t.Errorf("twice: %s", line)
			}
			types[line] = true
			continue
		}
		if strings.HasPrefix(line, "# HELP ") {
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no sample: %q", line)
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if _, twice := all[m[1]+m[2]]; twice || err != nil {
			t.Errorf("twice, or no number: %s", line)
		}
		all[m[1]+m[2]] = value
	}
	return all
}

// seriesOf are the series of these names.
func seriesOf(all map[string]float64, names ...string) map[string]float64 {
	some := map[string]float64{}
	for series, value := range all {
		name, _, _ := strings.Cut(series, "{")
		for _, one := range names {
			if one == name {
				some[series] = value
			}
		}
	}
	return some
}

// TestRequestsAreCounted: each request once, under what it was, and each refusal under its reason.
func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) {
		measured(c)
		c.Authenticators = append(c.Authenticators, reasoned{registry{}})
		c.MCP = func(w http.ResponseWriter, r *http.Request, x *edge.Exchange) {
			body, _ := io.ReadAll(r.Body)
			method, outcome, _ := strings.Cut(r.Header.Get("X-Note"), " ")
			x.Access = edge.Access{Method: method, Outcome: outcome}
			if outcome == "panic" {
				panic("planned")
			}
			_, _ = w.Write(body)
		}
	})
	for range 3 {
		g.ask("POST", "/mcp", good, "X-Note: tools/call ok")
	}
	g.ask("POST", "/mcp", good, "X-Note: tools/call denied")
	g.ask("POST", "/mcp", good, "X-Note: tools/list error")
	g.ask("POST", "/mcp", good, "X-Note: made-up ok")
	g.ask("POST", "/mcp", good, "X-Note: tools/call panic")
	g.ask("POST", "/mcp")
	g.ask("POST", "/mcp", "Authorization: Basic x")
	g.ask("POST", "/mcp", "Authorization: Bearer bad")
	g.ask("POST", "/mcp", "Authorization: Bearer worse")
	g.ask("POST", "/mcp", "Authorization: Bearer lent")
	g.ask("POST", "/mcp", "Authorization: Bearer ended")
	g.ask("POST", "/mcp", good, "Host: evil.example")
	g.ask("POST", "/mcp", good, "Origin: https://evil.example")
	g.ask("GET", "/mcp")
	g.ask("GET", "/healthz")
	g.ask("GET", "/etc/passwd")
	got := seriesOf(scraped(t, g.Server, Sources{}), "prax_requests_total", "prax_auth_failures_total", "prax_http_responses_total")
	want := map[string]float64{
		`prax_requests_total{protocol="mcp",method="tools/call",outcome="ok",client="alice"}`:     3,
		`prax_requests_total{protocol="mcp",method="tools/call",outcome="denied",client="alice"}`: 1,
		`prax_requests_total{protocol="mcp",method="tools/call",outcome="panic",client="alice"}`:  1,
		`prax_requests_total{protocol="mcp",method="tools/list",outcome="error",client="alice"}`:  1,
		`prax_requests_total{protocol="mcp",method="other",outcome="ok",client="alice"}`:          1,
		`prax_auth_failures_total{reason="no_token"}`:                                             1,
		`prax_auth_failures_total{reason="malformed_authorization"}`:                              1,
		`prax_auth_failures_total{reason="unknown_token"}`:                                        2,
		`prax_auth_failures_total{reason="signed_token"}`:                                         1,
		`prax_auth_failures_total{reason="host_not_admitted"}`:                                    1,
		`prax_auth_failures_total{reason="origin_not_admitted"}`:                                  1,
		`prax_auth_failures_total{reason="other"}`:                                                1,
		`prax_http_responses_total{route="/mcp",code="2xx"}`:                                      6,
		`prax_http_responses_total{route="/mcp",code="4xx"}`:                                      9,
		`prax_http_responses_total{route="/mcp",code="5xx"}`:                                      1,
		`prax_http_responses_total{route="/healthz",code="2xx"}`:                                  1,
		`prax_http_responses_total{route="other",code="4xx"}`:                                     1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBeyondTheBudgetIsCounted: with what runs meanwhile.
func TestBeyondTheBudgetIsCounted(t *testing.T) {
	t.Parallel()
	within, goOn := make(chan struct{}), make(chan struct{})
	g := start(t, func(c *Config) {
		measured(c)
		c.Edge = edge.New(edge.Config{MaxInFlight: 1})
		c.MCP = func(w http.ResponseWriter, r *http.Request, x *edge.Exchange) {
			_, _ = io.ReadAll(r.Body)
			place, _ := x.TakeStream()
			defer place.Release()
			x.Begin()
			close(within)
			<-goOn
		}
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.ask("POST", "/mcp", good)
	}()
	g.await(within, "the stream")
	g.ask("POST", "/mcp", good)
	got := scraped(t, g.Server, Sources{})
	for series, want := range map[string]float64{
		"prax_requests_in_flight": 1, "prax_streams_open": 1,
		`prax_requests_total{protocol="mcp",method="other",outcome="busy",client="alice"}`: 1,
	} {
		if got[series] != want {
			t.Errorf("%s is %v, want %v", series, got[series], want)
		}
	}
	close(goOn)
	g.await(done, "the end of the stream")
	g.until("nothing runs", func() bool {
		got := scraped(t, g.Server, Sources{})
		return got["prax_requests_in_flight"] == 0 && got["prax_streams_open"] == 0
	})
}

// spoken is a request of a client as the server sees it when it ends.
func spoken(client, method, outcome string) *exchange {
	x := &exchange{route: routeMCP, status: http.StatusOK}
	x.edge = edge.New(edge.Config{}).Exchange(registry{}, auth.Principal{Client: client}, "", "", time.Time{})
	x.edge.Access = edge.Access{Method: method, Outcome: outcome}
	return x
}

// TestSeriesAreBounded: however many clients there are, and whatever callers choose for methods and tools, there is an
// end to the series, and the sum of the counts is right.
func TestSeriesAreBounded(t *testing.T) {
	t.Parallel()
	s := New(Config{Metrics: NewMetrics(mcpProtocol)})
	registry := tools.NewRegistry(tools.Config{Store: unrecorded{}, Observe: s.cfg.Metrics})
	const clients = 100_000
	text := func() string { return fmt.Sprintf("%x", rand.Uint64()) }
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for n := worker; n < clients; n += 4 {
				name := "client " + strconv.Itoa(n)
				s.cfg.Metrics.answered(spoken(name, text(), text()))
				s.cfg.Metrics.Refused(text())
				s.cfg.Metrics.Refused("CODE_" + strings.Repeat("A", n%300))
				s.cfg.Metrics.denied(Reason(text()))
				_, _ = registry.Call(t.Context(), &tools.Call{Principal: auth.Principal{Client: name, User: "u"}, Name: text()})
				s.cfg.Metrics.answered(&exchange{route: "/" + text(), status: n % 700})
			}
		})
	}
	group.Wait()
	for n := range clients {
		s.cfg.Metrics.Tool("tool "+strconv.Itoa(n))("ok", time.Millisecond)
	}
	got := scraped(t, s, Sources{})
	if n := len(got); n > 14_000 {
		t.Errorf("%d series", n)
	}
	sum := func(name string) (all float64, series int) {
		for _, value := range seriesOf(got, name) {
			all += value
			series++
		}
		return all, series
	}
	for name, want := range map[string]struct{ all, most float64 }{
		"prax_requests_total":          {clients, mostClients + 1},
		"prax_workflow_refusals_total": {2 * clients, mostCodes + 1},
		"prax_auth_failures_total":     {clients, float64(len(reasons))},
		"prax_tool_calls_total":        {2 * clients, mostTools + 2},
		"prax_http_responses_total":    {2 * clients, 10},
	} {
		if all, series := sum(name); all != want.all || float64(series) > want.most {
			t.Errorf("%s: %v in %d series, want %v in %v at most", name, all, series, want.all, want.most)
		}
	}
	if got := got[`prax_tool_calls_total{tool="unknown",outcome="denied"}`]; got != clients {
		t.Errorf("%v calls of what is no tool, want %d", got, clients)
	}
}

// TestLabelsCannotBreakOut: a name is one value of one label, whatever is in it, and none is another's.
func TestLabelsCannotBreakOut(t *testing.T) {
	t.Parallel()
	s := New(Config{Metrics: NewMetrics(mcpProtocol)})
	names := map[string]string{
		`a"b`:                          `a\"b`,
		`a\b`:                          `a\\b`,
		"a\nb":                         `a\nb`,
		"x\"} 1\nprax_fake_total{a=\"": `x\"} 1\nprax_fake_total{a=\"`,
		"# TYPE x counter\r\n":         "# TYPE x counter\uFFFD" + `\n`,
		"bad \xff utf8":                "bad \uFFFD utf8",
		"Zoë 🙂":                        "Zoë 🙂",
		"other":                        "other",
		"":                             "",
		"tab\tand \x1b[31m":            "tab\uFFFDand \uFFFD[31m",
	}
	for name := range names {
		s.cfg.Metrics.answered(spoken(name, "ping", "ok"))
	}
	got := seriesOf(scraped(t, s, Sources{}), "prax_requests_total", "prax_fake_total")
	want := map[string]float64{}
	for _, shown := range names {
		want[`prax_requests_total{protocol="mcp",method="ping",outcome="ok",client="`+shown+`"}`] = 1
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestClientsThatAreGoneMakeRoom: once all places are taken, those of clients that are no more go to new ones.
func TestClientsThatAreGoneMakeRoom(t *testing.T) {
	t.Parallel()
	s := New(Config{Metrics: NewMetrics(mcpProtocol)})
	for n := range mostClients + 10 {
		s.cfg.Metrics.answered(spoken("old "+strconv.Itoa(n), "ping", "ok"))
	}
	of := func(client string) string {
		return `prax_requests_total{protocol="mcp",method="ping",outcome="ok",client="` + client + `"}`
	}
	known := func(client string) bool { return client == "old 7" }
	got := scraped(t, s, Sources{Known: known})
	if got[of("other")] != 10 || got[of("old 7")] != 1 || len(seriesOf(got, "prax_requests_total")) != 2 {
		t.Errorf("left: %v", seriesOf(got, "prax_requests_total"))
	}
	s.cfg.Metrics.answered(spoken("new", "ping", "ok"))
	if got := scraped(t, s, Sources{Known: known}); got[of("new")] != 1 || got[of("old 7")] != 1 {
		t.Errorf("a new client has no series of its own: %v", seriesOf(got, "prax_requests_total"))
	}
}

// TestObserversAreCounted: what the store, workflows and the registry tell.
func TestObserversAreCounted(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	s := New(Config{Metrics: m})
	m.Committed(1, 90*time.Microsecond)
	m.Committed(3, 100*time.Microsecond)
	m.Committed(1000, time.Hour)
	m.Committed(2, -time.Second) // a clock that was set back
	m.Failed()
	m.Started(store.Open)
	m.Moved(store.Open)
	m.Moved(store.Completed)
	m.Moved(store.Cancelled)
	m.Refused("STALE_WORKFLOW_VERSION")
	m.Reloaded(true)
	m.Reloaded(true)
	m.Reloaded(false)
	m.Tool("clock")("ok", 3*time.Millisecond)
	m.Tool("clock")("timeout", 2*time.Minute)
	m.Tool("clock")("denied", time.Nanosecond)
	m.Tool("clock")("panic", 0)
	m.Tool("hidden")("denied", 0)
	got := scraped(t, s, Sources{Handlers: func() (int, int) { return 5, 2 }})
	for series, want := range map[string]float64{
		`prax_store_commit_seconds_bucket{le="0.0001"}`: 3, `prax_store_commit_seconds_bucket{le="5"}`: 3, `prax_store_commit_seconds_bucket{le="+Inf"}`: 4,
		`prax_store_commit_seconds_count`: 4, `prax_store_commit_seconds_sum`: 3600.00019,
		`prax_store_commit_size_bucket{le="1"}`: 1, `prax_store_commit_size_bucket{le="2"}`: 2, `prax_store_commit_size_bucket{le="4"}`: 3,
		`prax_store_commit_size_bucket{le="+Inf"}`: 4, `prax_store_commit_size_sum`: 1006, `prax_store_failed_transactions_total`: 1,
		`prax_workflow_starts_total{status="open"}`: 1, `prax_workflow_starts_total{status="completed"}`: 0,
		`prax_workflow_moves_total{status="open"}`: 1, `prax_workflow_moves_total{status="completed"}`: 1, `prax_workflow_moves_total{status="cancelled"}`: 1,
		`prax_workflow_refusals_total{code="STALE_WORKFLOW_VERSION"}`: 1,
		`prax_registry_reloads_total{outcome="ok"}`:                   2, `prax_registry_reloads_total{outcome="error"}`: 1,
		`prax_tool_calls_total{tool="clock",outcome="ok"}`: 1, `prax_tool_calls_total{tool="clock",outcome="timeout"}`: 1,
		`prax_tool_calls_total{tool="clock",outcome="denied"}`: 1, `prax_tool_calls_total{tool="clock",outcome="panic"}`: 1,
		`prax_tool_call_seconds_bucket{tool="clock",le="0.0001"}`: 1, `prax_tool_call_seconds_bucket{tool="clock",le="0.005"}`: 2,
		`prax_tool_call_seconds_bucket{tool="clock",le="60"}`: 2, `prax_tool_call_seconds_count{tool="clock"}`: 3, `prax_tool_call_seconds_sum{tool="clock"}`: 120.003,
		`prax_tool_calls_running`: 5, `prax_tool_calls_left_behind`: 2,
	} {
		if value, there := got[series]; value != want || !there {
			t.Errorf("%s is %v (%v), want %v", series, value, there, want)
		}
	}
	if _, there := got[`prax_tool_call_seconds_count{tool="hidden"}`]; there {
		t.Error("a tool that nobody could call has times")
	}
	if got["go_goroutines"] < 1 {
		t.Error("the series of the runtime are missing")
	}
}
