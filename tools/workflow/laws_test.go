package workflow_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"prax/tools/workflow"
	"prax/tools/workflow/expr"
	wt "prax/tools/workflow/workflowtest"
)

// TestLaws walks random definitions at random and holds the engine to what is always true.
func TestLaws(t *testing.T) {
	t.Parallel()
	for name, definitions := range map[string]*rapid.Generator[*workflow.Definition]{
		"within the engine": wt.Definitions(), "with effects": wt.Effects(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				w := start(t, definitions)
				if w == nil {
					return
				}
				for range rapid.IntRange(1, 12).Draw(t, "moves") {
					w.links()
					w.move()
				}
			})
		})
	}
}

// walk is one instance and its whole history.
type walk struct {
	*rapid.T
	d     *workflow.Definition
	i     *workflow.Instance
	steps []workflow.Step
	now   time.Time
	under *underway // what the instance waits for; nil: nothing
	done  map[string]int
}

func start(t *rapid.T, definitions *rapid.Generator[*workflow.Definition]) *walk {
	w := &walk{T: t, d: definitions.Draw(t, "definition"), now: morning, done: map[string]int{}}
	decision := w.d.Begin("wf_1", agent, []byte(`{"ok":1}`), w.now)
	if decision.Change == nil {
		if decision.Refusal == nil || decision.Effect != nil {
			t.Fatalf("neither started nor refused: %+v", decision)
		}
		return nil
	}
	w.i = &workflow.Instance{}
	w.keep(agent, decision)
	return w
}

// move makes one random request.
func (w *walk) move() {
	c := wt.Callers().Draw(w.T, "caller")
	w.now = w.now.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(2*time.Hour)).Draw(w.T, "later")))
	if w.under != nil {
		w.wait(c)
		return
	}
	switch rapid.IntRange(0, 9).Draw(w.T, "request") {
	case 0:
		w.decide(workflow.Caller{}, func() workflow.Decision { return w.d.Expire(w.i, w.now) })
	case 1:
		w.decide(c, func() workflow.Decision { return w.d.Cancel(w.i, c, "no more", w.now) })
	case 2, 3:
		a := workflow.Answer{Approval: "ap", Digest: "d", Approve: rapid.Bool().Draw(w.T, "approve")}
		w.decide(c, func() workflow.Decision { return w.d.Resolve(w.i, c, a, w.now) })
	default:
		w.submit(c)
	}
}

func (w *walk) submit(c workflow.Caller) {
	s := w.d.State(w.i.State)
	var m *workflow.Transition
	if offered := w.d.Offered(s); len(offered) > 0 {
		m = rapid.SampledFrom(offered).Draw(w.T, "transition")
	}
	submit := workflow.Submit{Transition: "none", ExpectedVersion: w.i.Version, Arguments: wt.Raw(wt.Arguments(m).Draw(w.T, "arguments"))}
	if m != nil {
		submit.Transition = m.Name
	}
	if rapid.IntRange(0, 9).Draw(w.T, "stale") == 0 {
		submit.ExpectedVersion--
	}
	w.decide(c, func() workflow.Decision { return w.d.Plan(w.i, c, submit, w.now) })
}

// decide asks twice: the same is decided, and what was asked about is as it was.
func (w *walk) decide(c workflow.Caller, ask func() workflow.Decision) workflow.Decision {
	before := copied(w.i)
	first, again := ask(), ask()
	if diff := cmp.Diff(first, again, opaque...); diff != "" {
		w.Fatalf("decided otherwise the second time:\n%s", diff)
	}
	if diff := cmp.Diff(before, w.i); diff != "" {
		w.Fatalf("the given instance was changed:\n%s", diff)
	}
	w.keep(c, first)
	return first
}

var opaque = []cmp.Option{
	cmpopts.EquateNaNs(),
	cmp.Comparer(func(a, b *workflow.Transition) bool { return a == b || a != nil && b != nil && a.Name == b.Name }),
	cmp.Comparer(func(a, b *workflow.Executor) bool { return a == b }),
}

// copied is an instance that shares nothing with the given one.
func copied(i *workflow.Instance) *workflow.Instance {
	c := *i
	c.Input, _ = deep(i.Input).(map[string]any)
	c.Context, _ = deep(i.Context).(map[string]any)
	c.Memo.Fires, c.Memo.Whiles = maps.Clone(i.Memo.Fires), maps.Clone(i.Memo.Whiles)
	c.Evidence, c.Shown = slices.Clone(i.Evidence), maps.Clone(i.Shown)
	if i.Parked != nil {
		parked := *i.Parked
		parked.Arguments, _ = deep(i.Parked.Arguments).(map[string]any)
		c.Parked = &parked
	}
	if i.Busy != nil {
		busy := *i.Busy
		c.Busy = &busy
	}
	return &c
}

