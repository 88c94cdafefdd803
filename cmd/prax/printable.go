package main

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// printable is s on one line with everything that a terminal would obey written out: control
// characters, line breaks, and the format characters (bidi overrides among them) that reorder or hide
// text.
func printable(s string) string { return writtenOut(s, obeyed) }

// printableText is text of several lines: line breaks and tabs stay.
func printableText(s string) string {
	return writtenOut(s, func(r rune) bool { return r != '\n' && r != '\t' && obeyed(r) })
}

func writtenOut(s string, out func(rune) bool) string {
	if !strings.ContainsFunc(s, out) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if out(r) {
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
