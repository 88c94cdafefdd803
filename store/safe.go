package store

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"prax/store/digest"
)

// MaxSafeBytes is the most that [SafeString] returns.
const MaxSafeBytes = 128

const ellipsis = "…"

// SafeString makes a caller's string fit for a log line, an audit row and a terminal: at most
// MaxSafeBytes long, one line, no control, escape, bidirectional or invisible character. What it
// replaced reads as a Go escape. Applied again it changes nothing.
func SafeString(s string) string {
	if safe(s) {
		return s
	}
	var b strings.Builder
	kept := 0 // what still leaves room for the ellipsis
	for i, size := 0, 0; i < len(s); i += size {
		var c rune
		c, size = utf8.DecodeRuneInString(s[i:])
		if c == utf8.RuneError && size == 1 {
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i])|0x100, 16)[1:])
		} else if unicode.IsGraphic(c) {
			b.WriteRune(c)
		} else {
			quoted := strconv.QuoteRuneToASCII(c)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		if b.Len() > MaxSafeBytes {
			return b.String()[:kept] + ellipsis
		}
		if b.Len() <= MaxSafeBytes-len(ellipsis) {
			kept = b.Len()
		}
	}
	return b.String()
}

func safe(s string) bool {
	if len(s) > MaxSafeBytes {
		return false
	}
	if digest.Verbatim(s) {
		return true
	}
	if !utf8.ValidString(s) {
		return false
	}
	for _, c := range s {
		if !unicode.IsGraphic(c) {
			return false
		}
	}
	return true
}
