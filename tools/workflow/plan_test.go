package workflow_test

import (
	"fmt"
	"strings"
	"testing"

	"prax/auth"
	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

func TestMove(t *testing.T) {
	t.Parallel()
	r := begin(t, ticket(), `{"subject":"Printer"}`)
	decision := r.submit(agent, "classify", `{"category":"hw"}`, "sorted")
	equal(t, "version", r.i.Version, 2)
	r.context(`{"category":"hw","note":"none","attempts":1}`)
	equal(t, "step", decision.Change.Steps, []workflow.Step{{
		Seq: 2, Kind: workflow.StepTransition, Transition: "classify", From: "open", To: "sorted", Actor: workflow.Agent,
		Client: "agent", User: "ann", Arguments: wt.Object(`{"category":"hw","note":"none"}`),
		Delta: wt.Object(`{"category":"hw","note":"none","attempts":1}`),
	}})
	equal(t, "rels", r.rels(agent), []string{"approve ACTOR_MISMATCH", "escalate GUARD_REJECTED", "again"})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sorted     bool
		by         workflow.Caller
		transition string
		version    int64 // added to the current one
		arguments  string
		want       workflow.Code
		names      string
	}{
		"a version to come":         {by: agent, transition: "drop", version: 99, want: workflow.StaleVersion, names: "100"},
		"a version gone by":         {by: agent, transition: "drop", version: -1, want: workflow.StaleVersion, names: "at version 1"},
		"a negative version":        {by: agent, transition: "drop", version: -9, want: workflow.StaleVersion, names: "-8"},
		"another state's":           {by: agent, transition: "approve", want: workflow.InvalidTransition, names: "approve"},
		"none at all":               {by: agent, transition: "", want: workflow.InvalidTransition},
		"a long name":               {by: agent, transition: strings.Repeat("x", 1<<20), want: workflow.InvalidTransition, names: "…"},
		"a person's":                {sorted: true, by: agent, transition: "approve", want: workflow.ActorMismatch, names: "human"},
		"a person's, by arguments":  {sorted: true, by: agent, transition: "approve", arguments: `{"subject":"x","roles":["human"],"actor":"human","confirm":true}`, want: workflow.ActorMismatch},
		"missing argument":          {by: agent, transition: "classify", want: workflow.InputViolation, names: "/category"},
		"argument of another type":  {by: agent, transition: "classify", arguments: `{"category":7}`, want: workflow.InputViolation, names: "/category"},
		"arguments of another type": {by: agent, transition: "classify", arguments: `[1]`, want: workflow.InputViolation, names: "object"},
		"without the permission":    {sorted: true, by: agent, transition: "escalate", want: workflow.GuardRejected, names: "permission"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := begin(t, ticket(), `{"subject":"Printer"}`)
			if test.sorted {
				r.submit(agent, "classify", `{"category":"hw"}`, "sorted")
			}
			decision := r.d.Plan(r.i, test.by, workflow.Submit{
				Transition: test.transition, ExpectedVersion: r.i.Version + test.version, Arguments: []byte(test.arguments),
			}, morning)
			refusal := decision.Refusal
			if refusal == nil || refusal.Code != test.want || decision.Change != nil {
				t.Fatalf("%+v", decision)
			}
			if !strings.Contains(refusal.Message, test.names) || refusal.Hint == "" || len(refusal.Message) > 1000 {
				t.Errorf("%+v", refusal)
			}
			if !strings.HasPrefix(test.transition, strings.TrimSuffix(refusal.Transition, "…")) {
				t.Errorf("transition %q", refusal.Transition)
			}
		})
	}
}

