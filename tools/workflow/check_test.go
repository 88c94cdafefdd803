package workflow_test

import (
	"strings"
	"testing"

	"prax/tools/workflow"
	"prax/tools/workflow/workflowtest"
)

// found are findings in short: code, where, and the path that shows it.
func found(findings []workflow.Finding) []string {
	var short []string
	for _, f := range findings {
		text := string(f.Code) + " " + f.Pointer
		if len(f.Path) > 0 {
			text += " by " + strings.Join(f.Path, ",")
		}
		short = append(short, text)
	}
	return short
}

func with(d *workflow.Definition, changes ...func(*workflow.Definition)) *workflow.Definition {
	for _, change := range changes {
		change(d)
	}
	return d
}

func beginning(context string) func(*workflow.Definition) {
	return func(d *workflow.Definition) { d.InitialContext = workflowtest.Object(context) }
}

func taken(schema string) func(*workflow.Definition) {
	return func(d *workflow.Definition) { d.Input = workflowtest.Schema(schema) }
}

var (
	ex    = workflowtest.Expr
	put   = workflowtest.Put
	plus1 = map[string]any{"add": []any{"$.context.n", 1.0}}
)

func TestCheckOfStates(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		d    *workflow.Definition
		want []string
	}{
		"all is well": {definition(state("a", to("b", "go")), terminal("b")), nil},
		"no first state": {
			with(definition(state("a", to("b", "go")), terminal("b")), func(d *workflow.Definition) { d.Initial = "x" }),
			[]string{"unknown-state /initialState"},
		},
		"targets that are no states": {
			with(definition(state("a", to("x", "go", branching(workflow.Branch{When: ex("true == true"), Target: "y"})))),
				func(d *workflow.Definition) { d.OnTimeout = "z" }),
			[]string{"unknown-state /onTimeout/target", "unknown-state /states/a/transitions/go/target", "unknown-state /states/a/transitions/go/branches/0/target"},
		},
		"names are escaped in pointers": {
			definition(state("a", to("b", "go")), terminal("b"), terminal("x/~y")),
			[]string{"unreachable-state /states/x~1~0y"},
		},
		"nothing leads there": {
			definition(state("a", to("b", "go")), terminal("b"), state("c", to("b", "go"))),
			[]string{"unreachable-state /states/c"},
		},
		"dead end": {
			definition(state("a", to("b", "go"), to("c", "stop")), state("b"), terminal("c")),
			[]string{"dead-end /states/b by go"},
		},
		"dead end that ask_human does not open": {
			with(definition(state("a", to("b", "go"), to("c", "stop")), state("b"), terminal("c")), func(d *workflow.Definition) { d.AskHuman = true }),
			[]string{"dead-end /states/b by go"},
		},
		"cannot finish": {
			definition(state("a", to("b", "go"), to("d", "stop")), state("b", to("c", "on")), state("c", to("b", "back")), terminal("d")),
			[]string{"cannot-finish /states/b by go", "cannot-finish /states/c by go,on"},
		},
		"the time leads out": {
			with(definition(state("a", to("b", "go")), state("b", to("b", "wait")), terminal("late")), inTime("late")), nil,
		},
		"the time leads out once": {
			with(definition(state("a", to("b", "go")), state("b", to("b", "wait")), state("late", to("b", "again"), to("end", "stop")), terminal("end")), inTime("late")),
			[]string{"cannot-finish /states/b by go"},
		},
		"no state is terminal": {
			definition(state("a", to("a", "on", putting(put("last", "$.arguments.x"))))),
			[]string{"no-terminal-state /states"},
		},
		"a while that always holds": {
			with(definition(&workflow.State{Name: "a", Transitions: []*workflow.Transition{to("b", "go")}, While: ex("$.context.on == true"), MaxWhile: 3}, terminal("b")), beginning(`{"on":true}`)),
			[]string{"cannot-finish /states/a", "unreachable-state /states/b"},
		},
		"a branch that leads on": {
			with(definition(state("a", to("a", "try", putting(put("ok", "$.arguments.ok")), branching(workflow.Branch{When: ex("$.context.ok == true"), Target: "b"}))), terminal("b"))), nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "findings", found(one.d.Check(workflow.World{})), one.want)
		})
	}
}

