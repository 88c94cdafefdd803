package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/server/control"
	"prax/tools"
)

// The laws are what prax promises whatever the way in. Each is one test over one matrix: every route
// by which a caller can reach a tool, times every reason why it must not. Whoever adds a route adds
// its row to lawRoutes.

// lawRoute is one way to call a tool. It returns everything that the caller could see.
type lawRoute struct {
	name string
	call func(h *lawApp, c lawClient, tool, arguments string) string
	list func(h *lawApp, c lawClient) []string // nil: the route has no list of its own
}

func lawRoutes() []lawRoute {
	return []lawRoute{
		{"2024-11-05", mcpCall("2024-11-05", "/mcp"), mcpList("2024-11-05", "/mcp")},
		{"no version header", mcpCall("", "/mcp"), mcpList("", "/mcp")},
		{"2025-06-18", mcpCall("2025-06-18", "/mcp"), mcpList("2025-06-18", "/mcp")},
		{"2025-11-25", mcpCall("2025-11-25", "/mcp"), mcpList("2025-11-25", "/mcp")},
		{"2026-07-28", mcpCall(modernVersion, "/mcp"), mcpList(modernVersion, "/mcp")},
		{"trailing slash", mcpCall("2025-06-18", "/mcp/"), nil},
		{"below the public URL", mcpCall("2025-06-18", lawPrefix+"/mcp"), mcpList("2025-06-18", lawPrefix+"/mcp")},
		{"below the public URL, 2026-07-28", mcpCall(modernVersion, lawPrefix+"/mcp/"), mcpList(modernVersion, lawPrefix+"/mcp/")},
		{"batch", batchCall, batchList},
		{"progress stream", streamCall("2025-06-18"), nil},
		{"progress stream, 2026-07-28", streamCall(modernVersion), nil},
		viaSigned(lawRoute{"2025-06-18", mcpCall("2025-06-18", "/mcp"), mcpList("2025-06-18", "/mcp")}),
		viaSigned(lawRoute{"2026-07-28", mcpCall(modernVersion, "/mcp"), mcpList(modernVersion, "/mcp")}),
		viaSigned(lawRoute{"batch", batchCall, batchList}),
		viaSigned(lawRoute{"progress stream", streamCall("2025-06-18"), nil}),
		viaSigned(lawRoute{"progress stream, 2026-07-28", streamCall(modernVersion), nil}),
		{"HTTP/2", http2Call, http2List},
		{"operator's socket", operatorCall, operatorList},
	}
}

// lawPrefix is what a proxy leaves before /mcp.
const lawPrefix = "/behind/a.proxy"

// lawClient is one entry of clients.json in the laws, and what was granted to it.
type lawClient struct {
	name, user, token string
	allow             []string
	extra             string // further members of the entry, with a leading comma
	tokens            string // elements of tokens, which stand in place of the token's hash; "" for none
}

// listed is the client with tokens in a list: its own with these members, and one that is always good.
func (c lawClient) listed(members string) lawClient {
	c.tokens = fmt.Sprintf(`{"sha256":%q%s},`, auth.HashToken(c.token).Hex(), members)
	return c.withSibling()
}

// withSibling is the client with one more token that is always good.
func (c lawClient) withSibling() lawClient {
	c.tokens += fmt.Sprintf(`{"sha256":%q}`, auth.HashToken("law-token-sibling-0123456789").Hex())
	return c
}

var (
	granted = lawClient{name: "granted", user: "u_granted", token: "law-token-granted-0123456789", allow: []string{
		"law.low", "law_medium", "law.high", "memory_remember", "memory_recall", "memory_forget", "trace_detail", "trace_search"}}
	narrow = lawClient{name: "narrow", user: "u_narrow", token: "law-token-narrow-0123456789", allow: []string{
		"get_current_datetime", "trace_detail", "memory_recall"}}
	nothing = lawClient{name: "nothing", user: "u_nothing", token: "law-token-nothing-0123456789", allow: []string{}}
	nobody  = lawClient{name: "nobody", token: "law-token-nobody-0123456789"}
)

// lawApp is a whole server with three tools that count how often they were reached.
type lawApp struct {
	t      *testing.T
	app    *app
	web    *httptest.Server
	file   string
	ahead  atomic.Int64 // how far the clock was moved
	counts map[string]*atomic.Int64
	signed signedTokens
	tls    *httptest.Server // see secured
	once   sync.Once
}

