package main

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// printable is s with everything that a terminal would obey written out: control characters, line
// breaks, and the format characters (bidi overrides among them) that reorder or hide text.
func printable(s string) string {
	if !strings.ContainsFunc(s, obeyed) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if obeyed(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func obeyed(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar
}

// formatTime is a moment as it is shown: UTC, whole seconds, unambiguous.
func formatTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }
