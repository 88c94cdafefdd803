package runner_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
	"prax/store/sqlite"
	"prax/tools/runner"
	"prax/tools/workflow"
	"prax/tools/workflow/workflowtest"
)

// random gives a generated definition what it needs to be stored: an id and a text of its own. Decode finds it by
// that text.
type random struct{ byText sync.Map }

func (r *random) pin(d *workflow.Definition) *workflow.Definition {
	d.ID = "random-" + store.NewID()
	d.Text = jsontext.Value(fmt.Sprintf(`{"id":%q}`, d.ID))
	d.Hash = digest.Hex(d.Text)
	r.byText.Store(string(d.Text), d)
	return d
}

func (r *random) decode(text jsontext.Value) (*workflow.Definition, error) {
	d, known := r.byText.Load(string(text))
	if !known {
		return nil, errors.New("no such definition")
	}
	return d.(*workflow.Definition), nil
}

// openRandom is a house for random definitions.
func openRandom(t testing.TB) (*house, *random) {
	r := &random{}
	return open(t, func(c *runner.Config, _ *sqlite.Config) { c.Decode = r.decode }), r
}

// player is a client that follows links at random.
type player struct {
	*house
	by    auth.Principal
	picks []int
	won   []int64 // the versions that its moves made
}

// play takes what a caller would: a link of what it saw last.
func (p *player) play(id string) {
	ctx := context.Background()
	a, err := p.Get(ctx, work(p.by), id)
	for _, pick := range p.picks {
		if err != nil {
			p.Errorf("%s: %v", p.by.Client, err)
			return
		}
		p.win(a)
		a, err = p.Submit(ctx, work(p.by), p.move(a, pick))
	}
	p.win(a)
}

var someArguments = []string{"", `{"x":1}`, `{"x":7}`, `{"x":"src/a.go"}`, `{"x":1,"choice":"red"}`, `{"choice":"blue"}`,
	`{"question":"how?","context_summary":"c","attempted_alternatives":[]}`}

func (p *player) move(a *runner.Answer, pick int) runner.SubmitRequest {
	links := a.Definition.Links(a.Instance, a.Caller)
	q := request(a, "t0", someArguments[pick%len(someArguments)])
	if len(links) > 0 {
		link := links[pick%len(links)]
		q.Transition = link.Transition.Name
		if link.Approves != "" {
			q.Arguments = workflowtest.Raw(link.Arguments)
			q.Reject = pick%3 == 0
		}
	}
	return q
}

func (p *player) win(a *runner.Answer) {
	if a != nil && a.Change != nil {
		for _, s := range a.Change.Steps {
			p.won = append(p.won, s.Seq)
		}
	}
}

// TestRacingClients: whatever two clients do to one instance at once, no version is made twice, each has one step, and
// the history leads to the instance as it is stored.
func TestRacingClients(t *testing.T) {
	t.Parallel()
	h, definitions := openRandom(t)
	rapid.Check(t, func(t *rapid.T) {
		d := definitions.pin(workflowtest.Definitions().Draw(t, "definition"))
		picks := rapid.SliceOfN(rapid.IntRange(0, 1000), 8, 8)
		first, second := picks.Draw(t, "of the agent"), picks.Draw(t, "of the person")
		later := time.Duration(rapid.IntRange(0, 90).Draw(t, "minutes")) * time.Minute
		h.catalog.set(d)
		a, err := h.Start(context.Background(), work(agent), runner.StartRequest{DefinitionID: d.ID})
		if err != nil {
			t.Fatalf("start: %v", err)
		}
		if a.Refusal != nil && a.Change == nil {
			return // it cannot start at all
		}
		h.clock.add(later)
		players := []*player{{house: h, by: agent, picks: first}, {house: h, by: person, picks: second}}
		var both sync.WaitGroup
		for _, p := range players {
			both.Go(func() { p.play(a.Stored.ID) })
		}
		both.Wait()
		made := map[int64]int{}
		for _, s := range a.Change.Steps {
			made[s.Seq]++
		}
		for _, p := range players {
			for _, version := range p.won {
				made[version]++
			}
		}
		h.consistent(t, a.Stored.ID, made)
	})
}

// consistent compares an instance with its history: made is how often each version was reported.
func (h *house) consistent(t *rapid.T, id string, made map[int64]int) {
	a := h.restart().get(agent, id)
	steps := h.history(agent, id)
	if int64(len(steps)) != a.Stored.Version {
		t.Fatalf("%d steps, version %d", len(steps), a.Stored.Version)
	}
	for n, s := range steps {
		if s.Seq != int64(n)+1 || made[s.Seq] > 1 {
			t.Fatalf("step %d makes version %d, reported %d times", n+1, s.Seq, made[s.Seq])
		}
	}
	state, kept := replay(t, steps)
	if state != a.Stored.State {
		t.Fatalf("the history leads to %s, the instance is in %s", state, a.Stored.State)
	}
	if got, want := string(workflowtest.Raw(kept)), string(workflowtest.Raw(withoutNulls(a.Instance.Context))); got != want {
		t.Fatalf("the history leads to %s, the context is %s", got, want)
	}
}

// replay is where a stored history leads. A member that is null was removed, or is null.
func replay(t *rapid.T, steps []store.Step) (state string, kept map[string]any) {
	kept = map[string]any{}
	for _, s := range steps {
		if s.Seq > 1 && s.From != state {
			t.Fatalf("step %d is from %s, the one before led to %s", s.Seq, s.From, state)
		}
		if s.Delta != nil {
			maps.Copy(kept, workflowtest.Object(string(s.Delta)))
		}
		state = s.To
	}
	return state, withoutNulls(kept)
}

func withoutNulls(object map[string]any) map[string]any {
	some := map[string]any{}
	for name, value := range object {
		if value != nil {
			some[name] = value
		}
	}
	return some
}
