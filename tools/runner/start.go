package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools/schema"
	"prax/tools/workflow"
)

// StartRequest asks for a new instance.
type StartRequest struct {
	DefinitionID string
	Input        jsontext.Value // an object; nil: an empty one
	RunID        string         // the caller's own name for it; "": none
	TraceID      string         // repeated in every event of the instance; "": none
}

// Start begins an instance of a definition that is in force and granted to the caller; any other is
// [ErrUnknownDefinition]. A run id that the caller's user has used already is a [*RunTaken]. An input that does not fit
// is a Refusal, in an Answer that has no Instance. Whether the definition waits for the meaning of a subject
// (workflow.Definition.Pending) is not looked at.
func (r *Runner) Start(ctx context.Context, w Work, q StartRequest) (*Answer, error) {
	c := r.call(w)
	if !c.granted(q.DefinitionID) {
		return nil, ErrUnknownDefinition
	}
	live, there := r.config.Catalog.Definition(q.DefinitionID)
	if !there {
		return nil, ErrUnknownDefinition
	}
	if refusal := q.check(); refusal != nil {
		return r.notStarted(c, live, q, workflow.Decision{Refusal: refusal}), nil
	}
	for n := 1; ; n++ {
		if err := r.taken(ctx, c, q.RunID); err != nil {
			return nil, err
		}
		d, err := r.live(ctx, live)
		if err != nil {
			return nil, err
		}
		a, err := r.begin(ctx, c, d, q)
		switch {
		case n == triesOfMove:
			return a, err
		case errors.Is(err, store.ErrNotFound): // its definition is not in the store any more
			r.pinned.forget(d.Hash)
		case !errors.Is(err, store.ErrConflict): // a conflict: somebody else took the run id
			return a, err
		}
	}
}

// check tells what of a start cannot be kept.
func (q StartRequest) check() *workflow.Refusal {
	for _, id := range []struct{ path, text string }{{"/runId", q.RunID}, {"/traceId", q.TraceID}} {
		if len(id.text) <= store.MaxIDBytes {
			continue
		}
		v := schema.Violation{Path: id.path, Message: fmt.Sprintf("must have at most %d bytes", store.MaxIDBytes)}
		return &workflow.Refusal{
			Code: workflow.InvalidInput, Message: id.path + " " + v.Message, Hint: "start again with a shorter one",
			Violations: []schema.Violation{v},
		}
	}
	return nil
}

// taken tells whether the caller's user has an instance with this run id.
func (r *Runner) taken(ctx context.Context, c *call, run string) error {
	if run == "" {
		return nil
	}
	var i store.Instance
	err := c.view(ctx, func(tx store.Tx) (err error) {
		i, err = tx.RunInstance(c.scope, run)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	case !c.granted(i.DefinitionID):
		return &RunTaken{}
	}
	return &RunTaken{InstanceID: i.ID}
}

// begin decides a start, commits it, and sets going what follows from it.
func (r *Runner) begin(ctx context.Context, c *call, d *workflow.Definition, q StartRequest) (*Answer, error) {
	stored := store.Instance{
		ID: r.config.NewID("wf_"), User: c.Principal.User, Client: c.Principal.Client, Grant: c.Principal.Grant.Text(), RunID: q.RunID, TraceID: q.TraceID,
		DefinitionID: d.ID, DefinitionVersion: d.Version, DefinitionHash: d.Hash, Shared: d.Shared, Created: c.now,
	}
	by := c.caller(stored)
	decision := d.Begin(stored.ID, by, q.Input, c.now)
	if decision.Refusal != nil {
		return r.notStarted(c, d, q, decision), nil
	}
	permit := r.drives.enter()
	defer permit.leave()
	m := &mutation{sight: &sight{d: d, stored: stored, caller: by}, decision: decision}
	if err := r.prepare(ctx, c, m); err != nil {
		return nil, err
	}
	w, err := r.write(c, d, stored, decision.Change)
	if err != nil {
		return nil, fmt.Errorf("write a new workflow: %w", err)
	}
	m.notices = r.noticesOf(w)
	if err := c.create(ctx, w, m); err != nil {
		return nil, err
	}
	r.noted(m.notices, m.untold)
	r.config.Observe.Started(w.next.Status)
	r.timers.due(w.next.Due)
	a := m.answer(w)
	if m.next != nil {
		a.drive = r.launch(c, permit, m.next)
	}
	return r.await(ctx, c, a)
}

// create stores a new instance, and the attempt that it leads to.
func (c *call) create(ctx context.Context, w *written, m *mutation) error {
	first, evidence, rest := w.first(m.decision.Change)
	if m.next != nil {
		m.next.attach(w.next)
	}
	event := m.event(c, w.next)
	return c.On.Update(ctx, func(tx store.Tx) error {
		if err := tx.CreateInstance(first, w.steps[0], evidence); err != nil {
			return err
		}
		return m.write(tx, nil, rest, event)
	})
}

// notStarted is the answer to a start that was refused.
func (r *Runner) notStarted(c *call, d *workflow.Definition, q StartRequest, refused workflow.Decision) *Answer {
	trail := append(refused.Trail[:len(refused.Trail):len(refused.Trail)], workflow.Fact{
		Type:    "workflow.rejected",
		Payload: map[string]any{"definitionId": d.ID, "code": string(refused.Refusal.Code)},
	})
	r.config.Store.Record(c.event(store.Instance{DefinitionID: d.ID, TraceID: clip(q.TraceID, store.MaxIDBytes)}, trail, c.actor(), refused.Refusal))
	return &Answer{Definition: d, Refusal: refused.Refusal, Caller: c.caller(store.Instance{User: c.Principal.User})}
}
