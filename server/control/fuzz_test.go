package control

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
)

// FuzzRequest: what an operator asks is all that the body says: one that is taken is, written again, the same JSON, and
// whatever else stands in one is refused as a bad request.
func FuzzRequest(f *testing.F) {
	for _, text := range []string{`{"as":"alice","tool":"clock","arguments":{"n":1e20}}`, `{"as":"alice"}`, `{"As":"alice"}`, `{"as":"a","as":"b"}`, `{"as":null,"tool":5}`, `null`, `[]`, `{"as":"a"} {}`, `{"as":"\ud800"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var asked callRequest
		err := decode(body, &asked)
		bad := (*badRequest)(nil)
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("%q: %v", body, err)
		}
		if err != nil || jsontext.Value(body).Kind() != '{' {
			return
		}
		var members map[string]jsontext.Value
		if err := json.Unmarshal(body, &members); err != nil {
			t.Fatalf("%q is taken: %v", body, err)
		}
		for name := range members {
			if name != "as" && name != "tool" && name != "arguments" {
				t.Fatalf("%q is taken, and says %q", body, name)
			}
		}
		again, err := json.Marshal(asked)
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		var second callRequest
		if err := decode(again, &second); err != nil || second.As != asked.As || second.Tool != asked.Tool || string(second.Arguments) != string(asked.Arguments) && digest.Check(asked.Arguments) == nil && !equalJSON(second.Arguments, asked.Arguments) {
			t.Fatalf("%q became %s: %v", body, again, err)
		}
	})
}

func equalJSON(a, b []byte) bool {
	x, errX := digest.Sum(a)
	y, errY := digest.Sum(b)
	return errX == nil && errY == nil && x == y
}

// FuzzAnswer: what the socket says of a result, the command line reads as that result.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{`{"content":[{"type":"text","text":"x"},{"type":"image","data":"cG5n","mimeType":"image/png"}],"structuredContent":{"a":1},"_meta":{"k":[1]}}`, `{"content":[{"type":"resource","resource":{"uri":"u"}}],"isError":true}`, `{}`, `{"content":[{"data":"!"}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var w result
		if json.Unmarshal(body, &w) != nil {
			return
		}
		first, err := json.Marshal(toWire(fromWire(w)), json.Deterministic(true))
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		var again result
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, err := json.Marshal(toWire(fromWire(again)), json.Deterministic(true)); err != nil || string(second) != string(first) {
			t.Fatalf("%s became %s, %v", first, second, err)
		}
	})
}

// FuzzRoute: whoever is not known to be the server's own user or root is refused, whatever is asked.
func FuzzRoute(f *testing.F) {
	for _, path := range []string{"/call", "/audit?after=0&follow=true", "/workflow/list", "/lexicon/define", "/", "//call", "/call/../audit"} {
		f.Add(http.MethodPost, path, `{"as":"alice","tool":"clock"}`)
		f.Add(http.MethodGet, path, ``)
	}
	s := &Server{own: 4711}
	s.cfg.Log = slog.New(slog.DiscardHandler)
	routes := s.routes(f.Context())
	f.Fuzz(func(t *testing.T, method, path, body string) {
		r, err := http.NewRequest(method, "http://prax"+path, strings.NewReader(body))
		if err != nil {
			return
		}
		w := httptest.NewRecorder()
		routes.ServeHTTP(w, r)
		if w.Code < 300 {
			t.Fatalf("%s %q answers %d: %s", method, path, w.Code, w.Body)
		}
	})
}
