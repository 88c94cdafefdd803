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
	CodeInvalidArguments Code = "INVALID_ARGUMENTS"
	CodeNotFound         Code = "NOT_FOUND"
	CodeConflict         Code = "CONFLICT"
	CodeQuota            Code = "QUOTA_REACHED"
	CodeBusy             Code = "BUSY"
	CodeStoreFull        Code = "STORE_FULL"
	CodeTooLarge         Code = "TOO_LARGE"
	CodeTimeout          Code = "TIMEOUT"
	CodeCancelled        Code = "CANCELLED"
	CodeInternal         Code = "INTERNAL"
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
