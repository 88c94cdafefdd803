package praxec

import (
	"prax/store"
	"prax/tools"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// event is what of a request the audit has beside the call itself: nothing of a caller in it but names. It is about an
// instance, or a definition, or neither.
func (q *request) event(id, definition string, facts ...workflow.Fact) store.Event {
	detail, err := encode(runner.Detail{WorkflowID: store.SafeString(id), DefinitionID: definition, CorrelationID: "cor_" + store.NewID(), Events: facts})
	if err != nil {
		q.Log.Error("an event cannot be written", "request", q.call.RequestID, "cause", err.Error())
		detail = emptyObject
	}
	return store.Event{
		At: store.Milliseconds(q.now), Kind: store.EventWorkflow, RequestID: q.call.RequestID, Client: q.p.Client, User: q.p.User,
		Remote: q.call.Remote, Registry: q.p.Generation, Outcome: tools.OutcomeOK, Detail: string(detail),
	}
}