func inTime(target string) func(*workflow.Definition) {
	return func(d *workflow.Definition) { d.Timeout, d.OnTimeout = 1e9, target }
}

func TestCheckOfChains(t *testing.T) {
	t.Parallel()
	loop := func(with ...func(*workflow.Transition)) *workflow.Definition {
		back := append([]func(*workflow.Transition){automatically}, with...)
		return definition(state("a", to("b", "go", automatically)), state("b", to("a", "back", back...), to("c", "done", automatically)), terminal("c"))
	}
	counting := putting(put("n", plus1))
	for name, one := range map[string]struct {
		d    *workflow.Definition
		want []string
	}{
		"a loop whose exit is its default": {
			with(loop(guarded(ex("$.context.n < 3")), counting), beginning(`{"n":0}`)), nil,
		},
		"a loop that counts what it does not ask about": {
			with(loop(guarded(ex("$.context.m < 3")), counting), beginning(`{"n":0,"m":0}`)),
			[]string{"DETERMINISTIC_LOOP /states/a/transitions/go by go,back", "unread-write /states/b/transitions/back/output/n by go,back"},
		},
		"max_fires_per_visit does not bound a way through two states": {
			with(loop(guarded(ex("$.context.n < 3")), atMost(2)), beginning(`{"n":0}`)),
			[]string{"DETERMINISTIC_LOOP /states/a/transitions/go by go,back"},
		},
		"it bounds a loop in one": {
			definition(state("a", to("a", "spin", automatically, atMost(2), guarded(ex("$.workflow.version > 0"))), to("b", "go", automatically)), terminal("b")), nil,
		},
		"the version grows": {
			definition(state("a", to("a", "spin", automatically, guarded(ex("$.workflow.version < 5"))), to("b", "go", automatically)), terminal("b")), nil,
		},
		"what is removed on the way is changed": {
			with(definition(
				&workflow.State{Name: "a", Slots: []workflow.StateSlot{{Name: "x"}}, Transitions: []*workflow.Transition{to("b", "go", automatically)}},
				state("b", to("a", "back", automatically, guarded(ex("exists($.context.x)"))), to("c", "done", automatically)), terminal("c")),
				beginning(`{"x":1}`)),
			[]string{"unsatisfiable-guard /states/b/transitions/back/guards/0 by go"},
		},
		"two rings, of which one turns on what the other writes": {
			with(definition(
				state("a", to("b", "left", automatically, guarded(ex("$.context.side == 'l'"))), to("c", "right", automatically, guarded(ex("$.context.side == 'r'"))), to("end", "out", automatically)),
				state("b", to("a", "back", automatically, putting(put("side", "x")))), state("c", to("a", "back", automatically)),
				state("first", to("a", "go", putting(put("side", "$.arguments.side")))), terminal("end")),
				func(d *workflow.Definition) { d.Initial = "first" }),
			[]string{"DETERMINISTIC_LOOP /states/a/transitions/right by go,right,back"},
		},
		"a switch without default": {
			with(definition(state("a", to("b", "go", automatically, guarded(ex("$.context.n > 1")))), terminal("b")), beginning(`{"n":0}`), written),
			[]string{"switch-without-default /states/a/transitions"},
		},
		"a switch that knows every value": {
			definition(state("first", to("a", "go", taking(`{"required":["k"],"properties":{"k":{"enum":["x","y"]}}}`), putting(put("k", "$.arguments.k")))),
				state("a", to("b", "x", automatically, guarded(ex("$.context.k == 'x'"))), to("c", "y", automatically, guarded(ex("$.context.k == 'y'")))), terminal("b"), terminal("c")), nil,
		},
		"numbers are whole where the slot is": {
			with(definition(state("a", to("b", "few", automatically, guarded(ex("$.context.n <= 2"))), to("b", "many", automatically, guarded(ex("$.context.n >= 3")))), terminal("b")), written,
				func(d *workflow.Definition) {
					d.Slots = map[string]*workflow.Schema{"n": workflowtest.Schema(`{"type":"integer"}`)}
				}), nil,
		},
		"two that can be taken": {
			with(definition(state("a", to("b", "few", automatically, guarded(ex("$.context.n <= 3"))), to("b", "many", automatically, guarded(ex("$.context.n >= 3"))), to("b", "none", automatically)), terminal("b")), written),
			[]string{"ambiguous-switch /states/a/transitions"},
		},
		"two without guards": {
			definition(state("a", to("b", "x", automatically), to("b", "y", automatically)), terminal("b")),
			[]string{"ambiguous-switch /states/a/transitions"},
		},
		"one that waits for others": {
			definition(state("a", to("b", "x", automatically), to("b", "y")), terminal("b")),
			[]string{"shadowed-transition /states/a/transitions/x/actor"},
		},
		"one that an interaction stands beside": {
			definition(state("a", to("b", "x", automatically), to("a", "y", light)), terminal("b")), nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "findings", found(one.d.Check(workflow.World{})), one.want)
		})
	}
}

