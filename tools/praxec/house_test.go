package praxec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
	"prax/tools"
	"prax/tools/definition"
	"prax/tools/lexicon"
	"prax/tools/praxec"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// morning is when these tests begin.
var morning = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// Who asks. Ann has an agent and a person; Bob is somebody else; the boss oversees Ann.
var (
	agent  = client("ann-agent", "ann")
	person = client("ann", "ann", "human")
	bob    = client("bob-agent", "bob")
	boss   = overseeing(client("boss", "zoe", "human"), "ann")
)

func client(name, user string, roles ...string) auth.Principal {
	return auth.Principal{
		Client: name, User: user, Roles: auth.Names(roles...), Workflows: auth.Everything(),
		Allow: auth.Names(praxec.Query, praxec.Command),
	}
}

func overseeing(p auth.Principal, users ...string) auth.Principal {
	p.Oversees = auth.Names(users...)
	return p
}

func granting(p auth.Principal, definitions ...string) auth.Principal {
	p.Workflows = auth.Names(definitions...)
	return p
}

func permitting(p auth.Principal, permissions ...string) auth.Principal {
	p.Permissions = auth.Names(permissions...)
	return p
}

// house is the two tools on a real store, runner and configuration.
type house struct {
	testing.TB
	db       *sqlite.DB
	tools    *tools.Registry
	runner   *runner.Runner
	lexicon  *lexicon.Lexicon
	set      atomic.Pointer[definition.Set]
	settings atomic.Pointer[praxec.Settings]
	clock    clock
	calls    atomic.Int64
	reload   func() definition.Status
}

// clock is a time that stands still until it is moved.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// Definition is the one in force: the house is the runner's catalog.
func (h *house) Definition(id string) (*workflow.Definition, bool) {
	d := h.set.Load().Definition(id)
	return d, d != nil
}

// open builds a house with a configuration, and everything switched on.
func open(t testing.TB, path string) *house {
	t.Helper()
	h := &house{TB: t, clock: clock{at: morning}, lexicon: lexicon.New(nil, nil)}
	h.settings.Store(&praxec.Settings{LexiconWrites: true, SkillsSearch: true, ScriptsSearch: true})
	h.put(loaded(t, path))
	db, err := sqlite.Open(context.Background(), sqlite.Config{Dir: t.TempDir(), BlockEvery: 5 * time.Millisecond, Now: h.clock.now})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	h.db = db
	h.runner, h.tools = h.wired()
	t.Cleanup(h.close)
	return h
}

// wired is a runner and the tools on the store and the configuration of the house, with nothing in memory yet.
func (h *house) wired() (*runner.Runner, *tools.Registry) {
	r := runner.New(runner.Config{
		Store: h.db, Catalog: h, Now: h.clock.now, Executors: executors(), Connection: h.connection, Live: live,
		Decode: func(text jsontext.Value) (*workflow.Definition, error) {
			return definition.Decode(text, kinds())
		},
	})
	registry := tools.NewRegistry(tools.Config{Store: h.db, Now: h.clock.now, AuditReads: true, Timeout: 10 * time.Minute})
	err := registry.Set("praxec", praxec.Tools(praxec.Config{
		Runner: r, Definitions: h.set.Load, Lexicon: h.lexicon, Store: h.db, Now: h.clock.now,
		Settings: func() praxec.Settings { return *h.settings.Load() },
		Reload: func() definition.Status {
			if h.reload == nil {
				return definition.Status{}
			}
			return h.reload()
		},
	}))
	if err != nil {
		h.Fatal(err)
	}
	return r, registry
}

func (h *house) close() {
	ended, end := context.WithCancel(context.Background())
	end()
	if err := h.runner.Stop(ended); err != nil {
		h.Errorf("stop the runner: %v", err)
	}
	if err := h.tools.Close(context.Background()); err != nil {
		h.Errorf("close the tools: %v", err)
	}
	if err := h.db.Close(); err != nil && !errors.Is(err, store.ErrClosed) {
		h.Errorf("close the store: %v", err)
	}
}

// put has another set in force.
func (h *house) put(set *definition.Set) {
	h.Helper()
	h.set.Store(set)
	if err := praxec.Configure(h.lexicon, set); err != nil {
		h.Fatal(err)
	}
}

func loaded(t testing.TB, path string) *definition.Set {
	t.Helper()
	set, problems := definition.Load(path, kinds())
	if set == nil {
		t.Fatalf("%s: %v", path, problems)
	}
	return set
}

