package secret

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text with its escapes decoded: however one is spelled, what it stands for is found. What is no escape stays
// as it is.
type view struct {
	text []byte
	at   []uint32 // where each byte of text begins in what was decoded, and the end
}

// decode decodes a text by a function that reads one escape at the beginning of its argument, which begins with \,
// % or +: its length, 0 if there is none, and what it stands for; a byte b that is no character is -b-1.
func decode(text []byte, escape func([]byte) (int, rune)) view {
	v := view{text: make([]byte, 0, len(text)), at: make([]uint32, 0, len(text)+1)}
	for i := 0; i < len(text); {
		if c := text[i]; c != '\\' && c != '%' && c != '+' {
			v.text, v.at = append(v.text, c), append(v.at, uint32(i))
			i++
			continue
		}
		n, r := escape(text[i:])
		before := len(v.text)
		switch {
		case n == 0:
			v.text, n = append(v.text, text[i]), 1
		case r < 0:
			v.text = append(v.text, byte(-r-1))
		default:
			v.text = utf8.AppendRune(v.text, r)
		}
		for range len(v.text) - before {
			v.at = append(v.at, uint32(i))
		}
		i += n
	}
	v.at = append(v.at, uint32(len(text)))
	return v
}

// back is where spans of the view stand in what was decoded: whole escapes.
func (v view) back(spans []span) []span {
	var all []span
	for _, s := range spans {
		for s.to < len(v.text) && v.at[s.to] == v.at[s.to-1] {
			s.to++
		}
		all = add(all, span{int(v.at[s.from]), int(v.at[s.to])})
	}
	return all
}

// byPercent reads an escape of URLs (RFC 3986 2.1).
func byPercent(text []byte) (int, rune) {
	if len(text) < 3 || text[0] != '%' {
		return 0, 0
	}
	b, err := strconv.ParseUint(string(text[1:3]), 16, 8)
	if err != nil {
		return 0, 0
	}
	return 3, -rune(b) - 1
}

// byForm reads one of forms: as in URLs, and + is a blank.
func byForm(text []byte) (int, rune) {
	if text[0] == '+' {
		return 1, ' '
	}
	return byPercent(text)
}

var short = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// byBackslash reads an escape of JSON strings (RFC 8259 7).
func byBackslash(text []byte) (int, rune) {
	if len(text) < 2 || text[0] != '\\' {
		return 0, 0
	}
	if r, ok := short[text[1]]; ok {
		return 2, r
	}
	first, ok := unit(text)
	if !ok {
		return 0, 0
	}
	if second, ok := unit(text[6:]); ok && utf16.IsSurrogate(first) {
		if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
			return 12, r
		}
	}
	return 6, first // a lone surrogate becomes U+FFFD
}

// unit reads \u with its four digits.
func unit(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
