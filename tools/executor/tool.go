package executor

import (
	"context"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store/digest"
	"prax/tools"
	"prax/tools/schema"
	"prax/tools/workflow"
)

// Tool is the configuration of the kind tool: a tool of this server, called as the principal whose request caused it.
type Tool struct {
	Tool      string         `json:"tool"`      // its name, in either spelling
	Arguments jsontext.Value `json:"arguments"` // JSON whose strings may be paths; nil: the arguments of the transition

	arguments *mapped // nil: none
}

// Check implements [workflow.Spec]. It refuses the two tools of workflows, which would let an instance act on
// instances, and what is no tool here. The least tier is the tool's.
func (t *Tool) Check(w workflow.Surroundings) (auth.Tier, []schema.Violation) {
	var found violations
	found.add("/tool", nameOfTool(t.Tool))
	tier := auth.Low
	if len(found) == 0 && w.Tool != nil {
		now, ok := w.Tool(t.Tool)
		if !ok {
			found.add("/tool", "is "+strconv.Quote(t.Tool)+", which is no tool of this server")
		}
		tier = max(tier, now)
	}
	t.arguments = nil
	if there(t.Arguments) {
		if t.Arguments.Kind() != '{' {
			found.add("/arguments", "must be an object")
		}
		t.arguments = found.mapped("/arguments", t.Arguments, w.Roots)
	}
	return tier, found
}

// there tells whether an optional part of a configuration is.
func there(raw jsontext.Value) bool { return raw != nil && raw.Kind() != 'n' }

// nameOfTool says why an executor cannot call a tool of this name; "" when it may be one.
func nameOfTool(name string) string {
	switch {
	case name == "":
		return "is missing: name a tool of this server"
	case !tools.IsName(name):
		return "must be the name of a tool, written out: 1 to 64 letters, digits, dots, _ or -"
	case ofWorkflows(name):
		return "must be another: praxec.query and praxec.command act on workflows, and are for their callers"
	}
	return ""
}

// ofWorkflows tells whether a name could be taken for one of the two tools of workflows.
func ofWorkflows(name string) bool {
	return tools.Alike(name, "praxec.query") || tools.Alike(name, "praxec.command")
}

// kindTool is the name of the kind.
const kindTool = "tool"

// toolKind runs the executors of the kind tool.
type toolKind struct{ dispatch Dispatch }

// NewTool is the kind tool.
func NewTool(d Dispatch) Kind { return &toolKind{dispatch: d} }

// Prepare resolves the arguments, and takes the tool as it is now.
func (k *toolKind) Prepare(ctx context.Context, q Request) (*Run, *workflow.Failure) {
	spec := specOf[Tool](q.Executor)
	if spec == nil || ofWorkflows(spec.Tool) {
		return nil, unfit("the executor is not one of the kind tool")
	}
	found, ok := k.dispatch.Find(spec.Tool)
	if !ok || found.Tier != auth.High && !found.Tier.Exposable() {
		return nil, unreachable()
	}
	raw, failure := spec.given(q)
	if failure != nil {
		return nil, failure
	}
	material, failure := toolMaterial(q, found, raw)
	if failure != nil {
		return nil, failure
	}
	if found.Preview != nil {
		does, err := found.Preview(ctx, &tools.Call{Principal: q.Principal, Name: found.Name, Arguments: raw, RequestID: q.RequestID})
		if err != nil {
			return nil, caused(unreachable(), err)
		}
		material["does"] = does
	}
	return &Run{
		Material:   material,
		Tier:       max(q.Executor.Tier, found.Tier),
		Repeatable: repeatable(found),
		Do:         func(ctx context.Context) workflow.Result { return k.do(ctx, q, found, raw) },
	}, nil
}

// repeatable tells whether it makes no difference how often a tool is called. LOW ones only read; those that an operator
// made of executors do whatever they do, also where the operator calls that a low risk.
func repeatable(t *tools.Tool) bool { return t.Idempotent || t.Tier == auth.Low && !t.OpenWorld }

// given are the arguments of the call.
func (t *Tool) given(q Request) (jsontext.Value, *workflow.Failure) {
	arguments := t.arguments
	if arguments == nil {
		own := q.Env.Arguments
		if own == nil {
			own = map[string]any{}
		}
		arguments = &mapped{of: own}
	}
	return arguments.fill(q.Env)
}

// toolMaterial is what the call would be, as whom, and of which tool: another client's call reaches other things, and a
// tool that was exchanged for another since a person looked at it has another digest.
func toolMaterial(q Request, t *tools.Tool, raw jsontext.Value) (map[string]any, *workflow.Failure) {
	var arguments any
	if err := json.Unmarshal(raw, &arguments); err != nil {
		return nil, unfit("the arguments of the tool are no JSON")
	}
	return map[string]any{
		"kind": kindTool, "tool": t.Name, "tier": t.Tier.String(), "arguments": arguments, "toolDigest": toolDigest(t),
		"as": q.Principal.Client, "user": q.Principal.User,
	}, nil
}

// toolDigest is the digest of what a tool says of itself, and of what it is made of where an operator wrote that.
func toolDigest(t *tools.Tool) string {
	return digest.Hex(fmt.Appendf(nil, "%q %q %q %q %q", t.Name, t.Title, t.Description, t.Input, t.Digest))
}

// unreachable is the failure of a tool that is not there or that may not be used: it does not tell which.
func unreachable() *workflow.Failure { return unfit("the tool cannot be called here") }
