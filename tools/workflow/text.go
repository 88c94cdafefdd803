package workflow

import (
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"prax/tools/schema"
)

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

func counted(what string, times, most int) string {
	return what + " " + strconv.Itoa(times) + " of at most " + strconv.Itoa(most) + " times"
}

// increased is a copy of the counts with one of them one more.
func increased(counts map[string]int, name string) map[string]int {
	next := make(map[string]int, len(counts)+1)
	maps.Copy(next, counts)
	next[name]++
	return next
}

func violation(path, message string) schema.Violation {
	return schema.Violation{Path: path, Message: message}
}

// maxSentence bounds how many violations a message spells out; all of them are in the list beside it.
const maxSentence = 4

// sentence words violations in one line.
func sentence(violations []schema.Violation) string {
	var b strings.Builder
	for n, v := range violations {
		if n == maxSentence {
			b.WriteString("; …")
			break
		}
		if n > 0 {
			b.WriteString("; ")
		}
		b.WriteString(strings.TrimSpace(v.Path + " " + v.Message))
	}
	return b.String()
}
