package control

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools/runner"
)

// Operation is an attempt: one run of an executor, with its retries. It has neither what the attempt was resolved to
// do, nor what came of it, but how much that is.
type Operation struct {
	ID          string              `json:"id"`
	Status      store.AttemptStatus `json:"status"`
	Kind        string              `json:"kind"` // of the executor
	Tier        string              `json:"tier,omitzero"`
	Tool        string              `json:"tool,omitzero"`        // called directly
	Workflow    string              `json:"workflow_id,omitzero"` // "": a tool was called directly
	Version     int64               `json:"version,omitzero"`
	Definition  string              `json:"definition_id,omitzero"`
	State       string              `json:"state,omitzero"`
	Transition  string              `json:"transition,omitzero"`
	User        string              `json:"user"`
	Client      string              `json:"client"`         // as whom it runs
	Actor       string              `json:"actor,omitzero"` // the user of that client
	Shared      bool                `json:"shared,omitzero"`
	Parent      string              `json:"parent,omitzero"`
	Index       int                 `json:"index,omitzero"`
	Digest      string              `json:"digest,omitzero"` // of what it was resolved to do
	Does        jsontext.Value      `json:"does,omitzero"`   // that itself, secrets by name: of one that runs or is in doubt, for a person
	Key         string              `json:"idempotency_key,omitzero"`
	Approval    string              `json:"approval,omitzero"`
	Tries       int                 `json:"tries"`
	Choice      int                 `json:"choice,omitzero"` // 0: the executor itself, then its fallbacks
	Worker      string              `json:"worker,omitzero"`
	Fence       int64               `json:"fence,omitzero"`
	Lease       time.Time           `json:"lease_until,omitzero"`
	Class       string              `json:"error_class,omitzero"`
	Message     string              `json:"message,omitzero"`
	SettledBy   string              `json:"settled_by,omitzero"`
	Note        string              `json:"note,omitzero"`
	WorkBytes   int                 `json:"work_bytes,omitzero"`
	OutputBytes int                 `json:"output_bytes,omitzero"`
	Correlation string              `json:"correlation,omitzero"`
	RequestID   string              `json:"request_id,omitzero"`
	Created     time.Time           `json:"created"`
	Updated     time.Time           `json:"updated,omitzero"`
	Ended       time.Time           `json:"ended,omitzero"`
}

// OperationFilter picks operations. Zero members do not restrict.
type OperationFilter struct {
	As     string              `json:"as,omitzero"`
	Status store.AttemptStatus `json:"status,omitzero"`
	User   string              `json:"user,omitzero"`
	Before int64               `json:"before,omitzero"` // Next of the page before
	Limit  int                 `json:"limit,omitzero"`  // 0: 50
}

// OperationPage is one page of a list, the newest first.
type OperationPage struct {
	Items []Operation `json:"items"`
	Next  int64       `json:"next,omitzero"` // Before of the next page, which may be empty; 0: there is none
}

// OneOperation names an operation.
type OneOperation struct {
	As string `json:"as,omitzero"`
	ID string `json:"id"`
}

// Discovery is what a person found out about an effect that was in doubt.
type Discovery struct {
	As      string         `json:"as,omitzero"`
	ID      string         `json:"id"` // of the operation
	Applied bool           `json:"applied"`
	Output  jsontext.Value `json:"output,omitzero"` // what came of it; only of one that was applied
	Note    string         `json:"note,omitzero"`
}

// Settled is what became of an operation that was in doubt, and of the workflow that waited for it.
type Settled struct {
	Operation Operation `json:"operation"`
	Workflow  *Resolved `json:"workflow,omitzero"` // nil: none waited for it
	Refused   *Refused  `json:"refused,omitzero"`  // why it was not settled
}

// Operations are the newest attempts that the operator, or a client, may see.
func (o *Operator) Operations(ctx context.Context, f OperationFilter) (OperationPage, error) {
	page := OperationPage{Items: []Operation{}}
	err := o.reading(o.begin("operations/list", f.As, ""), f.As, func(w runner.Work) error {
		rows, err := o.cfg.Runner.Attempts(ctx, w, store.AttemptFilter{Status: f.Status, User: f.User, Before: f.Before, Limit: f.Limit})
		for _, row := range rows {
			page.Items, page.Next = append(page.Items, operationOf(row.Attempt)), row.Number
		}
		return err
	})
	return page, err
}

// Operation is an attempt, whatever became of it. The error is runner.ErrUnknownAttempt for one that is not there.
func (o *Operator) Operation(ctx context.Context, q OneOperation) (op Operation, err error) {
	act := o.on(o.begin("operations/show", q.As, ""), detail{As: q.As, Attempt: q.ID})
	err = o.reading(act, q.As, func(w runner.Work) error {
		a, err := o.cfg.Runner.Attempt(ctx, w, q.ID)
		if err == nil {
			op = operationOf(a)
		}
		if err == nil && w.Principal.Roles.Has(auth.Human) {
			op.Does = runner.Does(a)
		}
		return err
	})
	return op, err
}

// Reconcile settles an attempt that is in doubt: its effect happened, or it did not. What follows of it for a workflow
// and the event are one transaction.
func (o *Operator) Reconcile(ctx context.Context, d Discovery) (Settled, error) {
	name := "operations/not_applied"
	if d.Applied {
		name = "operations/applied"
	}
	act := o.on(o.begin(name, d.As, ""), detail{As: d.As, Attempt: d.ID})
	var s Settled
	err := o.changing(act, d.As, func(w runner.Work) (string, error) {
		r, err := o.cfg.Runner.Reconcile(ctx, w, runner.ReconcileRequest{AttemptID: d.ID, Applied: d.Applied, Output: d.Output, Note: d.Note})
		if err != nil {
			return "", err
		}
		s = settled(r)
		return s.Refused.code(), nil
	})
	return s, err
}

func settled(r *runner.Reconciled) Settled {
	s := Settled{Operation: operationOf(r.Attempt)}
	if r.Refusal != nil && (r.Answer == nil || r.Attempt.Status.Blocks()) {
		s.Refused = refusedBy(r.Refusal)
		return s
	}
	if r.Answer != nil {
		w := resolved(r.Answer)
		s.Workflow = &w
	}
	return s
}

func operationOf(a store.Attempt) Operation {
	return Operation{
		ID: a.ID, Status: a.Status, Kind: a.Kind, Tier: a.Tier, Tool: a.Tool, Workflow: a.Instance, Version: a.Version,
		Definition: a.Definition, State: a.State, Transition: a.Transition, User: a.User, Client: a.Client, Actor: a.Actor,
		Shared: a.Shared, Parent: a.Parent, Index: a.Index, Digest: a.Digest, Key: a.Key, Approval: a.Approval, Tries: a.Tries,
		Choice: a.Choice, Worker: a.Worker, Fence: a.Fence, Lease: a.Lease, Class: a.Class, Message: a.Message, SettledBy: a.By,
		Note: a.Note, WorkBytes: len(a.Work), OutputBytes: len(a.Output), Correlation: a.Correlation, RequestID: a.RequestID,
		Created: a.Created, Updated: a.Updated, Ended: a.Ended,
	}
}
