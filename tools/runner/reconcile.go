package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools/workflow"
)

// ReconcileRequest is what a person found out about an effect in doubt.
type ReconcileRequest struct {
	AttemptID string
	Applied   bool           // it happened
	Output    jsontext.Value // what the executor would have given; nil: an empty object
	Note      string         // kept with the evidence, as far as it fits
}

// Reconciled is an attempt that was settled, or why it was not.
type Reconciled struct {
	Attempt store.Attempt
	Answer  *Answer // of its instance, where it waited for that; nil otherwise
	Refusal *workflow.Refusal
}

// Reconcile settles an attempt whose effect is in doubt. Where a workflow waits for it, the workflow goes on: as if the
// executor had given this output, or as if it had not been run. An attempt that the caller may not see is
// [ErrUnknownAttempt].
func (r *Runner) Reconcile(ctx context.Context, w Work, q ReconcileRequest) (*Reconciled, error) {
	c := r.call(w)
	stored, err := r.attempt(ctx, c, q.AttemptID)
	if err != nil {
		return nil, err
	}
	if refusal := c.mayReconcile(stored); refusal != nil {
		return &Reconciled{Attempt: stored, Refusal: refusal}, nil
	}
	if stored.Instance == "" {
		return r.settleAlone(ctx, c, stored, q)
	}
	s, err := r.look(ctx, c, stored.Instance)
	var corrupt *Corrupt
	switch {
	case errors.Is(err, ErrUnknownInstance):
		return nil, ErrUnknownAttempt
	case err != nil && !errors.As(err, &corrupt):
		return nil, err
	case err != nil || s.i == nil || s.i.Busy == nil || s.i.Busy.Attempt != stored.ID:
		return r.settleAlone(ctx, c, stored, q) // nothing waits for it any more
	}
	a, err := r.reconcile(ctx, c, s, stored, q)
	if err != nil {
		return nil, err
	}
	if a, err = r.await(ctx, c, a); err != nil {
		return nil, err
	}
	settled, err := r.attempt(ctx, c, stored.ID)
	return &Reconciled{Attempt: settled, Answer: a, Refusal: a.Refusal}, err
}

// mayReconcile refuses whom an effect in doubt is not to settle, and what is in no doubt.
func (c *call) mayReconcile(a store.Attempt) *workflow.Refusal {
	switch {
	case !c.Principal.Roles.Has(auth.Human):
		return &workflow.Refusal{
			Code: workflow.ActorMismatch, Message: "whether an effect happened is for a person to say: it needs a client of the role human",
			Hint: "a person has to settle it",
		}
	case a.Status != store.AttemptUnknown:
		return &workflow.Refusal{
			Code: workflow.InvalidTransition, Message: "it is not in doubt: it is " + string(a.Status), Hint: "there is nothing to settle",
		}
	}
	return nil
}

// reconcile settles the attempt that an instance waits for.
func (r *Runner) reconcile(ctx context.Context, c *call, s *sight, stored store.Attempt, q ReconcileRequest) (*Answer, error) {
	w, err := readWork(stored)
	if err != nil {
		return nil, err
	}
	given, refusal := q.output()
	if refusal != nil {
		return r.refuse(c, s, q.transition(), workflow.Decision{Refusal: refusal}), nil
	}
	effect := w.effect(stored)
	d := s.d.Reconcile(s.i, s.caller, effect, workflow.Reconciliation{Applied: q.Applied, Output: given, Note: note(q.Note)}, c.now)
	return r.carryOut(ctx, c, s, q.transition(), d, &outcome{
		attempt: &attempt{stored: stored, effect: effect}, settled: c.settles(stored, q),
	})
}

func (q ReconcileRequest) transition() string {
	if q.Applied {
		return workflow.ReconcileApplied
	}
	return workflow.ReconcileNotApplied
}

// output is what the person says that the executor gave.
func (q ReconcileRequest) output() (any, *workflow.Refusal) {
	if len(q.Output) == 0 || !q.Applied {
		return map[string]any{}, nil
	}
	var value any
	if err := json.Unmarshal(q.Output, &value); err != nil {
		return nil, &workflow.Refusal{Code: workflow.InputViolation, Message: "the output is not JSON", Hint: "send JSON, or none"}
	}
	return value, nil
}

// settles is how a person ends an attempt.
func (c *call) settles(a store.Attempt, q ReconcileRequest) *store.Closing {
	status := store.AttemptNotApplied
	if q.Applied {
		status = store.AttemptApplied
	}
	return &store.Closing{
		ID: a.ID, Fence: a.Fence, Status: status, Class: a.Class, Message: a.Message, By: c.Principal.Client,
		Note: clip(q.Note, store.MaxEvidenceText), At: c.now,
	}
}

// settleAlone settles an attempt that no workflow waits for.
func (r *Runner) settleAlone(ctx context.Context, c *call, a store.Attempt, q ReconcileRequest) (*Reconciled, error) {
	err := r.closeAlone(ctx, c, owner(a), a, *c.settles(a, q), c.actor(), nil)
	if errors.Is(err, store.ErrConflict) {
		return &Reconciled{Attempt: a, Refusal: &workflow.Refusal{
			Code: workflow.InvalidTransition, Message: "somebody else settled it meanwhile", Hint: "look at it again",
		}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("settle %s: %w", a.ID, err)
	}
	settled, err := r.attempt(ctx, c, a.ID)
	return &Reconciled{Attempt: settled}, err
}

// reconciling is a submit of one of the transitions that settle an attempt; nil for any other.
func (r *Runner) reconciling(ctx context.Context, c *call, q SubmitRequest) (*Answer, error) {
	if q.Transition != workflow.ReconcileApplied && q.Transition != workflow.ReconcileNotApplied {
		return nil, nil
	}
	s, err := r.look(ctx, c, q.InstanceID)
	if err != nil {
		return nil, err
	}
	var given struct {
		Attempt string         `json:"attempt"`
		Output  jsontext.Value `json:"output"`
		Note    string         `json:"note"`
	}
	unfit := len(q.Arguments) > 0 && json.Unmarshal(q.Arguments, &given, json.RejectUnknownMembers(true)) != nil
	busy := s.i.Busy
	if unfit || busy == nil || !busy.Unknown || given.Attempt != busy.Attempt || q.ExpectedVersion != s.i.Version {
		return nil, nil // the engine says why
	}
	stored, err := r.attempt(ctx, c, busy.Attempt)
	if err != nil {
		return nil, err
	}
	if refusal := c.mayReconcile(stored); refusal != nil {
		return r.refuse(c, s, q.Transition, workflow.Decision{Refusal: refusal}), nil
	}
	a, err := r.reconcile(ctx, c, s, stored, ReconcileRequest{
		AttemptID: stored.ID, Applied: q.Transition == workflow.ReconcileApplied, Output: given.Output, Note: given.Note,
	})
	if err != nil {
		return nil, err
	}
	return r.await(ctx, c, a)
}
