package praxec

import (
	"errors"
	"strconv"

	"prax/store"
	"prax/tools"
	"prax/tools/lexicon"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// The codes beside those of the engine, the lexicon and the tools.
const (
	codeAmbiguous     = "AMBIGUOUS_INTENT"         // the arguments mean nothing, or more than one thing
	codeNoWorkflow    = "WORKFLOW_NOT_FOUND"       // it does not exist, is somebody else's, or its definition was not granted: not told apart
	codeNoDefinition  = "DEFINITION_NOT_FOUND"     // it does not exist, or was not granted: not told apart
	codeRunTaken      = "RUN_ID_ALREADY_RUNNING"   // the user has a run of this runId: a link leads to it
	codeWritesOff     = "LEXICON_WRITES_DISABLED"  // clients may not define terms here (PRAX_LEXICON_WRITES)
	codeNeedsSubject  = "SUBJECT_NEEDS_DEFINITION" // a term has no meaning yet: define it, link it or give it up, and send the command again
	codeNoReload      = "RELOAD_UNAVAILABLE"       // this client may not have the configuration read again
	codeNotGranted    = "TOOL_NOT_GRANTED"         // in blocked: the link is a call of a tool that this client may not use
	codeNeedsPerson   = string(workflow.ActorMismatch)
	invalidParameters = -32602 // JSON-RPC 2.0, error codes: the request is not valid for the method
)

// refusal is why nothing was done, as callers see it.
type refusal struct {
	Code       string            `json:"code"`
	Message    string            `json:"message"`
	Hint       string            `json:"hint,omitzero"`
	Transition string            `json:"attemptedTransition,omitzero"`
	Class      string            `json:"errorClass,omitzero"`
	Violations []tools.Violation `json:"violations,omitempty"`
}

// refused is an answer that is nothing but a refusal and what can be done instead.
type refused struct {
	Error *refusal `json:"error"`
	Links []link   `json:"links"`
}

// refusalOf is the refusal that an answer tells of; nil when there is none.
func refusalOf(body any) *refusal {
	switch answer := body.(type) {
	case refused:
		return answer.Error
	case *instance:
		r, _ := answer.Error.(*refusal)
		return r
	}
	return nil
}

// engineRefusal is a refusal of the engine as callers see it.
func engineRefusal(r *workflow.Refusal) *refusal {
	return &refusal{
		Code: string(r.Code), Message: r.Message, Hint: r.Hint,
		Transition: r.Transition, Class: r.Class, Violations: r.Violations,
	}
}

func (q *request) refuse(code, message, hint string, links ...link) refused {
	return refused{Error: &refusal{Code: code, Message: message, Hint: hint}, Links: links}
}

// failed is the answer to an error that a caller can do something about. What is left is the server's own failure, or
// one of the protocol.
func (q *request) failed(err error) (any, error) {
	var corrupt *runner.Corrupt
	var refusal *lexicon.Refusal
	switch {
	case errors.Is(err, runner.ErrUnknownInstance), errors.Is(err, runner.ErrUnknownApproval):
		return q.unknownInstance(), nil
	case errors.As(err, &corrupt):
		return q.corrupt(corrupt), nil
	case errors.As(err, &refusal):
		return q.lexiconRefused(refusal), nil
	}
	for _, known := range storeFailures {
		if errors.Is(err, known.is) {
			return q.refuse(string(known.code), known.message, known.hint, q.homeLink()), nil
		}
	}
	return nil, err
}

// storeFailures are what a store says that is nobody's fault in particular.
var storeFailures = []struct {
	is            error
	code          tools.Code
	message, hint string
}{
	{store.ErrQuota, tools.CodeQuota, "there is no room left for this user: open workflows, what they keep, and terms are bounded",
		"cancel or finish workflows that are not needed, or ask the operator for more room"},
	{store.ErrFull, tools.CodeStoreFull, "the server has no space left to store anything", "nothing was changed; tell the operator, reading still works"},
	{runner.ErrBusy, tools.CodeBusy, "as much runs for this client as may at once", "nothing was changed; try again once something of it has ended"},
	{store.ErrSlow, tools.CodeTimeout, "the search or list took too long", "it was ended; ask for something rarer"},
	{store.ErrBusy, tools.CodeBusy, "too many writes are waiting", "nothing was changed; try again in a few seconds"},
	{store.ErrClosed, tools.CodeBusy, "the server is stopping", "nothing was changed; try again in a few seconds"},
	{store.ErrConflict, tools.CodeConflict, "it was changed meanwhile", "read it again, then decide"},
}

// unknownInstance answers for every workflow that is not there for the caller, byte for byte the same: it never existed,
// is somebody else's, or is of a definition that the caller may not use.
func (q *request) unknownInstance() refused {
	return q.refuse(codeNoWorkflow, "there is no workflow with this id", "list your own, or start one",
		q.toQuery("list_instances", searching("", kindInstance)), q.homeLink())
}

func (q *request) unknownDefinition(id string) refused {
	return q.refuse(codeNoDefinition, "there is no workflow definition "+strconv.Quote(store.SafeString(id)), "search for those that there are",
		q.toQuery("list_workflows", searching("", kindWorkflow)), q.homeLink())
}

// corrupt answers for an instance that cannot be read. It can still be ended.
func (q *request) corrupt(c *runner.Corrupt) refused {
	q.Log.Error("a workflow cannot be read", "workflow", c.InstanceID, "request", q.call.RequestID, "cause", c.Error())
	return q.refuse(string(workflow.Corrupt), "this workflow cannot be read any more in the state "+store.SafeString(c.State),
		"tell the operator, or cancel it and start a new one",
		q.toCommand("cancel", args{WorkflowID: c.InstanceID, Intent: intentCancel}), q.homeLink())
}

// unknownKind is an error of the protocol, and the same whether a kind does not exist or is switched off.
func (q *request) unknownKind(kind string) error {
	known := "workflow, capability, connection, instance, lexicon"
	if q.settings.SkillsSearch {
		known += ", skill"
	}
	if q.settings.ScriptsSearch {
		known += ", script"
	}
	return &tools.ProtocolError{Code: invalidParameters, Message: "unknown kind " + strconv.Quote(store.SafeString(kind)) + ": known are " + known}
}

func (q *request) ambiguousQuery() refused {
	return q.refuse(codeAmbiguous, "praxec.query args do not match a known dispatch shape",
		"send one shape: {} home, {query} search, {subject} describe, {definitionId} read, {workflowId} get, "+
			"{workflowId, transition} explain, {workflowId, subject} describe within a workflow, {approvals: true}, {observe: true, since}",
		q.homeLink(), q.searchLink())
}

func (q *request) ambiguousCommand() refused {
	var none int64
	example := func(rel string, a args) link { return q.toCommand(rel, a) }
	return q.refuse(codeAmbiguous, "praxec.command args do not match a known dispatch shape",
		"see §32 dispatch table: start (definitionId only), submit (workflowId+expectedVersion+transition), define (subject namespaced + definition)",
		example("start_example", args{DefinitionID: "<your-workflow>"}),
		example("submit_example", args{WorkflowID: "<id>", ExpectedVersion: &none, Transition: "<name>"}),
		example("define_example", args{Subject: lexiconPrefix + "<term>", Definition: map[string]string{"definition_short": "..."}}))
}
