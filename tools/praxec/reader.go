package praxec

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools"
)

// reader reads the members of a request: null is as absent, and a value of another type is a violation. Readers are used
// again: what one takes is larger than most requests.
type reader struct {
	members    []argument
	violations []tools.Violation

	source jsontext.Value
	from   bytes.Buffer // of source, for the decoder
	json   *jsontext.Decoder
}

// argument is a member as it stands in the text.
type argument struct {
	name  []byte
	value jsontext.Value
}

// kept is how many members a reader that is used again may have room for.
const kept = 64

var readers = sync.Pool{New: func() any {
	r := &reader{}
	r.json = jsontext.NewDecoder(&r.from)
	return r
}}

// newReader takes arguments that the pipeline has found to be one object, whose names are unique. What it
// gives is a copy, or stands in raw: it lasts when the reader is used again.
func newReader(raw jsontext.Value) (*reader, error) {
	r := readers.Get().(*reader)
	r.source, r.from = raw, *bytes.NewBuffer(raw)
	r.json.Reset(&r.from)
	if err := r.read(); err != nil {
		r.done()
		return nil, fmt.Errorf("decode arguments: %w", err)
	}
	return r, nil
}

func (r *reader) read() error {
	if t, err := r.json.ReadToken(); err != nil || t.Kind() != '{' {
		return errors.Join(errors.New("not an object"), err)
	}
	for r.json.PeekKind() == '"' {
		name, err := r.next()
		if err != nil {
			return err
		}
		value, err := r.next()
		if err != nil {
			return err
		}
		r.members = append(r.members, argument{unquoted(name), value})
	}
	_, err := r.json.ReadToken()
	return err
}

// next is the next value where it stands in the text.
func (r *reader) next() (jsontext.Value, error) {
	value, err := r.json.ReadValue()
	end := r.json.InputOffset()
	return r.source[end-int64(len(value)) : end], err
}

// done gives the reader back without anything that it has read.
func (r *reader) done() {
	if cap(r.members) > kept {
		r.members = nil
	}
	clear(r.members)
	r.members, r.violations, r.source, r.from = r.members[:0], nil, nil, bytes.Buffer{}
	r.json.Reset(&r.from)
	readers.Put(r)
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
		if string(m.name) == name && m.value.Kind() != 'n' {
			return m.value
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
