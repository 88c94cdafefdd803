package praxec

import (
	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools"
)

// The bounds of what a request may say, in bytes.
const (
	maxQuery = 1024
	maxName  = store.MaxIDBytes // of a run id and of a trace id
	maxTerm  = 1024             // of a subject: beyond what any id or term can have
)

// asked is the arguments of praxec.query.
type asked struct {
	query, kind, subject, workflowID, transition, definitionID, since, context *string

	limit, before      *int64
	observe, approvals bool
}

func readQuery(members []tools.Member) (*asked, *refusal) {
	r := reader{members: members}
	a := &asked{
		query: r.text("query", maxQuery), kind: r.text("kind", maxName), subject: r.text("subject", maxTerm),
		workflowID: r.text("workflowId", maxTerm), transition: r.text("transition", maxTerm), definitionID: r.text("definitionId", maxTerm),
		since: r.text("since", maxName), context: r.text("bounded_context", maxName),
		limit: r.whole("limit"), before: r.whole("before"), observe: r.truth("observe"), approvals: r.truth("approvals"),
	}
	return a, r.invalid()
}

// ordered is the arguments of praxec.command.
type ordered struct {
	definitionID, workflowID, transition, subject, intent, unknown, summary, digest *string

	runID, traceID               string
	expectedVersion              *int64
	input, arguments, definition jsontext.Value
	reload                       bool
}

func readCommand(members []tools.Member) (*ordered, *refusal) {
	r := reader{members: members}
	o := &ordered{
		definitionID: r.text("definitionId", maxTerm), workflowID: r.text("workflowId", maxTerm), transition: r.text("transition", maxTerm),
		subject: r.text("subject", maxTerm), intent: r.text("intent", maxName), unknown: r.text("unknown_subject", maxTerm),
		summary: r.text("summary", store.MaxTextBytes), digest: r.text("digest", maxTerm), runID: r.name("runId"), traceID: r.name("traceId"),
		expectedVersion: r.whole("expectedVersion"), input: r.object("input"), arguments: r.object("arguments"),
		definition: r.object("definition"), reload: r.truth("reload"),
	}
	return o, r.invalid()
}

// or is a text, or what stands for it where it is absent.
func or(text *string, instead string) string {
	if text == nil {
		return instead
	}
	return *text
}
