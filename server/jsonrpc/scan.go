package jsonrpc

import (
	"fmt"
	"unicode/utf8"
)

// MaxDepth is how many objects and arrays a message may nest, itself included.
const MaxDepth = 64

// fault says why a scan stopped.
type fault uint8

const (
	faultNone fault = iota
	faultSyntax
	faultUTF8
	faultDepth
	faultDuplicate
	faultTrailing
)

var faultText = [...]string{
	faultSyntax:    "not valid JSON",
	faultUTF8:      "not valid UTF-8",
	faultDepth:     fmt.Sprintf("nested deeper than %d levels", MaxDepth),
	faultDuplicate: "a member name stands twice in one object",
	faultTrailing:  "more than one JSON value",
}

// scanner checks the whole grammar of RFC 8259 in one pass over b, and keeps positions instead of
// building values: it allocates nothing.
type scanner struct {
	b     []byte
	i     int
	depth int
	doubt bool // an object whose names were not all compared with each other
	fault fault
}

// span is b[from:to].
type span struct{ from, to int }

func (s *scanner) fail(f fault) bool {
	if s.fault == faultNone {
		s.fault = f
	}
	return false
}

func (s *scanner) blanks() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// peek is the next byte after blanks, 0 at the end: no value begins with a NUL.
func (s *scanner) peek() byte {
	s.blanks()
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

// value passes over one value of any kind.
func (s *scanner) value() bool {
	switch c := s.peek(); c {
	case '{':
		return s.object()
	case '[':
		return s.array()
	case '"':
		_, _, ok := s.text()
		return ok
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	default:
		if c == '-' || isDigit(c) {
			return s.number()
		}
		return s.fail(faultSyntax)
	}
}

// valueSpan passes over one value and says where it stands.
func (s *scanner) valueSpan() (at span, ok bool) {
	s.blanks()
	at.from = s.i
	ok = s.value()
	at.to = s.i
	return at, ok
}

func (s *scanner) object() bool {
	var o object
	if !s.enter('{') {
		return false
	}
	for {
		if _, more := s.member(&o); !more {
			return s.leave()
		}
		if !s.value() {
			return false
		}
	}
}

func (s *scanner) array() bool {
	if !s.enter('[') {
		return false
	}
	for first := true; s.item(first); first = false {
		if !s.value() {
			return false
		}
	}
	return s.leave()
}

// item stops before the next element of an array, or after its end.
func (s *scanner) item(first bool) bool {
	switch c := s.peek(); {
	case c == ']':
		s.i++
		return false
	case first:
		return true
	case c == ',':
		s.i++
		return true
	}
	return s.fail(faultSyntax)
}

func (s *scanner) enter(c byte) bool {
	if s.peek() != c {
		return s.fail(faultSyntax)
	}
	if s.depth++; s.depth > MaxDepth {
		return s.fail(faultDepth)
	}
	s.i++
	return true
}

func (s *scanner) leave() bool {
	s.depth--
	return s.fault == faultNone
}

// end tells whether nothing but blanks is left.
func (s *scanner) end() bool {
	s.blanks()
	if s.i < len(s.b) {
		return s.fail(faultTrailing)
	}
	return true
}

func (s *scanner) literal(word string) bool {
	if end := s.i + len(word); end <= len(s.b) && string(s.b[s.i:end]) == word {
		s.i = end
		return true
	}
	return s.fail(faultSyntax)
}

func (s *scanner) number() bool {
	if s.b[s.i] == '-' {
		s.i++
	}
	switch {
	case s.i < len(s.b) && s.b[s.i] == '0':
		s.i++
	case !s.digits():
		return false
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		if s.i++; !s.digits() {
			return false
		}
	}
	if s.i < len(s.b) && s.b[s.i]|0x20 == 'e' {
		if s.i++; s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	from := s.i
	for s.i < len(s.b) && isDigit(s.b[s.i]) {
		s.i++
	}
	return s.i > from || s.fail(faultSyntax)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// ordinary are the bytes that may stand in a string as they are, one at a time.
var ordinary = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// text passes over a string and gives what stands between the quotes; plain tells that there is no
// escape in it.
func (s *scanner) text() (inside span, plain, ok bool) {
	b, i := s.b, s.i+1 // locals: the loop is most of what reading a message costs
	inside.from, plain = i, true
	for {
		for i < len(b) && ordinary[b[i]] {
			i++
		}
		if s.i = i; i == len(b) || b[i] < ' ' {
			return inside, false, s.fail(faultSyntax)
		}
		switch b[i] {
		case '"':
			inside.to = i
			s.i++
			return inside, plain, true
		case '\\':
			if plain = false; !s.escape() {
				return inside, false, false
			}
			i = s.i
		default:
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size == 1 {
				return inside, false, s.fail(faultUTF8)
			}
			i += size
		}
	}
}

// escape passes over one escape, both halves of a surrogate pair at once: a half alone is no text
// (RFC 8259, section 8.2).
func (s *scanner) escape() bool {
	if s.i++; s.i >= len(s.b) {
		return s.fail(faultSyntax)
	}
	switch s.b[s.i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i++
		return true
	case 'u':
	default:
		return s.fail(faultSyntax)
	}
	unit, ok := s.unit()
	switch {
	case !ok:
		return false
	case unit < 0xd800 || unit > 0xdfff:
		return true
	case unit > 0xdbff || s.i+1 >= len(s.b) || s.b[s.i] != '\\' || s.b[s.i+1] != 'u':
		return s.fail(faultUTF8)
	}
	s.i++
	if unit, ok = s.unit(); ok && (unit < 0xdc00 || unit > 0xdfff) {
		return s.fail(faultUTF8)
	}
	return ok
}

// unit reads the four digits after the u at i.
func (s *scanner) unit() (u uint16, ok bool) {
	if s.i+5 > len(s.b) {
		return 0, s.fail(faultSyntax)
	}
	for _, c := range s.b[s.i+1 : s.i+5] {
		d, ok := hexDigit(c)
		if !ok {
			return 0, s.fail(faultSyntax)
		}
		u = u<<4 | uint16(d)
	}
	s.i += 5
	return u, true
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
