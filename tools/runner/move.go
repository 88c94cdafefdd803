package runner

import (
	"fmt"
	"time"
	"unicode/utf8"

	"prax/store"
	"prax/tools/workflow"
)

// written is a change as the store keeps it.
type written struct {
	next     store.Instance
	instance workflow.Instance // the same, with the ids that it got
	steps    []store.Step
	evidence []store.Evidence
	approval *store.Approval
}

// write puts a change of an instance into the form of the store. was is the instance as it is stored; at a start, what
// is known of it.
func (r *Runner) write(c *call, d *workflow.Definition, was store.Instance, change *workflow.Change) (*written, error) {
	w := &written{instance: change.Next}
	var err error
	if w.next, err = c.next(was, &change.Next); err != nil {
		return nil, err
	}
	for _, s := range change.Steps {
		step, err := c.step(s)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", s.Seq, err)
		}
		w.steps = append(w.steps, step)
	}
	w.evidence = r.evidence(c, change)
	w.instance.Evidence = numbered(w.instance.Evidence, w.evidence)
	if change.Ask == nil {
		return w, nil
	}
	if w.approval, err = c.ask(d, w.next, change); err != nil {
		return nil, fmt.Errorf("approval: %w", err)
	}
	w.instance.Parked, err = park(w.next, *w.approval)
	return w, err
}

// next is the row of an instance after a change.
func (c *call) next(was store.Instance, i *workflow.Instance) (store.Instance, error) {
	next := was
	next.State, next.Version, next.Status = i.State, i.Version, status(i)
	next.Reason, next.Summary = clip(i.Reason, store.MaxTextBytes), i.Summary
	next.Due, next.Updated = i.Due, c.now
	if !i.Open {
		next.Ended = c.now
	}
	var err error
	if was.Input == nil { // a start: it never changes
		if next.Input, err = encode(i.Input); err != nil {
			return next, fmt.Errorf("input: %w", err)
		}
	}
	if next.Context, err = encode(i.Context); err != nil {
		return next, fmt.Errorf("context: %w", err)
	}
	if next.Memo, err = encodeMemo(i.Memo); err != nil {
		return next, fmt.Errorf("memo: %w", err)
	}
	return next, nil
}

func status(i *workflow.Instance) store.Status {
	switch {
	case i.Open:
		return store.Open
	case i.Reason != "":
		return store.Cancelled
	}
	return store.Completed
}

func (c *call) step(s workflow.Step) (store.Step, error) {
	step := store.Step{
		Seq: s.Seq, Kind: string(s.Kind), Transition: s.Transition, From: s.From, To: s.To, Actor: string(s.Actor),
		Client: s.Client, User: s.User, Correlation: c.correlation, At: c.now,
	}
	var err error
	if s.Arguments != nil {
		if step.Arguments, err = encode(s.Arguments); err != nil {
			return step, err
		}
	}
	if s.Output != nil {
		if step.Output, err = encode(s.Output); err != nil {
			return step, err
		}
	}
	if changed := delta(s); len(changed) > 0 {
		step.Delta, err = encode(changed)
	}
	return step, err
}

// delta is what changed of the context: null for a member that was removed.
func delta(s workflow.Step) map[string]any {
	if len(s.Removed) == 0 {
		return s.Delta
	}
	changed := make(map[string]any, len(s.Delta)+len(s.Removed))
	for _, name := range s.Removed {
		changed[name] = nil
	}
	for name, value := range s.Delta {
		changed[name] = value
	}
	return changed
}

// evidence is what is new, each piece with an id. A request to a person that the server made itself names the
// approval, too.
func (r *Runner) evidence(c *call, change *workflow.Change) []store.Evidence {
	found := make([]store.Evidence, len(change.Evidence))
	for n, e := range change.Evidence {
		found[n] = store.Evidence{
			ID: r.config.NewID("ev_"), Seq: e.Seq, Kind: e.Kind, URI: e.URI, Summary: clip(e.Summary, store.MaxEvidenceText),
			Digest: e.Digest, Confidence: e.Confidence, Client: e.Client, User: e.User, At: c.now,
		}
		if change.Ask != nil && e.Seq == change.Next.Version && e.URI == "" {
			found[n].URI = c.approval
		}
	}
	return found
}

// numbered is the evidence of an instance, whose last pieces are the ones that were stored.
func numbered(all []workflow.Evidence, stored []store.Evidence) []workflow.Evidence {
	old := len(all) - len(stored)
	if old < 0 {
		return evidenceOf(stored)
	}
	return append(all[:old:old], evidenceOf(stored)...)
}

// clip keeps a text within a number of bytes.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	const mark = "…"
	cut := most - len(mark)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + mark
}

// move is the change of an instance that is there already.
func (w *written) move(from int64, change *workflow.Change) store.Move {
	return store.Move{
		Next: w.next, From: from, Steps: w.steps, Evidence: w.evidence, Approval: w.approval,
		Consumed: change.Consumed, Rejected: change.Rejected,
	}
}

// first is what a start is made of: the instance after its first step, and the move that makes the steps after it;
// nil when there is none. What is not known of the first version, the move replaces in the same transaction.
func (w *written) first(change *workflow.Change) (store.Instance, []store.Evidence, *store.Move) {
	if len(w.steps) == 1 {
		return w.next, w.evidence, nil
	}
	first := w.next
	first.Version, first.State, first.Status = 1, w.steps[0].To, store.Open
	first.Reason, first.Due, first.Ended = "", time.Time{}, time.Time{}
	first.Context, first.Memo = w.steps[0].Delta, nil
	var early, late []store.Evidence
	for _, e := range w.evidence {
		if e.Seq == 1 {
			early = append(early, e)
		} else {
			late = append(late, e)
		}
	}
	move := w.move(1, change)
	move.Steps, move.Evidence = w.steps[1:], late
	return first, early, &move
}