// TestOrderOfChecks makes a submit in which everything is wrong, and puts it right step by step.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	pick := to("done", "pick", by(workflow.Human), atMost(1),
		taking(`{"type":"object","required":["why"],"properties":{"why":{"type":"string"}}}`),
		guarded(wt.Permission("pick"), wt.Expr("$.context.ghost == 1")), putting(wt.Put("n", "$.arguments.why")))
	pick.Choices = &workflow.Choices{Field: "colour", From: wt.Path("$.context.colours")}
	d := definition(state("s", pick), terminal("done"))
	d.InitialContext = map[string]any{"colours": []any{"red"}}
	d.Slots = map[string]*workflow.Schema{"n": wt.Schema(`{"enum":["because"]}`)}
	i := workflow.Instance{
		ID: "wf_1", User: "ann", Client: "agent", State: "s", Version: 4, Created: morning,
		Context: d.InitialContext, Memo: workflow.Memo{Fires: map[string]int{"pick": 1}}, Reason: "enough",
	}
	c := workflow.Caller{Client: "person", User: "ann"}
	s := workflow.Submit{Transition: "pock", ExpectedVersion: 3, Arguments: []byte(`{"colour":"blue","why":1}`)}
	steps := []struct {
		want  string
		right func()
	}{
		{"WORKFLOW_CANCELLED", func() { i.Open, i.Reason = true, "" }},
		{"STALE_WORKFLOW_VERSION", func() { s.ExpectedVersion = 4 }},
		{"INVALID_TRANSITION", func() { s.Transition = "pick" }},
		{"ACTOR_MISMATCH", func() { c.Roles = auth.Names("human") }},
		{"CHOICE_MISMATCH", func() { s.Arguments = []byte(`{"colour":"red","why":1}`) }},
		{"TRANSITION_FIRE_CAP_EXCEEDED", func() { i.Memo.Fires = nil }},
		{"INPUT_SCHEMA_VIOLATION", func() { s.Arguments = []byte(`{"colour":"red","why":"so"}`) }},
		{"GUARD_REJECTED", func() { c.Permissions = auth.Names("pick") }},
		{"GUARD_UNSET_SLOT", func() { i.Context = wt.Object(`{"colours":["red"],"ghost":1}`) }},
		{"BLACKBOARD_TYPE_ERROR", func() { s.Arguments = []byte(`{"colour":"red","why":"because"}`) }},
		{"done", func() {}},
	}
	for _, step := range steps {
		equal(t, "answer", answer(d.Plan(&i, c, s, morning)), step.want)
		step.right()
	}
}

func TestPermissionAndPerson(t *testing.T) {
	t.Parallel()
	holder := workflow.Caller{Client: "agent", User: "ann", Permissions: auth.Names("ticket.escalate")}
	r := begin(t, ticket(), `{"subject":"x"}`)
	r.submit(agent, "classify", `{"category":"hw"}`, "sorted")
	r.submit(holder, "escalate", `{}`, "closed")

	r = begin(t, ticket(), `{"subject":"x"}`)
	r.submit(agent, "classify", `{"category":"hw"}`, "sorted")
	decision := r.submit(person, "approve", `{}`, "closed")
	equal(t, "links", r.rels(person), nil)
	equal(t, "open", r.i.Open, false)
	equal(t, "actor", decision.Change.Steps[0].Actor, workflow.Human)
}

func TestSummaryStaysUntilTheNext(t *testing.T) {
	t.Parallel()
	r := begin(t, ticket(), `{"subject":"x"}`)
	say := func(transition, summary string) workflow.Decision {
		return r.commit(r.d.Plan(r.i, agent, workflow.Submit{
			Transition: transition, ExpectedVersion: r.i.Version, Summary: summary, Arguments: []byte(`{"category":"a"}`),
		}, morning))
	}
	say("classify", "first look")
	equal(t, "summary", r.i.Summary, "first look")
	say("again", "")
	equal(t, "summary", r.i.Summary, "first look")
	equal(t, "too long", answer(say("drop", strings.Repeat("x", workflow.MaxSummary+1))), "INPUT_SCHEMA_VIOLATION")
	say("drop", "dup of 7")
	equal(t, "summary", r.i.Summary, "dup of 7")
	if _, there := r.i.Context["summary"]; there {
		t.Error("the summary is in the context")
	}
}

