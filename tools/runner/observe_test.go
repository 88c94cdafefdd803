package runner_test

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/store/sqlite"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// watching counts what a runner tells.
type watching struct {
	mu    sync.Mutex
	count map[string]int
}

func (w *watching) Started(s store.Status) { w.add("started " + string(s)) }
func (w *watching) Moved(s store.Status)   { w.add("moved " + string(s)) }

func (w *watching) add(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count[what]++
}

// take is what was told since the last take.
func (w *watching) take() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.count
	w.count = map[string]int{}
	return all
}

// TestObserved: starts and moves are told once they are on the disk, with the status that they led to; refusals are none.
func TestObserved(t *testing.T) {
	t.Parallel()
	w := &watching{count: map[string]int{}}
	h := open(t, func(c *runner.Config, _ *sqlite.Config) { c.Observe = w })
	told := func(what string, want map[string]int) {
		t.Helper()
		if got := w.take(); !maps.Equal(got, want) {
			t.Errorf("%s: told of %v, want %v", what, got, want)
		}
	}
	a := h.begin(agent, "ticket")
	told("a start", map[string]int{"started open": 1})
	b := h.must(agent, a, "classify", `{"category":"x"}`, "sorted 2")
	told("a move", map[string]int{"moved open": 1})
	h.submit(agent, a, "classify", `{"category":"x"}`) // too late
	h.submit(agent, b, "approve", "")                  // a person's
	told("refusals", map[string]int{})
	h.must(person, b, "approve", "", "closed 3")
	told("the last move", map[string]int{"moved completed": 1})
	if _, err := h.Cancel(context.Background(), work(agent), h.begin(agent, "ticket").Stored.ID, ""); err != nil {
		t.Fatal(err)
	}
	told("a cancellation", map[string]int{"started open": 1, "moved cancelled": 1})
	h.begin(agent, "build")
	told("a start with a chain", map[string]int{"started open": 1})
	late := h.begin(agent, "late").Stored.ID
	h.clock.add(timeout)
	broken := *h
	config := h.config
	config.Decode = func(jsontext.Value) (*workflow.Definition, error) { return nil, errors.New("a later version's") }
	config.Catalog = &catalog{}
	config.Catalog.(*catalog).set()
	broken.Runner = runner.New(config)
	stop := broken.tend()
	h.eventually("it is put aside", func() bool { return h.state(late) == "s 2" })
	stop()
	told("a timeout that cannot be applied", map[string]int{"started open": 1, "moved open": 1})
}
