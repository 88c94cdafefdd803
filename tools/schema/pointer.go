package schema

import (
	"strconv"
	"strings"
)

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

// escape writes one reference token of a JSON Pointer (RFC 6901 3).
func escape(token string) string { return escaper.Replace(token) }

// pointer writes the JSON Pointer of these tokens.
func pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(escape(token))
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
			next, ok := inner[unescaper.Replace(token)]
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
