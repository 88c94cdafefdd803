package workflow_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"

	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

// BenchmarkPlan is a move without an effect: arguments by a schema, a guard, three slots.
func BenchmarkPlan(b *testing.B) {
	d := ticket()
	d.States[0].Transitions[0].Guards = []*workflow.Guard{wt.Expr("$.context.attempts < 3")}
	r := begin(b, d, `{"subject":"Printer"}`)
	submit := workflow.Submit{Transition: "classify", ExpectedVersion: 1, Arguments: []byte(`{"category":"hw"}`)}
	b.ReportAllocs()
	for b.Loop() {
		if d.Plan(r.i, agent, submit, morning).Change == nil {
			b.Fatal("refused")
		}
	}
}

// BenchmarkEncode is what the answer of that move costs to write: its measure.
func BenchmarkEncode(b *testing.B) {
	d := ticket()
	r := begin(b, d, `{"subject":"Printer"}`)
	r.commit(r.plan(agent, "classify", `{"category":"hw"}`))
	answer := map[string]any{
		"workflow": map[string]any{"id": r.i.ID, "definitionId": d.ID, "definitionVersion": 1, "state": r.i.State, "version": r.i.Version},
		"result":   map[string]any{"status": "executed"}, "context": r.i.Context, "evidence": []any{},
	}
	var links []any
	for _, l := range d.Links(r.i, agent) {
		links = append(links, map[string]any{
			"rel": l.Transition.Name, "title": l.Transition.Title, "method": "praxec.command", "actor": string(l.Transition.Actor),
			"args":        map[string]any{"workflowId": r.i.ID, "expectedVersion": r.i.Version, "transition": l.Transition.Name},
			"inputSchema": l.Schema(),
		})
	}
	answer["links"] = links
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(answer, json.Deterministic(true)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLinks is what an instance offers.
func BenchmarkLinks(b *testing.B) {
	d := ticket()
	r := begin(b, d, `{"subject":"Printer"}`)
	b.ReportAllocs()
	for b.Loop() {
		d.Links(r.i, agent)
	}
}

// BenchmarkPlanOfManyStates is a move in the last of 5,000 states.
func BenchmarkPlanOfManyStates(b *testing.B) {
	d := definition(state("s0"))
	for n := 1; n < 5000; n++ {
		d.States = append(d.States, state(fmt.Sprintf("s%d", n), to(fmt.Sprintf("s%d", n), "loop")))
	}
	d.Initial = "s4999"
	r := begin(b, d, `{}`)
	submit := workflow.Submit{Transition: "loop", ExpectedVersion: 1}
	b.ReportAllocs()
	for b.Loop() {
		if d.Plan(r.i, agent, submit, morning).Change == nil {
			b.Fatal("refused")
		}
	}
}