func newLawApp(t *testing.T, withTools bool) *lawApp {
	t.Helper()
	l := &lawApp{t: t, file: filepath.Join(t.TempDir(), "clients.json"), counts: map[string]*atomic.Int64{}}
	l.write(granted, narrow, nothing)
	p := &program{
		environ: []string{"MCP_SERVER_ENABLED=true", "MCP_CLIENTS_PATH=" + l.file, "PRAX_DATA=" + filepath.Join(t.TempDir(), "data"), "PRAX_LOG=error",
			"PRAX_PUBLIC_URL=https://prax.example.net" + lawPrefix, "PRAX_PUBLISH=true"},
		stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, now: l.now,
	}
	f := p.flags("serve", "", "").withSettings()
	if _, err := f.parse(nil, 0, 0); err != nil {
		t.Fatal(err)
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		t.Fatal(err)
	}
	l.app, err = openApp(t.Context(), s, p.output(s.Log), l.now)
	if err != nil {
		t.Fatal(err)
	}
	if withTools {
		l.addTools()
	}
	if err := l.app.openClients(); err != nil {
		t.Fatal(err)
	}
	l.web = httptest.NewServer(l.app.server.Handler())
	t.Cleanup(func() {
		l.app.mcp.Drain()
		l.web.Close()
		if err := l.app.close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return l
}

func (l *lawApp) now() time.Time { return time.Now().Add(time.Duration(l.ahead.Load())) }

func (l *lawApp) addTools() {
	var list []*tools.Tool
	for name, tier := range map[string]auth.Tier{"law.low": auth.Low, "law.medium": auth.Medium, "law.high": auth.High} {
		count := new(atomic.Int64)
		l.counts[name] = count
		list = append(list, &tools.Tool{
			Name: name, Title: name, Description: "Counts.", Tier: tier,
			Input: []byte(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`),
			Handler: func(context.Context, *tools.Call) (*tools.Result, error) {
				count.Add(1)
				return tools.Text("reached"), nil
			},
		})
	}
	if err := l.app.tools.Set("laws", list); err != nil {
		l.t.Fatal(err)
	}
}

// reached is how often any handler of the laws ran.
func (l *lawApp) reached() (n int64) {
	for _, count := range l.counts {
		n += count.Load()
	}
	return n
}

// write makes the clients file, and has it read if there is a registry.
func (l *lawApp) write(list ...lawClient) {
	l.t.Helper()
	var entries []string
	for _, c := range list {
		allow, err := json.Marshal(c.allow)
		if err != nil {
			l.t.Fatal(err)
		}
		token := fmt.Sprintf(`"token_sha256":%q`, auth.HashToken(c.token).Hex())
		if c.tokens != "" {
			token = `"tokens":[` + c.tokens + `]`
		}
		entries = append(entries, fmt.Sprintf(`{"name":%q,"user_id":%q,%s,"allow":%s%s}`, c.name, c.user, token, allow, c.extra))
	}
	text := `{"clients":[` + strings.Join(entries, ",") + `]}`
	if err := os.WriteFile(l.file, []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
	if l.app != nil {
		if r := l.app.clients.Reload("test"); !r.OK {
			l.t.Fatalf("reload: %+v", r)
		}
	}
}

const modernVersion = "2026-07-28"

// post is one exchange: status, the headers that could tell something, and the body.
func (l *lawApp) post(c lawClient, path, version, method, name, body string, header ...string) string {
	l.t.Helper()
	return l.postBy(fetch, l.web.URL, c, path, version, method, name, body, header...)
}

// fetcher sends a request and gives the whole answer.
type fetcher = func(*http.Request) (code int, header http.Header, body []byte, err error)

func (l *lawApp) postBy(fetch fetcher, base string, c lawClient, path, version, method, name, body string, header ...string) string {
	l.t.Helper()
	req, err := http.NewRequest(http.MethodPost, base+path, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	if version != "" {
		req.Header.Set("MCP-Protocol-Version", version)
	}
	if version == modernVersion {
		req.Header.Set("Mcp-Method", method)
		if name != "" {
			req.Header.Set("Mcp-Name", name)
		}
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	code, got, text, err := fetch(req)
	if err != nil {
		l.t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, code)
	got.Del("X-Request-Id")
	got.Del("Date")
	if err := got.Write(&b); err != nil {
		l.t.Fatal(err)
	}
	b.Write(text)
	return b.String()
}

func lawMeta(version, token string) string {
	var members []string
	if version == modernVersion {
		members = append(members, `"io.modelcontextprotocol/protocolVersion":"`+version+`","io.modelcontextprotocol/clientCapabilities":{}`)
	}
	if token != "" {
		members = append(members, `"progressToken":"`+token+`"`)
	}
	return `"_meta":{` + strings.Join(members, ",") + `}`
}

func lawCall(version, token, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`,
		tool, arguments, lawMeta(version, token))
}

func mcpCall(version, path string) func(*lawApp, lawClient, string, string) string {
	return func(l *lawApp, c lawClient, tool, arguments string) string {
		return l.post(c, path, version, "tools/call", tool, lawCall(version, "", tool, arguments))
	}
}

func streamCall(version string) func(*lawApp, lawClient, string, string) string {
	return func(l *lawApp, c lawClient, tool, arguments string) string {
		return l.post(c, "/mcp", version, "tools/call", tool, lawCall(version, "p", tool, arguments), "Accept", "application/json, text/event-stream")
	}
}

func batchCall(l *lawApp, c lawClient, tool, arguments string) string {
	return l.post(c, "/mcp", "", "", "", `[{"jsonrpc":"2.0","id":0,"method":"ping"},`+lawCall("", "", tool, arguments)+`]`)
}

func mcpList(version, path string) func(*lawApp, lawClient) []string {
	return func(l *lawApp, c lawClient) []string {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + lawMeta(version, "") + `}}`
		return listedNames(l.t, l.post(c, path, version, "tools/list", "", body))
	}
}

func batchList(l *lawApp, c lawClient) []string {
	return listedNames(l.t, l.post(c, "/mcp", "", "", "", `[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`))
}

var listedName = regexp.MustCompile(`"name":"([^"]+)","title"`)

func listedNames(t *testing.T, answer string) []string {
	t.Helper()
	if !strings.HasPrefix(answer, "200\n") || !strings.Contains(answer, `"tools":[`) {
		t.Fatalf("no list of tools: %s", answer)
	}
	names := []string{}
	for _, m := range listedName.FindAllStringSubmatch(answer, -1) {
		names = append(names, m[1])
	}
	return names
}

// operator is the operator's socket with the socket taken away: what it and the commands without a
// server both act through.
func (l *lawApp) operator() *control.Operator {
	return control.NewOperator(control.Config{Clients: l.app.clients, Tools: l.app.tools, Audit: l.app.db, Tokens: l.app.tokens, Now: l.now}, os.Getuid())
}

func operatorCall(l *lawApp, c lawClient, tool, arguments string) string {
	res, err := l.operator().Call(l.t.Context(), c.name, tool, []byte(arguments))
	if errors.Is(err, control.ErrNoClient) {
		return "no such client" // the name stands in the sentence
	}
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal(res)
	if err != nil {
		l.t.Fatal(err)
	}
	return string(text)
}

func operatorList(l *lawApp, c lawClient) []string {
	a, err := l.operator().Access(l.t.Context(), c.name, "")
	if err != nil {
		l.t.Fatal(err)
	}
	return a.Usable
}

// eachRoute runs f on every route, on a server that has the tools of the laws and on one that does
// not: what the second answers is what "does not exist" looks like.
func eachRoute(t *testing.T, f func(t *testing.T, r lawRoute, with, without *lawApp)) {
	t.Parallel()
	for _, r := range lawRoutes() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			f(t, r, newLawApp(t, true), newLawApp(t, false))
		})
	}
}

// spellings are both names of a tool, and what is neither.
func spellings(tool string) []string {
	return []string{tool, tools.Spelling(tool, auth.Underscore)}
}

// Law 1: listed ⇔ callable, and what a client may not use answers byte for byte like what does not
// exist, whatever its arguments.
func TestLaw1ListedIsCallable(t *testing.T) {
	eachRoute(t, func(t *testing.T, r lawRoute, with, without *lawApp) {
		for _, c := range []lawClient{granted, narrow, nothing} {
			var listed []string
			if r.list != nil {
				listed = r.list(with, c)
			}
			for _, tool := range []string{"law.low", "law.medium", "law.high"} {
				may := c.name == granted.name && tool != "law.high"
				if got := slices.Contains(listed, tool); r.list != nil && got != may {
					t.Errorf("%s: %s listed %v, want %v", c.name, tool, got, may)
				}
				for _, name := range spellings(tool) {
					with.tryTool(r, without, c, tool, name, may)
				}
			}
		}
	})
}

// tryTool calls one tool by one name and holds the outcome to what it must be.
func (l *lawApp) tryTool(r lawRoute, without *lawApp, c lawClient, tool, name string, may bool) {
	l.t.Helper()
	before := l.counts[tool].Load()
	good := r.call(l, c, name, `{}`)
	if ran := l.counts[tool].Load() - before; ran != map[bool]int64{true: 1}[may] {
		l.t.Errorf("%s calls %s: the handler ran %d times, allowed: %v\n%s", c.name, name, ran, may, good)
	}
	if may {
		return
	}
	for _, arguments := range []string{`{}`, `{"n":"x"}`, `[]`, `{"n":9007199254740993}`} {
		if diff := cmp.Diff(r.call(without, c, name, arguments), r.call(l, c, name, arguments)); diff != "" {
			l.t.Errorf("%s calls %s with %s: not the answer for what does not exist (-missing +forbidden):\n%s", c.name, name, arguments, diff)
		}
	}
}

// Law 2: HIGH is unreachable, also when the allowlist names it.
func TestLaw2HighIsUnreachable(t *testing.T) {
	eachRoute(t, func(t *testing.T, r lawRoute, with, without *lawApp) {
		for _, name := range append(spellings("law.high"), "memory_forget", "LAW.HIGH", "law-high", "law.high ") {
			if got := r.call(with, granted, name, `{"memory_id":"x"}`); strings.Contains(got, "reached") || strings.Contains(got, `"isError"`) {
				t.Errorf("%s: %s", name, got)
			}
		}
		if n := with.counts["law.high"].Load(); n != 0 {
			t.Errorf("the HIGH handler ran %d times", n)
		}
	})
}

// Law 3: the file decides, now. Who is revoked, disabled, rotated or expired answers like a token
// that never was; who is narrowed finds the tool gone; and it all comes back with the file.
func TestLaw3TheFileDecidesNow(t *testing.T) {
	disabled, rotated, narrowed, expiring := granted, granted, granted, granted
	disabled.extra = `,"disabled":true`
	rotated.token = "law-token-another-0123456789"
	narrowed.allow = []string{"memory_recall"}
	eachRoute(t, func(t *testing.T, r lawRoute, with, without *lawApp) {
		out := r.call(with, nobody, "law.low", `{}`)
		for what, clients := range map[string][]lawClient{
			"revoked": {narrow}, "disabled": {disabled}, "nobody at all": {}, "rotated": {rotated},
			"one token of two over":     {granted.listed(`,"expires_at":"2020-01-01T00:00:00Z"`)},
			"one token of two to come":  {granted.listed(`,"not_before":"2999-01-01T00:00:00Z"`)},
			"one token of two in doubt": {granted.listed(`,"not_before":"soon"`)},
			"one token of two removed":  {granted.withSibling()},
		} {
			if (what == "rotated" || strings.HasPrefix(what, "one token")) && r.name == "operator's socket" {
				continue // calls by name, not by token
			}
			with.write(clients...)
			with.refused(r, what, out)
			with.write(granted, narrow, nothing)
			with.admitted(r, what)
		}
		with.write(narrowed)
		if diff := cmp.Diff(r.call(without, granted, "law.low", `{}`), r.call(with, granted, "law.low", `{}`)); diff != "" {
			t.Errorf("narrowed (-missing +narrowed):\n%s", diff)
		}
		expiring.extra = fmt.Sprintf(`,"expires_at":%q`, with.now().Add(time.Hour).Format(time.RFC3339))
		with.write(expiring)
		with.admitted(r, "not yet expired")
		with.ahead.Store(int64(2 * time.Hour))
		with.refused(r, "expired", out)
		if r.name == "operator's socket" {
			return
		}
		with.write(granted.listed(fmt.Sprintf(`,"not_before":%q,"expires_at":%q`,
			with.now().Add(-time.Hour).Format(time.RFC3339), with.now().Add(time.Hour).Format(time.RFC3339))))
		with.admitted(r, "a token of a list in its time")
		with.ahead.Store(int64(4 * time.Hour))
		with.refused(r, "a token of a list after its time", out)
		with.ahead.Store(0)
		with.refused(r, "a token of a list before its time", out)
	})
}

func (l *lawApp) refused(r lawRoute, what, want string) {
	l.t.Helper()
	before := l.reached()
	if diff := cmp.Diff(want, r.call(l, granted, "law.low", `{}`)); diff != "" {
		l.t.Errorf("%s: not the answer for a token that never was (-unknown +%s):\n%s", what, what, diff)
	}
	if l.reached() != before {
		l.t.Errorf("%s: a handler ran", what)
	}
}

func (l *lawApp) admitted(r lawRoute, what string) {
	l.t.Helper()
	before := l.reached()
	if got := r.call(l, granted, "law.low", `{}`); l.reached() != before+1 {
		l.t.Errorf("%s: not reached although the file grants it: %s", what, got)
	}
}
