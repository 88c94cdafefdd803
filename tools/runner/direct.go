package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/auth/policy"
	"prax/store"
	"prax/tools"
	"prax/tools/schema"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// CodeNotShown is the code of a call that was done, and whose result cannot be shown.
const CodeNotShown tools.Code = "RESULT_NOT_SHOWN" // it was done, and what came of it cannot be shown

// Tools are the tools that capabilities are. A call is an attempt without an instance, owned by the caller's user.
func (r *Runner) Tools(capabilities []*workflow.Capability) []*tools.Tool {
	list := make([]*tools.Tool, 0, len(capabilities))
	for _, a := range capabilities {
		list = append(list, &tools.Tool{
			Name: a.Name, Title: a.Title, Description: a.Description, Tier: a.Tier, Input: a.Input, Output: a.Output,
			AnySchema: true, OpenWorld: true, Digest: a.Digest, // never idempotent: the next call has another key
			Handler: func(ctx context.Context, c *tools.Call) (*tools.Result, error) { return r.direct(ctx, c, a) },
			Preview: func(ctx context.Context, c *tools.Call) (map[string]any, error) { return r.preview(ctx, c, a) },
		})
	}
	return list
}

// direct calls a capability.
func (r *Runner) direct(ctx context.Context, t *tools.Call, a *workflow.Capability) (*tools.Result, error) {
	permit := r.drives.enter()
	defer permit.leave()
	if !permit.held {
		return nil, failed(stopping())
	}
	c := r.call(Work{Principal: t.Principal, On: t, RequestID: t.RequestID, Remote: t.Remote})
	p, failure, err := r.planCall(ctx, c, t, a)
	if err != nil {
		return nil, err
	}
	if failure == nil && !p.tier.Exposable() && a.Tier.Exposable() { // one that is HIGH itself was let in by an approval
		failure = tooHigh()
	}
	if failure != nil {
		return nil, failed(failure)
	}
	at, err := r.newAttempt(c, p, nil)
	if errors.Is(err, ErrBusy) {
		return nil, &tools.Error{
			Code: tools.CodeBusy, Message: "as much runs for this client as may at once",
			Hint: "nothing was done; try again once something of it has ended",
		}
	}
	if err != nil {
		return nil, err
	}
	at.stored.Tool = a.Name
	if err := r.openDirect(ctx, c, at); err != nil {
		return nil, err
	}
	v := r.launch(c, permit, at)
	output, err := v.awaitDirect(ctx, at)
	if err != nil {
		return nil, err
	}
	return resultOf(output, a, at.stored.ID)
}

// planCall resolves what a call of a capability would do.
func (r *Runner) planCall(ctx context.Context, c *call, t *tools.Call, a *workflow.Capability) (*plan, *workflow.Failure, error) {
	arguments, err := object(t.Arguments)
	if err != nil {
		return nil, nil, err
	}
	p, failure := r.plan(ctx, &order{
		attempt: r.config.NewID("at_"), executor: a.Executor, env: expr.Env{Arguments: arguments}, principal: c.Principal,
		grants: a.Grants, transition: a.Name, call: c.correlation, request: c.RequestID, own: mayCall(c.Principal, a.Name),
	})
	return p, failure, nil
}

// preview is what a call of a capability would do.
func (r *Runner) preview(ctx context.Context, t *tools.Call, a *workflow.Capability) (map[string]any, error) {
	p, failure, err := r.planCall(ctx, r.call(Work{Principal: t.Principal, RequestID: t.RequestID}), t, a)
	switch {
	case err != nil:
		return nil, err
	case failure != nil:
		return nil, errors.New(failure.Message)
	}
	return p.material, nil
}

// openDirect makes the attempt durable.
func (r *Runner) openDirect(ctx context.Context, c *call, a *attempt) error {
	event := c.event(owner(a.stored), []workflow.Fact{openedFact(a.stored)}, c.actor(), nil)
	return c.On.Update(ctx, func(tx store.Tx) error {
		if err := tx.OpenAttempt(a.stored); err != nil {
			return fmt.Errorf("open attempt: %w", err)
		}
		tx.AddEvent(event)
		return nil
	})
}

