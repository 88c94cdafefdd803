package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
)

// ErrorMeta is the member of a failed result's Meta that has {code, message, hint?, violations?}.
const ErrorMeta = "prax/error"

// settleFailure words a failed call for the caller, logs what the caller must not see, and records the event.
func (r *Registry) settleFailure(c *Call, end *ending) *Result {
	failure := classify(end.err, c.RequestID)
	if failure.Code == CodeTimeout && end.outcome == OutcomeError {
		end.outcome = OutcomeTimeout
	}
	if failure.Code == CodeCancelled {
		end.outcome = OutcomeCancelled
	}
	c.record.keep(end.outcome, failure.Code)
	if failure.Cause != nil {
		r.config.Log.Error("tool failed", "tool", c.record.event.Tool, "request", c.RequestID,
			"client", c.Principal.Client, "code", string(failure.Code), "cause", failure.Cause.Error())
	}
	return failure.result()
}

// settleResult gives a result the form that callers rely on, and records the event unless it is in the chain already,
// together with the change. The handler may keep its result: it is not changed.
func (r *Registry) settleResult(c *Call, end ending) *Result {
	if end.outcome != OutcomeOK || !end.quiet && !c.record.inChain() {
		c.record.keep(end.outcome, "")
	}
	if end.result.Content != nil && !end.result.IsError {
		return end.result
	}
	res := *end.result
	if res.Content == nil {
		res.Content = []Block{}
	}
	if res.IsError {
		res.Structured = nil
	}
	return &res
}

// classify finds the caller's face of an error. Nothing of an error that is not meant for callers
// gets through: its text stays the cause.
func classify(err error, requestID string) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	for _, known := range storeFailures {
		if errors.Is(err, known.is) {
			failure := known.failure
			return &failure
		}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return overtime()
	case errors.Is(err, context.Canceled):
		return &Error{Code: CodeCancelled, Message: "the call was cancelled"}
	}
	return &Error{
		Code:    CodeInternal,
		Message: fmt.Sprintf("something went wrong inside the server (request %s)", requestID),
		Hint:    "the operator finds the cause in the log under that id",
		Cause:   err,
	}
}

// storeFailures are the errors of a store that callers can do something about.
var storeFailures = []struct {
	is      error
	failure Error
}{
	{store.ErrNotFound, Error{Code: CodeNotFound, Message: "you have nothing of that name or id", Hint: "list or search first and use what is there"}},
	{store.ErrConflict, Error{Code: CodeConflict, Message: "it was changed meanwhile, or exists already", Hint: "read it again, then decide"}},
	{store.ErrQuota, Error{Code: CodeQuota, Message: fmt.Sprintf(
		"your quota is reached: %d documents of at most %d KiB each, %d MiB in all", store.MaxDocuments, store.MaxDocumentBytes>>10, store.MaxUserBytes>>20),
		Hint: "store less, or ask the operator to remove something"}},
	{store.ErrFull, Error{Code: CodeStoreFull, Message: "the server has no space left to store anything", Hint: "nothing was changed; tell the operator, reading still works"}},
	{store.ErrSlow, Error{Code: CodeTimeout, Message: "the search or list took too long", Hint: "it was ended; ask for something rarer, or within a namespace or kind"}},
	{store.ErrBusy, Error{Code: CodeBusy, Message: "too many writes are waiting", Hint: "nothing was changed; try again in a few seconds"}},
	{store.ErrClosed, *stopping()},
}

func stopping() *Error {
	return &Error{Code: CodeBusy, Message: "the server is stopping", Hint: "try again in a few seconds"}
}

func overtime() *Error {
	return &Error{Code: CodeTimeout, Message: "the tool did not finish in time", Hint: "look whether it took effect before you repeat it"}
}

// late is the ending of a call whose time was up, or whose caller has gone.
func late(ctx context.Context, timeout time.Duration) ending {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		failure := overtime()
		failure.Message += fmt.Sprintf(" (%s)", timeout)
		return ending{err: failure, outcome: OutcomeTimeout}
	}
	return ending{err: ctx.Err(), outcome: OutcomeCancelled}
}

// InvalidArguments is the failure of arguments that do not fit: of the pipeline for what the schema
// says, of a tool for what a schema cannot say.
func InvalidArguments(found ...Violation) *Error {
	var b strings.Builder
	b.WriteString("the arguments do not fit:")
	for i, v := range found {
		if i > 0 {
			b.WriteByte(';')
		}
		name := strings.TrimPrefix(v.Path, "/")
		if name == "" {
			name = "the whole"
		}
		b.WriteByte(' ')
		b.WriteString(name)
		b.WriteByte(' ')
		b.WriteString(v.Message)
	}
	return &Error{Code: CodeInvalidArguments, Message: b.String(), Violations: found}
}

// result is the failure as a caller gets it: the sentence as text, for models; the rest in Meta, for
// programs.
func (e *Error) result() *Result {
	text := "Tool error: " + e.Message + "."
	if e.Hint != "" {
		text += " " + strings.ToUpper(e.Hint[:1]) + e.Hint[1:] + "."
	}
	face := struct {
		Code       Code        `json:"code"`
		Message    string      `json:"message"`
		Hint       string      `json:"hint,omitempty"`
		Violations []Violation `json:"violations,omitempty"`
	}{e.Code, e.Message, e.Hint, e.Violations}
	res := &Result{IsError: true, Content: []Block{{Type: "text", Text: text}}}
	if raw, err := json.Marshal(face, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)); err == nil {
		res.Meta = map[string]jsontext.Value{ErrorMeta: raw}
	}
	return res
}
