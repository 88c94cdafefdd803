package digest

import "unicode/utf8"

// IsCanonical tells whether a text surely is what [Canonical] makes of it. It knows what most of what this program writes
// consists of, in one pass: of names without escapes, in ASCII and in their order, of strings without escapes, and of
// whole numbers that are not long. Of anything else it says no, canonical or not.
func IsCanonical(text []byte) bool {
	p := plain{text: text}
	return p.value(0) && p.at == len(text)
}

// Verbatim tells whether a string stands in canonical JSON as it is: it is printable ASCII without what is escaped, as nearly
// all is that this program writes.
func Verbatim(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// plain is a pass over a text.
type plain struct {
	text []byte
	at   int
}

// take tells whether this byte is the next, and passes it.
func (p *plain) take(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// word passes the rest of a literal.
func (p *plain) word(rest string) bool {
	for i := range len(rest) {
		if !p.take(rest[i]) {
			return false
		}
	}
	return true
}

// value passes a value within so many others.
func (p *plain) value(depth int) bool {
	if p.at == len(p.text) || depth > MaxDepth {
		return false
	}
	c := p.text[p.at]
	p.at++
	switch c {
	case '{':
		return depth < MaxDepth && p.members(depth+1)
	case '[':
		return depth < MaxDepth && p.items(depth+1)
	case '"':
		_, _, ascii := p.quoted()
		return ascii >= 0
	case 't':
		return p.word("rue")
	case 'f':
		return p.word("alse")
	case 'n':
		return p.word("ull")
	}
	return p.number(c)
}

// members passes the rest of an object. Names of ASCII are in the order of RFC 8785, which is that of UTF-16, exactly if
// they are in that of their bytes.
func (p *plain) members(depth int) bool {
	if p.take('}') {
		return true
	}
	for from, to := -1, 0; ; {
		if !p.take('"') {
			return false
		}
		begin, end, ascii := p.quoted()
		if ascii != 1 || from >= 0 && string(p.text[from:to]) >= string(p.text[begin:end]) || !p.take(':') || !p.value(depth) {
			return false
		}
		from, to = begin, end
		if !p.take(',') {
			return p.take('}')
		}
	}
}

func (p *plain) items(depth int) bool {
	if p.take(']') {
		return true
	}
	for p.value(depth) {
		if !p.take(',') {
			return p.take(']')
		}
	}
	return false
}

// quoted passes the rest of a string. ascii is 1 if it is, 0 if it holds other letters, -1 if it is not plain.
func (p *plain) quoted() (begin, end, ascii int) {
	begin, ascii = p.at, 1
	for n, c := range p.text[begin:] {
		switch {
		case c == '"':
			end = begin + n
			p.at = end + 1
			if ascii == 0 && !utf8.Valid(p.text[begin:end]) {
				ascii = -1
			}
			return begin, end, ascii
		case c < ' ' || c == '\\':
			return begin, end, -1
		case c >= utf8.RuneSelf:
			ascii = 0
		}
	}
	return begin, end, -1
}

// number passes the rest of a whole number that every double holds.
func (p *plain) number(first byte) bool {
	const exact = 15 // digits
	if first == '-' {
		if p.at == len(p.text) {
			return false
		}
		if first = p.text[p.at]; first == '0' { // -0 becomes 0
			return false
		}
		p.at++
	}
	if first < '0' || first > '9' {
		return false
	}
	begin := p.at
	for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
		p.at++
	}
	digits := p.at - begin
	return digits < exact && (first != '0' || digits == 0)
}
