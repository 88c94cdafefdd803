package main

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
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
	return replaced(s, out, func(r rune) string { return fmt.Sprintf(`\u{%x}`, r) })
}

// escaped is JSON with what a terminal would obey as \u and four digits (RFC 8259, section 7), beyond the control
// characters that JSON has escaped anyway.
func escaped(json string) string {
	obeyed := func(r rune) bool { return r >= 0x7f && r != unicode.ReplacementChar && obeyed(r) }
	return replaced(json, obeyed, func(r rune) (text string) {
		for _, unit := range utf16.Encode([]rune{r}) {
			text += fmt.Sprintf(`\u%04x`, unit)
		}
		return text
	})
}

func replaced(s string, out func(rune) bool, by func(rune) string) string {
	if !strings.ContainsFunc(s, out) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if out(r) {
			b.WriteString(by(r))
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
