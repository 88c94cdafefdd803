package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// rally is a server that plays the workflow of examples/bench, rightly unless it is told otherwise.
type rally struct {
	// spoil changes the nth answer; nil: none. It may write another itself and return "".
	spoil func(w http.ResponseWriter, n int, body string) string
	// forget has a move answered as made that was not.
	forget func(n int) bool

	mu       sync.Mutex
	asked    int
	tokens   []string
	headers  http.Header
	versions map[string]int
}

func (s *rally) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	var asked struct {
		ID     jsontext.Value `json:"id"`
		Method string         `json:"method"`
		Params struct {
			Name      string `json:"name"`
			Arguments struct {
				Text            string `json:"text"`
				DefinitionID    string `json:"definitionId"`
				WorkflowID      string `json:"workflowId"`
				ExpectedVersion int    `json:"expectedVersion"`
			} `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(text, &asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	s.tokens = append(s.tokens, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	s.headers = r.Header
	a := asked.Params.Arguments
	var result string
	switch {
	case asked.Method == "tools/list":
		result = `{"tools":[{"name":"echo"}]}`
	case asked.Params.Name == "echo":
		result = fmt.Sprintf(`{"content":[{"type":"text","text":%q}],"isError":false}`, a.Text)
	case a.DefinitionID != "":
		if s.versions == nil {
			s.versions = map[string]int{}
		}
		id := fmt.Sprintf("wf_%d", len(s.versions))
		s.versions[id] = 1
		result = s.shown(id, "started", "")
	case a.ExpectedVersion == 0:
		result = s.shown(a.WorkflowID, "waiting_for_action", "")
	case a.ExpectedVersion != s.versions[a.WorkflowID]:
		result = s.shown(a.WorkflowID, "rejected", `,"error":{"code":"STALE_WORKFLOW_VERSION","message":"another"}`)
	default:
		s.versions[a.WorkflowID]++
		result = s.shown(a.WorkflowID, "executed", "")
		if s.forget != nil && s.forget(s.asked) {
			s.versions[a.WorkflowID]--
		}
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, result)
	if s.spoil != nil {
		if body = s.spoil(w, s.asked, body); body == "" {
			return
		}
	}
	io.WriteString(w, body)
}

func (s *rally) shown(id, status, more string) string {
	version := s.versions[id]
	return fmt.Sprintf(`{"content":[{"type":"text","text":"{}"}],"structuredContent":{"workflow":{"id":%q,"state":"side%d","version":%d},`+
		`"result":{"status":%q},"links":[{"rel":"hit","args":{"workflowId":%[1]q,"expectedVersion":%[3]d,"transition":"hit"}}]%[5]s}}`,
		id, version%2, version, status, more)
}

// measured runs works against the server until requests are answered.
func (s *rally) measured(t *testing.T, change func(*Config), works ...Work) *Report {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	c := Config{
		URL: u, Tokens: []string{"secret"}, Protocol: "2025-11-25", Callers: 1, Time: time.Minute, Requests: 12,
		Asked: Asked{Text: "hello \"you\"", Definition: "rally", Transition: "hit", Arguments: `{"text":"x"}`},
	}
	for _, w := range works {
		c.Works = append(c.Works, Share{w, 1})
	}
	if change != nil {
		change(&c)
	}
	report, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestRight: every work of a server that does as it is asked is counted, and no error.
func TestRight(t *testing.T) {
	t.Parallel()
	given := func(c *Config) { c.Asked.Body = `{"id":{{id}},"jsonrpc":"2.0","method":"tools/list"}` }
	for _, works := range [][]Work{{Call}, {List}, {Start}, {Get}, {Move}, {Body}, {Get, Move}, {Call, List, Start, Get, Move}} {
		t.Run(fmt.Sprint(works), func(t *testing.T) {
			t.Parallel()
			r := (&rally{}).measured(t, given, works...)
			if r.Errors != 0 || r.Requests != 12 || len(r.Works) != len(works) || r.Latency.P50 <= 0 || r.Longest < r.Latency.Max {
				t.Errorf("%+v", r)
			}
			for _, w := range works {
				if r.Works[w] == nil || r.Works[w].Requests < int64(12/len(works)) {
					t.Errorf("of %s: %+v", w, r.Works[w])
				}
			}
		})
	}
}

// replaced spoils the nth answer.
func replaced(n int, old, new string) func(http.ResponseWriter, int, string) string {
	return func(_ http.ResponseWriter, asked int, body string) string {
		if asked == n {
			return strings.Replace(body, old, new, 1)
		}
		return body
	}
}

// TestFoundOut: each way of answering wrongly is an error of its kind, though answers before it were right, and those
// after it are again. Answers of get and move begin with the second, after the start.
func TestFoundOut(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		work  Work
		spoil func(http.ResponseWriter, int, string) string
		want  Kind
	}{
		"another id":              {Call, replaced(5, `"id":1`, `"id":2`), OtherID},
		"id as a string":          {Call, replaced(5, `"id":1000000005`, `"id":"1000000005"`), OtherID},
		"another text":            {Call, replaced(5, `hello`, `hullo`), Wrong},
		"more text":               {Call, replaced(5, `"content":[`, `"content":[{"type":"text","text":"and"},`), Wrong},
		"tool error":              {Call, replaced(5, `"isError":false`, `"isError":true`), ToolError},
		"JSON-RPC error":          {Call, replaced(5, `"result":{`, `"error":{"code":-32603,"message":"no","data":{}},"x":{`), RPCError},
		"result and error":        {Call, replaced(5, `"result":{`, `"error":{"code":-32603,"message":"no"},"result":{`), NotRPC},
		"neither":                 {Call, replaced(5, `"result":{`, `"outcome":{`), NotRPC},
		"another version of RPC":  {Call, replaced(5, `"2.0"`, `"1.0"`), NotRPC},
		"half a message":          {Call, replaced(5, `}`, ``), NotRPC},
		"no content":              {Call, replaced(5, `"content":[{"type":"text","text":"hello \"you\""}]`, `"content":[]`), NotRPC},
		"no tools":                {List, replaced(5, `{"name":"echo"}`, ``), Wrong},
		"no result of a body":     {Body, replaced(5, `"result"`, `"Result"`), NotRPC},
		"a start in version 2":    {Start, replaced(5, `"version":1`, `"version":2`), Wrong},
		"no start":                {Start, replaced(5, `"status":"started"`, `"status":"rejected"`), Wrong},
		"another instance":        {Get, replaced(5, `"workflow":{"id":"wf_0"`, `"workflow":{"id":"wf_1"`), Wrong},
		"another state":           {Get, replaced(5, `side1`, `side0`), Wrong},
		"a version from nowhere":  {Get, replaced(5, `"version":1`, `"version":2`), Wrong},
		"a version skipped":       {Move, replaced(5, `"version":5`, `"version":6`), Wrong},
		"a version not risen":     {Move, replaced(5, `"version":5`, `"version":4`), Wrong},
		"a move to another state": {Move, replaced(5, `side1`, `side0`), Wrong},
		"a move of another":       {Move, replaced(5, `"workflow":{"id":"wf_0"`, `"workflow":{"id":"wf_1"`), Wrong},
		"no link":                 {Move, replaced(5, `"rel":"hit"`, `"rel":"miss"`), Wrong},
		"a refusal":               {Move, replaced(5, `"links"`, `"error":{"code":"BUSY","message":"later"},"links"`), Refused},
		"status 500": {Move, func(w http.ResponseWriter, n int, body string) string {
			if n != 5 {
				return body
			}
			http.Error(w, "no", http.StatusInternalServerError)
			return ""
		}, Status},
		"status 429": {Call, func(w http.ResponseWriter, n int, body string) string {
			if n == 5 {
				w.WriteHeader(http.StatusTooManyRequests)
			}
			return body
		}, Status},
		"a connection cut after a move": {Move, cut(5, ""), Cut},
		"a connection cut in an answer": {Call, cut(5, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"), Cut},
		"not HTTP":                      {Call, cut(5, "+OK POP3 server ready\r\n"), NotHTTP},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := func(c *Config) { c.Asked.Body = `{"jsonrpc":"2.0","id":{{id}},"method":"tools/list"}` }
			r := (&rally{spoil: tt.spoil}).measured(t, body, tt.work)
			if r.ByKind[tt.want] == nil || r.ByKind[tt.want].First == "" {
				t.Fatalf("not found out as %s: %d errors", tt.want, r.Errors)
			}
			if r.Errors > 2 || r.Requests < 10 { // one of the spoilt answer, one of a reread that differs from it
				t.Errorf("%d right answers, %d errors of %d kinds", r.Requests, r.Errors, len(r.ByKind))
			}
		})
	}
}

// cut ends the connection of the nth request after these bytes.
func cut(n int, said string) func(http.ResponseWriter, int, string) string {
	return func(w http.ResponseWriter, asked int, body string) string {
		if asked != n {
			return body
		}
		conn, buffer, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		buffer.WriteString(said)
		buffer.Flush()
		conn.Close()
		return ""
	}
}

// TestLostMove: a move that was answered and is not there is found, even when the connection was cut in between.
func TestLostMove(t *testing.T) {
	t.Parallel()
	s := &rally{forget: func(n int) bool { return n == 5 }, spoil: cut(6, "")}
	r := s.measured(t, nil, Move)
	if r.ByKind[Lost] == nil {
		t.Errorf("%d errors, none of them of the lost move", r.Errors)
	}
}

// TestUnansweredMove: whether a move was made whose answer did not arrive is asked, and either is right.
func TestUnansweredMove(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]func(int) bool{"made": nil, "not made": func(n int) bool { return n == 5 }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := (&rally{forget: forget, spoil: cut(5, "")}).measured(t, nil, Move)
			if r.Errors != 1 || r.ByKind[Cut] == nil || r.Requests != 11 {
				t.Errorf("%d right answers, %d errors", r.Requests, r.Errors)
			}
		})
	}
}

// TestStaleRead: an answer that was right once is not right after a move.
func TestStaleRead(t *testing.T) {
	t.Parallel()
	var old string
	s := &rally{spoil: func(_ http.ResponseWriter, n int, body string) string {
		// In turn: start, get, move, get, move, … The last get is answered as the one before it.
		if n == 4 {
			old = body
		}
		if n == 6 {
			return strings.Replace(old, "1000000004", "1000000006", 1)
		}
		return body
	}}
	r := s.measured(t, nil, Get, Move)
	if r.ByKind[Lost] == nil {
		t.Errorf("%d errors", r.Errors)
	}
}

// TestTokens: requests take the tokens in turn; a caller that owns an instance keeps one.
func TestTokens(t *testing.T) {
	t.Parallel()
	count := func(work Work) map[string]int {
		s := &rally{}
		s.measured(t, func(c *Config) { c.Tokens, c.Callers = []string{"a", "b", "c"}, 2 }, work)
		used := map[string]int{}
		for _, token := range s.tokens {
			used[token]++
		}
		return used
	}
	if used := count(Call); used["a"] != 4 || used["b"] != 4 || used["c"] != 4 {
		t.Errorf("calls: %v", used)
	}
	if used := count(Move); used["a"] != 7 || used["b"] != 7 || used["c"] != 0 { // a start each
		t.Errorf("moves: %v", used)
	}
}

// TestModern: a request of 2026-07-28 says in its headers and its _meta what it is.
func TestModern(t *testing.T) {
	t.Parallel()
	s := &rally{}
	if r := s.measured(t, func(c *Config) { c.Protocol = "2026-07-28" }, Move); r.Errors != 0 {
		t.Errorf("%+v", r)
	}
	for name, want := range map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "praxec.command"} {
		if got := s.headers.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestNothingMeasured: without a server, or without the workflow, there is no report.
func TestNothingMeasured(t *testing.T) {
	t.Parallel()
	s := &rally{spoil: replaced(1, `"links"`, `"error":{"code":"DEFINITION_NOT_FOUND","message":"none"},"links"`)}
	server := httptest.NewServer(s)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{URL: u, Tokens: []string{""}, Callers: 1, Time: time.Minute, Requests: 1, Works: []Share{{Move, 1}}}
	if _, err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), "DEFINITION_NOT_FOUND") {
		t.Errorf("no workflow: %v", err)
	}
	server.Close()
	if _, err := Run(context.Background(), c); err == nil {
		t.Error("no server, no error")
	}
}

// TestNobodyWaits: who ends a run while its callers still begin is not kept by a server that does not answer.
func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // until then nobody looks whether the connection ends
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{URL: u, Tokens: []string{""}, Callers: 2, Time: time.Minute, Works: []Share{{Get, 1}}}
	if r, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestInFlight: an answer that comes after the end counts as a wait, and not as an answer.
func TestInFlight(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var r *run
	var held time.Duration
	s := &rally{spoil: func(_ http.ResponseWriter, n int, body string) string {
		if n == 3 {
			began := time.Now()
			cancel()
			<-r.over
			held = time.Since(began)
		}
		return body
	}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	r = newRun(Config{URL: u, Tokens: []string{""}, Callers: 1, Time: time.Minute, Works: []Share{{Call, 1}}, Asked: Asked{Text: "x"}})
	defer r.interrupt()
	if err := r.open(ctx); err != nil {
		t.Fatal(err)
	}
	if got := r.measure(ctx); got.Requests != 2 || got.Errors != 0 || got.Longest < micros(held) {
		t.Errorf("the last answer was held for %v: %+v", held, got)
	}
}

// TestInterrupt: a request that is no longer waited for says so, and is not followed by another.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	var r *run
	server := httptest.NewServer(&rally{spoil: func(_ http.ResponseWriter, _ int, body string) string {
		r.interrupt()
		return body
	}})
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	r = newRun(Config{URL: u, Tokens: []string{""}, Callers: 1, Works: []Share{{Call, 1}}})
	if err := r.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := r.callers[0]
	if _, f := c.exchange(c.works[0]); f == nil || f.Kind != Cut || f.Detail != errOver.Error() {
		t.Errorf("interrupted: %v", f)
	}
	if _, f := c.exchange(c.works[0]); f == nil || f.Kind != NoConnection {
		t.Errorf("after that: %v", f)
	}
}
