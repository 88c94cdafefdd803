package mcp_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"prax/auth"
	"prax/server/edge"
	"prax/server/mcp"
	"prax/store"
	"prax/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// journal is as much of a store as calls need that change nothing but it.
type journal struct {
	store.Store
	mu     sync.Mutex
	events []store.Event
}

func (j *journal) Record(e store.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
}

func (j *journal) Update(_ context.Context, f func(store.Tx) error) error { return f(journalTx{j: j}) }

type journalTx struct {
	store.Tx
	j *journal
}

func (tx journalTx) AddEvent(e store.Event) { tx.j.Record(e) }

// clients is an authenticator whose clients a test changes; the token of each is its name.
type clients struct {
	mu      sync.Mutex
	byToken map[string]auth.Principal
	changed chan struct{}
}

func (c *clients) set(list ...auth.Principal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byToken = map[string]auth.Principal{}
	for _, p := range list {
		c.byToken[p.Client] = p
	}
	if c.changed != nil {
		close(c.changed)
	}
	c.changed = make(chan struct{})
}

func (c *clients) Authenticate(r *http.Request) (auth.Principal, bool) {
	token, ok := auth.ParseBearer(r.Header["Authorization"])
	if !ok {
		return auth.Principal{}, false
	}
	return c.Again(auth.Principal{Client: token})
}

func (c *clients) Again(p auth.Principal) (auth.Principal, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, ok := c.byToken[p.Client]
	return now, ok && !now.Expired(time.Now())
}

func (c *clients) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

func client(name string, allow auth.NameSet) auth.Principal {
	return auth.Principal{Client: name, User: "u_" + name, Allow: allow}
}

// house is a server with its surroundings: what package server does before it hands over.
type house struct {
	clients  *clients
	registry *tools.Registry
	journal  *journal
	edge     *edge.Edge
	server   *mcp.Server
}

const maxBody = 64 << 10

var everyTool = auth.Names("clock", "praxec.query", "note_write", "wipe", "fail", "blocks", "structured", "steps", "typed", "panics", "hang")

// failer is what a test and a drawn case of one have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newHouse(t failer, configure func(*mcp.Config, *edge.Config)) *house {
	t.Helper()
	h := &house{clients: &clients{}, journal: &journal{}}
	h.clients.set(
		client("alice", everyTool),
		client("mark", auth.Names("marked", "protocol")),
		client("clerk", auth.Names("clock")),
		client("nobody", auth.NameSet{}),
		func() auth.Principal { p := client("plain", everyTool); p.Spelling = auth.Underscore; return p }(),
	)
	h.registry = tools.NewRegistry(tools.Config{Store: h.journal})
	if err := h.registry.Set("fixture", fixtureTools()); err != nil {
		t.Fatal(err)
	}
	config := mcp.Config{Registry: h.registry, Info: mcp.Info{Name: "prax", Version: "1.2.3"}, Instructions: "List, then call.", Log: slog.New(slog.DiscardHandler)}
	var limits edge.Config
	if configure != nil {
		configure(&config, &limits)
	}
	h.edge = edge.New(limits)
	h.server = mcp.New(config)
	return h
}

func (h *house) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, ok := h.clients.Authenticate(r)
	if !ok {
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	x := h.exchange(p)
	h.server.Serve(w, r, x)
	if x.Out() {
		http.Error(w, "unauthorized", http.StatusUnauthorized)
	}
}

func (h *house) exchange(p auth.Principal) *edge.Exchange {
	return h.edge.Exchange(h.clients, p, "REQ1", "192.0.2.7", time.Now())
}

// post sends one body as a client and gives the recorded answer.
func (h *house) post(as, body string, headers ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, newPost(as, body, headers...))
	return w
}

// newPost is a request as MCP wants it; headers are "Name: value".
func newPost(as, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+as)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ":")
		r.Header.Set(name, strings.TrimSpace(value))
	}
	return r
}

