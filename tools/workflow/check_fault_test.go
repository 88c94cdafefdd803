package workflow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"prax/auth"
	"prax/tools/workflow"
	"prax/tools/workflow/workflowtest"
)

const planted = 200 // faults of each kind

// world is who there is: an agent, its person, and who may jump.
var world = workflow.World{Callers: []workflow.Caller{
	agent, person, {Client: "jumper", User: "ann", Permissions: auth.Names("jump")},
}}

func told(findings []workflow.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s %v at %s: %s\n", f.Severity, f.Code, f.Path, f.Pointer, f.Text)
	}
	return b.String()
}

// fault plants one and says how it must be found.
type fault struct {
	codes      []workflow.FindingCode
	state      string // where; "": anywhere among the states that begin with near
	near       string
	transition string
	severity   workflow.Severity
}

func (f fault) in(findings []workflow.Finding) bool {
	return slices.ContainsFunc(findings, func(one workflow.Finding) bool {
		return slices.Contains(f.codes, one.Code) && one.Severity == f.severity &&
			(f.state == "" || one.State == f.state) && strings.HasPrefix(one.State, f.near) &&
			(f.transition == "" || one.Transition == f.transition) && one.Text != "" && one.Pointer != ""
	})
}

func TestPlantedFaultsAreFound(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(*workflow.Definition, *rand.Rand) fault{
		"unreachable":         plantUnreachable,
		"cannot finish":       plantTrap,
		"deterministic cycle": plantLoop,
		"unread write":        plantUnread,
		"misplaced high":      plantHigh,
		"unsatisfiable guard": plantNever,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(planted) {
				d, r := sound(seed)
				if found := d.Check(world); len(found) > 0 {
					t.Fatalf("seed %d: a sound definition raises an alarm:\n%s\n%s", seed, told(found), d.Mermaid())
				}
				f := plant(d, r)
				if found := d.Check(world); !f.in(found) {
					t.Fatalf("seed %d: not found: %+v among\n%s\n%s", seed, f, told(found), d.Mermaid())
				}
			}
		})
	}
}

func add(d *workflow.Definition, states ...*workflow.State) { d.States = append(d.States, states...) }

func offer(s *workflow.State, t *workflow.Transition) { s.Transitions = append(s.Transitions, t) }

// plantUnreachable adds a state that nothing leads to, or nothing that can be.
func plantUnreachable(d *workflow.Definition, r *rand.Rand) fault {
	island := state("island", to("done", "swim"))
	add(d, island)
	switch r.IntN(4) {
	case 0:
		add(d, state("reef", to("island", "drift")))
		offer(island, to("reef", "drift"))
	case 1:
		offer(resting(d, r), to("island", "sail", guarded(workflowtest.Expr("$.context.mode == 'boat'"))))
	case 2:
		offer(resting(d, r), to("dropped", "sail", branching(
			workflow.Branch{When: workflowtest.Expr("$.context.mode in ['a', 'b', 'c']"), Target: "done"},
			workflow.Branch{When: workflowtest.Expr("$.context.n > 3"), Target: "island"})))
	}
	return fault{codes: []workflow.FindingCode{workflow.UnreachableState}, state: "island", severity: workflow.SeverityWarning}
}

// plantTrap adds states that one comes into and not out of.
func plantTrap(d *workflow.Definition, r *rand.Rand) fault {
	d.Timeout = 0
	trap := state("trap")
	add(d, trap)
	offer(resting(d, r), to("trap", "fall"))
	switch r.IntN(4) {
	case 0:
		return fault{codes: []workflow.FindingCode{workflow.DeadEnd}, state: "trap", severity: workflow.SeverityWarning}
	case 1:
		offer(trap, to("trap", "wait"))
	case 2:
		add(d, state("trap2", to("trap", "back")))
		offer(trap, to("trap2", "forth"))
	default:
		offer(trap, to("done", "climb", guarded(workflowtest.Expr("$.context.mode == 'ladder'"))))
		offer(trap, to("trap", "call", by(workflow.Human), titled("Help?")))
	}
	return fault{codes: []workflow.FindingCode{workflow.CannotFinish}, state: "trap", severity: workflow.SeverityWarning}
}

