package clients

import (
	"strings"
	"time"
)

// parseExpiry reads an expires_at: RFC 3339 with t and z in either case. Three sloppy forms are taken
// as UTC too: without an offset, with a blank for the T, and a date alone (its first instant). Nothing
// else is, however plausible: an expiry that is guessed at may be guessed wrong.
func parseExpiry(s string) (at time.Time, sloppy, ok bool) {
	const date = len("2006-01-02")
	text := strings.ToUpper(s)
	if len(text) == date {
		text, sloppy = text+"T00:00:00Z", true
	}
	if len(text) <= date {
		return time.Time{}, false, false
	}
	if text[date] == ' ' {
		text, sloppy = text[:date]+"T"+text[date+1:], true
	}
	if !strings.ContainsAny(text[date:], "Z+-") {
		text, sloppy = text+"Z", true
	}
	if !strictTime(text) || at.UnmarshalText([]byte(text)) != nil {
		return time.Time{}, false, false
	}
	return at.UTC(), sloppy, true
}

// strictTime refuses what the standard parser takes beyond RFC 3339: hours of one digit, and a comma
// before the fraction.
func strictTime(s string) bool {
	const clock = len("2006-01-02T15:04:05")
	return len(s) > clock && s[13] == ':' && s[16] == ':' && !strings.Contains(s, ",")
}
