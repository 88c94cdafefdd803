package digest

import (
	"bytes"
	"slices"
)

// order is the canonical form of a text that differs from it in nothing but blanks and the order of names: what callers
// send mostly does. plain is false for any other text, and for what is none.
func order(raw []byte) (spelled []byte, plain bool) {
	o := ordering{out: make([]byte, 0, len(raw)), members: make([]member, 0, 8)}
	o.text = raw
	if !o.value(0) {
		return nil, false
	}
	o.blanks()
	return o.out, o.at == len(raw)
}

// ordering is a pass over a text that writes it anew.
type ordering struct {
	plain
	out     []byte
	members []member // of the objects that are open
	moved   []byte   // the members of one object, before they are put in order
}

// member is a name and its value in out. The name begins behind a quotation mark.
type member struct{ from, name, to int }

func (o *ordering) blanks() {
	for o.at < len(o.text) {
		switch o.text[o.at] {
		case ' ', '\t', '\n', '\r':
			o.at++
		default:
			return
		}
	}
}

// next passes blanks and tells whether this byte follows, which it passes and writes.
func (o *ordering) next(c byte) bool {
	o.blanks()
	if !o.take(c) {
		return false
	}
	o.out = append(o.out, c)
	return true
}

// value passes a value within so many others.
func (o *ordering) value(depth int) bool {
	switch {
	case o.next('{'):
		return depth < MaxDepth && o.object(depth+1)
	case o.next('['):
		return depth < MaxDepth && o.array(depth+1)
	}
	begin := o.at
	if !o.plain.value(depth) {
		return false
	}
	o.out = append(o.out, o.text[begin:o.at]...)
	return true
}

func (o *ordering) array(depth int) bool {
	if o.next(']') {
		return true
	}
	for o.value(depth) {
		if !o.next(',') {
			return o.next(']')
		}
	}
	return false
}

func (o *ordering) object(depth int) bool {
	if o.next('}') {
		return true
	}
	first, begin := len(o.members), len(o.out)
	for {
		m, plain := o.member(depth)
		if !plain {
			return false
		}
		o.members = append(o.members, m)
		if !o.next(',') {
			break
		}
	}
	if !o.arrange(begin, o.members[first:]) {
		return false
	}
	o.members = o.members[:first]
	return o.next('}')
}

func (o *ordering) member(depth int) (m member, plain bool) {
	o.blanks()
	if !o.take('"') {
		return m, false
	}
	begin, end, ascii := o.quoted()
	if ascii != 1 {
		return m, false
	}
	m.from = len(o.out)
	o.out = append(append(append(o.out, '"'), o.text[begin:end]...), '"')
	m.name = len(o.out) - 1
	plain = o.next(':') && o.value(depth)
	m.to = len(o.out)
	return m, plain
}

// arrange puts the members of an object, which are in out from begin on, in the order of their names. It is false when two
// have one name.
func (o *ordering) arrange(begin int, members []member) bool {
	written := o.out
	byName := func(a, b member) int {
		return bytes.Compare(written[a.from+1:a.name], written[b.from+1:b.name])
	}
	sorted := slices.IsSortedFunc(members, byName)
	if !sorted {
		o.moved = append(o.moved[:0], o.out[begin:]...)
		slices.SortFunc(members, byName)
	}
	for n := 1; n < len(members); n++ {
		if byName(members[n-1], members[n]) == 0 {
			return false
		}
	}
	if sorted {
		return true
	}
	o.out = o.out[:begin]
	for n, m := range members {
		if n > 0 {
			o.out = append(o.out, ',')
		}
		o.out = append(o.out, o.moved[m.from-begin:m.to-begin]...)
	}
	return true
}
