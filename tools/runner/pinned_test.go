package runner_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
	"prax/tools/runner"
	"prax/tools/workflow"
)

const firstFlow = `
  flow:
    initialState: s
    states:
      s: { transitions: { go: { target: t } } }
      t: { transitions: { end: { target: u } } }
      u: { terminal: true }
`

// TestDefinitionChanges (B092): an instance goes on as it started, whatever becomes of its definition; a new one starts
// by the new.
func TestDefinitionChanges(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.catalog.set(written(t, firstFlow)...)
	before := h.begin(agent, "flow")
	equal(t, "version of the definition", before.Stored.DefinitionVersion, 1)

	h.catalog.set(written(t, `
  flow:
    initialState: s
    states:
      s: { transitions: { go: { target: renamed, guards: [ { kind: permission, permission: none } ] } } }
      renamed: { terminal: true }
`)...)
	after := h.begin(agent, "flow")
	equal(t, "version of the new definition", after.Stored.DefinitionVersion, 2)
	equal(t, "version that the engine knows", after.Definition.Version, 2)
	_, got := h.submit(agent, after, "go", "")
	equal(t, "new one", got, "GUARD_REJECTED")

	for _, now := range []*house{h, h.restart()} {
		a := now.get(agent, before.Stored.ID)
		equal(t, "versions", []int64{a.Stored.DefinitionVersion, a.Definition.Version}, []int64{1, 1})
	}
	a := h.must(agent, before, "go", "", "t 2")

	h.catalog.set() // deleted
	cold := h.restart()
	cold.must(agent, a, "end", "", "u 3")
	if _, err := cold.Start(context.Background(), work(agent), runner.StartRequest{DefinitionID: "flow"}); err != runner.ErrUnknownDefinition {
		t.Errorf("start of a deleted definition: %v", err)
	}

	h.catalog.set(written(t, firstFlow)...) // and back
	again := h.begin(agent, "flow")
	equal(t, "version of what was there before", again.Stored.DefinitionVersion, 1)
}

// TestDeclaredVersion: content that changes under a declared version is refused, and starts nothing.
func TestDeclaredVersion(t *testing.T) {
	t.Parallel()
	h := open(t)
	declared := func(target string) []*workflow.Definition {
		return written(t, fmt.Sprintf("  flow:\n    version: 7\n    initialState: s\n    states:\n"+
			"      s: { transitions: { go: { target: %s } } }\n      t: { terminal: true }\n      u: { terminal: true }\n", target))
	}
	one, other := declared("t"), declared("u")
	if err := h.Pin(context.Background(), one); err != nil {
		t.Fatalf("pin: %v", err)
	}
	if err := h.Pin(context.Background(), other); err == nil || errors.Is(err, store.ErrConflict) || !strings.Contains(err.Error(), "definition flow: version 7") {
		t.Errorf("pin of another content: %v", err)
	}
	h.catalog.set(other...)
	if a, err := h.Start(context.Background(), work(agent), runner.StartRequest{DefinitionID: "flow"}); err == nil {
		t.Errorf("started: %+v", a)
	}
	h.catalog.set(one...)
	equal(t, "version", h.restart().begin(agent, "flow").Stored.DefinitionVersion, 7)
}

