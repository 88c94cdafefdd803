package main

import (
	"testing"
	"time"
)

// TestExpiry: --expires gives exactly what was asked, or is refused.
func TestExpiry(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 1, 2, 3, 4, 5, 678, time.UTC)
	for text, want := range map[string]string{
		"":                          "0001-01-01T00:00:00Z",
		"365d":                      "2028-01-02T03:04:05Z",
		"1d":                        "2027-01-03T03:04:05Z",
		"90m":                       "2027-01-02T04:34:05Z",
		"2027-01-02T03:04:06Z":      "2027-01-02T03:04:06Z",
		"2027-06-01T00:00:00+02:00": "2027-05-31T22:00:00Z",
	} {
		got, err := parseExpiry(text, now)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{
		"0", "0d", "0s", "-1h", "-5d", "999999999h", "9999999999999999999d", "106752d", "2920000d", "d", "90", "1y", "tomorrow",
		"2027-01-02T03:04:05Z", "2026-12-31", "1ns",
	} {
		if got, err := parseExpiry(text, now); err == nil {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
}
