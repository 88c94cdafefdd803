package workflow

import "time"

// Cancel ends an instance where it is, for its owner or who oversees it. It is idle when that has happened already,
// and a refusal when the workflow has completed.
func (d *Definition) Cancel(i *Instance, c Caller, reason string, now time.Time) Decision {
	m := d.move(i, c, now)
	switch {
	case !i.Open && i.Reason != "":
		return Decision{}
	case !i.Open:
		return Decision{Refusal: refuse(WorkflowCompleted, "the workflow has completed in the state "+i.State)}
	}
	if reason == "" {
		reason = "cancelled"
	}
	actor := Agent
	if c.Human() {
		actor = Human
	}
	m.cancel(clipTo(reason, MaxSummary), clip(reason), actor)
	return m.done()
}

// cancel is the step that ends an instance. What is shown of the reason goes to the audit.
func (m *move) cancel(reason, shown string, actor Actor) {
	i := &m.next
	m.fact("workflow.cancelled", map[string]any{
		"reason": shown, "state_at_cancel": i.State, "version_at_cancel": i.Version,
	})
	i.Version++
	i.Open, i.Reason, i.Due, i.Parked = false, reason, time.Time{}, nil
	m.change.Steps = append(m.change.Steps, Step{
		Seq: i.Version, Kind: StepCancel, From: i.State, To: i.State, Actor: actor,
		Client: m.by.Client, User: m.by.User,
	})
}
