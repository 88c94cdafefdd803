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
	// UnmarshalText is RFC 3339 to the letter; time.Parse takes a comma, and hours of one digit.
	if err := at.UnmarshalText([]byte(text)); err != nil {
		return time.Time{}, false, false
	}
	return at.UTC(), sloppy, true
}
