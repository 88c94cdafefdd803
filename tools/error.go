package tools

import (
	"errors"
	"fmt"

	"prax/tools/schema"
)

// ErrUnknownTool is the one answer for a tool that does not exist, that the caller was not granted,
// or that is HIGH: byte for byte the same, so that none can be told from another.
var ErrUnknownTool = errors.New("unknown tool")

// ErrArguments: `arguments` is not a JSON object, nests too deep or holds too much, repeats a name, or
// has a number out of range or an integer beyond ±2^53. It is the protocol's error (invalid params), not the tool's.
var ErrArguments = errors.New("invalid arguments")

// ProtocolError is a handler's error that its caller gets as an error of the protocol, with this code and
// sentence, not as a failed result. Only tools that play a server for tests have a use for one.
type ProtocolError struct {
	Code    int
	Message string
}

// Error is the sentence.
func (e *ProtocolError) Error() string { return e.Message }

// Code is a stable, documented word for what went wrong.
type Code string

// The codes of tools. Additions are fine, changes are not: callers branch on them.
const (
	CodeInvalidArguments Code = "INVALID_ARGUMENTS" // the arguments do not fit: each violation says where, and what must change
	CodeNotFound         Code = "NOT_FOUND"         // there is no such thing of the caller's
	CodeConflict         Code = "CONFLICT"          // it was changed meanwhile: read it again, then decide
	CodeQuota            Code = "QUOTA_REACHED"     // the user has as much as one may have: remove something first
	CodeBusy             Code = "BUSY"              // too much is going on, or the server is stopping: nothing was changed, try again in a few seconds
	CodeStoreFull        Code = "STORE_FULL"        // the server has no room left: nothing was changed, reading still works
	CodeTooLarge         Code = "TOO_LARGE"         // what was asked for, or what would come of it, is larger than an answer or a row may be
	CodeTimeout          Code = "TIMEOUT"           // it did not end in time
	CodeCancelled        Code = "CANCELLED"         // the caller went away, or took the call back
	CodeInternal         Code = "INTERNAL"          // the server's own failure: its log has the cause under the request id that the sentence names
)

// Error is a tool's own failure: what the caller reads, and apart from it the cause for the log.
type Error struct {
	Code       Code
	Message    string      // one sentence, for a model to act on
	Hint       string      // the next step; may be ""
	Violations []Violation // of INVALID_ARGUMENTS: all of them
	Cause      error       // for the log; never shown
}

// Violation is one argument that does not fit: where, as a JSON Pointer, and what must change.
type Violation = schema.Violation

// Error is the code and the sentence, without the cause.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf is a failure with a formatted sentence.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
