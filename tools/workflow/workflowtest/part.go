package workflowtest

import (
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// What can be read where, as a definition file has it.
const (
	GuardRoots    = expr.Context | expr.Arguments | expr.Input | expr.Workflow | expr.Run
	MappingRoots  = GuardRoots | expr.Output
	TemplateRoots = expr.Context | expr.Input | expr.Workflow | expr.Run
)

// Expr is a guard of kind expr. It panics when the text is none, as everything here does.
func Expr(text string) *workflow.Guard {
	return &workflow.Guard{Kind: workflow.GuardExpr, Expr: must(expr.ParseGuard(text, GuardRoots))}
}

// Permission is a guard that demands one.
func Permission(name string) *workflow.Guard {
	return &workflow.Guard{Kind: workflow.GuardPermission, Name: name}
}

// Role is a guard that demands one.
func Role(name string) *workflow.Guard {
	return &workflow.Guard{Kind: workflow.GuardRole, Name: name}
}

// Evidence is a guard that counts what happened.
func Evidence(requires ...workflow.Requirement) *workflow.Guard {
	return &workflow.Guard{Kind: workflow.GuardEvidence, Requires: requires}
}

// AllOf, AnyOf and Not are guards made of guards.
func AllOf(guards ...*workflow.Guard) *workflow.Guard {
	return &workflow.Guard{Kind: workflow.GuardAllOf, Guards: guards}
}

// AnyOf holds when one does.
func AnyOf(guards ...*workflow.Guard) *workflow.Guard {
	return &workflow.Guard{Kind: workflow.GuardAnyOf, Guards: guards}
}

// Not holds when the other does not.
func Not(guard *workflow.Guard) *workflow.Guard {
	return &workflow.Guard{Kind: workflow.GuardNot, Guards: []*workflow.Guard{guard}}
}

// Put is a member of an output or a prefill.
func Put(name string, value any) workflow.Slot {
	return workflow.Slot{Name: name, Value: must(expr.ParseMapping(value, MappingRoots))}
}

// Path is a path into the context.
func Path(text string) expr.Path { return must(expr.ParsePath(text, expr.Context)) }

// Template is a text with places.
func Template(text string) expr.Template { return must(expr.ParseTemplate(text, TemplateRoots)) }

// Schema is a JSON Schema.
func Schema(text string) *workflow.Schema { return must(workflow.NewSchema(jsontext.Value(text))) }

// Noop and Human are executors that need nothing outside.
func Noop() *workflow.Executor {
	return &workflow.Executor{Kind: workflow.KindNoop, Tier: auth.Low}
}

// Human asks a queue.
func Human(queue string) *workflow.Executor {
	return &workflow.Executor{Kind: workflow.KindHuman, Tier: auth.Low, Queue: queue}
}

// Object decodes a JSON object.
func Object(text string) map[string]any {
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		panic(err)
	}
	return object
}

// Raw is a value as JSON.
func Raw(value any) jsontext.Value {
	return must(json.Marshal(value, json.Deterministic(true)))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Replay is where a history leads: the state and the context after its steps.
func Replay(steps []workflow.Step) (state string, context map[string]any) {
	context = map[string]any{}
	for _, s := range steps {
		maps.Copy(context, s.Delta)
		for _, name := range s.Removed {
			delete(context, name)
		}
		state = s.To
	}
	return state, context
}