// written puts a number that nobody knows into n on the way in.
func written(d *workflow.Definition) {
	d.States[0].OnEnter = &workflow.Action{Output: []workflow.Slot{put("n", "$.workflow.input.n")}}
	d.Input = workflowtest.Schema(`{"required":["n"],"properties":{"n":{"type":"number"}}}`)
}

func TestCheckOfSlots(t *testing.T) {
	t.Parallel()
	goal := func(s *workflow.State, text string) *workflow.State {
		s.Goal = workflowtest.Template(text)
		return s
	}
	for name, one := range map[string]struct {
		d    *workflow.Definition
		want []string
	}{
		"an input that is read from the context": {
			with(definition(goal(state("a", to("b", "go")), "{{ $.context.name }}"), terminal("b")), taken(`{"properties":{"name":{"type":"string"}}}`)),
			[]string{"slot-never-written /states/a/goal"},
		},
		"on one way only": {
			definition(state("a", to("b", "long", putting(put("x", 1.0))), to("b", "short")), goal(state("b", to("c", "go")), "{{ $.context.x.y }}"), terminal("c")),
			[]string{"slot-maybe-unset /states/b/goal by short"},
		},
		"on both": {
			definition(state("a", to("b", "long", putting(put("x", 1.0))), to("b", "short", putting(put("x", nil)))), goal(state("b", to("c", "go")), "{{ $.context.x }}"), terminal("c")), nil,
		},
		"the guard asks first": {
			definition(state("a", to("b", "long", putting(put("x", 1.0))), to("b", "short")),
				state("b", to("c", "go", guarded(ex("exists($.context.x) and $.context.x == 1"))), to("c", "leave")), terminal("c")), nil,
		},
		"what the guard knows, the next state knows": {
			with(definition(state("a", to("b", "long", putting(put("x", 1.0))), to("b", "short")),
				state("b", to("c", "go", guarded(ex("$.context.x == 1 or $.context.y == 1"), ex("exists($.context.x)"))), to("d", "leave")),
				goal(state("c", to("d", "go")), "{{ $.context.x }}"), terminal("d")), beginning(`{"y":2}`)), nil,
		},
		"the rest decides": {
			with(definition(state("a", to("a", "set", putting(put("ghost", 1.0))), to("b", "either", guarded(workflowtest.AnyOf(ex("$.context.ghost == 1"), ex("$.context.n >= 5"))))), terminal("b")), beginning(`{"n":5}`)), nil,
		},
		"the onEnter writes it": {
			definition(state("a", to("b", "go")), goal(&workflow.State{Name: "b", OnEnter: &workflow.Action{Output: []workflow.Slot{put("x", 1.0)}}, Transitions: []*workflow.Transition{to("c", "go")}}, "{{ $.context.x }}"), terminal("c")), nil,
		},
		"a local slot is gone behind its state": {
			definition(
				&workflow.State{Name: "a", Slots: []workflow.StateSlot{{Name: "x"}}, Goal: workflowtest.Template("{{ $.workflow.id }}"), Transitions: []*workflow.Transition{to("a", "note", putting(put("x", 1.0))), to("b", "go")}},
				goal(state("b", to("c", "go")), "{{ $.context.x }}"), terminal("c")),
			[]string{"slot-never-written /states/b/goal by go"},
		},
		"prefill, presents and choices read": {
			definition(state("a", to("b", "go", by(workflow.Human), titled("Go?"), func(t *workflow.Transition) {
				t.Prefill = []workflow.Slot{put("x", "$.context.x")}
				t.Presents = append(t.Presents, workflowtest.Path("$.context.y"))
				t.Choices = &workflow.Choices{Field: "z", From: workflowtest.Path("$.context.z")}
			})), terminal("b")),
			[]string{
				"slot-never-written /states/a/transitions/go/prefill/x", "slot-never-written /states/a/transitions/go/presents/0",
				"slot-never-written /states/a/transitions/go/choices/from", "may-stick /states/a/transitions",
			},
		},
		"a counter need not be set before it counts": {
			definition(state("a", to("a", "count", putting(put("n", plus1))), to("b", "go", guarded(ex("exists($.context.n)"), ex("$.context.n > 2"))), to("b", "leave")), terminal("b")), nil,
		},
		"what a branch reads, the output has put": {
			definition(state("a", to("b", "try", putting(put("ok", "$.arguments.ok")), branching(workflow.Branch{When: ex("$.context.ok == true"), Target: "c"}))), terminal("b"), terminal("c")), nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "findings", found(one.d.Check(workflow.World{})), one.want)
		})
	}
}

