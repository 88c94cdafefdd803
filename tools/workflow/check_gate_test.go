package workflow_test

import (
	"slices"
	"strings"
	"testing"

	"prax/auth"
	"prax/tools/workflow"
	"prax/tools/workflow/workflowtest"
)

func TestCheckOfGates(t *testing.T) {
	t.Parallel()
	gate := func(with ...func(*workflow.Transition)) *workflow.Definition {
		all := append([]func(*workflow.Transition){by(workflow.Human), titled("Go?")}, with...)
		return definition(state("a", to("b", "go", all...), to("b", "leave")), terminal("b"))
	}
	demands := guarded(workflowtest.Permission("finance"))
	rich := workflow.Caller{Client: "cfo", User: "zoe", Roles: auth.Names("human"), Permissions: auth.Names("finance")}
	machine := workflow.Caller{Client: "bot", User: "bot", Permissions: auth.Names("finance")}
	for name, one := range map[string]struct {
		d    *workflow.Definition
		who  []workflow.Caller
		want []string
	}{
		"nobody is known":          {gate(demands), nil, nil},
		"a person":                 {gate(), []workflow.Caller{agent, person}, nil},
		"no person":                {gate(), []workflow.Caller{agent}, []string{"unanswerable-gate /states/a/transitions/go"}},
		"one who oversees":         {gate(), []workflow.Caller{agent, overseer}, nil},
		"a person who may":         {gate(demands), []workflow.Caller{agent, rich}, nil},
		"a person, and who may":    {gate(demands), []workflow.Caller{person, machine}, []string{"unanswerable-gate /states/a/transitions/go/guards"}},
		"one who says no":          {gate(guarded(workflowtest.Not(workflowtest.Role("human")))), nil, []string{"unsatisfiable-guard /states/a/transitions/go/guards/0"}},
		"who asks and who answers": {gate(by(workflow.Agent), running(workflowtest.Human("q")), demands), []workflow.Caller{agent, rich}, nil},
		"who asks may, not who answers": {
			gate(by(workflow.Agent), running(workflowtest.Human("q")), demands), []workflow.Caller{machine, person}, []string{"unanswerable-gate /states/a/transitions/go/guards"},
		},
		"an agent's that nobody may": {
			definition(state("a", to("b", "go", demands), to("b", "leave")), terminal("b")), []workflow.Caller{agent}, []string{"nobody-may /states/a/transitions/go/guards"},
		},
		"nothing is asked":   {gate(titled("")), nil, []string{"HUMAN_GATE_NO_PROMPT_SOURCE /states/a/transitions/go"}},
		"the context asks":   {with(gate(titled("")), beginning(`{"prompt":"Well?"}`)), nil, nil},
		"one's own executor": {gate(running(&workflow.Executor{Kind: workflow.KindNoop, Tier: auth.High})), nil, nil},
		"it begins with an effect": {
			with(definition(state("a", to("b", "go")), terminal("b")), func(d *workflow.Definition) {
				d.States[0].OnEnter = &workflow.Action{Executor: probe}
			}), nil, []string{"misplaced-effect /states/a/onEnter/executor"},
		},
		"an undeclared tier": {
			gate(by(workflow.Agent), running(&workflow.Executor{Kind: workflow.KindNoop})), nil, []string{"misplaced-high /states/a/transitions/go/executor"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "findings", found(one.d.Check(workflow.World{Callers: one.who})), one.want)
		})
	}
}

func TestCheckOfStatesThatStick(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		d    *workflow.Definition
		says string // "": nothing
	}{
		"one case is forgotten": {
			with(definition(state("a", to("b", "few", guarded(ex("$.context.n < 3"))), to("b", "many", guarded(ex("$.context.n > 3")))), terminal("b")), written), "$.context.n is 3",
		},
		"none is": {
			with(definition(state("a", to("b", "few", guarded(ex("$.context.n < 3"))), to("b", "many", guarded(ex("$.context.n >= 3")))), terminal("b")), written), "",
		},
		"somebody may": {
			definition(state("a", to("b", "go", guarded(workflowtest.Permission("jump")))), terminal("b")), "",
		},
		"some arguments do": {
			definition(state("a", to("b", "go", guarded(ex("$.arguments.sure == true")))), terminal("b")), "",
		},
		"what is waited for can be made": {
			definition(state("a", to("a", "vote", running(workflowtest.Human("board")), titled("Yes?")), to("b", "pass", guarded(workflowtest.Evidence(workflow.Requirement{Kind: "human_approval", Count: 2})))), terminal("b")), "",
		},
		"what is waited for was made": {
			definition(state("a", to("b", "ask", running(workflowtest.Human("board")), titled("Yes?"))), state("b", to("c", "go", guarded(workflowtest.Evidence(workflow.Requirement{Kind: "human_approval"})))), terminal("c")), "",
		},
		"what is waited for may not have been made": {
			definition(state("a", to("b", "ask", running(workflowtest.Human("board")), titled("Yes?")), to("b", "skip")), state("b", to("c", "go", guarded(workflowtest.Evidence(workflow.Requirement{Kind: "human_approval"})))), terminal("c")), "evidence of the kind human_approval is missing",
		},
		"the slot refuses": {
			with(definition(state("a", to("a", "count", putting(put("n", plus1)), branching(workflow.Branch{When: ex("$.context.n > 7"), Target: "b"}))), terminal("b")), beginning(`{"n":0}`),
				func(d *workflow.Definition) {
					d.Slots = map[string]*workflow.Schema{"n": workflowtest.Schema(`{"type":"number","maximum":9}`)}
				}), "$.context.n is 9",
		},
		"a bound is used up by a no": {
			definition(state("a", to("b", "ask", running(workflowtest.Human("board")), titled("Yes?"), atMost(1))), terminal("b")), "may stick",
		},
		"options may be missing": {
			with(definition(state("a", to("b", "pick", by(workflow.Human), titled("Which?"), func(t *workflow.Transition) {
				t.Choices = &workflow.Choices{Field: "x", From: workflowtest.Path("$.context.list")}
			})), terminal("b")), beginning(`{"list":[]}`)), "may stick",
		},
		"the time leads out": {
			with(definition(state("a", to("b", "go", guarded(ex("$.context.n > 3")))), terminal("b")), written, inTime("b")), "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := one.d.Check(workflow.World{})
			stuck := slices.IndexFunc(f, func(one workflow.Finding) bool { return one.Code == workflow.MayStick })
			switch {
			case one.says == "" && stuck >= 0, one.says != "" && (stuck < 0 || !strings.Contains(f[stuck].Text, one.says)):
				t.Errorf("want %q, got:\n%s", one.says, told(f))
			}
		})
	}
}
