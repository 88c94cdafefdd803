package workflow

import "unicode/utf8"

// maxShown bounds a text of a caller in a message or in the audit, in bytes.
const maxShown = 128

// clip keeps a text short.
func clip(s string) string { return clipTo(s, maxShown) }

func clipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