// TestOutputsReadTheContextBefore also swaps two slots: each mapping sees what was there before the step.
func TestOutputsReadTheContextBefore(t *testing.T) {
	t.Parallel()
	d := definition(state("s", to("s", "swap", putting(
		wt.Put("a", "$.context.b"), wt.Put("b", "$.context.a"), wt.Put("gone", "$.context.nowhere"), wt.Put("text", "plain"),
	))))
	d.InitialContext = wt.Object(`{"a":1,"b":[2]}`)
	r := begin(t, d, `{}`)
	r.submit(agent, "swap", `{}`, "s")
	r.context(`{"a":[2],"b":1,"gone":null,"text":"plain"}`)
	equal(t, "version", r.i.Version, 2)
}

func TestBranchesAreTakenAfterTheOutput(t *testing.T) {
	t.Parallel()
	d := definition(
		state("s", to("none", "go",
			putting(wt.Put("n", "$.arguments.n")),
			branching(
				workflow.Branch{When: wt.Expr("$.context.n > 10"), Target: "many"},
				workflow.Branch{When: wt.Expr("$.context.n > 0"), Target: "some"},
				workflow.Branch{When: wt.Expr("$.context.ghost == 1"), Target: "many"},
			))),
		terminal("none"), terminal("some"), terminal("many"))
	for arguments, want := range map[string]string{`{"n":0}`: "none", `{"n":5}`: "some", `{"n":50}`: "many", `{"n":"50"}`: "none"} {
		begin(t, d, `{}`).submit(agent, "go", arguments, want)
	}
}

func TestFireCap(t *testing.T) {
	t.Parallel()
	d := definition(
		state("s", to("s", "loop", atMost(2)), to("other", "leave")),
		state("other", to("s", "back")))
	r := begin(t, d, `{}`)
	for range 2 {
		r.submit(agent, "loop", `{}`, "s")
	}
	equal(t, "rels", r.rels(agent), []string{"loop TRANSITION_FIRE_CAP_EXCEEDED", "leave"})
	r.submit(agent, "loop", `{}`, "TRANSITION_FIRE_CAP_EXCEEDED")
	r.submit(agent, "leave", `{}`, "other")
	r.submit(agent, "back", `{}`, "s")
	r.submit(agent, "loop", `{}`, "s") // another visit
}

func TestWhile(t *testing.T) {
	t.Parallel()
	work := state("work",
		to("done", "next", putting(wt.Put("left", "$.arguments.left"))),
		to("done", "give_up"),
		to("work", "look", light))
	work.While, work.MaxWhile = wt.Expr("$.context.left > 0"), 2
	d := definition(work, state("done", to("work", "more")))
	d.InitialContext = map[string]any{"left": 9.0}
	r := begin(t, d, `{}`)
	r.submit(agent, "next", `{"left":5}`, "work")
	r.submit(agent, "look", `{}`, "work") // leads to the state itself: no iteration
	r.submit(agent, "next", `{"left":4}`, "work")
	equal(t, "rels", r.rels(agent), []string{"next", "give_up WHILE_ITERATION_CAP_EXCEEDED", "look"})
	r.submit(agent, "next", `{"left":3}`, "WHILE_ITERATION_CAP_EXCEEDED")
	r.submit(agent, "give_up", `{}`, "WHILE_ITERATION_CAP_EXCEEDED")
	r.context(`{"left":4}`)
	r.submit(agent, "next", `{"left":0}`, "done")
	equal(t, "memo", r.i.Memo, workflow.Memo{})
	r.submit(agent, "more", `{}`, "work")
	r.submit(agent, "next", `{"left":1}`, "work") // the count began anew
}

