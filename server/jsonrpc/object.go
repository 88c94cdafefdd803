package jsonrpc

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// compared is how many names of one object are compared pair by pair. Beyond it, and for names with
// an escape, the library looks for duplicates: what a caller can send costs no quadratic time.
const compared = 16

// object is where a scan stands within one object.
type object struct {
	begun bool
	n     int
	names [compared]span
}

// name is a member's name as it stands in the body, without the quotes.
type name struct {
	at    span
	plain bool
}

// member reads the next name and its colon. more is false at the end of the object, and when the
// scan failed.
func (s *scanner) member(o *object) (n name, more bool) {
	c := s.peek()
	if c == '}' {
		s.i++
		return n, false
	}
	if o.begun {
		if c != ',' {
			return n, s.fail(faultSyntax)
		}
		s.i++
		c = s.peek()
	}
	o.begun = true
	if c != '"' {
		return n, s.fail(faultSyntax)
	}
	if n.at, n.plain, more = s.text(); !more {
		return n, false
	}
	if s.peek() != ':' {
		return n, s.fail(faultSyntax)
	}
	s.i++
	return n, s.unique(o, n)
}

func (s *scanner) unique(o *object, n name) bool {
	if !n.plain || o.n == compared {
		s.doubt = true
		return true
	}
	for _, other := range o.names[:o.n] {
		if bytes.Equal(s.b[other.from:other.to], s.b[n.at.from:n.at.to]) {
			return s.fail(faultDuplicate)
		}
	}
	o.names[o.n] = n.at
	o.n++
	return true
}

// resolve is the name itself, escapes undone.
func (s *scanner) resolve(n name) []byte {
	if n.plain {
		return s.b[n.at.from:n.at.to]
	}
	return unquote(s.b[n.at.from-1 : n.at.to+1])
}

// namesDiffer removes the doubt about names that the scan did not compare.
func (s *scanner) namesDiffer() bool {
	if s.doubt && !jsontext.Value(s.b).IsValid() {
		return s.fail(faultDuplicate)
	}
	return true
}

// Members yields the members of an object that [Decode] has accepted, in their order; nothing for
// any other kind of value. Names come without quotes and with their escapes undone.
func Members(v jsontext.Value) iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func([]byte, jsontext.Value) bool) {
		s := scanner{b: v}
		var o object
		if v.Kind() != '{' || !s.enter('{') {
			return
		}
		for {
			n, more := s.member(&o)
			if !more {
				return
			}
			at, ok := s.valueSpan()
			if !ok || !yield(s.resolve(n), v[at.from:at.to]) {
				return
			}
		}
	}
}

// String is the text of a JSON string as [Decode] and [Members] give it, without blanks around;
// false for any other kind of value.
func String(v jsontext.Value) (string, bool) {
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1]), true
	}
	return string(unquote(v)), true
}

// isText tells whether a value is the JSON string for this text.
func isText(v jsontext.Value, text string) bool {
	if bytes.IndexByte(v, '\\') < 0 {
		return len(v) == len(text)+2 && v[0] == '"' && string(v[1:len(v)-1]) == text
	}
	got, ok := String(v)
	return ok && got == text
}

func unquote(quoted []byte) []byte {
	text, _ := jsontext.AppendUnquote(nil, quoted) // the scan has passed it
	return text
}
