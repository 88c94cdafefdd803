package clients

import (
	"strings"
	"time"

	"prax/auth"
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
	past := !e.expiry.IsZero() && !r.now.Before(e.expiry)
	if r.cfg.IgnoreExpiry {
		if past || e.row.flags.has(lapsed) {
			r.problem(e, e.at, ExpiryIgnored, "expires_at would put the client out, but is not enforced")
		}
		e.row.flags &^= lapsed
		e.expiry = time.Time{}
	}
	if e.row.flags.has(lapsed) {
		return
	}
	r.settleWindows(e)
}

// settleWindows says what becomes of a client by the clock, which may have several tokens.
func (r *reader) settleWindows(e *entry) {
	windows := r.windows[:0]
	for _, t := range e.tokens {
		if !t.lapsed {
			windows = append(windows, t.within(e.expiry))
		}
	}
	if len(e.tokens) == 0 {
		windows = append(windows, window{until: e.expiry})
	}
	r.windows = windows
	if len(windows) > 0 {
		r.tellWindows(e, windows)
	}
}

func (r *reader) tellWindows(e *entry, windows []window) {
	in, opens, ends := phase(windows, r.now)
	switch out := outAt(windows, r.now); {
	case in && !out.IsZero() && r.now.Add(auth.Soon).After(out):
		r.problem(e, e.at, ExpiresSoon, "expires at %s", out.Format(time.RFC3339))
	case in:
	case !opens.IsZero():
		r.problem(e, e.at, NotYet, "no token of it is good before %s", opens.Format(time.RFC3339))
	case ends.After(r.now):
		r.problem(e, e.at, ExpiredClient, "no token of it is good before it expires at %s", ends.Format(time.RFC3339))
	default:
		r.problem(e, e.at, ExpiredClient, "expired at %s", ends.Format(time.RFC3339))
	}
}
