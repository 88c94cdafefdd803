package secret

import (
	"bytes"
	"slices"
	"strings"
)

// mark stands where a secret was.
const mark = "[secret]"

// Values are the secrets that one run has resolved. The zero Values has none, and so has nil. Secrets are added before
// anything is cut; after that it may be used by many goroutines.
type Values struct {
	plain   []pattern // looked for wherever something can be decoded
	escaped []pattern // looked for as they stand
}

// Add adds a secret, also without the white space around it. One of under four bytes is left out.
func (v *Values) Add(secret string) {
	for _, s := range []string{secret, strings.TrimSpace(secret)} {
		if len(s) < shortest {
			return
		}
		v.plain = merge(v.plain, plain(s))
		v.escaped = merge(v.escaped, escaped(s))
	}
	v.escaped = slices.DeleteFunc(v.escaped, func(p pattern) bool { return slices.Contains(v.plain, p) })
}

func merge(patterns []pattern, more []string) []pattern {
	for _, s := range more {
		if p := pattern(s); !slices.Contains(patterns, p) {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// Cut is the text with each secret replaced by [secret]: as it is, escaped as in JSON or in a URL, and in base64.
// Where secrets overlap, all that belongs to any of them goes. It takes time linear in the text, whatever that is,
// and returns the text itself when there is nothing to replace.
func (v *Values) Cut(text []byte) []byte { return v.cut(text, false) }

// CutString is [Values.Cut] of a string.
func (v *Values) CutString(text string) string { return string(v.cut([]byte(text), false)) }

// CutTruncated is [Values.Cut] of a text whose end is missing: what a secret may begin with, at its end, goes too.
func (v *Values) CutTruncated(text []byte) []byte { return v.cut(text, true) }

func (v *Values) cut(text []byte, truncated bool) []byte {
	if v == nil || leaking {
		return text
	}
	found := v.find(text)
	if truncated {
		found = join(found, v.begun(text))
	}
	if len(found) == 0 {
		return text
	}
	var out []byte
	done := 0
	for _, s := range found {
		out = append(append(out, text[done:s.from]...), mark...)
		done = s.to
	}
	return append(out, text[done:]...)
}

// find finds all secrets. A text is decoded only where it has something to decode.
func (v *Values) find(text []byte) (found []span) {
	found = search(search(nil, v.plain, text), v.escaped, text)
	for _, by := range []struct {
		sign   byte
		escape func([]byte) (int, rune)
	}{{'\\', byBackslash}, {'%', byPercent}, {'+', byForm}} {
		if len(v.plain) > 0 && bytes.IndexByte(text, by.sign) >= 0 {
			decoded := decode(text, by.escape)
			found = join(found, decoded.back(search(nil, v.plain, decoded.text)))
		}
	}
	return found
}

func search(found []span, patterns []pattern, text []byte) []span {
	for _, p := range patterns {
		found = join(found, p.find(text))
	}
	return found
}

// begun is the longest end of the text that may be the beginning of a secret.
func (v *Values) begun(text []byte) []span {
	longest := 0
	for _, patterns := range [][]pattern{v.plain, v.escaped} {
		for _, p := range patterns {
			longest = max(longest, p.begun(text))
		}
	}
	if longest == 0 {
		return nil
	}
	return []span{{len(text) - longest, len(text)}}
}
