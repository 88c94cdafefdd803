package executor

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
	"prax/tools/egress"
	"prax/tools/process"
	"prax/tools/secret"
	"prax/tools/workflow"
)

const canary = "canary-5d41402abc4b"

func canaries() *secret.Values {
	v := &secret.Values{}
	v.Add(canary)
	return v
}

// storable holds that a result can be kept as the runner keeps it, and that the secret is not in it.
func storable(t *testing.T, r workflow.Result) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"output": r.Output, "evidence": r.Evidence}, json.Deterministic(true))
	if err != nil {
		t.Fatalf("%v: %v", r.Output, err)
	}
	if _, err := digest.Canonical(raw); err != nil {
		t.Fatalf("%s cannot be stored: %v", raw, err)
	}
	message := ""
	if r.Failure != nil {
		message = r.Failure.Message
	}
	if bytes.Contains(raw, []byte(canary)) || strings.Contains(message, canary) || !utf8.ValidString(message) {
		t.Fatalf("%s, %q shows what it must not", raw, message)
	}
}

// FuzzCLIAnswer: whatever a program writes, what it gave can be stored, has no secret in it, and json is what it wrote
// or nothing.
func FuzzCLIAnswer(f *testing.F) {
	for _, text := range []string{`{"a":1}`, `{"id":12345678901234567890}`, `{"n":1e20}`, canary, `{"t":"` + canary + `"}`, "\xff\x00", `{"a":1,"a":2}`, strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 56) + strings.Repeat("]", 56), `[-0, 1.0]`} {
		f.Add([]byte(text), []byte("warning: "+text), byte(0))
	}
	f.Fuzz(func(t *testing.T, stdout, stderr []byte, how byte) {
		o := process.Outcome{Stdout: stdout, Stderr: stderr, Exit: int(how & 1), StdoutCut: how&2 != 0, StderrCut: how&4 != 0}
		r := (&child{lenient: how&8 != 0}).result(o, canaries())
		storable(t, r)
		if r.Failure != nil {
			return
		}
		out := r.Output.(map[string]any)
		if out["json"] == nil {
			return
		}
		given, err := json.Marshal(out["json"], json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		got, err := digest.Sum(given)
		want, wanted := digest.Sum([]byte(out["stdout"].(string)))
		if err != nil || wanted != nil || got != want {
			t.Fatalf("%q gives %s: %v, %v", stdout, given, err, wanted)
		}
	})
}

// FuzzRESTAnswer: the same of a service; a body in an encoding that nobody asked for is left out.
func FuzzRESTAnswer(f *testing.F) {
	for _, text := range []string{`{"a":1}`, `{"id":12345678901234567890}`, `1e20`, canary, "\ufeff{}", "\xff", `{"a":1,"a":2}`, strings.Repeat("[", 60) + strings.Repeat("]", 60)} {
		f.Add([]byte(text), "application/json", "", 200, false)
		f.Add([]byte(text), "text/plain", "gzip", 503, true)
	}
	at, err := url.Parse("https://api.example/v1?key=" + canary)
	if err != nil {
		f.Fatal(err)
	}
	x := &exchange{method: http.MethodPost, url: at}
	f.Fuzz(func(t *testing.T, body []byte, kind, encoding string, status int, cut bool) {
		resp := &egress.Response{Status: status, Header: http.Header{"Content-Type": {kind}}, Body: body, Cut: cut}
		if encoding != "" {
			resp.Header.Set("Content-Encoding", encoding)
		}
		values := canaries()
		r := x.answer(resp, values)
		if r.Failure != nil {
			r.Failure.Message = values.CutString(r.Failure.Message) // as do does
		}
		storable(t, r)
		if out, ok := r.Output.(map[string]any); ok && encoding != "" && out["body"] != "" {
			t.Fatalf("%q in %q gives %v", body, encoding, out)
		}
	})
}

// FuzzDecoded: JSON from elsewhere keeps what it says: written again it has the same canonical form, but for integers
// that no double holds, which become texts of the same digits.
func FuzzDecoded(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5,null,true]}`, `12345678901234567890`, `-9007199254740992`, `1e20`, `"\ud800"`, `{"a":1,"a":2}`, `"]["`, `"\""`, strings.Repeat("[", 57) + strings.Repeat("]", 57)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, ok := decoded(raw)
		if !ok {
			if v != nil {
				t.Fatalf("%q is refused, and gives %v", raw, v)
			}
			return
		}
		again, err := json.Marshal(v, json.Deterministic(true))
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if depth(again) > maxNested {
			t.Fatalf("%q nests deeper than %d", raw, maxNested)
		}
		if digest.Check(raw) != nil {
			return // integers beyond ±2^53, told above
		}
		got, err := digest.Sum(again)
		if want, _ := digest.Sum(raw); err != nil || got != want {
			if !strings.Contains(string(again), "9007199254740992") {
				t.Fatalf("%q became %s, %v", raw, again, err)
			}
		}
	})
}

// depth is how deep valid JSON nests, as the library counts.
func depth(raw []byte) (deepest int) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		if _, err := d.ReadToken(); err != nil {
			return deepest
		}
		deepest = max(deepest, d.StackDepth())
	}
}
