package definition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/tools/schema"
)

// Bounds of the values in a file, once its aliases are written out.
const (
	maxDepth  = 64
	maxValues = 400_000  // of all files
	maxText   = 16 << 20 // bytes of strings, names and numbers, of one file
)

// place is where something stands: a line and a column of a file, from 1.
type place struct {
	line, column int
	file         *string // nil: the file that is being parsed
}

// value is a JSON value that knows its place. Members keep the order in which they were written.
type value struct {
	place
	kind    jsontext.Kind // n t f " 0 { [
	text    string        // of a string what it says, of a number its literal
	members []member
	items   []*value
}

// member is one of an object. Its place is that of its name.
type member struct {
	place
	name string
	*value
}

// find is the member of this name; nil when there is none.
func (v *value) find(name string) *value {
	for _, m := range v.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// without is an object without one of its members.
func (v *value) without(name string) *value {
	rest := *v
	rest.members = nil
	for _, m := range v.members {
		if m.name != name {
			rest.members = append(rest.members, m)
		}
	}
	return &rest
}

// apart is an object in two: the members of these names, and the others.
func (v *value) apart(names []string) (these, others *value) {
	these, others = &value{place: v.place, kind: v.kind}, &value{place: v.place, kind: v.kind}
	for _, m := range v.members {
		part := others
		if slices.Contains(names, m.name) {
			part = these
		}
		part.members = append(part.members, m)
	}
	return these, others
}

// appendJSON appends the value as JSON, without blanks.
func (v *value) appendJSON(dst []byte) []byte {
	switch v.kind {
	case '"':
		return appendText(dst, v.text)
	case '0':
		return append(dst, v.text...)
	case 't':
		return append(dst, "true"...)
	case 'f':
		return append(dst, "false"...)
	case '[':
		dst = append(dst, '[')
		for i, item := range v.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst)
		}
		return append(dst, ']')
	case '{':
		return v.appendObject(dst)
	}
	return append(dst, "null"...)
}

func (v *value) appendObject(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range v.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendText(dst, m.name)
		dst = append(dst, ':')
		dst = m.appendJSON(dst)
	}
	return append(dst, '}')
}

func appendText(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // its only error is invalid UTF-8, and the file is valid
	return dst
}

// at is where the value of a JSON Pointer stands: its name in an object, or the nearest thing above what
// does not exist.
func (v *value) at(pointer string) place {
	where := v.place
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = schema.Unescape(token)
		next := (*value)(nil)
		for _, m := range v.members {
			if m.name == token {
				next, where = m.value, m.place
			}
		}
		if i, err := strconv.Atoi(token); err == nil && 0 <= i && i < len(v.items) {
			next, where = v.items[i], v.items[i].place
		}
		if next == nil {
			return where
		}
		v = next
	}
	return where
}

func below(pointer, name string) string { return pointer + "/" + schema.Escape(name) }

func item(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }

// named is a kind of value with its article.
func named(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "true or false"
	}
	return "nothing (null)"
}

// budget bounds what a file may grow to.
type budget struct{ values, text int }

func (b *budget) take(text int) bool {
	b.values++
	b.text += text
	return b.values <= maxValues && b.text <= maxText
}

// stamp says of all values below that they stand in a file.
func (v *value) stamp(file *string) {
	v.file = file
	for i := range v.members {
		v.members[i].place.file = file
		v.members[i].stamp(file)
	}
	for _, one := range v.items {
		one.stamp(file)
	}
}

// lookup is the value that a JSON Pointer leads to; nil when there is none.
func (v *value) lookup(pointer string) *value {
	if pointer == "" {
		return v
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = schema.Unescape(token)
		next := v.find(token)
		if i, err := strconv.Atoi(token); err == nil && 0 <= i && i < len(v.items) {
			next = v.items[i]
		}
		if next == nil {
			return nil
		}
		v = next
	}
	return v
}
