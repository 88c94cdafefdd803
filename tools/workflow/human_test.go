package workflow_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"prax/auth"
	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

// shipping has a transition that waits for a person's yes, and one beside it.
func shipping() *workflow.Definition {
	ship := to("shipped", "ship", running(wt.Human("board")),
		taking(`{"type":"object","required":["to"],"properties":{"to":{"type":"string"},"fast":{"type":"boolean","default":false}}}`),
		putting(wt.Put("to", "$.arguments.to"), wt.Put("answer", "$.output.status")))
	ship.Title = "Ship it"
	return definition(state("ready", ship, to("ready", "wait")), terminal("shipped"))
}

func yes(r *drive) workflow.Answer {
	return workflow.Answer{Approval: r.i.Parked.Approval, Digest: r.i.Parked.Digest, Approve: true}
}

func TestAskingAPerson(t *testing.T) {
	t.Parallel()
	r := begin(t, shipping(), `{}`)
	decision := r.submit(agent, "ship", `{"to":"rome"}`, "ready")
	c := decision.Change
	equal(t, "version", r.i.Version, 2)
	equal(t, "step", []any{c.Steps[0].Kind, c.Steps[0].From, c.Steps[0].To}, []any{workflow.StepRequest, "ready", "ready"})
	equal(t, "evidence", c.Evidence, []workflow.Evidence{{Seq: 2, Kind: "human_request", Summary: "asked board", Client: "agent", User: "ann"}})
	r.context(`{}`)
	equal(t, "ask", []any{c.Ask.Transition.Name, c.Ask.Queue, c.Ask.Arguments}, []any{"ship", "board", wt.Object(`{"to":"rome","fast":false}`)})
	equal(t, "material", c.Ask.Material, map[string]any{
		"workflowId": "wf_1", "definitionId": "test", "definitionHash": "0123", "state": "ready", "version": int64(2),
		"transition": "ship", "targets": []any{"shipped"}, "arguments": wt.Object(`{"to":"rome","fast":false}`), "queue": "board",
		"tier": auth.Low.String(), "client": "agent", "user": "ann", "prompt": "Ship it",
	})
	equal(t, "rels", r.rels(agent), []string{"ship", "wait"})
}

func TestApproving(t *testing.T) {
	t.Parallel()
	for _, who := range []workflow.Caller{person, second, overseer} {
		r := begin(t, shipping(), `{}`)
		r.submit(agent, "ship", `{"to":"rome"}`, "ready")
		a := yes(r)
		a.Note = "go on"
		c := r.expect(r.d.Resolve(r.i, who, a, r.now), "shipped").Change
		equal(t, "consumed", []string{c.Consumed, c.Rejected}, []string{"ap_1", ""})
		equal(t, "step", []any{c.Steps[0].Kind, c.Steps[0].Actor, c.Steps[0].Client, c.Steps[0].Arguments},
			[]any{workflow.StepTransition, workflow.Human, who.Client, wt.Object(`{"to":"rome","fast":false}`)})
		equal(t, "evidence", c.Evidence, []workflow.Evidence{{
			Seq: 3, Kind: "human_approval", URI: "ap_1", Summary: "go on", Digest: "digest 1", Client: who.Client, User: who.User,
		}})
		r.context(`{"to":"rome","answer":"approved"}`)
		r.expect(r.d.Resolve(r.i, who, a, r.now), "APPROVAL_NOT_OPEN") // once
	}
}

func TestRejecting(t *testing.T) {
	t.Parallel()
	r := begin(t, shipping(), `{}`)
	r.submit(agent, "ship", `{"to":"rome"}`, "ready")
	a := yes(r)
	a.Approve = false
	c := r.expect(r.d.Resolve(r.i, person, a, r.now), "ready").Change
	equal(t, "rejected", []string{c.Consumed, c.Rejected}, []string{"", "ap_1"})
	equal(t, "step", []any{c.Steps[0].Kind, c.Steps[0].Seq, c.Steps[0].Actor}, []any{workflow.StepRejection, int64(3), workflow.Human})
	equal(t, "evidence", len(c.Evidence), 0)
	r.context(`{}`)
	equal(t, "parked", r.i.Parked, (*workflow.Parked)(nil))
}

