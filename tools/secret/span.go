package secret

import "bytes"

// span is a piece of a text: from its first byte to the one after its last.
type span struct{ from, to int }

// pattern is what is looked for; never empty.
type pattern string

// headLength is how much of a pattern is looked for by the fast search of the library, which is for short ones.
const headLength = 16

// find finds it wherever it stands, also where it overlaps itself, in time linear in the text: from where its head
// was found, what has been read is not read again (Knuth, Morris and Pratt).
func (p pattern) find(text []byte) (found []span) {
	head := []byte(p[:min(len(p), headLength)])
	var fail []int32
	for pos := 0; ; {
		i := bytes.Index(text[pos:], head)
		if i < 0 {
			return found
		}
		if fail == nil {
			fail = p.borders()
		}
		pos += i + len(head)
		for state := int32(len(head)); ; pos++ {
			if int(state) == len(p) {
				found = add(found, span{pos - len(p), pos})
				state = fail[state]
			}
			if state == 0 || pos == len(text) {
				break
			}
			state = p.next(fail, state, text[pos])
		}
	}
}

// begun is how much of the end of a text the pattern may begin with.
func (p pattern) begun(text []byte) int {
	fail := p.borders()
	var state int32
	for _, c := range text[max(0, len(text)-len(p)+1):] {
		state = p.next(fail, state, c)
	}
	return int(state)
}

// borders has, for each length, how much of the end of so much of the pattern is a beginning of it.
func (p pattern) borders() []int32 {
	fail := make([]int32, len(p)+1)
	for i := 1; i < len(p); i++ {
		fail[i+1] = p.next(fail, fail[i], p[i])
	}
	return fail
}

// next is how much of the pattern has been read with one byte more.
func (p pattern) next(fail []int32, state int32, c byte) int32 {
	for state > 0 && p[state] != c {
		state = fail[state]
	}
	if p[state] == c {
		state++
	}
	return state
}

// add appends a span that begins no earlier than the last one, and makes one of those that overlap.
func add(spans []span, s span) []span {
	if last := len(spans) - 1; last >= 0 && s.from < spans[last].to {
		spans[last].to = max(spans[last].to, s.to)
		return spans
	}
	return append(spans, s)
}

// join makes one list of two.
func join(a, b []span) []span {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	all := make([]span, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].from <= b[0].from {
			all, a = add(all, a[0]), a[1:]
		} else {
			all, b = add(all, b[0]), b[1:]
		}
	}
	for _, s := range append(a, b...) {
		all = add(all, s)
	}
	return all
}
