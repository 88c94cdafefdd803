package runner_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
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
	"prax/store/digest"
	"prax/store/sqlite"
	"prax/tools/definition"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// morning is when these tests begin, unless they say otherwise.
var morning = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// Who asks. Ann has an agent and a person, and one client more that was granted few definitions; Bob is somebody else.
var (
	agent  = client("ann-agent", "ann")
	person = client("ann", "ann", "human")
	few    = granting(client("ann-few", "ann"), "build", "board")
	bob    = client("bob-agent", "bob")
	boss   = overseeing(client("boss", "zoe", "human"), "ann")
	fake   = overseeing(client("fake", "zoe"), "ann") // oversees without being a person
)

func client(name, user string, roles ...string) auth.Principal {
	return auth.Principal{Client: name, User: user, Roles: auth.Names(roles...), Workflows: auth.Everything()}
}

func granting(p auth.Principal, definitions ...string) auth.Principal {
	p.Workflows = auth.Names(definitions...)
	return p
}

func overseeing(p auth.Principal, users ...string) auth.Principal {
	p.Oversees = auth.Names(users...)
	return p
}

// catalog is the definitions in force.
type catalog struct {
	current atomic.Pointer[map[string]*workflow.Definition]
}

func (c *catalog) Definition(id string) (*workflow.Definition, bool) {
	d, there := (*c.current.Load())[id]
	return d, there
}

func (c *catalog) set(definitions ...*workflow.Definition) {
	byID := map[string]*workflow.Definition{}
	for _, d := range definitions {
		byID[d.ID] = d
	}
	c.current.Store(&byID)
}