// modern gives the headers of a request of 2026-07-28.
func modern(method string, name ...string) []string {
	h := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
	if name != nil {
		h = append(h, "Mcp-Name: "+name[0])
	}
	return h
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func object(text string) jsontext.Value { return jsontext.Value(text) }

func answer(res *tools.Result) tools.Handler {
	return func(context.Context, *tools.Call) (*tools.Result, error) { return res, nil }
}

func fixtureTools() []*tools.Tool {
	none := object(`{"type":"object","additionalProperties":false}`)
	open := object(`{"type":"object"}`)
	return []*tools.Tool{
		{Name: "clock", Title: "Clock", Description: "Tells the time.", Tier: auth.Low, Input: none, Idempotent: true,
			Output:  object(`{"type":"object","properties":{"now":{"type":"string"}},"required":["now"]}`),
			Handler: answer(&tools.Result{Content: []tools.Block{{Type: "text", Text: "It is noon."}}, Structured: object(`{"now":"12:00"}`)})},
		{Name: "praxec.query", Description: "Answers back.", Tier: auth.Low, OpenWorld: true,
			Input: object("{\n  \"type\": \"object\",\n  \"x-untouched\": [1, 2]\n}"),
			Handler: func(_ context.Context, c *tools.Call) (*tools.Result, error) {
				return tools.Text(c.Principal.User + " " + string(c.Arguments)), nil
			}},
		{Name: "note_write", Description: "Writes a note.", Tier: auth.Medium, Input: open, Handler: answer(tools.Text("written"))},
		{Name: "wipe", Description: "Removes everything.", Tier: auth.High, Input: open, Handler: answer(tools.Text("gone"))},
		{Name: "fail", Description: "Fails.", Tier: auth.Low, Input: open,
			Handler: func(context.Context, *tools.Call) (*tools.Result, error) {
				return &tools.Result{Structured: object(`{"never":"shown"}`)}, &tools.Error{Code: tools.CodeNotFound, Message: "no such page", Hint: "list the pages first", Cause: errors.New("open /secret/path")}
			}},
		{Name: "blocks", Description: "One block of each kind.", Tier: auth.Low, Input: open, Handler: answer(&tools.Result{
			Content: []tools.Block{
				{Type: "text", Text: "a \"quoted\"\nline"},
				{Type: "image", Data: []byte("png"), MIMEType: "image/png"},
				{Type: "audio", Data: []byte("wav"), MIMEType: "audio/wav"},
				{Type: "resource", Resource: object(`{"uri":"test://r","mimeType":"text/plain","text":"t"}`)},
				{Type: "resource_link", URI: "test://l", Name: "link", MIMEType: "text/plain"},
			},
			Meta: map[string]jsontext.Value{"prax/b": object(`2`), "prax/a": object(`{"x":1}`)},
		})},
		{Name: "structured", Description: "Has no text of its own.", Tier: auth.Low, Input: open, Handler: answer(&tools.Result{Structured: object("{\"items\":[\n]}")})},
		{Name: "steps", Description: "Reports three steps.", Tier: auth.Low, Input: open,
			Handler: func(_ context.Context, c *tools.Call) (*tools.Result, error) {
				c.Progress(tools.Progress{Done: 0, Total: 4})
				c.Progress(tools.Progress{Done: 1.5, Total: 4, Message: "half\nway"})
				c.Progress(tools.Progress{Done: 1, Total: 4})
				c.Progress(tools.Progress{Done: 4})
				return tools.Text("done"), nil
			}},
		{Name: "typed", Description: "Wants a number.", Tier: auth.Low, Input: object(`{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},"required":["n"],"additionalProperties":false}`),
			Handler: answer(tools.Text("fits"))},
		{Name: "marked", Description: "Has arguments that headers repeat.", Tier: auth.Low, Input: object(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"},"on":{"type":"boolean","x\u002dmcp-header":"On"},"in":{"type":"object","properties":{"deep":{"type":"string","x-mcp-header":"Deep"}}},"f":{"type":"number","x-mcp-header":"F"},"l":{"type":"array","items":{"type":"string","x-mcp-header":"L"}}}}`),
			Handler: func(_ context.Context, c *tools.Call) (*tools.Result, error) {
				return tools.Text(string(c.Arguments)), nil
			}},
		{Name: "protocol", Description: "Answers with an error of the protocol.", Tier: auth.Low, Input: open,
			Handler: func(context.Context, *tools.Call) (*tools.Result, error) {
				return nil, &tools.ProtocolError{Code: -32603, Message: "broken on \"purpose\""}
			}},
		{Name: "panics", Description: "Panics.", Tier: auth.Low, Input: open,
			Handler: func(context.Context, *tools.Call) (*tools.Result, error) { panic("password=hunter2") }},
		{Name: "hang", Description: "Waits until it is cancelled.", Tier: auth.Low, Input: open,
			Handler: func(ctx context.Context, _ *tools.Call) (*tools.Result, error) { <-ctx.Done(); return nil, ctx.Err() }},
	}
}
