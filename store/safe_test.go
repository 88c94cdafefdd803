package store_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"prax/store"
)

func TestSafeString(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                            "",
		"plain text":                  "plain text",
		"ünïcode 東京 🦊":                "ünïcode 東京 🦊",
		"two\nlines\r\tand":           `two\nlines\r\tand`,
		"\x1b[31mred\x1b[0m":          `\x1b[31mred\x1b[0m`,
		"abc\u202edcb":                `abc\u202edcb`,
		"a\u2066b\u2069":              `a\u2066b\u2069`,
		"line\u2028sep":               `line\u2028sep`,
		"\u200binvisible\ufeff":       `\u200binvisible\ufeff`,
		"tag\U000e0041":               `tag\U000e0041`,
		"bad\xff\xc3":                 `bad\xff\xc3`,
		"\x00\x7f\u0085":              `\x00\x7f\u0085`,
		"\ufffd":                      "\ufffd",
		`already \n escaped`:          `already \n escaped`,
		strings.Repeat("x", 128):      strings.Repeat("x", 128),
		strings.Repeat("x", 129):      strings.Repeat("x", 125) + "…",
		strings.Repeat("\n", 70):      strings.Repeat(`\n`, 62) + "…",
		strings.Repeat("é", 64) + "é": strings.Repeat("é", 62) + "…",
	}
	for s, want := range tests {
		if got := store.SafeString(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func FuzzSafeString(f *testing.F) {
	for _, s := range []string{"", "a\nb", "\x1b[0m", "\u202e", "\xff", strings.Repeat("é\n", 90)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := store.SafeString(s)
		if len(got) > store.MaxSafeBytes || !utf8.ValidString(got) {
			t.Fatalf("%q gives %q, %d bytes", s, got, len(got))
		}
		for _, c := range got {
			if !unicode.IsGraphic(c) {
				t.Fatalf("%q gives %q with %U", s, got, c)
			}
		}
		if again := store.SafeString(got); again != got {
			t.Fatalf("%q gives %q, and that %q", s, got, again)
		}
		if (s == "") != (got == "") {
			t.Fatalf("%q gives %q", s, got)
		}
	})
}

func TestNewID(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		id := store.NewID()
		if len(id) != 26 || strings.Trim(id, "0123456789abcdefghjkmnpqrstvwxyz") != "" || seen[id] {
			t.Fatalf("id %q, seen %v", id, seen[id])
		}
		seen[id] = true
	}
}
