package praxec

import (
	"prax/store"
	"prax/tools"
	"prax/tools/workflow"
)

// trail is the detail of an event of workflows.
type trail struct {
	WorkflowID    string          `json:"workflow_id,omitzero"`
	CorrelationID string          `json:"correlation_id"`
	TraceID       string          `json:"trace_id,omitzero"`
	RunID         string          `json:"run_id,omitzero"`
	Events        []workflow.Fact `json:"events"`
}

// event is what of a request the audit has beside the call itself: nothing of a caller in it but names.
func (q *request) event(id string, facts ...workflow.Fact) store.Event {
	detail, err := encode(trail{WorkflowID: store.SafeString(id), CorrelationID: "cor_" + store.NewID(), Events: facts})
	if err != nil {
		q.Log.Error("an event cannot be written", "request", q.call.RequestID, "cause", err.Error())
		detail = emptyObject
	}
	return store.Event{
		At: store.Milliseconds(q.now), Kind: store.EventWorkflow, RequestID: q.call.RequestID, Client: q.p.Client, User: q.p.User,
		Remote: q.call.Remote, Registry: q.p.Generation, Outcome: tools.OutcomeOK, Detail: string(detail),
	}
}