// TestAnswersThatDoNotCount has a reason of its own for each.
func TestAnswersThatDoNotCount(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		who    workflow.Caller
		change func(*drive, *workflow.Answer)
		want   workflow.Code
	}{
		"an agent's":             {agent, func(*drive, *workflow.Answer) {}, workflow.ActorMismatch},
		"the server's own":       {workflow.Caller{}, func(*drive, *workflow.Answer) {}, workflow.ActorMismatch},
		"to another approval":    {person, func(_ *drive, a *workflow.Answer) { a.Approval = "ap_9" }, workflow.ApprovalNotOpen},
		"to none":                {person, func(_ *drive, a *workflow.Answer) { a.Approval = "" }, workflow.ApprovalNotOpen},
		"too late":               {person, func(r *drive, _ *workflow.Answer) { r.now = r.now.Add(24 * time.Hour) }, workflow.ApprovalExpired},
		"to other material":      {person, func(_ *drive, a *workflow.Answer) { a.Digest = "digest 2" }, workflow.ApprovalMismatch},
		"to material not looked": {person, func(_ *drive, a *workflow.Answer) { a.Digest = "" }, workflow.ApprovalMismatch},
		"after another move": {person, func(r *drive, _ *workflow.Answer) {
			r.commit(r.plan(agent, "wait", `{}`))
		}, workflow.ApprovalNotOpen},
		"after another question": {person, func(r *drive, _ *workflow.Answer) {
			r.commit(r.plan(agent, "ship", `{"to":"oslo"}`))
		}, workflow.ApprovalNotOpen},
		"after a cancellation": {person, func(r *drive, _ *workflow.Answer) {
			r.commit(r.d.Cancel(r.i, agent, "", r.now))
		}, workflow.WorkflowCancelled},
	}
	for name, test := range tests {
		for _, approve := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := begin(t, shipping(), `{}`)
				r.submit(agent, "ship", `{"to":"rome"}`, "ready")
				a := yes(r)
				a.Approve = approve
				test.change(r, &a)
				decision := r.expect(r.d.Resolve(r.i, test.who, a, r.now), string(test.want))
				if decision.Refusal.Hint == "" {
					t.Error("no hint")
				}
			})
		}
	}
}

// TestAPersonWhoSubmitsTheSameApproves and one who submits anything else asks.
func TestAPersonWhoSubmitsTheSameApproves(t *testing.T) {
	t.Parallel()
	r := begin(t, shipping(), `{}`)
	r.submit(person, "ship", `{"to":"rome"}`, "ready") // nobody asked: parks
	r.submit(person, "ship", `{"to":"oslo"}`, "ready") // something else: parks again
	r.submit(agent, "ship", `{"to":"oslo"}`, "ready")  // not a person: parks again
	link := r.link(person, "ship")
	equal(t, "link", []any{link.Approves, link.Arguments, link.Blocked}, []any{"ap_3", wt.Object(`{"to":"oslo","fast":false}`), (*workflow.Refusal)(nil)})
	equal(t, "agent's link", r.link(agent, "ship").Approves, "")
	c := r.submit(person, "ship", `{"fast":false,"to":"oslo"}`, "shipped").Change
	equal(t, "consumed", c.Consumed, "ap_3")
	equal(t, "version", r.i.Version, 5)

	r = begin(t, shipping(), `{}`)
	r.submit(agent, "ship", `{"to":"rome"}`, "ready")
	r.now = r.now.Add(24 * time.Hour)
	r.submit(person, "ship", `{"to":"rome"}`, "ready") // expired: parks again
	r.submit(person, "ship", `{"to":"rome"}`, "shipped")
}

