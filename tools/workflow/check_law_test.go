package workflow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/tools/workflow"
	"prax/tools/workflow/workflowtest"
)

// everybody is who drives a definition at random: all that a gate or a guard can ask for.
var everybody = []workflow.Caller{
	agent, person, {Client: "jumper", User: "ann", Permissions: auth.Names("jump", "move")},
	{Client: "chief", User: "bob", Roles: auth.Names("human"), Permissions: auth.Names("jump", "move")}, overseer,
}

// wander drives an instance at random for a while, and tells of a dead end: an instance that is open, in which nobody
// can take anything that leads on, and no question is open.
func wander(d *workflow.Definition, r *rand.Rand, input string, steps int) error {
	t := &drive{t: quiet{}, d: d, now: morning}
	give := luck(d, r)
	t.through(agent, d.Begin("wf_1", agent, []byte(input), t.now), give)
	for n := 0; n < steps && t.i != nil && t.i.Open; n++ {
		links := openLinks(d, t.i)
		if len(links) == 0 && d.OnTimeout != "" && !t.i.Due.IsZero() {
			t.now = t.i.Due // there is nothing to do but to wait
			t.through(workflow.Caller{}, d.Expire(t.i, t.now), give)
			continue
		}
		if len(links) == 0 {
			return fmt.Errorf("after %d steps nothing can be taken in the state %s with %v", n, t.i.State, t.i.Context)
		}
		one := links[r.IntN(len(links))]
		if t.i.Parked != nil && r.IntN(3) == 0 {
			who := everybody[r.IntN(len(everybody))]
			t.through(who, d.Resolve(t.i, who, workflow.Answer{
				Approval: t.i.Parked.Approval, Digest: t.i.Parked.Digest, Approve: r.IntN(2) == 0,
			}, t.now), give)
			continue
		}
		t.through(one.by, t.plan(one.by, one.link.Transition.Name, string(workflowtest.Raw(someArguments(r, one.link)))), give)
		t.now = t.now.Add(time.Second)
	}
	return nil
}

// luck gives executors with an effect what they did, at random. Now and then one of a person has become HIGH by then, so
// that it asks first.
func luck(d *workflow.Definition, r *rand.Rand) func(workflow.Decision) (workflow.Decision, workflow.Result) {
	outputs := []any{nil, map[string]any{"x": 1.0}, "src/a.go", 7.0, []any{"red"}}
	return func(decision workflow.Decision) (workflow.Decision, workflow.Result) {
		e := decision.Effect
		result := workflow.Result{Output: outputs[r.IntN(len(outputs))], Material: map[string]any{"would": "probe"}}
		if r.IntN(4) == 0 {
			result.Failure = &workflow.Failure{Class: workflow.ClassPermanent, Message: "it failed", Begun: workflow.Answered}
		}
		if r.IntN(2) == 0 {
			result.Evidence = []workflow.Evidence{{Kind: "probe"}}
		}
		t := d.State(e.State).Transition(e.Transition)
		if t != nil && t.Actor == workflow.Human && !e.OnEnter && r.IntN(4) == 0 {
			decision = decision.Asking("ap")
		}
		return decision, result
	}
}

// quiet is a test that is not there: what an engine refuses is no failure here.
type quiet struct{ testing.TB }

func (quiet) Helper() {}

type taker struct {
	by   workflow.Caller
	link workflow.Link
}

func openLinks(d *workflow.Definition, i *workflow.Instance) []taker {
	var open []taker
	for _, c := range everybody {
		for _, l := range d.Links(i, c) {
			if l.Blocked == nil && l.Transition.Name != workflow.AskHuman {
				open = append(open, taker{c, l})
			}
		}
	}
	return open
}

func someArguments(r *rand.Rand, l workflow.Link) map[string]any {
	if l.Approves != "" && l.Arguments != nil {
		return l.Arguments
	}
	values := []any{1.0, 7.0, "src/a.go", nil, []any{"red"}, true}
	arguments := map[string]any{
		"x": values[r.IntN(len(values))], "mode": modes[r.IntN(len(modes))], "sure": r.IntN(2) == 0,
	}
	if c := l.Transition.Choices; c != nil {
		arguments[c.Field] = []any{"red", "blue"}[r.IntN(2)]
	}
	return arguments
}