// deep copies a decoded value.
func deep(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := maps.Clone(v)
		for name := range c {
			c[name] = deep(c[name])
		}
		return c
	case []any:
		c := slices.Clone(v)
		for n := range c {
			c[n] = deep(c[n])
		}
		return c
	}
	return v
}

// keep commits a change, and checks it.
func (w *walk) keep(by workflow.Caller, decision workflow.Decision) {
	if decision.Effect != nil {
		w.begin(by, decision.Effect)
		return
	}
	if decision.Change == nil {
		return
	}
	c := decision.Change
	w.versions(c)
	w.steps = append(w.steps, c.Steps...)
	w.replay(&c.Next)
	w.ends(&c.Next)
	next := c.Next
	if c.Ask != nil {
		next.Parked = &workflow.Parked{Approval: "ap", Transition: c.Ask.Transition.Name, Arguments: c.Ask.Arguments, Digest: "d", Expires: w.now.Add(24 * time.Hour)}
	}
	w.i = &next
	if c.Then != nil {
		w.begin(by, c.Then)
	}
}

// versions grow by one a step, and evidence belongs to one of them.
func (w *walk) versions(c *workflow.Change) {
	at := w.i.Version
	for _, s := range c.Steps {
		if at++; s.Seq != at {
			w.Fatalf("step %d has the version %d", at, s.Seq)
		}
	}
	if len(c.Steps) == 0 || c.Next.Version != at {
		w.Fatalf("version %d after %d, with %d steps", c.Next.Version, w.i.Version, len(c.Steps))
	}
	for _, e := range c.Evidence {
		if e.Seq <= w.i.Version || e.Seq > at {
			w.Fatalf("evidence of the version %d", e.Seq)
		}
	}
	if len(c.Next.Evidence) != len(w.i.Evidence)+len(c.Evidence) {
		w.Fatalf("%d pieces of evidence after %d and %d", len(c.Next.Evidence), len(w.i.Evidence), len(c.Evidence))
	}
	if len(c.Steps) > workflow.MaxChain+2 {
		w.Fatalf("%d steps", len(c.Steps))
	}
}

// replay finds the instance at the end of its history.
func (w *walk) replay(i *workflow.Instance) {
	state, context := wt.Replay(w.steps)
	if diff := cmp.Diff(i.Context, context, cmpopts.EquateEmpty()); diff != "" || state != i.State {
		w.Fatalf("the history leads to %s, not to %s, and:\n%s", state, i.State, diff)
	}
	for n, s := range w.steps[1:] {
		if s.From != w.steps[n].To {
			w.Fatalf("step %d begins in %s, but %s was reached", s.Seq, s.From, w.steps[n].To)
		}
	}
}

// ends holds what is true of an instance at any time.
func (w *walk) ends(i *workflow.Instance) {
	s := w.d.State(i.State)
	if i.Open == s.Terminal || !i.Open && !s.Terminal && i.Reason == "" {
		if i.Open || i.Reason == "" {
			w.Fatalf("open %v in the state %s, reason %q", i.Open, i.State, i.Reason)
		}
	}
	if !i.Due.IsZero() && (!i.Open || i.Memo.Expired || w.d.Timeout == 0) {
		w.Fatalf("due at %v: %+v", i.Due, i)
	}
	if err := workflow.Weigh(i.Context, workflow.MaxData); err != nil {
		w.Fatal(err)
	}
	_, there := i.Context["local"]
	if last := w.steps[len(w.steps)-1]; there && last.From != last.To && slices.Contains(last.Removed, "local") {
		w.Fatal("local was removed and is there")
	}
}

// links holds law 7 both ways: what is offered is not refused for who, state or version, what is blocked is refused.
func (w *walk) links() {
	if w.under != nil {
		w.settling()
		return
	}
	for _, c := range []workflow.Caller{agent, person, overseer} {
		for _, l := range w.d.Links(w.i, c) {
			arguments := l.Arguments
			if !l.Fixed && (arguments == nil || l.Transition.Choices != nil || l.Transition.Name == workflow.AskHuman) {
				arguments = w.arguments(l.Transition)
			}
			decision := w.d.Plan(w.i, c, workflow.Submit{
				Transition: l.Transition.Name, ExpectedVersion: w.i.Version, Arguments: wt.Raw(arguments),
			}, w.i.Created)
			w.promised(c, l, decision)
		}
	}
}

