package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parseExpiry reads what --expires takes: a span from now (90d, 12h, 30m) or a moment (RFC 3339). It
// is "" for never. What is not in the future, or beyond the year 9999, is refused: a client that is
// out from the start, or an overflow that became one, is not what was meant.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		span, err := parseSpan(text)
		if err != nil {
			return time.Time{}, err
		}
		at = now.Add(span)
	}
	at = at.UTC().Truncate(time.Second)
	if !at.After(now) {
		return time.Time{}, fmt.Errorf("%q is not in the future", text)
	}
	if at.Year() > 9999 {
		return time.Time{}, fmt.Errorf("%q is beyond the year 9999", text)
	}
	return at, nil
}

func parseSpan(text string) (time.Duration, error) {
	days, isDays := strings.CutSuffix(text, "d")
	if !isDays {
		span, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%q is neither a span, as 90d or 12h, nor a moment, as 2027-01-31T00:00:00Z", text)
		}
		return span, nil
	}
	n, err := strconv.ParseInt(days, 10, 64)
	const day = 24 * time.Hour
	if err != nil || n > int64((1<<63-1)/day) || n < -int64((1<<63-1)/day) {
		return 0, fmt.Errorf("%q is not a number of days", text)
	}
	return time.Duration(n) * day, nil
}
