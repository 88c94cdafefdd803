package mcp

import (
	"encoding/base64"
	"mime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"prax/server/jsonrpc"
)

// FuzzHeaders: somebody who is answered takes at least one kind of answer; headers in several lines mean what they
// mean in one; naming JSON as well never takes JSON away; and only application/json is taken for a body.
func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{"", "*/*", "application/json, text/event-stream", "application/json;q=0, text/*", "text/event-stream;Q=0.0", "application/json; charset=UTF-8", "application/json; charset=latin1", "a;b;c,,;"} {
		f.Add(seed, "text/html")
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		a := parseAccept([]string{first, second})
		if !a.json && !a.stream {
			t.Fatalf("%q, %q takes nothing", first, second)
		}
		if joined := parseAccept([]string{first + "," + second}); joined != a {
			t.Fatalf("%q, %q is %+v, in one line %+v", first, second, a, joined)
		}
		if more := parseAccept([]string{first, second, "application/json"}); !more.json || more.stream != a.stream {
			t.Fatalf("%q, %q is %+v, with JSON %+v", first, second, a, more)
		}
		kind, _, err := mime.ParseMediaType(first)
		if isJSON([]string{first}) && (err != nil || kind != "application/json") {
			t.Fatalf("%q is taken for JSON", first)
		}
	})
}

// FuzzName: a header names exactly one name: the text as it stands, or what its frame of base64 holds; every name can
// be framed.
func FuzzName(f *testing.F) {
	for _, seed := range []string{"clock", "=?base64?Y2xvY2s=?=", "=?base64?Y2xvY2t=?=", "=?base64?", "=?base64??=", "é\x00", "=?base64?/w==?=", "=?base64?2as=\r?="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		h := header{value, 1}
		text, ok := h.text()
		if ok != h.names(text) || (header{value, 2}).names(text) {
			t.Fatalf("%q says %q, %t", value, text, ok)
		}
		if ok && text != value && value != sentinelOpen+base64.StdEncoding.EncodeToString([]byte(text))+sentinelClose {
			t.Fatalf("%q says %q, which is spelled otherwise", value, text)
		}
		framed := header{sentinelOpen + base64.StdEncoding.EncodeToString([]byte(value)) + sentinelClose, 1}
		if framed.names(value) != utf8.ValidString(value) {
			t.Fatalf("%q in a frame is not its name", value)
		}
	})
}

// FuzzCursor: a cursor leads to the page that it was given out for, and no other text does.
func FuzzCursor(f *testing.F) {
	entries := [][]byte{[]byte(`{"name":"a"}`), []byte(`{"name":"b"}`), []byte(`{"name":"c"}`)}
	l := newList(entries, 1)
	for _, seed := range []string{l.cursor(1), l.cursor(2), l.cursor(3), newList(entries, 2).cursor(1), l.cursor(1) + "\n", "", "lnLazVKMyngAAQ", "\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := l.page(jsonrpc.AppendString(nil, text))
		given := slices.Index([]string{l.cursor(1), l.cursor(2)}, text) + 1
		if (err == nil) != (given > 0) || n != given {
			t.Fatalf("%q leads to page %d, %v, want %d", text, n, err, given)
		}
	})
}

// FuzzParam: a header that is the same as a number is one, and worth as much: whole numbers to the last digit, others as
// near as floats are. It does not matter which of two numbers stands in the header.
func FuzzParam(f *testing.F) {
	for _, seed := range [][2]string{{"1", "1.0"}, {"9007199254740993", "9007199254740992"}, {"1e2", "100"}, {"-0", "0"}, {" 1", "1"}, {"01", "1"}, {"1e400", "1e400"}, {"true", "1"}} {
		f.Add(seed[0], seed[1])
	}
	isNumber := func(text string) bool {
		v := jsontext.Value(text)
		return len(text) < 40 && v.Kind() == '0' && v.IsValid() && strings.TrimSpace(text) == text
	}
	f.Fuzz(func(t *testing.T, text, argument string) {
		if !isNumber(argument) {
			return
		}
		same := sameParam(text, jsontext.Value(argument))
		if !isNumber(text) {
			if same && len(text) < 40 {
				t.Fatalf("%q is taken for %s", text, argument)
			}
			return
		}
		if sameParam(argument, jsontext.Value(text)) != same {
			t.Fatalf("%s and %s are the same only the one way", text, argument)
		}
		whole := !strings.ContainsAny(text+argument, ".eE")
		a, errA := strconv.ParseFloat(text, 64)
		b, errB := strconv.ParseFloat(argument, 64)
		if want := errA == nil && errB == nil && a == b; whole && same != (text == argument) || !whole && same != want {
			t.Fatalf("%s and %s: %t", text, argument, same)
		}
	})
}