// plantLoop adds a chain that leads back to its beginning.
func plantLoop(d *workflow.Definition, r *rand.Rand) fault {
	size := 1 + r.IntN(4)
	for n := range size {
		next := to(fmt.Sprintf("loop%d", (n+1)%size), "spin", automatically)
		s := state(fmt.Sprintf("loop%d", n), next)
		switch r.IntN(4) {
		case 0:
			next.Guards = []*workflow.Guard{workflowtest.Expr("$.context.n < 100")}
			offer(s, to("done", "stop", automatically, guarded(workflowtest.Expr("$.context.n >= 100"))))
		case 1:
			next.Output = []workflow.Slot{workflowtest.Put("n", map[string]any{"add": []any{"$.context.n", 1.0}})}
			if size == 1 || n == 0 {
				next.Output = nil
			}
		case 2:
			next.MaxFires = 3
			if size == 1 {
				next.MaxFires = 0
			}
		}
		add(d, s)
	}
	// what is counted must not be what is waited for
	counts := slices.ContainsFunc(d.States[len(d.States)-size:], func(s *workflow.State) bool { return len(s.Transitions[0].Output) > 0 })
	for _, s := range d.States[len(d.States)-size:] {
		if counts && len(s.Transitions) > 1 {
			s.Transitions[0].Guards = []*workflow.Guard{workflowtest.Expr("$.context.mode != 'c'")}
			s.Transitions[1].Guards = []*workflow.Guard{workflowtest.Expr("$.context.mode == 'c'")}
		}
	}
	offer(resting(d, r), to("loop0", "enter"))
	return fault{codes: []workflow.FindingCode{workflow.DeterministicLoop}, near: "loop", severity: workflow.SeverityError}
}

// plantUnread writes what nobody reads.
func plantUnread(d *workflow.Definition, r *rand.Rand) fault {
	d.SlotsDeclared, d.Slots = false, nil
	s := resting(d, r)
	back := to(s.Name, "scribble", putting(workflowtest.Put("scrap", float64(r.IntN(9)))))
	switch r.IntN(3) {
	case 0:
		back.Output = []workflow.Slot{workflowtest.Put("scrap", map[string]any{"add": []any{"$.context.scrap", 1.0}})}
	case 1:
		back.Target, back.Output = "s1", []workflow.Slot{workflowtest.Put("scrap", "$.context.mode")}
		s.Slots = []workflow.StateSlot{{Name: "scrap"}}
		s.Guidance = workflowtest.Template("{{ $.context.n }} {{ $.context.mode }}")
		if s.Name == "s1" {
			back.Target = "s0"
		}
	}
	offer(s, back)
	return fault{codes: []workflow.FindingCode{workflow.UnreadWrite}, state: s.Name, transition: "scribble", severity: workflow.SeverityWarning}
}

// plantHigh puts a HIGH executor where none may stand.
func plantHigh(d *workflow.Definition, r *rand.Rand) fault {
	high := &workflow.Executor{Kind: workflow.KindNoop, Tier: auth.High}
	found := fault{codes: []workflow.FindingCode{workflow.MisplacedHigh}, severity: workflow.SeverityError}
	for {
		s := d.States[r.IntN(len(d.States))]
		found.state = s.Name
		if s.Terminal || r.IntN(3) == 0 {
			s.OnEnter = &workflow.Action{Executor: high}
			return found
		}
		if t := s.Transitions[r.IntN(len(s.Transitions))]; t.Actor != workflow.Human {
			t.Executor, found.transition = high, t.Name
			return found
		}
	}
}

// plantNever adds a transition whose guards never hold.
func plantNever(d *workflow.Definition, r *rand.Rand) fault {
	ex := workflowtest.Expr
	confident := 0.5
	s := resting(d, r)
	t := to("done", "never")
	never := [][]*workflow.Guard{
		{ex("$.context.mode == 'boat'")},
		{ex("$.context.mode == 'a'"), ex("$.context.mode == 'b'")},
		{ex("$.context.mode != 'a' and not ($.context.mode in ['b', 'c'])")},
		{workflowtest.Permission("jump"), workflowtest.Not(workflowtest.Permission("jump"))},
		{workflowtest.AllOf(ex("$.context.n < 1"), ex("$.context.n > 2"))},
		{ex("$.context.n == 'many' and $.context.n > 2")},
		{workflowtest.Evidence(workflow.Requirement{Kind: "test_report"})},
		{workflowtest.Evidence(workflow.Requirement{Kind: "human_approval", MinConfidence: &confident})},
		{{Kind: workflow.GuardGuidance, Name: "guide.none"}},
		{ex("exists($.context.mode) and len($.context.mode) > 1")},
		{ex("$.arguments.size == 'huge'")},
		{ex("$.arguments.other == 1")},
		{ex("$.workflow.state == 'elsewhere'")},
		{workflowtest.AnyOf(ex("$.context.mode starts_with 'x'"), ex("$.arguments.sure == 'yes'"))},
	}
	t.Guards = never[r.IntN(len(never))]
	t.Input = workflowtest.Schema(`{"type":"object","properties":{"size":{"enum":["small","large"]},"sure":{"type":"boolean"}},"additionalProperties":false}`)
	offer(s, t)
	return fault{codes: []workflow.FindingCode{workflow.UnsatisfiableGuard}, state: s.Name, transition: "never", severity: workflow.SeverityError}
}