// TestAcceptedDefinitionsHaveNoDeadEnd drives definitions of which Check has nothing to say. A while is out of it: that
// it ends before its bound is taken on trust.
func TestAcceptedDefinitionsHaveNoDeadEnd(t *testing.T) {
	t.Parallel()
	t.Run("made to be sound", func(t *testing.T) {
		t.Parallel()
		for seed := range uint64(60) {
			d, r := sound(seed)
			for range 3 {
				if err := wander(d, r, fmt.Sprintf(`{"mode":%q}`, modes[r.IntN(3)]), 40); err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, d.Mermaid())
				}
			}
		}
	})
	t.Run("made of anything", func(t *testing.T) {
		t.Parallel()
		acceptance(t, workflowtest.Definitions())
	})
	t.Run("made of anything, with effects", func(t *testing.T) {
		t.Parallel()
		acceptance(t, workflowtest.Effects())
	})
}

// acceptance drives definitions of which Check has nothing to say, and counts them.
func acceptance(t *testing.T, definitions *rapid.Generator[*workflow.Definition]) {
	const tries = 300
	accepted, stuck := 0, 0
	for seed := range tries {
		d := definitions.Example(seed)
		d.Filter = workflow.AllLinks // what is hidden can be taken all the same
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		blocked := slices.ContainsFunc(d.Check(workflow.World{Callers: everybody}), hinders)
		err := wander(d, r, `{}`, 30)
		if blocked || slices.ContainsFunc(d.States, func(s *workflow.State) bool { return s.While != nil }) {
			if err != nil {
				stuck++
			}
			continue
		}
		if accepted++; err != nil {
			t.Fatalf("seed %d: %v\n%s%s", seed, err, told(d.Check(workflow.World{Callers: everybody})), d.Mermaid())
		}
	}
	t.Logf("%d accepted, %d of the others stuck", accepted, stuck)
	if accepted < 25 || stuck < 25 {
		t.Errorf("of %d definitions %d were accepted, and %d of the others came to a dead end: too few to show anything", tries, accepted, stuck)
	}
}

// hinders tells whether a finding says that an instance may not go on.
func hinders(f workflow.Finding) bool {
	switch f.Code {
	case workflow.UnreadWrite, workflow.UnreachableState, workflow.NoPromptSource, workflow.ShadowedTransition, workflow.SlotMaybeUnset,
		workflow.SlotNeverWritten, workflow.NoOutput, workflow.AmbiguousSwitch:
		return false
	}
	return f.Code != workflow.UnsatisfiableGuard
}

func TestCheckTakesAnyDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.OneOf(workflowtest.Definitions(), workflowtest.Effects()).Draw(t, "definition")
		first := d.Check(workflow.World{Callers: everybody})
		if diff := cmp.Diff(first, d.Check(workflow.World{Callers: everybody})); diff != "" {
			t.Fatalf("not the same twice:\n%s", diff)
		}
		for _, f := range first {
			if f.Text == "" || f.Pointer == "" || f.Code == "" || f.Severity == "" {
				t.Fatalf("says too little: %+v", f)
			}
		}
	})
}

// TestWhatIsExcludedNeverHappens holds what Check says of a definition against what happens in it.
func TestWhatIsExcludedNeverHappens(t *testing.T) {
	t.Parallel()
	for name, definitions := range map[string]*rapid.Generator[*workflow.Definition]{
		"within the engine": workflowtest.Definitions(), "with effects": workflowtest.Effects(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exclusion(t, definitions)
		})
	}
}

