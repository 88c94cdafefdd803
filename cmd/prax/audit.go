package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"prax/store"
)

// eventLines is an event as lines for a person: one, or one for each call of a block, by time.
func eventLines(e store.Event) []string {
	if len(e.Calls) == 0 {
		return []string{eventLine(e, e.Seq)}
	}
	calls := slices.Clone(e.Calls)
	slices.SortStableFunc(calls, func(a, b store.Event) int { return a.At.Compare(b.At) })
	lines := make([]string, 0, len(calls))
	for _, call := range calls {
		lines = append(lines, eventLine(call, e.Seq))
	}
	return lines
}

// eventLine has the members that are set, in a fixed order.
func eventLine(e store.Event, seq int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d %s", e.At.UTC().Format("2006-01-02T15:04:05.000Z"), seq, e.Kind)
	for _, member := range []struct{ name, text string }{
		{"client", e.Client}, {"user", e.User}, {"method", e.Method}, {"tool", e.Tool}, {"tier", e.Tier},
		{"outcome", e.Outcome}, {"decision", e.Decision}, {"code", e.Code}, {"took", took(e.Duration)},
		{"remote", e.Remote}, {"request", e.RequestID}, {"detail", e.Detail},
	} {
		if member.text != "" {
			fmt.Fprintf(&b, " %s=%s", member.name, eventText(member.text))
		}
	}
	return b.String()
}

// eventText is text that cannot be mistaken for another member.
func eventText(text string) string {
	if strings.ContainsAny(text, " =\"") && text[0] != '{' {
		return strconv.Quote(text)
	}
	return printable(text)
}

func took(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return d.Round(time.Microsecond).String()
}
