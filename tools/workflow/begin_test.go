package workflow_test

import (
	"strings"
	"testing"

	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

// ticket sorts a support ticket: its rows of links, defaults and prefill are those that praxec's answers have.
func ticket() *workflow.Definition {
	open := state("open",
		to("sorted", "classify",
			taking(`{"type":"object","required":["category"],"properties":{"category":{"type":"string"},"note":{"type":"string","default":"none"}}}`),
			putting(wt.Put("category", "$.arguments.category"), wt.Put("note", "$.arguments.note"),
				wt.Put("attempts", map[string]any{"add": []any{"$.context.attempts", 1.0}})),
			func(t *workflow.Transition) {
				t.Title = "Classify"
				t.Prefill = []workflow.Slot{wt.Put("note", "$.workflow.input.subject"), wt.Put("fixed", "abc"), wt.Put("missing", "$.context.nope")}
			}),
		to("closed", "drop"),
	)
	d := definition(open,
		state("sorted",
			to("closed", "approve", by(workflow.Human)),
			to("closed", "escalate", guarded(wt.Permission("ticket.escalate"))),
			to("open", "again", guarded(wt.Expr("$.context.attempts < 3")), putting(wt.Put("owner", "$.workflow.input.subject"))),
		),
		terminal("closed"),
	)
	d.ID = "ticket"
	d.Input = wt.Schema(`{"type":"object","required":["subject"],"properties":{"subject":{"type":"string"},"priority":{"type":"string","default":"low"}},"additionalProperties":false}`)
	d.InitialContext = map[string]any{"attempts": 0.0}
	return d
}

func TestBegin(t *testing.T) {
	t.Parallel()
	r := begin(t, ticket(), `{"subject":"Printer"}`)
	equal(t, "state", r.i.State, "open")
	equal(t, "version", r.i.Version, 1)
	equal(t, "input", r.i.Input, wt.Object(`{"subject":"Printer","priority":"low"}`))
	r.context(`{"attempts":0}`)
	equal(t, "owner", r.i.User+" "+r.i.Client, "ann agent")
	equal(t, "created", r.i.Created, morning)
	equal(t, "steps", r.steps, []workflow.Step{{
		Seq: 1, Kind: workflow.StepStart, To: "open", Actor: workflow.Agent, Client: "agent", User: "ann",
		Delta: map[string]any{"attempts": 0.0},
	}})
	equal(t, "rels", r.rels(agent), []string{"classify", "drop"})
}

func TestBeginRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ input, names string }{
		"what is required is missing": {`{}`, "/subject"},
		"no input at all":             {``, "/subject"},
		"null":                        {`null`, "/subject"},
		"another type":                {`{"subject":1}`, "/subject"},
		"an unknown member":           {`{"subject":"x","urgent":true}`, "/urgent"},
		"a list":                      {`["subject"]`, "object"},
		"not JSON":                    {`{"subject":`, "JSON"},
		"a name twice":                {`{"subject":"x","subject":"y"}`, "twice"},
		"an integer that is not kept": {`{"subject":"x","n":9007199254740993}`, "2^53"},
		"too deep":                    {`{"subject":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}`, "64"},
		"too large":                   {`{"subject":"` + strings.Repeat("x", workflow.MaxData) + `"}`, "bytes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decision := ticket().Begin("wf_1", agent, []byte(test.input), morning)
			if decision.Change != nil || decision.Refusal == nil {
				t.Fatalf("%+v", decision)
			}
			r := decision.Refusal
			if r.Code != workflow.InvalidInput || !strings.Contains(r.Message, test.names) || len(r.Violations) == 0 || r.Hint == "" {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestOnEnterOfTheFirstStateBelongsToTheStart(t *testing.T) {
	t.Parallel()
	first := state("a", to("b", "go"))
	first.OnEnter = &workflow.Action{Executor: wt.Noop(), Output: []workflow.Slot{wt.Put("got", "$.output"), wt.Put("who", "$.workflow.input.who")}}
	r := begin(t, definition(first, terminal("b")), `{"who":"me"}`)
	equal(t, "version", r.i.Version, 1)
	r.context(`{"got":{},"who":"me"}`)
	equal(t, "steps", len(r.steps), 1)
}

func TestOnEnterThatFailsRefusesTheStart(t *testing.T) {
	t.Parallel()
	first := state("a", to("b", "go"))
	first.OnEnter = &workflow.Action{Output: []workflow.Slot{wt.Put("n", "text")}}
	d := definition(first, terminal("b"))
	d.Slots = map[string]*workflow.Schema{"n": wt.Schema(`{"type":"number"}`)}
	decision := d.Begin("wf_1", agent, nil, morning)
	equal(t, "answer", answer(decision), "BLACKBOARD_TYPE_ERROR")
}

func TestBeginInATerminalState(t *testing.T) {
	t.Parallel()
	r := begin(t, definition(terminal("done")), ``)
	if r.i.Open || len(r.d.Links(r.i, agent)) != 0 {
		t.Errorf("open %v, links %v", r.i.Open, r.rels(agent))
	}
	r.submit(agent, "go", `{}`, "INVALID_TRANSITION")
}

func TestAnInstanceDoesNotShareWhatItsDefinitionStates(t *testing.T) {
	t.Parallel()
	d := ticket()
	r := begin(t, d, `{"subject":"a"}`)
	r.submit(agent, "classify", `{"category":"hw"}`, "sorted")
	equal(t, "initial context", d.InitialContext, map[string]any{"attempts": 0.0})
	again := begin(t, d, `{"subject":"b"}`)
	again.context(`{"attempts":0}`)
}
