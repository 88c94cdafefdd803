package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"prax/store"
	"prax/tools/workflow"
)

// fact is what one transaction makes durable about an instance.
type fact struct {
	sight    *sight
	decision workflow.Decision // a Refusal, a Change, or the Effect that next is of
	ends     []*ended          // attempts that it ends
	kept     *store.Attempt    // one whose output it uses
	next     *attempt          // the attempt that it begins
	rebound  bool              // what was approved has changed, and is asked about anew
	facts    []workflow.Fact   // of attempts
}

// idle tells whether there is nothing to write.
func (f *fact) idle() bool {
	return f.decision.Change == nil && f.next == nil && len(f.ends) == 0
}

// withdraw leaves an attempt in doubt that a person would have settled, had what they say of it been of use.
func (f *fact) withdraw() {
	f.ends = slices.DeleteFunc(f.ends, func(e *ended) bool { return e.settled != nil })
}

// maxLeads bounds how often a decision leads to another before anything is run: each output that is used again, each
// question to a person.
const maxLeads = 100

// lead goes on until the decision is one that can be written down: an effect becomes an attempt, or what the engine
// makes of its result where there is one already.
func (r *Runner) lead(ctx context.Context, c *call, f *fact) error {
	for range maxLeads {
		e := f.decision.Effect
		if e == nil {
			break
		}
		d, err := r.effect(ctx, c, f, e)
		if err != nil {
			return err
		}
		if f.next != nil {
			return nil
		}
		d.Trail = append(f.decision.Trail[:len(f.decision.Trail):len(f.decision.Trail)], d.Trail...)
		f.decision = d
	}
	if f.decision.Effect != nil {
		return errors.New("its executors lead nowhere")
	}
	if change := f.decision.Change; change != nil && change.Then != nil {
		return r.then(ctx, c, f, change)
	}
	return nil
}

// effect does what can be done about an effect without running it. Either it sets the attempt that is to be run, or it
// gives what the engine makes of it.
func (r *Runner) effect(ctx context.Context, c *call, f *fact, e *workflow.Effect) (workflow.Decision, error) {
	s := f.sight
	apply := func(e *workflow.Effect, result workflow.Result) workflow.Decision {
		return s.d.Apply(s.i, e, result, s.caller, c.now)
	}
	p, failure := r.planned(ctx, c, s.stored, s.d, e, s.askedBy(e))
	if failure != nil {
		return r.unable(e, failure, apply), nil
	}
	if e.Ask {
		d := apply(e, workflow.Result{Material: p.shown(), Tier: p.tier})
		if f.rebound && d.Change != nil {
			d.Change.Failure = &workflow.Refusal{
				Code: workflow.ApprovalMismatch, Transition: e.Transition,
				Message: "what would be run is not what was approved any more: it has to be approved anew",
				Hint:    "look at the new approval, which shows what would be run now",
			}
		}
		return d, nil
	}
	bound := s.bound()
	if mustAsk(e, p, bound) {
		d := f.decision.Asking(c.approval)
		f.rebound, f.decision.Trail = e.Approved, nil
		return d, nil
	}
	p.approved = e.Approved && bound != ""
	kept, result, err := r.keptResult(ctx, c, s, e, p)
	if err != nil {
		return workflow.Decision{}, err
	}
	if kept != nil {
		f.kept = kept
		f.facts = append(f.facts, attemptFact("attempt.reused", *kept, nil))
		return apply(e, result), nil
	}
	if f.next, err = r.newAttempt(c, p, e); err != nil {
		return workflow.Decision{}, fmt.Errorf("write an attempt: %w", err)
	}
	return workflow.Decision{}, nil
}

// then begins what comes after a change: a deterministic transition with an effect. That it cannot begin is told in
// the answer; the change stands.
func (r *Runner) then(ctx context.Context, c *call, f *fact, change *workflow.Change) error {
	stored := f.sight.stored
	stored.Version, stored.State = change.Next.Version, change.Next.State
	p, failure := r.planned(ctx, c, stored, f.sight.d, change.Then, "")
	if failure != nil {
		change.Failure = &workflow.Refusal{
			Code: workflow.ChainFailed, Transition: change.Then.Transition, Class: failure.Class,
			Message: "the server could not take the transition " + change.Then.Transition + ": " + failure.Message,
			Hint:    "the state was kept: a link with the actor deterministic tries the step again",
		}
		if failure.Class == classRevoked {
			change.Failure = revoked(change.Then.Transition, failure)
		}
		return nil
	}
	var err error
	if f.next, err = r.newAttempt(c, p, change.Then); err != nil {
		return fmt.Errorf("write an attempt: %w", err)
	}
	return nil
}

// consumed tells whether an approval was used up by an attempt before the change that it is for.
func (f *fact) consumed(approval string) bool {
	if f.kept != nil && f.kept.Approval == approval {
		return true
	}
	for _, e := range f.ends {
		if e.attempt.effect.Approved && e.attempt.effect.Approval == approval {
			return true
		}
	}
	return false
}