// written is the set of a text.
func written(t testing.TB, text string) *definition.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "praxec.yaml")
	if err := os.WriteFile(path, []byte("version: \"1.0.0\"\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	return loaded(t, path)
}

// call calls a tool as it comes in from a protocol.
func (h *house) call(p auth.Principal, tool, arguments string) (*tools.Result, error) {
	return h.callOn(h.tools, p, tool, arguments)
}

func (h *house) callOn(registry *tools.Registry, p auth.Principal, tool, arguments string) (*tools.Result, error) {
	return registry.Call(context.Background(), &tools.Call{
		Principal: p, Name: tool, Arguments: jsontext.Value(arguments), RequestID: fmt.Sprintf("req-%d", h.calls.Add(1)),
		Remote: "192.0.2.1", Progress: func(tools.Progress) {},
	})
}

// answer is what a tool gave, decoded.
type answer map[string]any

// raw is the answer as it went out, which must be structured, the same as text, no failure, and have links.
func (h *house) raw(p auth.Principal, tool, arguments string) string {
	h.Helper()
	res, err := h.call(p, tool, arguments)
	if err != nil {
		h.Fatalf("%s %s: %v", tool, arguments, err)
	}
	if res.IsError || len(res.Content) != 1 {
		h.Fatalf("%s %s: %+v", tool, arguments, res)
	}
	if text := res.Content[0].Text; text != string(res.Structured) {
		h.Errorf("%s %s: the text is not the structured content: %s", tool, arguments, text)
	}
	return string(res.Structured)
}

func (h *house) ask(p auth.Principal, tool, arguments string) answer {
	h.Helper()
	raw := h.raw(p, tool, arguments)
	a := decoded(h, raw)
	if _, is := a["links"].([]any); !is {
		h.Errorf("%s %s: no links in %s", tool, arguments, raw)
	}
	return a
}

func decoded(t testing.TB, raw string) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal([]byte(raw), &a); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return a
}

func (h *house) query(p auth.Principal, arguments string) answer {
	h.Helper()
	return h.ask(p, praxec.Query, arguments)
}

func (h *house) command(p auth.Principal, arguments string) answer {
	h.Helper()
	return h.ask(p, praxec.Command, arguments)
}

// start starts a definition, and fails the test unless that works.
func (h *house) start(p auth.Principal, definition, input string) answer {
	h.Helper()
	a := h.command(p, fmt.Sprintf(`{"definitionId":%q,"input":%s}`, definition, input))
	if a.text("workflow.id") == "" {
		h.Fatalf("%s was not started: %s", definition, show(a))
	}
	return a
}

// submit takes a transition of the workflow as an answer has it.
func (h *house) submit(p auth.Principal, a answer, transition, arguments string) answer {
	h.Helper()
	return h.command(p, submission(a, transition, arguments))
}

func submission(a answer, transition, arguments string) string {
	return fmt.Sprintf(`{"workflowId":%q,"expectedVersion":%d,"transition":%q,"arguments":%s}`, a.id(), a.version(), transition, arguments)
}

func (h *house) get(p auth.Principal, id string) answer {
	h.Helper()
	return h.query(p, fmt.Sprintf(`{"workflowId":%q}`, id))
}

// at is the value at a path of names and numbers with dots between; nil when there is none.
func (a answer) at(path string) any {
	var value any = map[string]any(a)
	for name := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			var n int
			if _, err := fmt.Sscan(name, &n); err != nil || n >= len(v) {
				return nil
			}
			value = v[n]
		default:
			return nil
		}
	}
	return value
}

// text is the value at a path in a word; "" for none.
func (a answer) text(path string) string {
	switch v := a.at(path).(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return show(v)
	}
}

func (a answer) id() string { return a.text("workflow.id") }

func (a answer) version() int64 {
	n, _ := a.at("workflow.version").(float64)
	return int64(n)
}

// rels are the names of the links, each with why it is blocked.
func (a answer) rels() string {
	var names []string
	links, _ := a["links"].([]any)
	for _, l := range links {
		l := answer(l.(map[string]any))
		name := l.text("rel")
		if code := l.text("blocked.code"); code != "" {
			name += "(" + code + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// link is the one of this name; nil when there is none.
func (a answer) link(rel string) answer {
	links, _ := a["links"].([]any)
	for _, l := range links {
		if l := answer(l.(map[string]any)); l["rel"] == rel {
			return l
		}
	}
	return nil
}

// brief is an answer in a line: state, version, status and code.
func (a answer) brief() string {
	line := fmt.Sprintf("%s %d %s", a.text("workflow.state"), a.version(), a.text("result.status"))
	if code := a.text("error.code"); code != "" {
		line += " " + code
	}
	return line
}

func show(v any) string {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