// TestPin stores many definitions, more than one transaction takes, once.
func TestPin(t *testing.T) {
	t.Parallel()
	h, definitions := openRandom(t)
	var all []*workflow.Definition
	for n := range 3 {
		d := definitions.pin(&workflow.Definition{Initial: "s", States: []*workflow.State{{Name: "s"}}})
		d.Text = jsontext.Value(fmt.Sprintf(`{"id":%q,"n":%d,"x":%q}`, d.ID, n, strings.Repeat("x", 2<<20)))
		d.Hash = hash(d.Text)
		definitions.byText.Store(string(d.Text), d)
		all = append(all, d)
	}
	for range 2 {
		if err := h.Pin(context.Background(), all); err != nil {
			t.Fatalf("pin: %v", err)
		}
	}
	err := h.db.View(context.Background(), func(tx store.Tx) error {
		for _, d := range all {
			if kept, err := tx.Definition(d.ID, d.Hash); err != nil || kept.Version != 1 {
				t.Errorf("%s: version %d, %v", d.ID, kept.Version, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// forgetful is a store that lost a definition once.
type forgetful struct {
	store.Store
	lost atomic.Bool
}

func (f *forgetful) Update(ctx context.Context, do func(store.Tx) error) error {
	return f.Store.Update(ctx, func(tx store.Tx) error { return do(forgetfulTx{tx, f}) })
}

type forgetfulTx struct {
	store.Tx
	f *forgetful
}

func (t forgetfulTx) CreateInstance(i store.Instance, first store.Step, evidence []store.Evidence) error {
	if t.f.lost.CompareAndSwap(false, true) {
		return fmt.Errorf("definition: %w", store.ErrNotFound)
	}
	return t.Tx.CreateInstance(i, first, evidence)
}

// TestLostDefinition: a definition that is not in the store any more is stored again, rather than starting nothing.
func TestLostDefinition(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.begin(agent, "ticket")
	w := work(agent)
	w.On = &forgetful{Store: h.db}
	a, err := h.Start(context.Background(), w, runner.StartRequest{DefinitionID: "ticket"})
	equal(t, "start", outcome(a, err), "open 1")
}

// damaged is a transaction that shows an instance, or its definition, other than it was stored.
type damaged struct {
	store.Tx
	instance   func(*store.Instance)
	definition func(*store.Definition)
}

func (d damaged) Instance(s auth.Scope, id string) (store.Instance, error) {
	i, err := d.Tx.Instance(s, id)
	if d.instance != nil {
		d.instance(&i)
	}
	return i, err
}

func (d damaged) Definition(id, hash string) (store.Definition, error) {
	found, err := d.Tx.Definition(id, hash)
	if d.definition != nil {
		d.definition(&found)
	}
	return found, err
}

// TestDamage (B093): an instance that cannot be read is an error that names it, its state and its definition; nobody
// else learns of it, and it can be cancelled.
func TestDamage(t *testing.T) {
	t.Parallel()
	h := open(t)
	for name, tt := range map[string]struct {
		damage  damaged
		want    string
		lasting bool // it cannot be cancelled either
	}{
		"another text":  {damaged{definition: func(d *store.Definition) { d.Text = jsontext.Value(`{"id":"ticket"}`) }}, "is not the one that was pinned", false},
		"no text":       {damaged{definition: func(d *store.Definition) { *d = store.Definition{} }}, "is not the one that was pinned", false},
		"no such state": {damaged{instance: func(i *store.Instance) { i.State = "nowhere" }}, "does not have this state", false},
		"context":       {damaged{instance: func(i *store.Instance) { i.Context = jsontext.Value(`[]`) }}, "context: ", true},
		"input":         {damaged{instance: func(i *store.Instance) { i.Input = jsontext.Value(`null`) }}, "input: ", true},
		"memo":          {damaged{instance: func(i *store.Instance) { i.Memo = jsontext.Value(`{"hops":"many"}`) }}, "memo: ", true},
		"a text of another definition": {damaged{
			instance:   func(i *store.Instance) { i.DefinitionHash = hash(otherText) },
			definition: func(d *store.Definition) { d.Text = otherText },
		}, `of the definition "other"`, false},
		"a text that nothing compiles": {damaged{
			instance:   func(i *store.Instance) { i.DefinitionHash = hash(laterText) },
			definition: func(d *store.Definition) { d.Text = laterText },
		}, "definition ticket: ", false},
	} {
		a := h.begin(agent, "ticket")
		h := h.restart()
		if tt.damage.definition != nil {
			h = h.without()
		}
		w := work(agent)
		w.On = reading{h.db, func(tx store.Tx) store.Tx {
			shown := tt.damage
			shown.Tx = tx
			return shown
		}}
		_, err := h.Get(context.Background(), w, a.Stored.ID)
		var corrupt *runner.Corrupt
		if !errors.As(err, &corrupt) || !strings.Contains(err.Error(), tt.want) || corrupt.InstanceID != a.Stored.ID ||
			corrupt.DefinitionID != "ticket" || corrupt.State == "" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err = h.Submit(context.Background(), w, request(a, "again", "")); !errors.As(err, &corrupt) {
			t.Errorf("%s: submit: %v", name, err)
		}
		foreign := w
		foreign.Principal = bob
		if _, err := h.Get(context.Background(), foreign, a.Stored.ID); err != runner.ErrUnknownInstance {
			t.Errorf("%s: get by a stranger: %v", name, err)
		}
		b, err := h.Cancel(context.Background(), w, a.Stored.ID, "it is broken")
		if tt.lasting {
			if !errors.As(err, &corrupt) {
				t.Errorf("%s: cancel: %v", name, err)
			}
			continue
		}
		if err != nil || b.Stored.Status != store.Cancelled {
			t.Errorf("%s: cancel: %s", name, outcome(b, err))
		}
	}
}

// What a definition never was: one of another id, and one that needs what this version does not have.
var (
	otherText = jsontext.Value(`{"id":"other","initialState":"s","states":{"s":{"terminal":true}}}`)
	laterText = jsontext.Value(`{"id":"ticket","initialState":"s","states":"of a later version"}`)
)

// without is the house with no definition in force.
func (h *house) without() *house {
	next := *h
	config := h.config
	config.Catalog = &catalog{}
	config.Catalog.(*catalog).set()
	next.Runner = runner.New(config)
	return &next
}

// TestCompiledOnce: a definition that is not in force is compiled once for all of its instances, and those used last
// stay compiled, as many as there is room for.
func TestCompiledOnce(t *testing.T) {
	t.Parallel()
	var compiled atomic.Int32
	h := open(t, func(c *runner.Config, _ *sqlite.Config) {
		c.CacheBytes = 1
		c.Decode = func(text jsontext.Value) (*workflow.Definition, error) {
			compiled.Add(1)
			return decode(text)
		}
	})
	ticket, board := h.begin(agent, "ticket"), h.begin(agent, "board")
	h = h.without()
	compiled.Store(0)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { h.get(agent, ticket.Stored.ID) })
	}
	all.Wait()
	equal(t, "compiled for one", compiled.Load(), 1)
	h.get(agent, board.Stored.ID)
	h.get(agent, board.Stored.ID)
	equal(t, "compiled for a second", compiled.Load(), 2)
	h.get(agent, ticket.Stored.ID)
	equal(t, "compiled again, as there is room for one", compiled.Load(), 3)
}
