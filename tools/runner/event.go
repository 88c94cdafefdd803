package runner

import (
	"github.com/go-json-experiment/json"

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
	text, err := json.Marshal(Detail{i.ID, i.DefinitionID, c.correlation, i.TraceID, i.RunID, safe(trail)}, json.Deterministic(true))
	if err != nil {
		text = []byte(`{"events":[]}`) // names and numbers always marshal; a change must not fail for its record
	}
	e.Detail = string(text)
	return e
}

// actor is who did something; nobody, when the server did.
type actor struct {
	Client string `json:"client,omitzero"`
	User   string `json:"user,omitzero"`
}

func (c *call) actor() actor { return actor{c.Principal.Client, c.Principal.User} }

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

// safe is a trail whose texts are fit for the audit: the engine keeps them short, but as their caller wrote them.
func safe(trail []workflow.Fact) []workflow.Fact {
	facts := make([]workflow.Fact, len(trail))
	for n, f := range trail {
		facts[n] = workflow.Fact{Type: f.Type, Payload: safeValue(f.Payload).(map[string]any)}
	}
	return facts
}

func safeValue(value any) any {
	switch v := value.(type) {
	case string:
		return store.SafeString(v)
	case []any:
		list := make([]any, len(v))
		for n, one := range v {
			list[n] = safeValue(one)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, one := range v {
			object[name] = safeValue(one)
		}
		return object
	}
	return value
}
