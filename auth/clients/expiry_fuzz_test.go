package clients

import (
	"strings"
	"testing"
	"time"
)

// FuzzExpiry: what RFC 3339 has is read as the standard library reads it, the same in lower case; what else is taken is
// told as sloppy; and everything that is taken can be written as RFC 3339 and read again.
func FuzzExpiry(f *testing.F) {
	for _, text := range []string{"2030-12-31T00:00:00Z", "2030-12-31t00:00:00.5z", "2030-12-31 23:59:60+14:00", "2030-12-31", "2030-12-31T7:00:00Z", "2030-12-31T07:00:00,5Z", "0000-01-01T00:00:00Z", "2030-12-31T00:00:00", "never", "2030-02-30", "2030-12-31T24:00:00Z"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, sloppy, ok := parseExpiry(text)
		want, err := time.Parse(time.RFC3339, text)
		strict := err == nil && len(text) > 18 && text[13] == ':' && !strings.Contains(text, ",")
		if strict && (!ok || sloppy || !at.Equal(want)) {
			t.Fatalf("%q is %v, %t, %t, want %v", text, at, sloppy, ok, want)
		}
		if !ok {
			if !at.IsZero() {
				t.Fatalf("%q is refused, and gives %v", text, at)
			}
			return
		}
		if !strict && !sloppy && strings.ToUpper(text) == text {
			t.Fatalf("%q is no RFC 3339, and taken without a word", text)
		}
		again, sloppy, ok := parseExpiry(at.Format(time.RFC3339Nano))
		if at.Year() >= 0 && at.Year() <= 9999 && (!ok || sloppy || !again.Equal(at)) {
			t.Fatalf("%q is %v, and that %v, %t, %t", text, at, again, sloppy, ok)
		}
	})
}
