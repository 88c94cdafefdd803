package tools

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxFlat is how long the text of a flat object can be.
const maxFlat = 4 << 10

// readFlat takes arguments that are a flat object; false: they are another, or none at all.
func readFlat(raw jsontext.Value, decoded bool) (arguments, bool) {
	given := arguments{text: raw, canonical: true}
	if !decoded {
		given.members = flat(nil, raw)
		return given, given.members != nil
	}
	var few [8]Member // that are needed no longer
	members := flat(few[:0], raw)
	if members == nil {
		return given, false
	}
	given.value = decodeFlat(members)
	return given, true
}

// flat appends the members of an object as most calls send it: nothing in it is nested or escaped, or beyond ASCII, there is
// no blank between its parts, its numbers are short and whole, and its names are in order, so that none stands twice. That
// takes no decoder. Such a text is canonical. nil: it is another, or none at all.
func flat(members []Member, raw jsontext.Value) []Member {
	if len(raw) > maxFlat {
		return nil
	}
	for at := 1; ; at++ {
		colon := pastString(raw, at)
		if colon == 0 || colon == len(raw) || raw[colon] != ':' {
			return nil
		}
		name, end := raw[at+1:colon-1], pastScalar(raw, colon+1)
		if end == 0 || end == len(raw) || len(members) > 0 && bytes.Compare(members[len(members)-1].Name, name) >= 0 {
			return nil
		}
		members = append(members, Member{name, raw[colon+1 : end]})
		switch at = end; {
		case raw[end] == '}' && end+1 == len(raw):
			return members
		case raw[end] != ',':
			return nil
		}
	}
}

// pastString is where the string ends that begins at this place; 0 where there is none, or one with more in it than ASCII
// as it is.
func pastString(raw []byte, at int) int {
	if at >= len(raw) || raw[at] != '"' {
		return 0
	}
	for n := at + 1; n < len(raw); n++ {
		switch c := raw[n]; {
		case c == '"':
			return n + 1
		case c < ' ' || c == '\\' || c >= utf8.RuneSelf:
			return 0
		}
	}
	return 0
}

// pastScalar is where the value ends that begins at this place; 0 where there is none, or one that is not plain.
func pastScalar(raw []byte, at int) int {
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(raw[at:], []byte(word)) {
			return at + len(word)
		}
	}
	n := at
	for n < len(raw) && '0' <= raw[n] && raw[n] <= '9' {
		n++
	}
	switch digits := n - at; {
	case digits == 0:
		return pastString(raw, at)
	case digits > exactDigits || digits > 1 && raw[at] == '0':
		return 0
	}
	return n
}

// decodeFlat is what the members of a flat object say.
func decodeFlat(members []Member) map[string]any {
	object := make(map[string]any, len(members))
	for _, m := range members {
		var value any
		switch m.Value[0] {
		case '"':
			value = string(m.Value[1 : len(m.Value)-1])
		case 't', 'f':
			value = m.Value[0] == 't'
		case 'n':
		default:
			n, _ := strconv.Atoi(string(m.Value)) // so few digits fit
			value = float64(n)
		}
		object[string(m.Name)] = value
	}
	return object
}