// closings are the ends of attempts as the store takes them.
func (f *fact) closings(c *call) ([]store.Closing, error) {
	var all []store.Closing
	for _, e := range f.ends {
		if e.settled != nil {
			all = append(all, *e.settled)
			f.facts = append(f.facts, attemptFact("attempt.closed", e.attempt.stored, map[string]any{"status": string(e.settled.Status), "by": e.settled.By}))
			continue
		}
		status := f.status(e)
		one, err := e.closing(status, c.now)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
		f.facts = append(f.facts, attemptFact("attempt.closed", e.attempt.stored, map[string]any{"status": string(status)}))
	}
	if k := f.kept; k != nil && f.decision.Change != nil {
		all = append(all, store.Closing{ID: k.ID, Fence: k.Fence, Status: store.AttemptDone, At: c.now})
	}
	return all, nil
}

// status is what becomes of an attempt.
func (f *fact) status(e *ended) store.AttemptStatus {
	failure := e.result.Failure
	switch {
	case failure == nil && f.decision.Change != nil:
		return store.AttemptDone
	case failure == nil:
		return store.AttemptKept
	case failure.Begun == workflow.Doubtful:
		return store.AttemptUnknown
	}
	return store.AttemptFailed
}

// write is the transaction.
func (f *fact) write(tx store.Tx, closings []store.Closing, w *written, move store.Move, event store.Event) error {
	for _, one := range closings {
		if err := tx.CloseAttempt(one); err != nil {
			return fmt.Errorf("close attempt %s: %w", one.ID, err)
		}
	}
	if w != nil {
		if err := tx.Move(move); err != nil {
			return err
		}
	}
	if f.next != nil {
		if err := tx.OpenAttempt(f.next.stored); err != nil {
			return fmt.Errorf("open attempt: %w", err)
		}
	}
	tx.AddEvent(event)
	return nil
}

// trail is what happened, for the audit.
func (f *fact) trail() []workflow.Fact {
	all := append(f.facts[:len(f.facts):len(f.facts)], f.decision.Trail...)
	if f.next != nil {
		all = append(all, attemptFact("attempt.opened", f.next.stored, map[string]any{
			"tier": f.next.stored.Tier, "digest": f.next.stored.Digest, "approval": f.next.stored.Approval,
		}))
	}
	return all
}

// actor is who did it.
func (f *fact) actor(c *call) actor {
	if f.decision.Change != nil {
		return actedBy(f.decision.Change)
	}
	return c.actor()
}

// failure is what the answer says went wrong.
func (f *fact) failure() *workflow.Refusal {
	if f.decision.Change != nil {
		return f.decision.Change.Failure
	}
	return f.decision.Refusal
}

// answer is what was committed.
func (f *fact) answer(w *written) *Answer {
	var a *Answer
	if w != nil {
		a = w.answer(f.sight.d, f.sight.caller, f.decision.Change, f.failure())
	} else {
		a = f.sight.answer()
		a.Refusal = f.decision.Refusal
		instance := *a.Instance
		instance.Busy = nil
		a.Instance, a.Attempt = &instance, nil
	}
	if f.next != nil {
		a.setAttempt(f.next.stored)
	}
	return a
}

// answer is what was committed.
func (w *written) answer(d *workflow.Definition, by workflow.Caller, change *workflow.Change, failed *workflow.Refusal) *Answer {
	a := &Answer{
		Definition: d, Instance: &w.instance, Stored: w.next.Normal(), Change: change, Refusal: failed, Caller: by,
		Expired: change.Steps[0].Kind == workflow.StepTimeout && d.OnTimeout != "",
	}
	if w.approval != nil {
		a.Approvals = []store.Approval{*w.approval}
	}
	return a
}

// actedBy is who made a change.
func actedBy(c *workflow.Change) actor { return actor{c.Steps[0].Client, c.Steps[0].User} }

func attemptFact(kind string, a store.Attempt, more map[string]any) workflow.Fact {
	payload := map[string]any{"attempt": a.ID, "kind": a.Kind}
	if a.Transition != "" {
		payload["transition"] = a.Transition
	}
	for key, value := range more {
		payload[key] = value
	}
	return workflow.Fact{Type: kind, Payload: payload}
}

// keptResult is what an executor gave that was run before, for exactly this, without its output being used.
func (r *Runner) keptResult(ctx context.Context, c *call, s *sight, e *workflow.Effect, p *plan) (*store.Attempt, workflow.Result, error) {
	var kept store.Attempt
	err := c.view(ctx, func(tx store.Tx) (err error) {
		kept, err = tx.KeptAttempt(c.scope, s.stored.ID, s.stored.Version, p.digest)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, workflow.Result{}, nil
	}
	if err != nil {
		return nil, workflow.Result{}, err
	}
	var o output
	if kept.Transition != e.Transition || kept.State != e.State || json.Unmarshal(kept.Output, &o) != nil {
		return nil, workflow.Result{}, nil
	}
	return &kept, o.result(), nil
}
