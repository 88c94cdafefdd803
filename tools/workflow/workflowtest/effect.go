package workflowtest

import (
	"slices"

	"pgregory.net/rapid"

	"prax/auth"
	"prax/tools/workflow"
)

// KindProbe is a kind of executor with an effect.
const KindProbe = "probe"

// Probe is one of this tier.
func Probe(tier auth.Tier) *workflow.Executor {
	return &workflow.Executor{Kind: KindProbe, Tier: tier}
}

// Effects are such definitions in which executors reach outside; on a person's transitions also HIGH ones.
func Effects() *rapid.Generator[*workflow.Definition] {
	return rapid.Custom(func(t *rapid.T) *workflow.Definition {
		d := Definitions().Draw(t, "definition")
		for _, s := range d.States {
			if s.OnEnter != nil && rapid.IntRange(0, 2).Draw(t, "entering reaches outside") == 0 {
				s.OnEnter.Executor = Probe(auth.Medium)
				use(t, s.OnEnter)
			}
			for _, m := range s.Transitions {
				reach(t, m)
			}
		}
		return d
	})
}

func reach(t *rapid.T, m *workflow.Transition) {
	executors := []*workflow.Executor{nil, Probe(auth.Low), Probe(auth.Medium)}
	if m.Actor == workflow.Human {
		executors = append(executors, Probe(auth.High), Probe(auth.High), &workflow.Executor{Kind: workflow.KindNoop, Tier: auth.High})
	}
	if e := rapid.SampledFrom(executors).Draw(t, "reaches outside"); e != nil {
		m.Executor = e
		use(t, &m.Action)
	}
}

// use puts the output of an executor where not everything fits.
func use(t *rapid.T, a *workflow.Action) {
	taken := slices.ContainsFunc(a.Output, func(s workflow.Slot) bool { return s.Name == "n" })
	if !taken && rapid.IntRange(0, 2).Draw(t, "use") == 0 {
		a.Output = append(a.Output[:len(a.Output):len(a.Output)], Put("n", "$.output"))
	}
}

// Results are what an executor can have done: nothing, something, or what nobody expects.
func Results() *rapid.Generator[workflow.Result] {
	return rapid.Custom(func(t *rapid.T) workflow.Result {
		outputs := []any{nil, map[string]any{}, map[string]any{"x": 1.0}, "src/a.go", 7.0, true, []any{"red"}}
		result := workflow.Result{Output: rapid.SampledFrom(outputs).Draw(t, "output")}
		if rapid.Bool().Draw(t, "evidence") {
			confidence := rapid.SampledFrom([]float64{0, 0.5, 1, 2}).Draw(t, "confidence")
			result.Evidence = []workflow.Evidence{{Kind: KindProbe, Confidence: &confidence}}
		}
		if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
			begun := rapid.SampledFrom([]workflow.Begun{workflow.Doubtful, workflow.Answered, workflow.NotBegun}).Draw(t, "begun")
			result.Failure = &workflow.Failure{Class: workflow.ClassTransient, Message: "it failed", Begun: begun}
		}
		return result
	})
}
