package main

import (
	"net"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzSettings: a setting that is taken is within what its sentence promises, whatever stands in the environment.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{"1", "1MiB", "9223372036854775807KiB", "-1", "90s", "90d", "off", "106751d", "106752d", "127.0.0.1:8808", "[::1]:080", "https://a.example/x", "http://u@a", "a.example,*.b.example", "https://a.example , null", "10.0.0.0/8", "on", "TRUE", "debug", " 5 KiB"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := readSize(text); err == nil && (n < 1 || n > maxBody) {
			t.Fatalf("%q is %d bytes", text, n)
		}
		if n, err := readCount(text); err == nil && (n < 1 || n > 1_000_000) {
			t.Fatalf("%q is the number %d", text, n)
		}
		if d, err := readDuration(text); err == nil && d <= 0 {
			t.Fatalf("%q is %v", text, d)
		}
		if d, err := readKeep(text); err == nil && d < leastKeep && !(d == 0 && strings.EqualFold(text, "off")) {
			t.Fatalf("%q keeps for %v", text, d)
		}
		if addr, err := readAddr(text); err == nil {
			if _, port, err := net.SplitHostPort(addr); err != nil || strings.Trim(port, "0123456789") != "" || port == "" {
				t.Fatalf("%q is the address %q", text, addr)
			}
		}
		if u, err := readURL(text); err == nil && (u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Host == "") {
			t.Fatalf("%q is the URL %s", text, u)
		}
		yes, err := readBool(text)
		if no, other := readBool(strings.ToUpper(text)); (err == nil) != (other == nil) || yes != no {
			t.Fatalf("%q is %t, in capitals %t", text, yes, no)
		}
		for _, read := range []func(string) ([]string, error){readHosts, readOrigins, readEgress} {
			items, err := read(text)
			for _, item := range items {
				if err == nil && (item == "" || strings.Contains(item, ",") || strings.TrimSpace(item) != item) {
					t.Fatalf("%q has the item %q", text, item)
				}
			}
		}
	})
}

// FuzzExpires: what --expires takes is in the future, before the year 10000, and what the clients file takes without a
// remark.
func FuzzExpires(f *testing.F) {
	for _, text := range []string{"", "90d", "12h", "1ns", "-1d", "2027-01-31T00:00:00Z", "2027-01-31T00:00:00.9+14:00", "9999-12-31T23:59:59-01:00", "106751d", "d", "1e3d"} {
		f.Add(text)
	}
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		at, err := parseExpiry(text, now)
		if err != nil || text == "" {
			if !at.IsZero() {
				t.Fatalf("%q is %v, %v", text, at, err)
			}
			return
		}
		if !at.After(now) || at.Year() > 9999 || at.Nanosecond() != 0 {
			t.Fatalf("%q is %v", text, at)
		}
		if again, err := time.Parse(time.RFC3339, at.Format(time.RFC3339)); err != nil || !again.Equal(at) {
			t.Fatalf("%q is %v, and that is read as %v, %v", text, at, again, err)
		}
	})
}

// FuzzPrintable: nothing that a terminal would obey comes through, on one line or on several, and JSON stays what it
// says.
func FuzzPrintable(f *testing.F) {
	for _, text := range []string{"a\x1b[2J", "a\u202eb", "\xff", "line\r\nline\t", "\u2028", "{\"a\":\"\u202e\U000e0001\"}", "\u0085", "\ufffd"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, shown := range []string{printable(text), strings.NewReplacer("\n", "", "\t", "").Replace(printableText(text))} {
			if strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) || !utf8.ValidString(shown) {
				t.Fatalf("%q shows as %q", text, shown)
			}
		}
		v := jsontext.Value(text)
		if !v.IsValid() {
			return
		}
		shown := jsontext.Value(escaped(text))
		if strings.ContainsFunc(string(shown), func(r rune) bool { return r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }) {
			t.Fatalf("%q shows as %q", text, shown)
		}
		if v.Canonicalize() != nil {
			return
		}
		if err := shown.Canonicalize(); err != nil || string(shown) != string(v) {
			t.Fatalf("%q shows as %q, which says %q: %v", text, escaped(text), shown, err)
		}
	})
}

// FuzzReply: of an answer of the server only what is a link can be followed: with the arguments that were given in place
// of its own, and nothing else of it changed.
func FuzzReply(f *testing.F) {
	for _, text := range []string{
		`{"links":[{"rel":"note","method":"praxec.command","args":{"workflowId":"wf","expectedVersion":2,"transition":"note"},"inputSchema":{"required":["text"]}}],"workflow":{"id":"wf"}}`,
		`{"links":[{"rel":"x","args":[]}]}`, `{"links":null}`, `{"links":[{"rel":"cancel","args":{"intent":"cancel","transition":"x"}}]}`, `[]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := readReply(text)
		if (r == nil) != (err != nil) {
			t.Fatalf("%q: %v, %v", text, r, err)
		}
		if err != nil {
			return
		}
		for _, l := range r.moves() {
			is := l.read()
			if is.Transition == "" {
				t.Fatalf("%q has a move without a transition", text)
			}
			raw, err := l.with(jsontext.Value(`{"given":1}`), "")
			if err != nil {
				continue
			}
			followed := replyLink{Args: raw}.read()
			if followed.Transition != is.Transition || string(followed.Arguments) != `{"given":1}` {
				t.Fatalf("%q is followed by %s", text, raw)
			}
		}
	})
}
