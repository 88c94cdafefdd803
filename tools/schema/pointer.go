package schema

import (
	"strconv"
	"strings"
)

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// Escape writes one reference token of a JSON Pointer (RFC 6901, section 3).
func Escape(token string) string { return escaper.Replace(token) }

// Unescape reads one.
func Unescape(token string) string { return unescaper.Replace(token) }

// Pointer writes the JSON Pointer of these tokens.
func Pointer(tokens ...string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(Escape(token))
	}
	return b.String()
}

// lookup is the value at a JSON Pointer.
func lookup(v any, pointer string) (any, bool) {
	if pointer == "" {
		return v, true
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		switch inner := v.(type) {
		case map[string]any:
			next, ok := inner[Unescape(token)]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(inner) || strconv.Itoa(i) != token {
				return nil, false
			}
			v = inner[i]
		default:
			return nil, false
		}
	}
	return v, true
}