func exclusion(t *testing.T, definitions *rapid.Generator[*workflow.Definition]) {
	excluded := 0
	for seed := range 250 {
		d := definitions.Example(seed)
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		unreachable, never := map[string]bool{}, map[[2]string]bool{}
		for _, f := range d.Check(workflow.World{}) {
			switch {
			case f.Code == workflow.UnreachableState:
				unreachable[f.State] = true
			case f.Code == workflow.UnsatisfiableGuard && f.Transition != "" && !slices.Contains(f.Path, f.Transition):
				never[[2]string{f.State, f.Transition}] = true
			}
		}
		excluded += len(unreachable) + len(never)
		run := &drive{t: quiet{}, d: d, now: morning}
		give := luck(d, r)
		run.through(agent, d.Begin("wf_1", agent, []byte(`{}`), run.now), give)
		for n := 0; n < 40 && run.i != nil && run.i.Open; n++ {
			s := d.State(run.i.State)
			if len(s.Transitions) == 0 {
				break
			}
			m := s.Transitions[r.IntN(len(s.Transitions))]
			who := everybody[r.IntN(len(everybody))]
			if p := run.i.Parked; p != nil && r.IntN(3) == 0 {
				a := workflow.Answer{Approval: p.Approval, Digest: p.Digest, Approve: true}
				run.through(who, d.Resolve(run.i, who, a, run.now), give)
				continue
			}
			run.through(who, run.plan(who, m.Name, string(workflowtest.Raw(someArguments(r, workflow.Link{Transition: m})))), give)
		}
		for _, step := range run.steps {
			if unreachable[step.To] || step.Kind == workflow.StepTransition && never[[2]string{step.From, step.Transition}] {
				t.Fatalf("seed %d: excluded, and happened all the same: %+v\n%s", seed, step, told(d.Check(workflow.World{})))
			}
		}
	}
	if excluded < 60 {
		t.Errorf("only %d things were excluded: too few to show anything", excluded)
	}
}

// line is a definition of many states, with so many slots that are written and read.
func line(states, slots int) *workflow.Definition {
	d := &workflow.Definition{ID: "large", Version: 1, Initial: "s0", InitialContext: map[string]any{"n": 0.0, "mode": "a"}}
	for n := range states {
		s := state(fmt.Sprintf("s%d", n),
			to(fmt.Sprintf("s%d", n+1), "go", putting(put(fmt.Sprintf("slot%d", n%slots), "$.arguments.x"))),
			to(fmt.Sprintf("s%d", n/2), "back", guarded(ex("$.context.n < 3 and $.context.mode == 'a'"))),
			count(fmt.Sprintf("s%d", n)))
		s.Goal = workflowtest.Template(fmt.Sprintf("{{ $.context.slot%d }}", max(n-1, 0)%slots))
		d.States = append(d.States, s)
	}
	d.States[states-1].Transitions[0].Target = "end"
	d.States = append(d.States, terminal("end"), state("island", to("end", "go")))
	return d
}

func TestCheckOfManyStates(t *testing.T) {
	t.Parallel()
	began := time.Now()
	f := line(2000, 50).Check(workflow.World{Callers: everybody})
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("took %v", took)
	}
	var got []string
	for _, one := range f {
		got = append(got, string(one.Code)+" "+one.Pointer)
	}
	equal(t, "findings", got, []string{"slot-maybe-unset /states/s0/goal", "unreachable-state /states/island"})
}

// TestCheckOfMuchElse tries what could make a check long: states that nothing leads to, and a state of many transitions.
func TestCheckOfMuchElse(t *testing.T) {
	t.Parallel()
	began := time.Now()
	islands := definition(state("a", to("b", "go")), terminal("b"))
	for n := range 5000 {
		islands.States = append(islands.States, state(fmt.Sprintf("i%d", n), to(fmt.Sprintf("i%d", (n+1)%5000), "next")))
	}
	if f := islands.Check(workflow.World{}); len(f) != workflow.MaxFindings {
		t.Errorf("%d findings", len(f))
	}
	wide := state("a")
	for n := range 2000 {
		wide.Transitions = append(wide.Transitions, to("a", fmt.Sprintf("t%d", n), putting(put("n", plus1))),
			to("b", fmt.Sprintf("u%d", n), automatically, guarded(ex(fmt.Sprintf("$.context.n == %d", n)))))
	}
	d := with(definition(wide, terminal("b")), beginning(`{"n":0}`))
	if f := d.Check(workflow.World{Callers: everybody}); len(f) != workflow.MaxFindings {
		t.Errorf("%d findings", len(f))
	}
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("took %v", took)
	}
}

func BenchmarkCheckOfManyStates(b *testing.B) {
	for _, slots := range []int{10, 500, 5000} {
		b.Run(fmt.Sprintf("%d slots", slots), func(b *testing.B) {
			d := line(5000, slots)
			for b.Loop() {
				d.Check(workflow.World{Callers: everybody})
			}
		})
	}
}