// arguments are random, with a choice that is among the live options.
func (w *walk) arguments(m *workflow.Transition) map[string]any {
	arguments := wt.Arguments(m).Draw(w.T, "link's arguments")
	for _, g := range w.d.PendingHuman(w.i) {
		if g.Transition == m && g.Choices != nil {
			arguments = maps.Clone(arguments)
			arguments[g.Choices.Field] = rapid.SampledFrom(g.Choices.Options).Draw(w.T, "option").Value
		}
	}
	return arguments
}

func (w *walk) promised(c workflow.Caller, l workflow.Link, decision workflow.Decision) {
	if l.Blocked != nil {
		if decision.Refusal == nil {
			w.Fatalf("%s was blocked for %s, and taken: %+v", l.Transition.Name, c.Client, l.Blocked)
		}
		return
	}
	if decision.Refusal == nil {
		if l.Fixed && approves(decision) != l.Approves {
			w.Fatalf("%s was to approve %s, and did not", l.Transition.Name, l.Approves)
		}
		return
	}
	code := decision.Refusal.Code
	never := []workflow.Code{
		workflow.StaleVersion, workflow.InvalidTransition, workflow.ActorMismatch, workflow.FireCapExceeded,
		workflow.WorkflowCancelled, workflow.ChoiceMismatch, workflow.Corrupt, workflow.TimedOut,
		workflow.InProgress, workflow.EffectUnknown, workflow.ClientRevoked,
	}
	if !slices.ContainsFunc(l.Transition.Guards, dependsOnArguments) {
		never = append(never, workflow.GuardRejected, workflow.GuardUnsetSlot, workflow.DigestRequired, workflow.ConfidenceLow)
	}
	if slices.Contains(never, code) {
		w.Fatalf("%s was offered to %s, and refused: %s: %s", l.Transition.Name, c.Client, code, decision.Refusal.Message)
	}
}

func dependsOnArguments(g *workflow.Guard) bool {
	for _, p := range g.Expr.Paths() {
		if p.Root() == expr.Arguments {
			return true
		}
	}
	return slices.ContainsFunc(g.Guards, dependsOnArguments)
}

// TestRandomDefinitionsReachEverything keeps the generator from becoming one that proves nothing.
func TestRandomDefinitionsReachEverything(t *testing.T) {
	t.Parallel()
	kinds, codes := map[workflow.StepKind]int{}, map[workflow.Code]int{}
	walks := rapid.Custom(func(t *rapid.T) []workflow.Step {
		w := start(t, wt.Definitions())
		for n := 0; w != nil && n < 12; n++ {
			if w.move(); n%4 == 0 {
				w.count(codes)
			}
		}
		if w == nil {
			return nil
		}
		return w.steps
	})
	for seed := range 200 {
		for _, s := range walks.Example(seed) {
			kinds[s.Kind]++
		}
	}
	for _, kind := range []workflow.StepKind{
		workflow.StepStart, workflow.StepTransition, workflow.StepChain, workflow.StepTimeout, workflow.StepRequest, workflow.StepRejection, workflow.StepCancel,
	} {
		if kinds[kind] == 0 {
			t.Errorf("no step of kind %s", kind)
		}
	}
	for _, code := range []workflow.Code{
		workflow.StaleVersion, workflow.InvalidTransition, workflow.ActorMismatch, workflow.GuardRejected, workflow.GuardUnsetSlot,
		workflow.SlotTypeError, workflow.FireCapExceeded, workflow.WorkflowCancelled, workflow.ApprovalNotOpen,
	} {
		if codes[code] == 0 {
			t.Errorf("never refused with %s", code)
		}
	}
}

// count notes how everything that could be asked now is refused.
func (w *walk) count(codes map[workflow.Code]int) {
	for _, c := range []workflow.Caller{agent, person} {
		for _, m := range append(w.d.Offered(w.d.State(w.i.State)), &workflow.Transition{Name: "none"}) {
			for _, x := range []string{`"../x"`, `true`, `1`} {
				submit := workflow.Submit{Transition: m.Name, ExpectedVersion: w.i.Version, Arguments: []byte(`{"x":` + x + `,"choice":"red"}`)}
				if x == `1` {
					submit.ExpectedVersion = 0
				}
				decision := w.d.Plan(w.i, c, submit, w.now)
				if decision.Refusal != nil {
					codes[decision.Refusal.Code]++
				}
			}
		}
		if decision := w.d.Resolve(w.i, c, workflow.Answer{Approval: "other"}, w.now); decision.Refusal != nil {
			codes[decision.Refusal.Code]++
		}
	}
}