func TestGuardsAreJudgedAgainUnderWhoApproves(t *testing.T) {
	t.Parallel()
	d := shipping()
	d.States[0].Transitions[0].Guards = []*workflow.Guard{wt.Permission("ship")}
	holder := agent
	holder.Permissions = auth.Names("ship")
	r := begin(t, d, `{}`)
	r.submit(agent, "ship", `{"to":"rome"}`, rejected)
	r.submit(holder, "ship", `{"to":"rome"}`, "ready")
	r.expect(r.d.Resolve(r.i, person, yes(r), r.now), rejected)
	allowed := person
	allowed.Permissions = auth.Names("ship")
	r.expect(r.d.Resolve(r.i, allowed, yes(r), r.now), "shipped")
}

// TestQuorum counts requests, however often they are voided.
func TestQuorum(t *testing.T) {
	t.Parallel()
	d := definition(state("collect",
		to("collect", "vote", running(wt.Human("board"))),
		to("done", "pass", guarded(wt.Evidence(workflow.Requirement{Kind: "human_request", Count: 2})))), terminal("done"))
	r := begin(t, d, `{}`)
	r.submit(agent, "pass", `{}`, rejected)
	r.submit(agent, "vote", `{}`, "collect")
	r.submit(agent, "pass", `{}`, rejected)
	r.submit(agent, "vote", `{}`, "collect")
	r.submit(agent, "pass", `{}`, "done")
}

// TestTwoPersons is an approval by two users, neither of them the starter's: an agent and its person are one.
func TestTwoPersons(t *testing.T) {
	t.Parallel()
	d := definition(state("collect",
		to("collect", "vote", running(wt.Human("board"))),
		to("done", "pass", guarded(wt.Evidence(workflow.Requirement{Kind: "human_approval", Count: 2, Distinct: true, ExcludeStarter: true, Digest: true})))), terminal("done"))
	r := begin(t, d, `{}`)
	third := second
	third.Client, third.User = "third", "cid"
	for _, who := range []workflow.Caller{person, second, second, third} {
		r.submit(agent, "pass", `{}`, rejected)
		r.submit(agent, "vote", `{}`, "collect")
		r.expect(r.d.Resolve(r.i, who, yes(r), r.now), "collect")
	}
	r.submit(agent, "pass", `{}`, "done")
}

func TestCapOnRequests(t *testing.T) {
	t.Parallel()
	d := shipping()
	d.States[0].Transitions[0].MaxFires = 1
	r := begin(t, d, `{}`)
	r.submit(agent, "ship", `{"to":"rome"}`, "ready")
	equal(t, "rels", r.rels(agent), []string{"ship TRANSITION_FIRE_CAP_EXCEEDED", "wait"})
	equal(t, "person's", r.rels(person), []string{"ship", "wait"}) // to approve it
	equal(t, "and nothing else", string(r.link(person, "ship").Schema()), `{"const":{"fast":false,"to":"rome"},"type":"object"}`)
	equal(t, "the agent's", r.link(agent, "ship").Schema(), d.States[0].Transitions[0].Input.Raw())
	equal(t, "any object", string(r.link(agent, "wait").Schema()), `{"type":"object"}`)
	r.submit(agent, "ship", `{"to":"rome"}`, "TRANSITION_FIRE_CAP_EXCEEDED")
	r.submit(person, "ship", `{"to":"oslo"}`, "TRANSITION_FIRE_CAP_EXCEEDED")
	r.submit(person, "ship", `{"to":"rome"}`, "shipped")
}

