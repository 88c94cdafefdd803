package mcp

import (
	"bytes"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/server/jsonrpc"
)

// A tool may mark properties whose arguments the caller repeats in headers, so that a gateway can decide by
// them (MCP 2026-07-28, transports: custom headers).
const (
	paramMark   = "x-mcp-header"
	paramPrefix = "Mcp-Param-"
)

// checkParams holds the headers of a call against its arguments. Of a tool that the caller may not call it
// says nothing: the call will answer that there is none.
func (q *request) checkParams(name string) error {
	if !q.modern() || !q.s.config.Registry.Decide(q.x.Principal, name).OK {
		return nil
	}
	t, ok := q.s.config.Registry.Find(name)
	if !ok || !mayMark(t.Input) {
		return nil
	}
	return q.checkObject(t.Input, q.m.Arguments, 0)
}

// mayMark is a quick look that spares nearly every call a reading of the schema. What is written with
// escapes may be a mark too.
func mayMark(schema jsontext.Value) bool {
	return bytes.Contains(schema, []byte(paramMark)) || bytes.IndexByte(schema, '\\') >= 0
}

// maxParamDepth bounds how deep marks are looked for; schemas nest no deeper.
const maxParamDepth = 64

// checkObject looks at the properties of one schema. Only properties lead to marks that count.
func (q *request) checkObject(schema, arguments jsontext.Value, depth int) error {
	if depth > maxParamDepth {
		return nil
	}
	for name, property := range jsonrpc.Members(memberOf(schema, "properties")) {
		argument := memberOf(arguments, string(name))
		if mark, ok := jsonrpc.String(memberOf(property, paramMark)); ok && isMark(mark, property) {
			if err := q.checkParam(mark, argument); err != nil {
				return err
			}
		}
		if err := q.checkObject(property, argument, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// checkParam compares one header with its argument.
func (q *request) checkParam(mark string, argument jsontext.Value) error {
	h := headerOf(q.r, textproto.CanonicalMIMEHeaderKey(paramPrefix+mark))
	if !isGiven(argument) {
		if h.n == 0 {
			return nil
		}
		return mismatch("the header " + paramPrefix + mark + " comes without its argument")
	}
	text, ok := h.text()
	if !ok || !sameParam(text, argument) {
		return mismatch("the header " + paramPrefix + mark + " is missing or is not the argument of the body")
	}
	return nil
}

// sameParam compares strings as they are, and numbers by what they are worth.
func sameParam(text string, argument jsontext.Value) bool {
	switch argument.Kind() {
	case '"':
		want, _ := jsonrpc.String(argument)
		return text == want
	case 't', 'f':
		return text == string(argument)
	case '0':
		return sameNumber(text, string(argument))
	}
	return false
}

// sameNumber compares whole numbers digit by digit: as floats, large ones would be taken for each other.
func sameNumber(text, want string) bool {
	got := jsontext.Value(text)
	if got.Kind() != '0' || !got.IsValid() || strings.TrimSpace(text) != text {
		return false
	}
	if !strings.ContainsAny(text+want, ".eE") {
		return text == want
	}
	a, failedA := strconv.ParseFloat(text, 64)
	b, failedB := strconv.ParseFloat(want, 64)
	return failedA == nil && failedB == nil && a == b
}

// isMark tells whether a property is marked as callers will understand it: others drop the whole tool.
func isMark(mark string, property jsontext.Value) bool {
	switch kind, _ := jsonrpc.String(memberOf(property, "type")); kind {
	case "string", "integer", "boolean":
		return mark != "" && strings.Trim(mark, tokenCharacters) == ""
	}
	return false
}

// tokenCharacters are those of a header's name (RFC 9110, section 5.6.2).
const tokenCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~"

// memberOf is a member of an object; nil when there is none.
func memberOf(v jsontext.Value, name string) jsontext.Value {
	for key, member := range jsonrpc.Members(v) {
		if string(key) == name {
			return member
		}
	}
	return nil
}
