package runner

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/go-json-experiment/json"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
	"prax/tools"
	"prax/tools/executor"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// order is what an attempt is to be planned for.
type order struct {
	attempt    string
	executor   *workflow.Executor
	env        expr.Env
	principal  auth.Principal
	grants     []string
	transition string // or the tool that is called
	approved   bool   // a person approved it, and the attempt uses that up
	own        bool   // a tool that the client's own allowlist let in
	call       string // the correlation of the call that caused it
	request    string
}

// key is the idempotency key of every try; "": it must not be tried again once its effect may have begun.
func (o *order) key() string {
	e := o.executor
	switch {
	case !e.Idempotent:
		return ""
	case e.KeyText == "":
		return o.attempt
	}
	return strings.NewReplacer("{workflowId}", o.env.ID, "{transition}", o.transition, "{correlationId}", o.call).Replace(e.KeyText)
}

// choice is an executor of a plan: the first, or a fallback.
type choice struct {
	*workflow.Executor
	run     *executor.Run
	failure *workflow.Failure // why it cannot be run; then run is nil
	digest  string            // of what it would do; "" when it cannot be run
}

// repeatable tells whether it makes no difference how often it is run, with or without a key.
func (c choice) repeatable() bool { return c.run != nil && c.run.Repeatable }

// plan is what an attempt would do, resolved.
type plan struct {
	*order
	choices  []choice
	tier     auth.Tier
	material map[string]any // what a person is shown: of the only choice, or of all
	digest   string         // of the material
}

// plan resolves an executor and its fallbacks. The failure is that of the first when none of them can be run.
func (r *Runner) plan(ctx context.Context, o *order) (*plan, *workflow.Failure) {
	p := &plan{order: o, tier: o.executor.Tier}
	var materials []any
	able := false
	for _, e := range append([]*workflow.Executor{o.executor}, o.executor.Reliability.Fallback...) {
		c := r.resolve(ctx, o, e)
		p.choices, p.tier = append(p.choices, c), max(p.tier, e.Tier)
		if c.failure != nil {
			materials = append(materials, map[string]any{"kind": e.Kind, "unavailable": c.failure.Message})
			continue
		}
		able, p.tier = true, max(p.tier, c.run.Tier)
		materials = append(materials, any(c.run.Material))
	}
	if !able {
		return nil, p.choices[0].failure
	}
	p.material, _ = materials[0].(map[string]any)
	if len(materials) > 1 {
		p.material = map[string]any{"first": materials[0], "fallbacks": materials[1:]}
	}
	var err error
	if p.digest, err = digestOf(p.material); err != nil {
		return nil, unwritable(err)
	}
	return p, nil
}

func digestOf(value any) (string, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	return digest.Sum(raw)
}

// unwritable is the failure of what nobody could be shown.
func unwritable(err error) *workflow.Failure {
	return notBegun(workflow.ClassPermanent, fmt.Sprintf("what would be run cannot be written down: %v", err))
}

// resolve asks the kind of an executor what it would do.
func (r *Runner) resolve(ctx context.Context, o *order, e *workflow.Executor) (c choice) {
	c.Executor = e
	kind := r.config.Executors[e.Kind]
	if kind == nil {
		c.failure = notBegun(workflow.ClassPermanent, "this version has no executor of the kind "+store.SafeString(e.Kind))
		return c
	}
	defer func() {
		if cause := recover(); cause != nil {
			c.run, c.failure = nil, r.panicked(o, cause, workflow.NotBegun)
		}
	}()
	c.run, c.failure = kind.Prepare(ctx, executor.Request{
		Executor: e, Connection: r.config.Connection, Env: o.env, Key: o.key(), Principal: o.principal,
		Attempt: o.attempt, Admit: o.admit, Transition: o.transition, RequestID: o.request,
	})
	if c.failure != nil {
		r.tellCause(o, c.failure)
		return c
	}
	var err error
	if c.digest, err = digestOf(c.run.Material); err != nil {
		c.run, c.failure = nil, unwritable(err)
	}
	return c
}

// panicked is the failure of an executor that panicked: an error of ours, which must not end the server.
func (r *Runner) panicked(o *order, cause any, begun workflow.Begun) *workflow.Failure {
	r.config.Log.Error("an executor panicked", "attempt", o.attempt, "kind", o.executor.Kind, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
	return &workflow.Failure{Class: workflow.ClassPermanent, Message: "the executor failed", Begun: begun}
}

// admit lets the attempt use one tool: what its definition was granted, or what a person approved.
func (o *order) admit(tool string) tools.Admission {
	granted := false
	for _, name := range o.grants {
		granted = granted || tools.Alike(name, tool)
	}
	return tools.Admit(o.attempt, tool, granted, o.approved)
}