func TestOverseer(t *testing.T) {
	t.Parallel()
	d := shipping()
	d.States[0].Transitions = append(d.States[0].Transitions, to("shipped", "sign", by(workflow.Human)))
	r := begin(t, d, `{}`)
	equal(t, "rels", r.rels(overseer), []string{"ship ACTOR_MISMATCH", "wait ACTOR_MISMATCH", "sign"})
	r.submit(overseer, "wait", `{}`, "ACTOR_MISMATCH")
	r.submit(overseer, "ship", `{"to":"rome"}`, "ACTOR_MISMATCH") // it cannot ask
	r.submit(agent, "ship", `{"to":"rome"}`, "ready")
	equal(t, "rels", r.rels(overseer), []string{"ship", "wait ACTOR_MISMATCH", "sign"})
	r.submit(overseer, "ship", `{"to":"oslo"}`, "ACTOR_MISMATCH") // nor ask for something else
	r.submit(overseer, "ship", `{"to":"rome"}`, "shipped")

	r = begin(t, d, `{}`)
	r.submit(overseer, "sign", `{}`, "shipped")
}

func TestAPersonInAChain(t *testing.T) {
	t.Parallel()
	d := definition(
		state("a", to("b", "go")),
		state("b", to("c", "confirm", automatically, running(wt.Human("board")))),
		state("c", to("d", "auto", automatically)),
		terminal("d"))
	r := begin(t, d, `{}`)
	decision := r.submit(agent, "go", `{}`, "b")
	equal(t, "steps", []int64{decision.Change.Steps[0].Seq, decision.Change.Steps[1].Seq}, []int64{2, 3})
	equal(t, "kind", decision.Change.Steps[1].Kind, workflow.StepRequest)
	a := yes(r)
	a.Approve = false
	r.expect(r.d.Resolve(r.i, person, a, r.now), "b") // not asked again by itself
	equal(t, "rels", r.rels(agent), []string{"confirm!"})
	r.submit(agent, "confirm", `{}`, "b")
	r.expect(r.d.Resolve(r.i, person, yes(r), r.now), "d")
}

func TestAskHuman(t *testing.T) {
	t.Parallel()
	d := definition(state("s", to("t", "go")), state("t", to("u", "auto", automatically, guarded(wt.Expr("$.context.ghost == 1")))), terminal("u"))
	d.AskHuman, d.MaxAskHuman = true, 2
	r := begin(t, d, `{}`)
	equal(t, "rels", r.rels(agent), []string{"go", "ask_human"})
	r.submit(agent, "ask_human", `{}`, "INPUT_SCHEMA_VIOLATION")
	question := `{"question":"which?","context_summary":"two ways","attempted_alternatives":["left"]}`
	r.submit(agent, "ask_human", question, "s")
	equal(t, "gates", r.d.PendingHuman(r.i)[0].Parked.Approval, "ap_1")
	a := yes(r)
	a.Note = "the right one"
	c := r.expect(r.d.Resolve(r.i, person, a, r.now), "s").Change
	equal(t, "note", c.Steps[0].Output.(map[string]any)["note"], any("the right one"))
	r.submit(agent, "go", `{}`, "t CHAIN_FAILED")
	r.submit(agent, "ask_human", question, "t")
	r.submit(agent, "ask_human", question, "TRANSITION_FIRE_CAP_EXCEEDED")
	equal(t, "rels", r.rels(agent), []string{"ask_human TRANSITION_FIRE_CAP_EXCEEDED", "auto! GUARD_UNSET_SLOT"})
}

// TestAnswerIsNoApproval: what a caller thought of asking, and a person said yes to, counts for no guard that demands
// an approval; and check does not take it for one.
func TestAnswerIsNoApproval(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{"human_approval": "GUARD_REJECTED", "human_answer": "t"} {
		ship := to("t", "ship", guarded(wt.Evidence(workflow.Requirement{Kind: kind, Digest: true})))
		d := definition(state("s", ship), terminal("t"))
		d.AskHuman = true
		r := begin(t, d, `{}`)
		r.submit(agent, "ask_human", `{"question":"is the sky blue?","context_summary":"","attempted_alternatives":[]}`, "s")
		r.expect(r.d.Resolve(r.i, person, yes(r), r.now), "s")
		r.submit(agent, "ship", `{}`, want)
		equal(t, kind+" never comes", slices.ContainsFunc(d.Check(workflow.World{}), func(f workflow.Finding) bool {
			return f.Severity == workflow.SeverityError
		}), want != "t")
	}
}

