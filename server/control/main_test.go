package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"prax/auth"
	"prax/auth/clients"
	"prax/store"
	"prax/store/sqlite"
	"prax/tools"
	"prax/tools/lexicon"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait in these tests; nothing is expected to need it.
const patience = 20 * time.Second

const (
	aliceToken = "prx_canary-of-alice-0123456789"
	object     = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`
)

// house is a server on a real socket, over the real registries and store.
type house struct {
	t       *testing.T
	dir     string
	path    string
	cfg     Config
	clients *clients.Registry
	tools   *tools.Registry
	db      *sqlite.DB
	server  *Server
	waiting chan struct{} // the tool `wait` was entered
	release chan struct{} // lets it go on
	left    chan error    // how its context was when it went on

	stop   context.CancelFunc
	ended  chan struct{}
	result error
}

func open(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), waiting: make(chan struct{}, 1), release: make(chan struct{}), left: make(chan error, 1)}
	h.path = filepath.Join(h.dir, SocketName)
	h.grant("echo", "wait", "destroy", "fail", "nothing")
	var err error
	if h.db, err = sqlite.Open(t.Context(), sqlite.Config{Dir: filepath.Join(h.dir, "data")}); err != nil {
		t.Fatal(err)
	}
	h.tools = tools.NewRegistry(tools.Config{Store: h.db, HMAC: h.db.Key().MAC, AuditReads: true})
	if err := h.tools.Set("test", h.catalogue()); err != nil {
		t.Fatal(err)
	}
	h.clients, err = clients.Open(clients.Config{Path: h.file()}, h.tools, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	h.cfg = Config{Clients: h.clients, Tools: h.tools, Audit: h.db, Archive: h.db, Lexicon: lexicon.New(nil, nil), Poll: 5 * time.Millisecond,
		Status: func() Status { return Status{Version: "v1", PID: 7, Registry: h.clients.Status()} }}
	h.server = New(h.cfg)
	return h
}

func (h *house) catalogue() []*tools.Tool {
	tool := func(name string, tier auth.Tier, f tools.Handler) *tools.Tool {
		return &tools.Tool{Name: name, Title: name, Description: name, Tier: tier, Input: jsontext.Value(object), Handler: f}
	}
	return []*tools.Tool{
		tool("echo", auth.Low, func(_ context.Context, c *tools.Call) (*tools.Result, error) {
			return &tools.Result{
				Content:    []tools.Block{{Type: "text", Text: c.Principal.User}, {Type: "image", Data: []byte{0, 255}, MIMEType: "image/png"}},
				Structured: c.Arguments, Meta: map[string]jsontext.Value{"a/b": jsontext.Value(`1`)},
			}, nil
		}),
		tool("wait", auth.Low, func(ctx context.Context, _ *tools.Call) (*tools.Result, error) {
			h.waiting <- struct{}{}
			select {
			case <-ctx.Done():
			case <-h.release:
			}
			h.left <- ctx.Err()
			return tools.Text("went on"), ctx.Err()
		}),
		tool("fail", auth.Medium, func(context.Context, *tools.Call) (*tools.Result, error) {
			return nil, tools.Errorf(tools.CodeConflict, "no luck")
		}),
		tool("other.tool", auth.Low, func(context.Context, *tools.Call) (*tools.Result, error) { return tools.Text("other"), nil }),
		tool("destroy", auth.High, func(context.Context, *tools.Call) (*tools.Result, error) {
			h.t.Error("a HIGH tool ran")
			return tools.Text("gone"), nil
		}),
	}
}

func (h *house) file() string { return filepath.Join(h.dir, "clients.json") }

// grant writes clients.json: alice has these names, carol is expired, slow has two calls.
func (h *house) grant(names ...string) {
	h.t.Helper()
	type entry map[string]any
	b, err := json.Marshal(map[string]any{"clients": []entry{
		{"name": "alice", "token": aliceToken, "user_id": "u-alice", "allow": names},
		{"name": "bob", "token": "prx_canary-of-bob-0123456789", "user_id": "u-bob", "allow": []string{"other_tool"}},
		{"name": "carol", "token": "prx_canary-of-carol-0123456789", "user_id": "u-carol", "expires_at": "2001-01-01T00:00:00Z"},
		{"name": "slow", "token": "prx_canary-of-slow-0123456789", "user_id": "u-slow", "allow": []string{"echo"}, "rate": entry{"per_second": 0.001, "burst": 2}},
		{"name": "empty", "token": "prx_canary-of-empty-0123456789", "user_id": "u-empty", "allow": []string{}},
	}})
	if err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(h.file(), b, 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// start serves, and closes everything when the test ends.
func start(t *testing.T) *house {
	t.Helper()
	h := open(t)
	h.serve()
	return h
}

func (h *house) serve() {
	h.t.Helper()
	ln, err := Listen(h.path)
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.stop, h.ended = cancel, make(chan struct{})
	go func() {
		defer close(h.ended)
		h.result = h.server.Serve(ctx, ln)
	}()
	h.t.Cleanup(func() {
		if err := h.finish(); err != nil {
			h.t.Errorf("Serve: %v", err)
		}
		bounded, done := context.WithTimeout(context.Background(), patience)
		defer done()
		if err := errors.Join(h.tools.Close(bounded), h.db.Close()); err != nil {
			h.t.Error(err)
		}
	})
}

func (h *house) finish() error {
	h.stop()
	await(h.t, h.ended, "the end of Serve")
	return h.result
}

func (h *house) dial() *Client {
	h.t.Helper()
	c, err := Dial(h.path)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(c.Close)
	return c
}

// events waits until the chain, blocks opened, has n events that ok takes.
func (h *house) events(n int, ok func(store.Event) bool) []store.Event {
	h.t.Helper()
	var got []store.Event
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		got = got[:0]
		err := h.db.View(context.Background(), func(tx store.Tx) error {
			all, err := tx.EventsAfter(0, 1000)
			for _, e := range all {
				for _, one := range append(e.Calls, e) {
					if ok(one) {
						got = append(got, one)
					}
				}
			}
			return err
		})
		if err != nil {
			h.t.Fatal(err)
		}
		if len(got) >= n {
			return got
		}
		if time.Now().After(end) {
			h.t.Fatalf("waited %v for %d events, have %+v", patience, n, got)
		}
	}
}

// note writes numbered events of the server's own.
func (h *house) note(from, to int) {
	h.t.Helper()
	err := h.db.Update(context.Background(), func(tx store.Tx) error {
		for i := from; i < to; i++ {
			tx.AddEvent(store.Event{At: time.Now(), Kind: store.EventServer, Outcome: "ok", Detail: fmt.Sprintf(`{"n":%d}`, i)})
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func await[T any](t *testing.T, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatalf("waited %v for %s", patience, what)
	}
	return v
}

// seen collects what a stream gives.
type seen struct {
	mu     sync.Mutex
	events []store.Event
	grew   chan struct{}
}

func collect() *seen { return &seen{grew: make(chan struct{}, 1)} }

func (s *seen) add(events []store.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, events...)
	select {
	case s.grew <- struct{}{}:
	default:
	}
	return nil
}

// own are the events that note wrote.
func (s *seen) own() (details []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if e.Kind == store.EventServer {
			details = append(details, e.Detail)
		}
	}
	return details
}
