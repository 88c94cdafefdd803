package jsonrpc

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// The error codes of JSON-RPC 2.0, section 5.1.
const (
	CodeParse          = -32700 // the body is not JSON, or not JSON that everybody reads alike
	CodeInvalidRequest = -32600 // it is JSON but no message
	CodeNoMethod       = -32601 // there is no such method
	CodeInvalidParams  = -32602 // the parameters do not fit the method
	CodeInternal       = -32603 // the server's own failure: its log has the cause under the request id
)

// Error is a JSON-RPC error object: what the caller reads, nothing of how it came about.
type Error struct {
	Code    int
	Message string
	Data    jsontext.Value // raw; nil: none
}

// Errorf is an error with a formatted sentence.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Later is an error that ends by itself: data.retryAfter has the seconds to wait, for callers that see no header, as those of
// an element of a batch.
func Later(code int, sentence string, seconds int) *Error {
	return &Error{Code: code, Message: sentence, Data: fmt.Appendf(nil, `{"retryAfter":%d}`, seconds)}
}

// Error is the sentence and the code, for a log.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Is compares codes, so that errors.Is works with a bare &Error{Code: …}.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}
