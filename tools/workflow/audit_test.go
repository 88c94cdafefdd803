package workflow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

func TestTrail(t *testing.T) {
	t.Parallel()
	d := ticket()
	d.States[1].Transitions[2].Executor = wt.Noop()
	d.Outcomes = []workflow.Outcome{{ID: "sorted", Check: wt.Expr("exists($.context.category)")}}
	start := d.Begin("wf_1", agent, []byte(`{"subject":"x"}`), morning)
	equal(t, "start", facts(start), []string{"workflow.started"})
	equal(t, "started", start.Trail[0].Payload, map[string]any{"definitionId": "ticket", "state": "open", "version": int64(1)})
	r := begin(t, d, `{"subject":"x"}`)
	equal(t, "refused", facts(r.submit(agent, "classify", `{}`, "INPUT_SCHEMA_VIOLATION")), []string{"transition.requested", "transition.rejected"})
	move := r.submit(agent, "classify", `{"category":"a"}`, "sorted")
	equal(t, "move", facts(move), []string{"transition.requested", "workflow.transition", "workflow.transitioned"})
	equal(t, "requested", move.Trail[0].Payload, map[string]any{"transition": "classify", "expectedVersion": int64(1), "fromState": "open"})
	equal(t, "record", move.Trail[1].Payload, map[string]any{
		"workflowId": "wf_1", "definitionId": "ticket", "definitionVersion": int64(3), "seq": int64(2), "fromState": "open", "toState": "sorted",
		"transition": "classify", "actor": "agent", "principal": "agent", "guards": []any{},
		"arguments": []any{"category", "note"}, "blackboardDelta": []any{"attempts", "category", "note"},
	})
	equal(t, "guards", facts(r.submit(agent, "again", `{}`, "open")), []string{
		"transition.requested", "guard.evaluated", "executor.started", "executor.succeeded", "workflow.transition", "workflow.transitioned",
	})
	rejection := r.d.Plan(r.i, agent, workflow.Submit{Transition: "drop"}, morning)
	equal(t, "rejected", rejection.Trail[1].Payload, map[string]any{"transition": "drop", "code": "STALE_WORKFLOW_VERSION", "fromState": "open"})
	end := r.submit(agent, "drop", `{}`, "closed")
	equal(t, "end", facts(end), []string{
		"transition.requested", "workflow.transition", "workflow.transitioned", "workflow.completed", "outcome.recorded",
	})
	equal(t, "outcome", end.Trail[4].Payload, map[string]any{"id": "sorted", "met": true})
}

func TestTrailOfAChain(t *testing.T) {
	t.Parallel()
	yes := wt.Expr("$.workflow.version == 1")
	d := definition(
		state("a", to("b", "one", automatically, guarded(yes)), to("c", "rest", automatically)),
		state("b", to("c", "two", automatically)),
		terminal("c"))
	decision := d.Begin("wf_1", agent, nil, morning)
	equal(t, "facts", facts(decision), []string{
		"workflow.started", "guard.evaluated",
		"chain.step", "workflow.transition", "workflow.transitioned",
		"chain.step", "workflow.transition", "workflow.transitioned", "workflow.completed",
		"chain.completed",
	})
	record := decision.Trail[3].Payload
	equal(t, "record", []any{record["principal"], record["actor"], record["guards"]}, []any{nil, "deterministic", []any{map[string]any{"kind": "expr", "result": true}}})
	equal(t, "completed", decision.Trail[9].Payload, map[string]any{"steps": 2, "finalState": "c"})
}

func TestTrailOfAGate(t *testing.T) {
	t.Parallel()
	r := begin(t, shipping(), `{}`)
	ask := r.commit(r.d.Plan(r.i, agent, workflow.Submit{Transition: "ship", ExpectedVersion: 1, Arguments: []byte(`{"to":"rome"}`), Approval: "ap_1"}, morning))
	equal(t, "ask", facts(ask), []string{"transition.requested", "workflow.interaction", "human.approval.requested"})
	equal(t, "requested", ask.Trail[2].Payload, map[string]any{"queue": "board", "requestId": "ap_1", "transition": "ship"})
	resolve := r.commit(r.d.Resolve(r.i, person, yes(r), morning))
	equal(t, "resolve", facts(resolve), []string{"human.approval.resolved", "workflow.transition", "workflow.transitioned", "workflow.completed"})
	equal(t, "resolved", resolve.Trail[0].Payload, map[string]any{"requestId": "ap_1", "transition": "ship", "queue": "board", "outcome": "approved"})
}

// TestTrailHoldsNoValues plants a secret in everything that a caller sends or that stands in the context.
func TestTrailHoldsNoValues(t *testing.T) {
	t.Parallel()
	const secret = "canary7"
	d := definition(
		state("s", to("s", "put", putting(wt.Put("word", "$.arguments.word"), wt.Put("n", "$.arguments.n")),
			guarded(wt.Expr("$.arguments.word contains 'canary'"))),
			to("s", "ask", running(wt.Human("board"))),
			to("s", "pick", by(workflow.Human), func(t *workflow.Transition) {
				t.Choices = &workflow.Choices{Field: "word", From: wt.Path("$.context.options")}
			})))
	d.Slots = map[string]*workflow.Schema{"n": wt.Schema(`{"enum":[1]}`)}
	d.InitialContext = map[string]any{"options": []any{secret}}
	r := begin(t, d, `{"word":"`+secret+`"}`)
	all := []workflow.Decision{
		r.submit(agent, "put", `{"word":"`+secret+`","n":"`+secret+`"}`, "BLACKBOARD_TYPE_ERROR"),
		r.submit(agent, "put", `{"word":"`+secret+`","n":1}`, "s"),
		r.submit(agent, "ask", `{"word":"`+secret+`"}`, "s"),
		r.commit(r.d.Resolve(r.i, person, workflow.Answer{Approval: "ap_1", Digest: "digest 1", Approve: true, Note: secret}, morning)),
		r.submit(person, "pick", `{"word":"not `+secret+`"}`, "CHOICE_MISMATCH"),
		r.d.Plan(r.i, agent, workflow.Submit{Transition: "put", ExpectedVersion: r.i.Version, Summary: secret, Arguments: []byte(`{"word":"` + secret + `","n":1}`)}, morning),
		r.d.Cancel(r.i, agent, strings.Repeat("x", 200)+secret, morning),
	}
	for n, decision := range all {
		text, err := json.Marshal(decision.Trail)
		if err != nil || len(decision.Trail) == 0 {
			t.Fatalf("%d: %v, %d facts", n, err, len(decision.Trail))
		}
		if strings.Contains(string(text), secret) {
			t.Errorf("%d: %s", n, text)
		}
	}
}

// TestTrailIsBounded by what a caller invents.
func TestTrailIsBounded(t *testing.T) {
	t.Parallel()
	d := definition(state("s", to("s", "go")))
	r := begin(t, d, `{}`)
	many := map[string]any{}
	for n := range 1000 {
		many[strings.Repeat("k", n%100)+fmt.Sprint(n)] = n
	}
	for n := range 5 {
		many[fmt.Sprint(n)+strings.Repeat("a", 100_000)] = n
	}
	for _, decision := range []workflow.Decision{
		r.plan(agent, "go", string(wt.Raw(many))),
		r.plan(agent, strings.Repeat("g", 1<<20), `{}`),
	} {
		text, err := json.Marshal(decision.Trail)
		if err != nil || len(text) > 8000 {
			t.Errorf("%d bytes, %v", len(text), err)
		}
	}
}