// closeDirect makes durable how the call of a tool ended. Its output is the answer, and is not kept.
func (v *drive) closeDirect(a *attempt, result workflow.Result) error {
	o, c := &outcome{attempt: a, result: result}, v.call
	return v.r.insist(a.stored.ID, func() error {
		c.now = store.Milliseconds(v.r.config.Now())
		err := v.r.closeAlone(context.Background(), c, owner(a.stored), a.stored, o.closing(true, c.now), c.actor(), nil)
		if errors.Is(err, store.ErrConflict) {
			return errFenced
		}
		return err
	})
}

// awaitDirect waits for what a tool gives, as long as its caller does.
func (v *drive) awaitDirect(ctx context.Context, a *attempt) (any, error) {
	if !v.wait(ctx) || v.left {
		return nil, &tools.Error{
			Code: tools.Code(workflow.InProgress), Message: "it takes longer than a call may, and goes on as the operation " + a.stored.ID,
			Hint: "do not call it again for the same: the operator sees what becomes of it with prax operations show " + a.stored.ID,
		}
	}
	if v.err != nil {
		return nil, v.err
	}
	if f := v.result.Failure; f != nil {
		if f.Begun == workflow.Doubtful {
			return nil, &tools.Error{
				Code: tools.Code(workflow.EffectUnknown), Message: "whether it happened is not known: " + f.Message,
				Hint: "do not call it again: the operator has to find out, and settle the operation " + a.stored.ID,
			}
		}
		return nil, failed(f)
	}
	return v.result.Output, nil
}

func failed(f *workflow.Failure) *tools.Error {
	return &tools.Error{Code: tools.Code(workflow.ExecutorFailed), Message: f.Message, Hint: "correct the cause before you call it again (" + classOf(f) + ")"}
}

// resultOf is what an executor gave as a tool's result: an object is structured, and its JSON is the text. What cannot be
// shown was done all the same, and must not look as if it were not.
func resultOf(value any, a *workflow.Capability, operation string) (*tools.Result, error) {
	raw, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("its output: %w", err)
	}
	res := tools.Text(string(raw))
	if raw[0] == '{' {
		res.Structured = raw
	}
	why := ""
	switch {
	case tools.TooLarge(res):
		why = "is larger than a result may be"
	case a.Output != nil && !promised(a.Output, res.Structured):
		why = "is not what its outputSchema promises"
	default:
		return res, nil
	}
	return nil, &tools.Error{
		Code: CodeNotShown, Message: "it was done, as the operation " + operation + ", but what it gave " + why,
		Hint: "do not call it again for the same",
	}
}

// promised tells whether a structure is what a schema says.
func promised(output, structured jsontext.Value) bool {
	if structured == nil {
		return false
	}
	s, err := schema.Compile(output)
	return err == nil && len(s.Validate(structured)) == 0
}

// mayCall tells whether the allowlist of a client has a tool.
func mayCall(p auth.Principal, tool string) bool {
	return policy.Granted(p.Allow, policy.Target{Name: tool, Underscore: tools.Spelling(tool, auth.Underscore)})
}

// withdrawn tells whether a tool was taken from its caller, or from everybody, since it was called. Where something else
// than the caller's allowlist let it in, that is judged again there.
func (r *Runner) withdrawn(o *order, tool string) bool {
	_, there := r.config.Capability(tool)
	return !there || o.own && !mayCall(o.principal, tool)
}

// directOrder completes what the call of a tool was to be planned for, or says why that cannot be told any more.
func (r *Runner) directOrder(o *order, tool string, w work) (why string) {
	a, there := r.config.Capability(tool)
	if !there {
		return "there is no such tool any more"
	}
	o.executor, o.grants, o.transition = a.Executor, a.Grants, a.Name
	o.env, o.own = expr.Env{Arguments: w.Arguments}, w.Own
	if r.withdrawn(o, tool) {
		return "its caller may not use the tool any more"
	}
	return ""
}