func TestOnEnterOnceAVisit(t *testing.T) {
	t.Parallel()
	b := state("b", to("b", "loop"), to("a", "back"))
	b.OnEnter = &workflow.Action{Output: []workflow.Slot{wt.Put("entered", map[string]any{"add": []any{"$.context.entered", 1.0}})}}
	d := definition(state("a", to("b", "go")), b)
	r := begin(t, d, `{}`)
	r.submit(agent, "go", `{}`, "b")
	equal(t, "version", r.i.Version, 2)
	r.submit(agent, "loop", `{}`, "b")
	r.context(`{"entered":1}`)
	r.submit(agent, "back", `{}`, "a")
	r.submit(agent, "go", `{}`, "b")
	r.context(`{"entered":2}`)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	r := begin(t, ticket(), `{"subject":"x"}`)
	decision := r.expect(r.d.Cancel(r.i, agent, "oops", morning), "open")
	equal(t, "instance", []any{r.i.Open, r.i.Reason, r.i.Version}, []any{false, "oops", int64(2)})
	equal(t, "step", decision.Change.Steps, []workflow.Step{{
		Seq: 2, Kind: workflow.StepCancel, From: "open", To: "open", Actor: workflow.Agent, Client: "agent", User: "ann",
	}})
	equal(t, "links", r.rels(agent), nil)
	equal(t, "again", r.d.Cancel(r.i, agent, "twice", morning).Idle(), true)
	refused := r.submit(agent, "drop", `{}`, "WORKFLOW_CANCELLED")
	if !strings.Contains(refused.Refusal.Message, "oops") {
		t.Errorf("%+v", refused.Refusal)
	}

	r = begin(t, ticket(), `{"subject":"x"}`)
	r.expect(r.d.Cancel(r.i, overseer, "", morning), "open")
	equal(t, "reason", r.i.Reason, "cancelled")
	r = begin(t, ticket(), `{"subject":"x"}`)
	r.submit(agent, "drop", `{}`, "closed")
	r.expect(r.d.Cancel(r.i, agent, "late", morning), "WORKFLOW_COMPLETED")
	r = begin(t, ticket(), `{"subject":"x"}`)
	r.expect(r.d.Cancel(r.i, agent, strings.Repeat("é", workflow.MaxSummary), morning), "open")
	if len(r.i.Reason) > workflow.MaxSummary+4 {
		t.Errorf("a reason of %d bytes", len(r.i.Reason))
	}
}

// TestInstanceThatDoesNotFit is what a tampered or foreign row is: no panic, and an error that names both.
func TestInstanceThatDoesNotFit(t *testing.T) {
	t.Parallel()
	d := ticket()
	i := &workflow.Instance{ID: "wf_1", State: "renamed", Version: 1, Open: true, Created: morning}
	decision := d.Plan(i, agent, workflow.Submit{Transition: "drop", ExpectedVersion: 1}, morning)
	if answer(decision) != "CORRUPT_WORKFLOW" || !strings.Contains(decision.Refusal.Message, "renamed") || !strings.Contains(decision.Refusal.Message, "ticket") {
		t.Errorf("%+v", decision.Refusal)
	}
	equal(t, "resolve", answer(d.Resolve(i, person, workflow.Answer{}, morning)), "CORRUPT_WORKFLOW")
	equal(t, "expire", d.Expire(i, morning).Idle(), true)
	equal(t, "links", len(d.Links(i, agent)), 0)
	equal(t, "gates", len(d.PendingHuman(i)), 0)
	equal(t, "allowed", d.Explain(i, agent, "drop").Allowed, false)
	broken := definition(state("s", to("nowhere", "go")))
	r := begin(t, broken, `{}`)
	r.submit(agent, "go", `{}`, "CORRUPT_WORKFLOW")
	broken.Initial = "none"
	equal(t, "begin", answer(broken.Begin("wf_2", agent, nil, morning)), "CORRUPT_WORKFLOW")
}

// TestManyStates looks each of 5,000 up, also while they become more.
func TestManyStates(t *testing.T) {
	t.Parallel()
	d := &workflow.Definition{}
	for n := range 5000 {
		d.States = append(d.States, state(fmt.Sprintf("s%d", n)))
		if n%1000 == 40 && d.State(fmt.Sprintf("s%d", n)) != d.States[n] {
			t.Errorf("the last of %d is not found", n)
		}
	}
	for n, s := range d.States {
		if d.State(s.Name) != d.States[n] {
			t.Fatalf("%s is not found", s.Name)
		}
	}
	if d.State("s5000") != nil {
		t.Error("one that is not there is found")
	}
}
