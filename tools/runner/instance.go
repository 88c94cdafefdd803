package runner

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools/workflow"
)

// sight is an instance as one call sees it, all of it from one snapshot.
type sight struct {
	d         *workflow.Definition
	needs     *needs
	stored    store.Instance
	i         *workflow.Instance
	approvals []store.Approval
	attempt   *store.Attempt // the one that it waits for; nil: none
	caller    workflow.Caller
	form      *form // of the row, where that tells, by its version, all that is of account beside it too; else nil
}

// answer is a sight without a change.
func (s *sight) answer() *Answer {
	return &Answer{
		Definition: s.d, Instance: s.i, Stored: s.stored, Approvals: s.approvals, Attempt: s.attempt, Caller: s.caller,
	}
}

// apply asks the engine what comes of the result of an effect.
func (s *sight) apply(e *workflow.Effect, result workflow.Result, now time.Time) workflow.Decision {
	return s.d.Apply(s.i, e, result, s.caller, now)
}

// look reads an instance for a call. What the caller may not see is [ErrUnknownInstance]; what cannot be read is a
// [*Corrupt], with a sight of as much as can be: without a definition, or without anything.
func (r *Runner) look(ctx context.Context, c *call, id string) (*sight, error) {
	stored, e, err := r.find(ctx, c, id)
	if err != nil {
		return nil, err
	}
	s := &sight{stored: stored.Instance}
	if s.form, err = r.form(&s.stored); err != nil {
		return nil, s.corrupt(err)
	}
	s.i = s.form.instance
	s.caller = c.caller(s.stored)
	if e == nil {
		if e, err = r.decoded(s.stored, stored.definition); err != nil {
			return s, s.corrupt(err)
		}
	} else if e, err = e.compiled(); err != nil {
		return s, s.corrupt(err)
	}
	s.d, s.needs = e.d, &e.needs
	if s.needs.more() {
		if err := r.lookCloser(ctx, c, s); err != nil {
			return nil, err
		}
	}
	if s.d.State(s.i.State) == nil {
		return s, s.corrupt(errors.New("the definition does not have this state"))
	}
	return s, nil
}

func (s *sight) corrupt(err error) *Corrupt {
	return &Corrupt{InstanceID: s.stored.ID, DefinitionID: s.stored.DefinitionID, State: store.SafeString(s.stored.State), Err: err}
}

// row is an instance, and its definition where that is not at hand.
type row struct {
	store.Instance
	definition store.Definition
}

// find reads the row of an instance that the call may see, and the definition when it is not compiled yet.
func (r *Runner) find(ctx context.Context, c *call, id string) (found row, e *entry, err error) {
	if found.Instance, err = c.On.Instance(ctx, c.scope, id); err == nil {
		err = c.covers(found.Instance)
	}
	if err == nil {
		if e = r.ready(found.Instance); e == nil {
			found, err = c.together(ctx, id)
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		return row{}, nil, ErrUnknownInstance
	}
	return found, e, err
}

// together reads the row of an instance that the call may see with its definition.
func (c *call) together(ctx context.Context, id string) (found row, err error) {
	err = c.view(ctx, func(tx store.Tx) (err error) {
		found = row{}
		if found.Instance, err = c.usable(tx, id); err != nil {
			return err
		}
		found.definition, err = tx.Definition(found.DefinitionID, found.DefinitionHash)
		if errors.Is(err, store.ErrNotFound) {
			return nil // its empty text is not the one that was pinned
		}
		return err
	})
	return found, err
}

// lookCloser reads an instance again, with what its definition needs beside the row. The long reads come first: who
// waits for them must hold nothing that others need.
func (r *Runner) lookCloser(ctx context.Context, c *call, s *sight) error {
	n := s.needs
	var evidence []store.Evidence
	var shown []store.Acknowledgement
	var approvals []store.Approval
	var attempt *store.Attempt
	var stored store.Instance
	id := s.stored.ID
	err := c.view(ctx, func(tx store.Tx) (err error) {
		if n.evidence {
			evidence, err = tx.EvidenceOf(c.scope, id)
		}
		if err == nil && n.shown {
			shown, err = tx.Acknowledgements(c.scope, id)
		}
		if err == nil && n.parked {
			approvals, err = tx.OpenApprovals(c.scope, id, c.now, 1)
		}
		if err == nil && n.effects {
			attempt, err = blocking(tx, c.scope, id)
		}
		if err == nil {
			stored, err = tx.Instance(c.scope, id)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return ErrUnknownInstance
	}
	if err != nil {
		return err
	}
	f, err := r.form(&stored)
	if err != nil {
		return s.corrupt(err)
	}
	i := *f.instance
	i.Evidence, i.Shown = evidenceOf(evidence), shownOf(shown)
	s.stored, s.i, s.form = stored, &i, nil
	r.park(s, approvals)
	s.attempt, s.i.Busy = attempt, busy(attempt)
	if n.moved() && len(approvals) == len(s.approvals) {
		s.form = f
	}
	return nil
}

// blocking is the attempt that an instance waits for; nil when there is none.
func blocking(tx store.Tx, s auth.Scope, instance string) (*store.Attempt, error) {
	a, err := tx.BlockingAttempt(s, instance)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &a, err
}

// object decodes a stored JSON object; nothing is an empty one.
func object(raw jsontext.Value) (map[string]any, error) {
	value := map[string]any{}
	if len(raw) == 0 {
		return value, nil
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, err
	}
	if value == nil {
		return nil, errors.New("not an object")
	}
	return value, nil
}

func evidenceOf(all []store.Evidence) []workflow.Evidence {
	found := make([]workflow.Evidence, len(all))
	for n, e := range all {
		found[n] = workflow.Evidence{
			ID: e.ID, Seq: e.Seq, Kind: e.Kind, URI: e.URI, Summary: e.Summary, Digest: e.Digest,
			Confidence: e.Confidence, Client: e.Client, User: e.User,
		}
	}
	return found
}

func shownOf(all []store.Acknowledgement) map[string]string {
	shown := make(map[string]string, len(all))
	for _, a := range all {
		shown[a.Subject] = a.Hash
	}
	return shown
}