func TestGates(t *testing.T) {
	t.Parallel()
	approve := to("t", "approve", by(workflow.Human), taking(`{"type":"object"}`))
	approve.Prompt = wt.Template("Approve {{ $.context.what }}?")
	reject := to("t", "reject", by(workflow.Human))
	reject.Title = "Reject it"
	pick := to("t", "pick", by(workflow.Human))
	pick.Presents = append(pick.Presents, wt.Path("$.context.what"), wt.Path("$.context.more"))
	pick.Choices = &workflow.Choices{Field: "one", From: wt.Path("$.context.options"), Value: "id", Title: "label"}
	s := state("s", approve, to("t", "abort"), reject, pick)
	s.Goal = wt.Template("Decide on {{ $.context.what }}")
	d := definition(s, terminal("t"))
	d.InitialContext = wt.Object(`{"what":"the plan","options":[{"id":1,"label":"One"},{"id":"two"}]}`)
	r := begin(t, d, `{}`)
	gates := r.d.PendingHuman(r.i)
	var names, prompts []string
	for _, g := range gates {
		names, prompts = append(names, g.Transition.Name), append(prompts, g.Prompt)
	}
	equal(t, "gates", names, []string{"approve", "reject", "pick"})
	equal(t, "prompts", prompts, []string{"Approve the plan?", "Reject it", "Decide on the plan"})
	equal(t, "presented", gates[2].Presented, nil)
	if !strings.Contains(gates[2].Defect, "$.context.more") {
		t.Errorf("defect %q", gates[2].Defect)
	}
	equal(t, "choices", *gates[2].Choices, workflow.Options{Field: "one", Options: []workflow.Option{{Value: 1.0, Title: "One"}, {Value: "two"}}})

	r.i.Context = wt.Object(`{"what":"the plan","more":2,"prompt":"From the context","options":[]}`)
	gates = r.d.PendingHuman(r.i)
	equal(t, "prompt", gates[2].Prompt, "From the context")
	equal(t, "presented", gates[2].Presented, wt.Object(`{"what":"the plan","more":2}`))
	if !strings.Contains(gates[2].Defect, "empty") {
		t.Errorf("defect %q", gates[2].Defect)
	}
	r.i.Context["more"] = strings.Repeat("x", 40_000)
	if g := r.d.PendingHuman(r.i)[2]; g.Presented != nil || g.Defect == "" {
		t.Errorf("%d presented, defect %q", len(g.Presented), g.Defect)
	}
	r.submit(person, "approve", `{}`, "t")
	equal(t, "gates", len(r.d.PendingHuman(r.i)), 0)
}

