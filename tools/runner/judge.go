package runner

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
	"prax/tools/workflow"
)

// classRevoked marks the failure of what is not run because its client is out. It is no class on the wire.
const classRevoked = "client_revoked"

// actsAs is as whom the executors of an instance run: whoever asked for it, also when another person approved. Who asks
// now was let in by the pipeline; everybody else is judged by clients.json as it is now.
func (r *Runner) actsAs(c *call, i store.Instance, asked string) (auth.Principal, bool) {
	switch {
	case asked != "" && (c.server || asked != c.Principal.Client):
		return r.liveClient(asked, i.DefinitionID)
	case !c.server:
		return c.Principal, true
	case c.acting.Client != "":
		return r.livePrincipal(c.acting.Client, c.acting.User, i.DefinitionID)
	}
	return r.livePrincipal(i.Client, i.User, i.DefinitionID) // a timer acts for the starter
}

// askedBy is the client that asked for what a person approved; "" for what needed no approval.
func (s *sight) askedBy(e *workflow.Effect) string {
	if !e.Approved || s.i.Parked == nil {
		return ""
	}
	return s.i.Parked.Client
}

// planned resolves what an effect would do, and for whom. asked is the client that asked for what was approved.
func (r *Runner) planned(ctx context.Context, c *call, i store.Instance, d *workflow.Definition, e *workflow.Effect, asked string) (*plan, *workflow.Failure) {
	if r.drives.stopping() {
		return nil, stopping()
	}
	principal, ok := r.actsAs(c, i, asked)
	if !ok {
		return nil, &workflow.Failure{Class: classRevoked, Message: "the client for which this workflow would act is out", Begun: workflow.NotBegun}
	}
	p, failure := r.plan(ctx, &order{
		attempt: r.config.NewID("at_"), executor: e.Executor, env: e.Env, principal: principal, grants: d.Grants,
		transition: e.Transition, call: c.correlation, request: c.RequestID,
	})
	if failure == nil && !p.tier.Exposable() && !askable(d, e) {
		return nil, tooHigh()
	}
	return p, failure
}

// askable tells whether a person can be asked before an effect: it stands on a transition that is a person's own.
func askable(d *workflow.Definition, e *workflow.Effect) bool {
	if e.OnEnter || e.Kind != workflow.StepTransition {
		return false
	}
	s := d.State(e.State)
	t := (*workflow.Transition)(nil)
	if s != nil {
		t = s.Transition(e.Transition)
	}
	return t != nil && t.Actor == workflow.Human
}

// stopping is the failure of what a server that stops does not begin any more.
func stopping() *workflow.Failure {
	return &workflow.Failure{Class: workflow.ClassTransient, Message: "the server is stopping", Begun: workflow.NotBegun}
}

// tooHigh is the failure of what became too dangerous for where it stands.
func tooHigh() *workflow.Failure {
	return &workflow.Failure{
		Class: workflow.ClassPermanent, Begun: workflow.NotBegun,
		Message: "what would be run is of the risk high by now, and that may run in a transition that is a person's only",
	}
}

// mustAsk tells whether a person has to approve, first or anew, what an effect would do. bound is the digest of what
// the person who approved was shown; "" when nobody was shown anything.
func mustAsk(e *workflow.Effect, p *plan, bound string) bool {
	if e.Approved && bound != "" {
		return bound != p.shownDigest()
	}
	return !p.tier.Exposable()
}

// shown is what a person is shown of an attempt before it may run.
func (p *plan) shown() map[string]any {
	return map[string]any{"does": p.material, "tier": p.tier.String(), "as": p.principal.Client, "user": p.principal.User}
}

func (p *plan) shownDigest() string {
	text, err := encode(p.shown())
	if err != nil {
		return "" // equal to nothing that was shown
	}
	return digest.Hex(text)
}

// bound is the digest of what the open approval shows of an executor; "" when it shows none.
func (s *sight) bound() string {
	if len(s.approvals) == 0 || s.i.Parked == nil || s.approvals[0].ID != s.i.Parked.Approval {
		return ""
	}
	var material struct {
		Executor jsontext.Value `json:"executor"`
	}
	if json.Unmarshal(s.approvals[0].Material, &material) != nil || material.Executor == nil {
		return ""
	}
	text, err := digest.Canonical(material.Executor)
	if err != nil {
		return ""
	}
	return digest.Hex(text)
}

// unable is what becomes of an effect that cannot be begun.
func (r *Runner) unable(e *workflow.Effect, f *workflow.Failure, apply func(*workflow.Effect, workflow.Result) workflow.Decision) workflow.Decision {
	if f.Class == classRevoked {
		return workflow.Decision{Refusal: revoked(e.Transition, f)}
	}
	return apply(e, workflow.Result{Failure: f})
}

func revoked(transition string, f *workflow.Failure) *workflow.Refusal {
	return &workflow.Refusal{
		Code: workflow.ClientRevoked, Transition: transition, Message: f.Message, Class: workflow.ClassPermanent,
		Hint: "a person has to take it on, or cancel it",
	}
}

// panicked is the failure of an executor that panicked: an error of ours, which must not end the server.
func (r *Runner) panicked(o *order, cause any, begun workflow.Begun) *workflow.Failure {
	r.config.Log.Error("an executor panicked", "attempt", o.attempt, "kind", o.executor.Kind, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
	return &workflow.Failure{Class: workflow.ClassPermanent, Message: "the executor failed", Begun: begun}
}
