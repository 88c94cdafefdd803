package runner

import (
	"fmt"
	"slices"

	"prax/store"
	"prax/tools/workflow"
)

// mutation is what one transaction makes durable about an instance: all of it, or nothing.
type mutation struct {
	sight    *sight
	decision workflow.Decision // a Refusal, a Change, or the Effect that next is of
	outcomes []*outcome        // of the attempts that it ends
	kept     *store.Attempt    // one whose output it uses
	next     *attempt          // the attempt that it begins
	rebound  bool              // what was approved has changed, and is asked about anew
	facts    []workflow.Fact   // of attempts
	notices  []store.Notice    // what the operator is to be told of it
	untold   int               // of them, those for which there is no room
}

// idle tells whether there is nothing to write.
func (m *mutation) idle() bool {
	return m.decision.Change == nil && m.next == nil && len(m.outcomes) == 0
}

// late tells whether it applies a timeout, or goes on after one.
func (m *mutation) late() bool {
	if e := m.decision.Effect; e != nil {
		return e.Kind == workflow.StepTimeout
	}
	change := m.decision.Change
	return change != nil && len(change.Steps) > 0 && change.Steps[0].Kind == workflow.StepTimeout
}

// unsettle leaves an attempt in doubt that a person would have settled, had what they say of it been of use.
func (m *mutation) unsettle() {
	m.outcomes = slices.DeleteFunc(m.outcomes, func(o *outcome) bool { return o.settled != nil })
}

// tellKept has a refusal say that an effect has happened all the same.
func (m *mutation) tellKept() {
	for _, o := range m.outcomes {
		if o.result.Failure == nil && o.settled == nil && m.decision.Refusal.Code != workflow.ClientRevoked {
			m.decision.Refusal = o.kept(m.decision.Refusal)
		}
	}
}

// consumed tells whether an approval was used up by an attempt before the change that it is for.
func (m *mutation) consumed(approval string) bool {
	if m.kept != nil && m.kept.Approval == approval {
		return true
	}
	return slices.ContainsFunc(m.outcomes, func(o *outcome) bool {
		return o.attempt.effect.Approved && o.attempt.effect.Approval == approval
	})
}

// closings are the ends of attempts as the store takes them.
func (m *mutation) closings(c *call) []store.Closing {
	var all []store.Closing
	for _, o := range m.outcomes {
		closing := o.closing(m.decision.Change != nil, c.now)
		all = append(all, closing)
		m.facts = append(m.facts, closedFact(o.attempt.stored, closing))
	}
	if k := m.kept; k != nil && m.decision.Change != nil {
		all = append(all, store.Closing{ID: k.ID, Fence: k.Fence, Status: store.AttemptDone, At: c.now})
	}
	return all
}

// write is the transaction. move is nil where the instance stays as it is.
func (m *mutation) write(tx store.Tx, closings []store.Closing, move *store.Move, event store.Event) (err error) {
	for _, one := range closings {
		if err := tx.CloseAttempt(one); err != nil {
			return fmt.Errorf("close attempt %s: %w", one.ID, err)
		}
	}
	if move != nil {
		if err := tx.Move(*move); err != nil {
			return err
		}
	}
	if m.next != nil {
		if err := tx.OpenAttempt(m.next.stored); err != nil {
			return fmt.Errorf("open attempt: %w", err)
		}
	}
	tx.AddEvent(event)
	m.untold, err = addNotices(tx, m.notices)
	return err
}

// event is the audit event of the mutation. i is the instance as it is afterwards.
func (m *mutation) event(c *call, i store.Instance) store.Event {
	trail := append(m.facts[:len(m.facts):len(m.facts)], m.decision.Trail...)
	if m.next != nil {
		trail = append(trail, openedFact(m.next.stored))
	}
	by := c.actor()
	if m.decision.Change != nil {
		by = actedBy(m.decision.Change)
	}
	return c.event(i, trail, by, m.failure())
}

// failure is what the answer says went wrong.
func (m *mutation) failure() *workflow.Refusal {
	if m.decision.Change != nil {
		return m.decision.Change.Failure
	}
	return m.decision.Refusal
}

// answer is what was committed. w is nil where the instance stays as it was.
func (m *mutation) answer(w *written) *Answer {
	var a *Answer
	if w != nil {
		a = w.answer(m.sight.d, m.sight.caller, m.decision.Change, m.failure())
	} else {
		a = m.sight.answer()
		a.Refusal = m.decision.Refusal
		a.waitFor(nil)
	}
	if m.next != nil {
		opened := m.next.stored // which changes while it runs
		a.waitFor(&opened)
	}
	return a
}

// answer is the instance as the change left it.
func (w *written) answer(d *workflow.Definition, by workflow.Caller, change *workflow.Change, failed *workflow.Refusal) *Answer {
	stored := *change
	stored.Evidence = evidenceOf(w.evidence) // with the ids that it got
	a := &Answer{
		Definition: d, Instance: &w.instance, Stored: w.next.Normal(), Change: &stored, Refusal: failed, Caller: by,
		Expired: change.Steps[0].Kind == workflow.StepTimeout && d.OnTimeout != "",
	}
	if w.approval != nil {
		a.Approvals = []store.Approval{*w.approval}
	}
	return a
}

// actedBy is who made a change.
func actedBy(c *workflow.Change) actor {
	return actor{Client: c.Steps[0].Client, User: c.Steps[0].User}
}
