package mcp

import (
	"errors"
	"net/http"

	"prax/server/edge"
	"prax/server/jsonrpc"
	"prax/store"
	"prax/tools"
)

// The error codes that MCP 2026-07-28 adds to those of JSON-RPC, all with HTTP 400.
const (
	codeHeaderMismatch = -32020 // a header of the request is missing, or says something else than the body
	codeVersion        = -32022 // the protocol version is not served; data names those that are
)

// Codes of ours: outside the range that JSON-RPC 2.0, section 5.1, reserves.
const (
	codeTooLarge = 413 // the answer to the batch would be too large
	codeTooMany  = 429 // the client sends more than it may, or has too much in hand: try again after data.retryAfter seconds, which Retry-After has too
	codeStopping = 503 // the server is stopping: send it again
)

// failure is an error with the HTTP status that goes with it.
type failure struct {
	status int
	rpc    *jsonrpc.Error
	after  int  // Retry-After, in seconds; 0: none
	denied bool // by the decision on the tool, which only the access record tells from other errors
}

// Error is the sentence and the code.
func (f *failure) Error() string { return f.rpc.Error() }

// Unwrap gives the JSON-RPC error.
func (f *failure) Unwrap() error { return f.rpc }

func refusal(status, code int, format string, args ...any) *failure {
	return &failure{status: status, rpc: jsonrpc.Errorf(code, format, args...)}
}

// badParams are well-formed requests with parameters that do not fit. HTTP 200: a caller that speaks
// both eras may take a 400 with another code for a server of the older one.
func badParams(format string, args ...any) *failure {
	return refusal(http.StatusOK, jsonrpc.CodeInvalidParams, format, args...)
}

func tooMany(t *edge.TooMany) *failure {
	return &failure{status: http.StatusTooManyRequests, rpc: jsonrpc.Later(codeTooMany, t.Sentence, t.Seconds), after: t.Seconds}
}

// unknownTool is the answer for every tool that the caller cannot call, whatever the reason.
func unknownTool(name string) *failure {
	f := badParams("unknown tool: %s", store.SafeString(name))
	f.denied = true
	return f
}

// wire is the one way from an error to what the caller gets. What is not meant for callers goes to
// the log under the request's id, and the caller gets that id.
func (q *request) wire(err error) *failure {
	var f *failure
	var rpc *jsonrpc.Error
	var own *tools.ProtocolError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &rpc):
		return &failure{status: http.StatusBadRequest, rpc: rpc}
	case errors.As(err, &own):
		return refusal(http.StatusOK, own.Code, "%s", own.Message)
	case errors.Is(err, tools.ErrArguments):
		return badParams("%s", err)
	}
	q.s.config.Log.Error("request failed", "request", q.id, "client", q.x.Principal.Client,
		"method", q.x.Access.Method, "cause", err.Error())
	return refusal(http.StatusOK, jsonrpc.CodeInternal, "internal error (request %s)", q.id)
}
