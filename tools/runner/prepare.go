package runner

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"prax/store"
	"prax/tools/workflow"
)

// maxDecisions bounds how often a decision leads to another before anything is run: each output that is used again,
// each question to a person.
const maxDecisions = 100

// prepare goes on until the decision is one that can be written down: an effect becomes an attempt, or what the engine
// makes of its result where there is one already.
func (r *Runner) prepare(ctx context.Context, c *call, m *mutation) error {
	for range maxDecisions {
		e := m.decision.Effect
		if e == nil {
			break
		}
		d, err := r.prepareEffect(ctx, c, m, e)
		if err != nil {
			return err
		}
		if m.next != nil {
			return nil
		}
		d.Trail = append(m.decision.Trail[:len(m.decision.Trail):len(m.decision.Trail)], d.Trail...)
		m.decision = d
	}
	if m.decision.Effect != nil {
		return errors.New("its executors lead nowhere")
	}
	if change := m.decision.Change; change != nil && change.Then != nil {
		return r.prepareNext(ctx, c, m, change)
	}
	return nil
}

// prepareEffect does what can be done about an effect without running it. Either it sets the attempt that is to be run,
// or it gives what the engine makes of it.
func (r *Runner) prepareEffect(ctx context.Context, c *call, m *mutation, e *workflow.Effect) (workflow.Decision, error) {
	s := m.sight
	if e.Kind == workflow.StepTimeout && r.drives.stopping() { // one that fails ends its instance: the next start applies it
		return workflow.Decision{}, store.ErrClosed
	}
	asked, err := r.askedBy(ctx, c, m, e.Approved)
	if err != nil {
		return workflow.Decision{}, err
	}
	p, failure := r.planEffect(ctx, c, s, e, asked)
	switch {
	case failure != nil && failure.Class == classRevoked:
		return workflow.Decision{Refusal: revoked(e.Transition, failure)}, nil
	case failure != nil:
		return s.apply(e, workflow.Result{Failure: failure}, c.now), nil
	}
	// What has happened already needs nobody's yes: asking would make another version, which drops what is kept.
	kept, was, err := r.keptOutput(ctx, c, s, e, p)
	if err != nil {
		return workflow.Decision{}, err
	}
	if kept != nil {
		m.kept = kept
		m.facts = append(m.facts, attemptFact("attempt.reused", *kept, nil))
		return s.apply(was.approved(e, kept), was.result(), c.now), nil
	}
	switch bound := s.bound(); {
	case e.Ask:
		return m.propose(e, p, c.now), nil
	case mustAsk(e, p, bound):
		d := m.decision.Asking(c.approval)
		m.rebound, m.decision.Trail = e.Approved, nil
		return d, nil
	default:
		p.approved = e.Approved && bound != ""
	}
	m.next, err = r.newAttempt(c, p, e)
	return workflow.Decision{}, err
}

// propose asks a person about what would be run.
func (m *mutation) propose(e *workflow.Effect, p *plan, now time.Time) workflow.Decision {
	d := m.sight.apply(e, workflow.Result{Material: p.shown(), Tier: p.tier}, now)
	if m.rebound && d.Change != nil {
		d.Change.Failure = &workflow.Refusal{
			Code: workflow.ApprovalMismatch, Transition: e.Transition,
			Message: "what would be run is not what was approved any more: it has to be approved anew",
			Hint:    "look at the new approval, which shows what would be run now",
		}
	}
	return d
}

// prepareNext begins what comes after a change: a deterministic transition with an effect. That it cannot begin is told
// in the answer; the change stands.
func (r *Runner) prepareNext(ctx context.Context, c *call, m *mutation, change *workflow.Change) error {
	e := change.Then
	asked, err := r.askedBy(ctx, c, m, change.Consumed != "")
	if err != nil {
		return err
	}
	p, failure := r.planEffect(ctx, c, m.sight, e, asked)
	switch {
	case failure == nil:
		m.next, err = r.newAttempt(c, p, e)
		return err
	case failure.Class == classRevoked:
		change.Failure = revoked(e.Transition, failure)
	default:
		change.Failure = &workflow.Refusal{
			Code: workflow.ChainFailed, Transition: e.Transition, Class: failure.Class,
			Message: "the server could not take the transition " + e.Transition + ": " + failure.Message,
			Hint:    "the state was kept: a link with the actor deterministic tries the step again",
		}
	}
	return nil
}

// keptOutput is what an executor gave that was run before, for exactly this, without its output being used; nil where
// there is none.
func (r *Runner) keptOutput(ctx context.Context, c *call, s *sight, e *workflow.Effect, p *plan) (*store.Attempt, output, error) {
	var kept store.Attempt
	err := c.view(ctx, func(tx store.Tx) (err error) {
		kept, err = tx.KeptAttempt(c.scope, s.stored.ID, s.stored.Version, p.digest)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, output{}, nil
	}
	if err != nil {
		return nil, output{}, err
	}
	var o output
	if kept.Transition != e.Transition || kept.State != e.State || json.Unmarshal(kept.Output, &o) != nil {
		return nil, output{}, nil
	}
	return &kept, o, nil
}
