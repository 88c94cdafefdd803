package control

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
	"prax/tools/praxec"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// Question names an approval.
type Question struct {
	As string `json:"as,omitzero"`
	ID string `json:"id"`
}

// Approval is a question to a person, with all that the answer binds.
type Approval struct {
	ID         string               `json:"id"`
	Status     store.ApprovalStatus `json:"status"`
	Digest     string               `json:"digest"` // hex SHA-256 of the material, which is canonical JSON
	Material   jsontext.Value       `json:"material"`
	Workflow   string               `json:"workflow_id"`
	Version    int64                `json:"version"` // of the workflow when it was asked
	User       string               `json:"user"`
	Definition string               `json:"definition_id"`
	Transition string               `json:"transition"`
	Tier       string               `json:"tier,omitzero"`
	Queue      string               `json:"queue,omitzero"`
	AskedBy    string               `json:"asked_by"`
	AnsweredBy string               `json:"answered_by,omitzero"`
	Created    time.Time            `json:"created"`
	Expires    time.Time            `json:"expires"`
	Resolved   time.Time            `json:"resolved,omitzero"`
}

// Verdict is a person's answer to an approval.
type Verdict struct {
	As      string `json:"as,omitzero"`
	ID      string `json:"id"`
	Digest  string `json:"digest"` // of the material that the person was shown
	Approve bool   `json:"approve"`
	Note    string `json:"note,omitzero"`
}

// Resolved is what became of the workflow, or why it was not moved.
type Resolved struct {
	Workflow string       `json:"workflow_id"`
	State    string       `json:"state"`
	Version  int64        `json:"version"`
	Status   store.Status `json:"status"`
	Moved    bool         `json:"moved"` // the answer was taken
	Refused  *Refused     `json:"refused,omitzero"`
}

// Refused says no, and what to do about it.
type Refused struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitzero"`
}

// code is the code of a refusal; "" of none.
func (r *Refused) code() string {
	if r == nil {
		return ""
	}
	return r.Code
}

func refusedBy(r *workflow.Refusal) *Refused { return &Refused{string(r.Code), r.Message, r.Hint} }

// Approval is an approval, whatever became of it. The error is runner.ErrUnknownApproval for one that is not there.
func (o *Operator) Approval(ctx context.Context, q Question) (a Approval, err error) {
	act := o.on(o.begin("approvals/show", q.As, ""), detail{As: q.As, Approval: q.ID})
	err = o.reading(act, q.As, func(w runner.Work) error {
		stored, err := o.cfg.Runner.Approval(ctx, w, q.ID)
		a = approvalOf(stored, o.cfg.Now())
		return err
	})
	return a, err
}

// expired is an approval that nobody answered in time. The store still has it as open.
const expired store.ApprovalStatus = "expired"

func approvalOf(a store.Approval, now time.Time) Approval {
	if a.Status == store.ApprovalOpen && !now.Before(a.Expires) {
		a.Status = expired
	}
	return Approval{
		ID: a.ID, Status: a.Status, Digest: a.Digest, Material: a.Material, Workflow: a.Instance, Version: a.Version, User: a.User,
		Definition: a.Definition, Transition: a.Transition, Tier: a.Tier, Queue: a.Queue, AskedBy: a.Client, AnsweredBy: a.By,
		Created: a.Created, Expires: a.Expires, Resolved: a.Resolved,
	}
}

// Resolve answers an approval, under the digest of what was shown. The answer and its event are one transaction.
func (o *Operator) Resolve(ctx context.Context, v Verdict) (Resolved, error) {
	name := "approvals/reject"
	if v.Approve {
		name = "approvals/approve"
	}
	act := o.on(o.begin(name, v.As, ""), detail{As: v.As, Approval: v.ID})
	var r Resolved
	err := o.changing(act, v.As, func(w runner.Work) (string, error) {
		a, err := o.cfg.Runner.Resolve(ctx, w, runner.ResolveRequest{ApprovalID: v.ID, Digest: v.Digest, Approve: v.Approve, Note: v.Note})
		if err != nil {
			return "", err
		}
		r = resolved(a)
		r.Moved = r.Moved && !a.Expired
		return r.Refused.code(), nil
	})
	return r, err
}

func resolved(a *runner.Answer) Resolved {
	r := Resolved{Workflow: a.Stored.ID, State: a.Stored.State, Version: a.Stored.Version, Status: a.Stored.Status, Moved: a.Change != nil}
	if a.Refusal != nil {
		r.Refused = refusedBy(a.Refusal)
	}
	return r
}

// changing does an act that may change a workflow: the change and the event of the act are one fact. An act that f says
// was refused, with the refusal's code, has its event all the same.
func (o *Operator) changing(act store.Event, as string, f func(runner.Work) (code string, err error)) error {
	p, leave, err := o.acting(as, praxec.Command)
	switch {
	case err != nil:
		o.end(act, tools.OutcomeDenied, err.Error())
		return err
	case o.cfg.Runner == nil:
		leave()
		return o.ended(act, errNoRunner)
	}
	defer leave()
	act.Registry = p.Generation
	on := &recorder{o: o, act: act}
	code, err := f(runner.Work{Principal: p, On: on, RequestID: act.RequestID, Remote: o.name})
	if err != nil {
		return o.ended(act, err)
	}
	if !on.done {
		act.Code = code
		o.end(act, tools.OutcomeDenied, "")
	}
	return nil
}

// recorder adds the event of an act to the change that it makes.
type recorder struct {
	o    *Operator
	act  store.Event
	done bool
}

// Instance reads one of the store.
func (r *recorder) Instance(ctx context.Context, s auth.Scope, id string) (store.Instance, error) {
	return r.o.cfg.Audit.Instance(ctx, s, id)
}

// View reads the store.
func (r *recorder) View(ctx context.Context, f func(store.Tx) error) error {
	return r.o.cfg.Audit.View(ctx, f)
}

// Update changes it.
func (r *recorder) Update(ctx context.Context, f func(store.Tx) error) error {
	err := r.o.cfg.Audit.Update(ctx, func(tx store.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		done := r.act
		done.Outcome, done.Duration = tools.OutcomeOK, r.o.cfg.Now().Sub(done.At)
		tx.AddEvent(done)
		return nil
	})
	r.done = r.done || err == nil
	return err
}
