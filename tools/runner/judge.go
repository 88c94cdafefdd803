package runner

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
	"prax/tools/workflow"
)

// classRevoked marks the failure of what is not run because its client is out. It is no class on the wire.
const classRevoked = "client_revoked"

// classOf is the class of a failure as callers and the store have it.
func classOf(f *workflow.Failure) string {
	if f.Class == classRevoked {
		return workflow.ClassPermanent
	}
	return f.Class
}

// actsAs is as whom the executors of an instance run: whoever asked for it, also when another person approved or settled
// it. Who asks now was let in by the pipeline; everybody else is judged by clients.json as it is now. asked is nobody where
// nothing was approved or settled. Who only oversees answers for the owner, and lends the instance nothing of their own.
func (r *Runner) actsAs(c *call, i store.Instance, asked actor) (auth.Principal, bool) {
	switch {
	case asked.Client != "" && overseer(asked, i), asked.Client == "" && !c.server && overseer(c.actor(), i):
		return r.livePrincipal(starter(i), i.DefinitionID)
	case asked.Client != "" && (c.server || asked != c.actor()):
		return r.livePrincipal(asked, i.DefinitionID)
	case !c.server:
		return c.Principal, true
	case c.acting.Client != "":
		return r.livePrincipal(actorOf(c.acting), i.DefinitionID)
	}
	return r.livePrincipal(starter(i), i.DefinitionID) // a timer acts for the starter
}

// overseer tells whether somebody is not on the owner's side of an instance.
func overseer(a actor, i store.Instance) bool { return a.User != i.User && !i.Shared }

// askedBy is who asked for what a person approved, caused what a person settles, or started what has timed out; nobody
// for what is none of them. What a person settles whose client is out, another client of its user takes on; a timeout, a
// person of that user by any move.
func (r *Runner) askedBy(ctx context.Context, c *call, m *mutation, approved bool) (actor, error) {
	for _, o := range m.outcomes {
		if by := causer(o.attempt.stored); o.settled != nil {
			if _, live := r.livePrincipal(by, m.sight.stored.DefinitionID); !live && by.User == c.Principal.User {
				return actor{}, nil
			}
			return by, nil
		}
	}
	if !c.server && m.late() { // a timeout is nobody's move, whoever meets it first
		i := m.sight.stored
		if _, live := r.livePrincipal(starter(i), i.DefinitionID); !live && !c.looks && c.Principal.User == i.User && c.Principal.Roles.Has(auth.Human) {
			return actor{}, nil
		}
		return starter(i), nil
	}
	if !approved || m.sight.i.Parked == nil { // of a start there is no instance yet
		return actor{}, nil
	}
	return r.requester(ctx, c, m.sight)
}

// requester is who opened the approval that is open, as it and its evidence say. A name that another user has by now is
// somebody else's.
func (r *Runner) requester(ctx context.Context, c *call, s *sight) (by actor, err error) {
	parked := s.i.Parked
	by.Client, by.Grant = parked.Client, s.asked() // of no user: out
	err = c.view(ctx, func(tx store.Tx) error {
		all, err := tx.EvidenceOf(c.scope, s.stored.ID)
		for _, e := range all {
			if e.Kind == workflow.EvidenceOfRequest && e.URI == parked.Approval && e.Client == parked.Client {
				by.User = e.User
			}
		}
		return err
	})
	return by, err
}

// asked is the grant under which the open approval was asked for.
func (s *sight) asked() string {
	if len(s.approvals) == 0 || s.approvals[0].ID != s.i.Parked.Approval {
		return noGrant // which is not known
	}
	return s.approvals[0].Grant
}

// livePrincipal is the client of a user as clients.json has it now, and as its signed token leaves it, if it is still
// admitted and may still use the definition; "": any.
func (r *Runner) livePrincipal(by actor, definition string) (auth.Principal, bool) {
	p, there := r.principal(by)
	if !there || p.Client != by.Client || p.User != by.User || p.Expired(r.config.Now()) {
		return auth.Principal{}, false
	}
	return p, definition == "" || store.Granted(p.Workflows, definition)
}

// principal is who an actor is now.
func (r *Runner) principal(by actor) (auth.Principal, bool) {
	switch {
	case by.Client == "":
		return auth.Principal{}, false
	case by.Grant == "" || grantOff:
		if r.config.Live == nil {
			return auth.Principal{}, false
		}
		return r.config.Live(by.Client)
	}
	g, err := auth.ReadGrant(by.Grant)
	if err != nil || r.config.Lent == nil {
		return auth.Principal{}, false
	}
	p, there := r.config.Lent(g)
	p.Grant = g
	return p, there
}

// noGrant is the text of a grant that nobody was given, and that leaves nothing.
const noGrant = "{}"

// planEffect resolves what an effect would do, and for whom. asked is who asked for what was approved or settled.
func (r *Runner) planEffect(ctx context.Context, c *call, s *sight, e *workflow.Effect, asked actor) (*plan, *workflow.Failure) {
	if r.drives.stopping() {
		return nil, stopping()
	}
	principal, ok := r.actsAs(c, s.stored, asked)
	if !ok {
		return nil, notBegun(classRevoked, "the client for which this workflow would act is out")
	}
	p, failure := r.plan(ctx, &order{
		attempt: r.config.NewID("at_"), executor: e.Executor, env: e.Env, principal: principal, grants: s.d.Grants,
		transition: e.Transition, call: c.correlation, request: c.RequestID,
	})
	if failure == nil && !p.tier.Exposable() && !askable(s.d, e) {
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
	if s == nil {
		return false
	}
	t := s.Transition(e.Transition)
	return t != nil && t.Actor == workflow.Human
}

// notBegun is the failure of what has had no effect.
func notBegun(class, message string) *workflow.Failure {
	return &workflow.Failure{Class: class, Message: message, Begun: workflow.NotBegun}
}

// stopping is the failure of what a server that stops does not begin any more.
func stopping() *workflow.Failure {
	return notBegun(workflow.ClassTransient, "the server is stopping")
}

// tooHigh is the failure of what became too dangerous for where it stands.
func tooHigh() *workflow.Failure {
	return notBegun(workflow.ClassPermanent, "what would be run is of the risk high by now, and that may run in a transition that is a person's only")
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
	shown, err := digestOf(p.shown())
	if err != nil {
		return "" // equal to nothing that was shown
	}
	return shown
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
	shown, err := digest.Sum(material.Executor)
	if err != nil {
		return ""
	}
	return shown
}

// revoked is the refusal of what would act for a client that is out.
func revoked(transition string, f *workflow.Failure) *workflow.Refusal {
	return &workflow.Refusal{
		Code: workflow.ClientRevoked, Transition: transition, Message: f.Message, Class: workflow.ClassPermanent,
		Hint: "a person has to take it on, or cancel it",
	}
}
