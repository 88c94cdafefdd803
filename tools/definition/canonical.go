package definition

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
)

// textValue is a string that stands where something else stood.
func textValue(at place, text string) *value { return &value{place: at, kind: '"', text: text} }

// objectValue is an object of these members.
func objectValue(at place, members ...member) *value {
	return &value{place: at, kind: '{', members: members}
}

// listValue is a list of these values.
func listValue(at place, items ...*value) *value { return &value{place: at, kind: '[', items: items} }

// texts is a list of strings.
func texts(at place, list []string) *value {
	v := listValue(at)
	for _, one := range list {
		v.items = append(v.items, textValue(at, one))
	}
	return v
}

// with is an object with a member more, or with another value of the one that is there.
func (v *value) with(name string, to *value) *value {
	next := *v
	next.members = slices.Clone(v.members)
	for i, m := range next.members {
		if m.name == name {
			next.members[i].value = to
			return &next
		}
	}
	next.members = append(next.members, member{to.place, name, to})
	return &next
}

// size is how much of everything there is in a value.
type size struct{ values, bytes, depth int }

// measure adds up what a value would come to, written out, and stops soon after a limit is passed.
func (s *size) measure(v *value, depth int, most size) bool {
	s.values++
	s.bytes += len(v.text) + 2
	s.depth = max(s.depth, depth)
	if s.values > most.values || s.bytes > most.bytes || depth > most.depth {
		return false
	}
	for _, m := range v.members {
		s.bytes += len(m.name) + 3
		if !s.measure(m.value, depth+1, most) {
			return false
		}
	}
	for _, one := range v.items {
		if !s.measure(one, depth+1, most) {
			return false
		}
	}
	return true
}

// canonical is the value as its canonical form gives it: members in the order of their names as UTF-16, numbers in
// their one spelling (RFC 8785, section 3.2). Everything keeps its place. What wrong is told of is a number that
// has no such form.
func (v *value) canonical(path string, wrong func(path string)) *value {
	next := &value{place: v.place, kind: v.kind, text: v.text}
	switch v.kind {
	case '0':
		text, ok := canonicalNumber(v.text)
		if !ok {
			wrong(path)
		}
		next.text = text
	case '[':
		next.items = make([]*value, len(v.items))
		for i, one := range v.items {
			next.items[i] = one.canonical(item(path, i), wrong)
		}
	case '{':
		next.members = make([]member, len(v.members))
		for i, m := range v.members {
			next.members[i] = member{m.place, m.name, m.canonical(below(path, m.name), wrong)}
		}
		slices.SortFunc(next.members, func(a, b member) int { return compareNames(a.name, b.name) })
	}
	return next
}

func canonicalNumber(text string) (string, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.FormatInt(n, 10), -digest.MaxInteger <= n && n <= digest.MaxInteger
	}
	v := jsontext.Value(text)
	if err := v.Canonicalize(); err != nil {
		return text, false
	}
	f, err := strconv.ParseFloat(text, 64)
	exact := strings.ContainsAny(text, ".eE") || -digest.MaxInteger <= f && f <= digest.MaxInteger
	return string(v), err == nil && exact
}

// compareNames orders names by their UTF-16 code units.
func compareNames(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		if a[i] < 0x80 && b[i] < 0x80 {
			break
		}
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	}
	return strings.Compare(a, b)
}

// plain is the value as JSON is decoded.
func (v *value) plain() any {
	switch v.kind {
	case '"':
		return v.text
	case '0':
		f, _ := strconv.ParseFloat(v.text, 64) // it was judged when it was read
		return f
	case 't', 'f':
		return v.kind == 't'
	case '[':
		list := make([]any, len(v.items))
		for i, one := range v.items {
			list[i] = one.plain()
		}
		return list
	case '{':
		return v.plainObject()
	}
	return nil
}

func (v *value) plainObject() map[string]any {
	object := make(map[string]any, len(v.members))
	for _, m := range v.members {
		object[m.name] = m.plain()
	}
	return object
}