// house is a runner on a real store.
type house struct {
	testing.TB
	db      *sqlite.DB
	catalog *catalog
	*runner.Runner
	config runner.Config
	clock  *clock
	people *clients // who is live, where the house has executors
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

// open builds a house with the definitions of testdata/flows.yaml, and what change makes of its parts.
func open(t testing.TB, change ...func(*runner.Config, *sqlite.Config)) *house {
	t.Helper()
	return openAt(t, t.TempDir(), change...)
}

func openAt(t testing.TB, dir string, change ...func(*runner.Config, *sqlite.Config)) *house {
	t.Helper()
	h := &house{TB: t, catalog: &catalog{}, clock: &clock{at: morning}}
	h.catalog.set(load(t, "testdata/flows.yaml")...)
	h.config = runner.Config{Catalog: h.catalog, Decode: decode, Now: h.clock.now}
	database := sqlite.Config{Dir: dir, BlockEvery: 5 * time.Millisecond}
	for _, c := range change {
		c(&h.config, &database)
	}
	db, err := sqlite.Open(context.Background(), database)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	h.db = db
	t.Cleanup(h.close)
	if h.config.Store == nil {
		h.config.Store = db
	}
	h.Runner = runner.New(h.config)
	return h
}

func (h *house) close() {
	if ids := h.Changed(); len(ids) > 0 {
		h.Errorf("the shared forms of these instances were changed: %v", ids)
	}
	if err := h.db.Close(); err != nil && !errors.Is(err, store.ErrClosed) {
		h.Errorf("close: %v", err)
	}
}

// restart is the same house with a runner that has nothing in memory.
func (h *house) restart() *house {
	next := *h
	next.Runner = runner.New(h.config)
	return &next
}

func decode(text jsontext.Value) (*workflow.Definition, error) {
	return definition.Decode(text, kinds())
}

func load(t testing.TB, path string) []*workflow.Definition {
	t.Helper()
	set, problems := definition.Load(path, kinds())
	if set == nil {
		t.Fatalf("%s: %v", path, problems)
	}
	return set.Definitions
}

// written are the definitions of a text.
func written(t testing.TB, text string) []*workflow.Definition {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flows.yaml")
	if err := os.WriteFile(path, []byte("version: \"1.0.0\"\nworkflows:\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	return load(t, path)
}

func work(p auth.Principal) runner.Work {
	return runner.Work{Principal: p, RequestID: "req-" + p.Client, Remote: "192.0.2.1"}
}

// begin starts an instance, and fails the test unless that works.
func (h *house) begin(p auth.Principal, definition string, with ...func(*runner.StartRequest)) *runner.Answer {
	h.Helper()
	q := runner.StartRequest{DefinitionID: definition}
	for _, change := range with {
		change(&q)
	}
	a, err := h.Start(context.Background(), work(p), q)
	if err != nil || a.Refusal != nil {
		h.Fatalf("start %s: %v, %+v", definition, err, a)
	}
	return a
}

func input(text string) func(*runner.StartRequest) {
	return func(q *runner.StartRequest) { q.Input = jsontext.Value(text) }
}

func run(id string) func(*runner.StartRequest) {
	return func(q *runner.StartRequest) { q.RunID, q.TraceID = id, "trace-"+id }
}

// submit takes a transition of the instance as the answer has it. Its answer is what became of it, in a word.
func (h *house) submit(p auth.Principal, a *runner.Answer, transition, arguments string) (*runner.Answer, string) {
	h.Helper()
	next, err := h.Submit(context.Background(), work(p), request(a, transition, arguments))
	return next, outcome(next, err)
}

func request(a *runner.Answer, transition, arguments string) runner.SubmitRequest {
	return runner.SubmitRequest{
		InstanceID: a.Stored.ID, Transition: transition, ExpectedVersion: a.Stored.Version, Arguments: jsontext.Value(arguments),
	}
}

// must submits, and fails the test unless the instance is in this state at this version then.
func (h *house) must(p auth.Principal, a *runner.Answer, transition, arguments, want string) *runner.Answer {
	h.Helper()
	next, got := h.submit(p, a, transition, arguments)
	if got != want {
		h.Fatalf("submit %s: %s, want %s", transition, got, want)
	}
	return next
}

// outcome is an answer in a word: the error, the code of a refusal, or the state and the version.
func outcome(a *runner.Answer, err error) string {
	switch {
	case err != nil:
		return "error: " + err.Error()
	case a.Refusal != nil && a.Change == nil:
		return string(a.Refusal.Code)
	case a.Refusal != nil:
		return fmt.Sprintf("%s %d %s", a.Stored.State, a.Stored.Version, a.Refusal.Code)
	case a.Change == nil:
		return fmt.Sprintf("%s %d unchanged", a.Stored.State, a.Stored.Version)
	}
	return fmt.Sprintf("%s %d", a.Stored.State, a.Stored.Version)
}

// get reads an instance, and fails the test unless that works.
func (h *house) get(p auth.Principal, id string) *runner.Answer {
	h.Helper()
	a, err := h.Get(context.Background(), work(p), id)
	if err != nil {
		h.Fatalf("get: %v", err)
	}
	return a
}

func (h *house) history(p auth.Principal, id string) []store.Step {
	h.Helper()
	steps, err := h.History(context.Background(), work(p), id, 0, store.MaxSteps)
	if err != nil {
		h.Fatalf("history: %v", err)
	}
	return steps
}

// told is what the audit has of workflows.
type told struct {
	store.Event
	Detail struct {
		WorkflowID  string          `json:"workflow_id"`
		Correlation string          `json:"correlation_id"`
		TraceID     string          `json:"trace_id"`
		RunID       string          `json:"run_id"`
		Events      []workflow.Fact `json:"events"`
	}
}

// types are the names of its events.
func (t told) types() string {
	var names []string
	for _, f := range t.Detail.Events {
		names = append(names, f.Type)
	}
	return strings.Join(names, " ")
}

// events are those of the chain about one instance, oldest first: of changes, and of what was refused.
func (h *house) events(id string) (changes, refusals []told) {
	h.Helper()
	h.flush()
	h.eachEvent(func(e store.Event) {
		changes = append(changes, h.about(id, e)...)
		for _, refused := range e.Calls {
			refusals = append(refusals, h.about(id, refused)...)
		}
	})
	return changes, refusals
}

// eachEvent calls f with every event of the chain.
func (h *house) eachEvent(f func(store.Event)) {
	h.Helper()
	for after := int64(0); ; {
		var some []store.Event
		err := h.db.View(context.Background(), func(tx store.Tx) (err error) {
			some, err = tx.EventsAfter(after, 1000)
			return err
		})
		if err != nil {
			h.Fatal(err)
		}
		if len(some) == 0 {
			return
		}
		for _, e := range some {
			after = e.Seq
			f(e)
		}
	}
}

// about is an event if it is one of this instance.
func (h *house) about(id string, e store.Event) []told {
	h.Helper()
	if one, ok := h.told(e); ok && one.Detail.WorkflowID == id {
		return []told{one}
	}
	return nil
}

// told reads an event of a workflow.
func (h *house) told(e store.Event) (one told, ok bool) {
	h.Helper()
	if e.Kind != store.EventWorkflow {
		return one, false
	}
	one.Event = e
	if err := json.Unmarshal([]byte(e.Detail), &one.Detail); err != nil {
		h.Fatalf("detail %s: %v", e.Detail, err)
	}
	return one, true
}

// flush waits until what was recorded by now is in the chain.
func (h *house) flush() {
	h.Helper()
	mark := "flush-" + store.NewID()
	h.db.Record(store.Event{Kind: store.EventCall, User: "nobody", RequestID: mark})
	h.eventually("the recorded events reach the chain", func() bool {
		var seen bool
		err := h.db.View(context.Background(), func(tx store.Tx) error {
			last, err := tx.LastEvent()
			for _, e := range last.Calls {
				seen = seen || e.RequestID == mark
			}
			return err
		})
		return seen && err == nil
	})
}

// eventually waits for a condition, half a minute at most.
func (h *house) eventually(what string, met func() bool) {
	h.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !met() {
		select {
		case <-tick.C:
		case <-deadline.C:
			h.Fatalf("%s: not within half a minute", what)
		}
	}
}

// contextOf is the context as it is stored.
func contextOf(a *runner.Answer) string { return string(a.Stored.Context) }

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return // of much data a diff takes long
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// changing is a Changer that does something between the reading and the writing of a call.
type changing struct {
	store.Store
	before func(attempt int)
	count  atomic.Int32
}

func (c *changing) Update(ctx context.Context, f func(store.Tx) error) error {
	c.before(int(c.count.Add(1)))
	return c.Store.Update(ctx, f)
}

// reading is a Changer whose transactions show something else than what is stored.
type reading struct {
	store.Store
	show func(store.Tx) store.Tx
}

func (r reading) View(ctx context.Context, f func(store.Tx) error) error {
	return r.Store.View(ctx, func(tx store.Tx) error { return f(r.show(tx)) })
}

func (r reading) Instance(ctx context.Context, s auth.Scope, id string) (i store.Instance, err error) {
	err = r.View(ctx, func(tx store.Tx) (err error) {
		i, err = tx.Instance(s, id)
		return err
	})
	return i, err
}

func hash(text jsontext.Value) string { return digest.Hex(text) }
