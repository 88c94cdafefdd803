package jsonrpc

import (
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Null is the id of an answer to a message whose id cannot be known (JSON-RPC 2.0, section 5).
var Null = jsontext.Value("null")

// UnknownID is the id of such an answer to a caller that speaks this revision of MCP ("": none was
// named): null, or no id at all where the revision's schema does not allow null, from 2025-11-25 on.
func UnknownID(revision string) jsontext.Value {
	if isDate(revision) && revision >= "2025-11-25" {
		return nil
	}
	return Null
}

func isDate(text string) bool {
	if len(text) != len("2006-01-02") {
		return false
	}
	for i, c := range []byte(text) {
		if dash := i == 4 || i == 7; dash != (c == '-') || !dash && !isDigit(c) {
			return false
		}
	}
	return true
}

// AppendResult appends the answer to the request with this id; result is JSON.
func AppendResult(dst []byte, id, result jsontext.Value) []byte {
	dst = OpenResult(dst, id)
	dst = append(dst, result...)
	return append(dst, '}')
}

// OpenResult appends the answer to the request with this id up to the point where its result comes.
// The caller appends that and a closing brace.
func OpenResult(dst []byte, id jsontext.Value) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	return append(dst, `,"result":`...)
}

// AppendError appends an error answer. A nil id leaves the member out; see [Null].
func AppendError(dst []byte, id jsontext.Value, e *Error) []byte {
	dst = append(dst, `{"jsonrpc":"2.0",`...)
	if id != nil {
		dst = append(dst, `"id":`...)
		dst = append(dst, id...)
		dst = append(dst, ',')
	}
	dst = append(dst, `"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendString(dst, e.Message)
	if e.Data != nil {
		dst = append(dst, `,"data":`...)
		dst = append(dst, e.Data...)
	}
	return append(dst, `}}`...)
}

// AppendNotification appends a notification; params is a JSON object.
func AppendNotification(dst []byte, method string, params jsontext.Value) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":`...)
	dst = AppendString(dst, method)
	dst = append(dst, `,"params":`...)
	dst = append(dst, params...)
	return append(dst, '}')
}

// AppendString appends a JSON string. Bytes that are not UTF-8 become the replacement character.
func AppendString(dst []byte, text string) []byte {
	if isPlain(text) {
		dst = append(dst, '"')
		dst = append(dst, text...)
		return append(dst, '"')
	}
	dst, _ = jsontext.AppendQuote(dst, text) // its only error is invalid UTF-8, which it has replaced
	return dst
}

func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
