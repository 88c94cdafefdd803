package clients

import (
	"strings"
	"time"
)

func (r *reader) expiresAt(e *entry, v value) {
	if v.Kind() == 'n' {
		return
	}
	s, isText := text(v)
	r.expires(e, v.at, s, isText)
}

// expires takes an expiry. What cannot be read counts as expired, unless expiry is not enforced at all.
func (r *reader) expires(e *entry, at int, s string, isText bool) {
	when, sloppy, ok := parseExpiry(s)
	switch {
	case !isText || !ok:
		e.row.flags |= lapsed
		if !r.cfg.IgnoreExpiry {
			r.problem(e, at, BadExpiry, "expires_at is not a time as in 2030-12-31T00:00:00Z: the client counts as expired")
		}
	case sloppy:
		r.problem(e, at, SloppyExpiry, "expires_at is taken as UTC: write it as in 2030-12-31T00:00:00Z")
	}
	if ok && isText {
		e.expiry = when
		e.row.flags |= expires
		e.terms.seconds, e.terms.nanos = when.Unix(), uint32(when.Nanosecond())
	}
}

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

// settleExpiry says which clients are out, or soon will be, by the clock, or would be if it were asked.
func (r *reader) settleExpiry(e *entry) {
	past := e.row.flags.has(expires) && !r.now.Before(e.expiry)
	switch {
	case r.cfg.IgnoreExpiry:
		if past || e.row.flags.has(lapsed) {
			r.problem(e, e.at, ExpiryIgnored, "expires_at would put the client out, but is not enforced")
		}
		e.row.flags &^= expires | lapsed
	case past:
		r.problem(e, e.at, ExpiredClient, "expired at %s", e.expiry.Format(time.RFC3339))
	case e.row.flags.has(expires) && r.now.Add(Soon).After(e.expiry):
		r.problem(e, e.at, ExpiresSoon, "expires at %s", e.expiry.Format(time.RFC3339))
	}
}