func TestChoices(t *testing.T) {
	t.Parallel()
	pick := to("t", "pick", by(workflow.Human))
	pick.Choices = &workflow.Choices{Field: "one", From: wt.Path("$.context.options"), Value: "id"}
	d := definition(state("s", pick), terminal("t"))
	tests := []struct{ context, arguments, want, names string }{
		{`{"options":[{"id":1},{"id":"two"}]}`, `{"one":1}`, "t", ""},
		{`{"options":[{"id":1},{"id":"two"}]}`, `{"one":"two"}`, "t", ""},
		{`{"options":[{"id":1},{"id":"two"}]}`, `{"one":"1"}`, "CHOICE_MISMATCH", `"1": it must be one of 2 options: 1, "two"`},
		{`{"options":[{"id":1}]}`, `{}`, "CHOICE_MISMATCH", "missing"},
		{`{"options":[{"id":null}]}`, `{}`, "CHOICE_MISMATCH", "missing"},
		{`{"options":[{"id":null}]}`, `{"one":null}`, "t", ""},
		{`{"options":[{"id":1}]}`, `[]`, "CHOICE_MISMATCH", "missing"},
		{`{"options":[{"id":[1,{"a":2}]}]}`, `{"one":[1,{"a":2}]}`, "t", ""},
		{`{"options":[{"no":1}]}`, `{"one":1}`, "CHOICE_MISMATCH", "id"},
		{`{"options":[1]}`, `{"one":1}`, "CHOICE_MISMATCH", "id"},
		{`{"options":{"id":1}}`, `{"one":1}`, "CHOICE_MISMATCH", "not a list"},
		{`{}`, `{"one":1}`, "CHOICE_MISMATCH", "$.context.options"},
		{`{"options":[{"id":0},{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7},{"id":8},{"id":9},{"id":10}]}`, `{"one":11}`, "CHOICE_MISMATCH", "11 options"},
	}
	for _, test := range tests {
		d.InitialContext = wt.Object(test.context)
		r := begin(t, d, `{}`)
		decision := r.submit(person, "pick", test.arguments, test.want)
		if decision.Refusal != nil && !strings.Contains(decision.Refusal.Message, test.names) {
			t.Errorf("%s: %q does not say %q", test.context, decision.Refusal.Message, test.names)
		}
		defect := decision.Refusal != nil && strings.HasPrefix(decision.Refusal.Message, "the gate has no options")
		if defect != (r.i.Open && r.link(person, "pick").Blocked != nil) {
			t.Errorf("%s: link %+v", test.context, r.link(person, "pick"))
		}
	}
}

// TestMaterial has all of a gate in it, and the queue where none is named.
func TestMaterial(t *testing.T) {
	t.Parallel()
	d := shipping()
	ship := d.States[0].Transitions[0]
	ship.Executor = wt.Human("")
	ship.Branches = []workflow.Branch{{When: wt.Expr("$.context.to == 'mars'"), Target: "ready"}}
	ship.Presents = append(ship.Presents, wt.Path("$.context.plan"))
	defective := begin(t, d, `{}`).submit(agent, "ship", `{"to":"rome"}`, "ready").Change.Ask.Material
	if defect, _ := defective["defect"].(string); !strings.Contains(defect, "$.context.plan") {
		t.Errorf("defect %q", defect)
	}
	d.InitialContext = wt.Object(`{"plan":"by sea"}`)
	ask := begin(t, d, `{}`).submit(agent, "ship", `{"to":"rome"}`, "ready").Change.Ask
	equal(t, "queue", ask.Queue, "default")
	equal(t, "targets", ask.Material["targets"], any([]any{"shipped", "ready"}))
	equal(t, "presented", ask.Material["presented"], any(wt.Object(`{"plan":"by sea"}`)))
}

// TestApprovalOfAnotherTransition is a tampered row: no.
func TestApprovalOfAnotherTransition(t *testing.T) {
	t.Parallel()
	r := begin(t, shipping(), `{}`)
	r.submit(agent, "ship", `{"to":"rome"}`, "ready")
	r.i.Parked.Transition = "wait"
	r.expect(r.d.Resolve(r.i, person, yes(r), r.now), "CORRUPT_WORKFLOW")
}

// TestDecisionsShareNoEvidence decides twice on one instance whose evidence has room for more.
func TestDecisionsShareNoEvidence(t *testing.T) {
	t.Parallel()
	r := begin(t, shipping(), `{}`)
	r.i.Evidence = make([]workflow.Evidence, 1, 8)
	first := r.plan(agent, "ship", `{"to":"rome"}`).Change.Next
	r.plan(person, "ship", `{"to":"oslo"}`)
	equal(t, "client", first.Evidence[1].Client, "agent")
}