func outcome(check string) func(*workflow.Definition) {
	return func(d *workflow.Definition) {
		d.Outcomes = []workflow.Outcome{{ID: "done", Statement: "it is done", Check: ex(check)}}
	}
}

func TestCheckOfWrites(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		d    *workflow.Definition
		want []string
	}{
		"an outcome that no end meets": {
			with(definition(state("a", to("b", "go")), terminal("b")), beginning(`{"done":false}`), outcome("$.context.done == true")),
			[]string{"unsatisfiable-guard /outcomes/0/check"},
		},
		"an outcome that some end meets": {
			with(definition(state("a", to("b", "go", putting(put("done", true))), to("c", "drop")), terminal("b"), terminal("c")), outcome("$.context.done == true")), nil,
		},
		"not one of the blackboard's": {
			with(definition(state("a", to("b", "go", putting(put("x", 1.0), put("y", 1.0)))), terminal("b")), func(d *workflow.Definition) {
				d.SlotsDeclared, d.Slots = true, map[string]*workflow.Schema{"x": nil}
			}),
			[]string{"undeclared-slot /states/a/transitions/go/output/y by go"},
		},
		"declared as a result": {
			with(definition(state("a", to("b", "go", putting(put("x", 1.0)))), state("b", to("c", "go")), terminal("c")), func(d *workflow.Definition) {
				d.SlotsDeclared, d.Slots = true, map[string]*workflow.Schema{"x": nil}
			}), nil,
		},
		"an output of nothing": {
			definition(state("a", to("b", "go", putting(put("x", "$.output.id")))), terminal("b")),
			[]string{"no-output /states/a/transitions/go/output/x by go"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "findings", found(one.d.Check(workflow.World{})), one.want)
		})
	}
}

func TestAnInputReadFromTheContextIsPointedAt(t *testing.T) {
	t.Parallel()
	s := state("a", to("b", "go"))
	s.Goal = workflowtest.Template("{{ $.context.name }}")
	d := with(definition(s, terminal("b")), taken(`{"properties":{"name":{"type":"string"}}}`))
	if f := d.Check(workflow.World{}); len(f) != 1 || !strings.Contains(f[0].Text, "$.workflow.input.name") || f[0].Severity != workflow.SeverityError {
		t.Errorf("got %s", told(f))
	}
}
