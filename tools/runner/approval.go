package runner

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json"

	"prax/store"
	"prax/store/digest"
	"prax/tools/workflow"
)

// ResolveRequest is a person's answer to an open approval.
type ResolveRequest struct {
	ApprovalID string
	Digest     string // of the material that the person was shown
	Approve    bool   // false: reject
	Note       string // kept with the evidence, as far as it fits
}

// Resolve answers an approval: yes takes the transition that it is about, as a step of the person who answers; no
// leaves the state. One that the caller may not see is [ErrUnknownApproval]; one that is not open any more, whose time
// is over or whose material is other than what was shown is a Refusal.
func (r *Runner) Resolve(ctx context.Context, w Work, q ResolveRequest) (*Answer, error) {
	c := r.call(w)
	approval, err := r.approval(ctx, c, q.ApprovalID)
	if err != nil {
		return nil, err
	}
	a, err := r.change(ctx, c, approval.Instance, approval.Transition, triesOfMove, func(s *sight) workflow.Decision {
		i := s.i
		if i.Parked == nil {
			i = late(s, approval, c)
		}
		return s.d.Resolve(i, s.caller, workflow.Answer{
			Approval: q.ApprovalID, Digest: q.Digest, Approve: q.Approve, Note: note(q.Note),
		}, c.now)
	})
	if errors.Is(err, ErrUnknownInstance) {
		return nil, ErrUnknownApproval
	}
	return a, err
}

// late is the instance with an approval whose time is over, so that the answer can say so.
func late(s *sight, a store.Approval, c *call) *workflow.Instance {
	if a.Status != store.ApprovalOpen || c.now.Before(a.Expires) {
		return s.i
	}
	parked, err := park(s.stored, a)
	if err != nil {
		return s.i
	}
	i := *s.i
	i.Parked = parked
	return &i
}

// Approval is an approval of an instance that the caller may see, of a definition that it may use, whatever became of
// it; any other is [ErrUnknownApproval].
func (r *Runner) Approval(ctx context.Context, w Work, id string) (store.Approval, error) {
	return r.approval(ctx, r.call(w), id)
}

func (r *Runner) approval(ctx context.Context, c *call, id string) (a store.Approval, err error) {
	err = c.view(ctx, func(tx store.Tx) (err error) {
		a, err = tx.Approval(c.scope, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.granted(a.Definition) {
		return store.Approval{}, ErrUnknownApproval
	}
	return a, err
}

// park adds the open approval of an instance.
func (r *Runner) park(s *sight, approvals []store.Approval) {
	for _, a := range approvals {
		parked, err := park(s.stored, a)
		if err != nil {
			r.config.Log.Error("an approval cannot be used", "approval", a.ID, "workflow", s.stored.ID, "cause", err)
			continue
		}
		s.i.Parked, s.approvals = parked, []store.Approval{a}
	}
}

// park is an approval as the engine sees it. One that is not of the instance as it stands, or whose arguments are not
// those that a person is shown, is none.
func park(i store.Instance, a store.Approval) (*workflow.Parked, error) {
	if a.Instance != i.ID || a.Version != i.Version || a.Hash != i.DefinitionHash {
		return nil, errors.New("it is not of the workflow as it is now")
	}
	if digest.Hex(a.Material) != a.Digest {
		return nil, errors.New("its material does not have the digest that is stored with it")
	}
	var material struct {
		Transition string         `json:"transition"`
		Arguments  map[string]any `json:"arguments"`
	}
	if err := json.Unmarshal(a.Material, &material); err != nil {
		return nil, fmt.Errorf("its material: %w", err)
	}
	arguments, err := object(a.Arguments)
	if err != nil {
		return nil, fmt.Errorf("its arguments: %w", err)
	}
	same := len(arguments) == 0 && len(material.Arguments) == 0 || reflect.DeepEqual(arguments, material.Arguments)
	if !same || material.Transition != a.Transition {
		return nil, errors.New("it is about another move than its material shows")
	}
	return &workflow.Parked{
		Approval: a.ID, Transition: a.Transition, Arguments: arguments, Digest: a.Digest, Client: a.Client, Expires: a.Expires,
	}, nil
}

// ask is the approval that a change opens.
func (c *call) ask(d *workflow.Definition, i store.Instance, change *workflow.Change) (*store.Approval, error) {
	ask := change.Ask
	arguments, err := encode(ask.Arguments)
	if err != nil {
		return nil, err
	}
	material, err := encode(ask.Material)
	if err != nil {
		return nil, err
	}
	a := &store.Approval{
		ID: c.approval, User: i.User, Instance: i.ID, Version: i.Version, Definition: d.ID, Hash: d.Hash,
		Transition: ask.Transition.Name, Arguments: arguments, Material: material, Digest: digest.Hex(material),
		Queue: ask.Queue, Status: store.ApprovalOpen, Created: c.now, Expires: c.now.Add(store.ApprovalLife),
	}
	a.Tier = ask.Tier.String()
	if n := len(change.Steps); n > 0 {
		a.Client = change.Steps[n-1].Client
	}
	if a.Client == c.Principal.Client {
		a.Grant = c.Principal.Grant.Text()
	}
	return a, nil
}
