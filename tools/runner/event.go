package runner

import (
	"prax/store"
	"prax/tools"
	"prax/tools/workflow"
)

// Detail is what the audit keeps of one call's doings about workflows: the JSON of an event's Detail.
type Detail struct {
	WorkflowID    string          `json:"workflow_id,omitzero"`   // "": it is about no instance
	DefinitionID  string          `json:"definition_id,omitzero"` // who may not use it is told nothing of the events
	CorrelationID string          `json:"correlation_id"`
	TraceID       string          `json:"trace_id,omitzero"`
	RunID         string          `json:"run_id,omitzero"`
	Events        []workflow.Fact `json:"events"`
}

// event is the audit event of a call about an instance. One that the server did by itself is its owner's to see.
func (c *call) event(i store.Instance, trail []workflow.Fact, by actor, failed *workflow.Refusal) store.Event {
	e := store.Event{
		At: c.now, Kind: store.EventWorkflow, RequestID: c.RequestID, Client: by.Client, User: by.User, Remote: c.Remote,
		Registry: c.Principal.Generation, Outcome: tools.OutcomeOK,
	}
	if e.User == "" {
		e.User = i.User
	}
	if failed != nil {
		e.Outcome, e.Code = tools.OutcomeError, string(failed.Code)
	}
	var err error
	if e.Detail, err = c.detail(i, trail); err != nil {
		e.Detail = `{"events":[]}` // names and numbers can always be written; a change must not fail for its record
	}
	return e
}

// refused records what was refused. Nothing has changed.
func (r *Runner) refused(c *call, i store.Instance, transition string, d workflow.Decision) {
	trail := d.Trail
	if len(trail) == 0 {
		trail = []workflow.Fact{{Type: "transition.rejected", Payload: map[string]any{
			"transition": store.SafeString(transition), "code": string(d.Refusal.Code), "fromState": i.State,
		}}}
	}
	r.config.Store.Record(c.event(i, trail, c.actor(), d.Refusal))
}

// detail is the [Detail] of an event, canonical as it is stored. Texts are made fit for the audit: the engine keeps them
// short, but as their caller wrote them.
func (c *call) detail(i store.Instance, trail []workflow.Fact) (string, error) {
	const room = 1 << 10 // as much as a pure move takes
	d := &canonical{string: store.SafeString, text: make([]byte, 0, room)}
	d.enter('{')
	d.member(0, "correlation_id", c.correlation)
	d.memberIf("definition_id", i.DefinitionID)
	d.name(1, "events")
	d.facts(trail)
	d.memberIf("run_id", i.RunID)
	d.memberIf("trace_id", i.TraceID)
	d.memberIf("workflow_id", i.ID)
	d.leave('}')
	return string(d.text), d.err
}

func (c *canonical) facts(trail []workflow.Fact) {
	c.enter('[')
	for n, f := range trail {
		if n > 0 {
			c.text = append(c.text, ',')
		}
		c.enter('{')
		c.member(0, "event_type", f.Type)
		c.name(1, "payload")
		c.object(f.Payload)
		c.leave('}')
	}
	c.leave(']')
}

// member writes a text that is fit for the audit already.
func (c *canonical) member(n int, name, value string) {
	c.name(n, name)
	c.plain(value)
}

// memberIf writes one that is not the first, unless it is empty.
func (c *canonical) memberIf(name, value string) {
	if value != "" {
		c.member(1, name, value)
	}
}
