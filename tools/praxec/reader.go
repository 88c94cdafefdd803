package praxec

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools"
)

// reader reads the members of a request: null is as absent, and a value of another type is a violation. What it gives is a
// copy, or stands in the arguments.
type reader struct {
	members    []tools.Member
	violations []tools.Violation
}

// unquoted is what a string says that a decoder has found to be one.
func unquoted(quoted jsontext.Value) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	plain, _ := jsontext.AppendUnquote(nil, quoted)
	return plain
}

// member is the value of one; nil when it is absent.
func (r *reader) member(name string) jsontext.Value {
	for _, m := range r.members {
		if string(m.Name) == name && m.Value.Kind() != 'n' {
			return m.Value
		}
	}
	return nil
}

func (r *reader) wrong(name, message string) {
	r.violations = append(r.violations, tools.Violation{Path: "/" + name, Message: message})
}

// text is a member that is a string of at most this many bytes; nil when it is absent.
func (r *reader) text(name string, most int) *string {
	value := r.member(name)
	if value == nil {
		return nil
	}
	if value.Kind() != '"' {
		r.wrong(name, "must be a string")
		return nil
	}
	text := string(unquoted(value))
	if len(text) > most {
		r.wrong(name, "must have at most "+strconv.Itoa(most)+" bytes")
		return nil
	}
	return &text
}

// name is a text that is stored as a name.
func (r *reader) name(name string) string {
	text := r.text(name, maxName)
	if text == nil {
		return ""
	}
	if store.SafeString(*text) != *text || !utf8.ValidString(*text) {
		r.wrong(name, "must be printable")
	}
	return *text
}

// truth is a member that is a boolean.
func (r *reader) truth(name string) bool {
	value := r.member(name)
	if value == nil {
		return false
	}
	if value.Kind() != 't' && value.Kind() != 'f' {
		r.wrong(name, "must be true or false")
	}
	return value.Kind() == 't'
}

// whole is a member that is an integer from 0, and written as one; nil when it is absent.
func (r *reader) whole(name string) *int64 {
	value := r.member(name)
	if value == nil {
		return nil
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < 0 || value.Kind() != '0' || value[0] == '-' {
		r.wrong(name, "must be a whole number from 0, written without quotes, point or exponent")
		return nil
	}
	return &n
}

// object is a member that is an object, raw; nil when it is absent.
func (r *reader) object(name string) jsontext.Value {
	value := r.member(name)
	if value != nil && value.Kind() != '{' {
		r.wrong(name, "must be an object")
		return nil
	}
	return value
}

// invalid is why a request cannot be read; nil: it can.
func (r *reader) invalid() *refusal {
	if len(r.violations) == 0 {
		return nil
	}
	failure := tools.InvalidArguments(r.violations...)
	return &refusal{
		Code: string(tools.CodeInvalidArguments), Message: failure.Message, Violations: failure.Violations,
		Hint: "correct the arguments, or copy those of one of the links",
	}
}
