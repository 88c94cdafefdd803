package executor_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"prax/store/digest"
	"prax/tools/egress"
	"prax/tools/executor"
	"prax/tools/secret"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// answering is a server that gives one answer.
func answering(t testing.TB, status int, kind, body string) *service {
	t.Helper()
	return newService(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// TestWhatRESTGives: the output of an answer, and the evidence of it.
func TestWhatRESTGives(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, kind, sent string
		want             any
	}{
		{"an object", "application/json", `{"a":[1,null,{"b":"x"}]}`, map[string]any{"a": []any{1.0, nil, map[string]any{"b": "x"}}}},
		{"an object that is said to be text", "text/plain", ` {"a":1}`, map[string]any{"a": 1.0}},
		{"a list of another kind", "application/problem+json", `[]`, []any{}},
		{"a number", "application/json; charset=utf-8", `7`, 7.0},
		{"a number that is said to be text", "text/plain", `7`, "7"},
		{"null", "application/json", `null`, nil},
		{"nothing", "application/json", "", nil},
		{"text", "text/plain", "hällo\n", "hällo\n"},
		{"text that is said to be JSON", "application/json", "{oops", "{oops"},
		{"integers that no double holds", "application/json", `{"id":9007199254740993,"neg":-12345678901234567890,"ok":9007199254740991,"f":1e400}`,
			map[string]any{"id": "9007199254740993", "neg": "-12345678901234567890", "ok": 9007199254740991.0, "f": "1e400"}},
		{"a name twice", "application/json", `{"a":1,"a":2}`, `{"a":1,"a":2}`},
		{"too deep", "application/json", strings.Repeat("[", 60) + strings.Repeat("]", 60), strings.Repeat("[", 60) + strings.Repeat("]", 60)},
		{"no UTF-8", "image/png", "a\xff\xfeb", "a\uFFFDb"},
		{"a byte order mark", "application/json", "\uFEFF{}", map[string]any{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, 201, tt.kind, tt.sent)
			res := run(t, rest(t), asking(t, `{'connection':'api','path':'/x','query':{'who':'$.arguments.a','b':1}}`, to(t, s), sending(`{"a":"mine"}`)))
			if res.Failure != nil || res.Took <= 0 {
				t.Fatalf("%+v", res)
			}
			if diff := cmp.Diff(map[string]any{"status": 201.0, "body": tt.want}, res.Output); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
			body := strings.TrimPrefix(strings.ToValidUTF8(tt.sent, "\uFFFD"), "\uFEFF")
			want := []workflow.Evidence{{
				Kind: "rest_call", URI: s.URL + "/v1/x?b=&who=", Summary: "GET 201", Digest: "sha256:" + digest.Hex([]byte(body)),
			}}
			if diff := cmp.Diff(want, res.Evidence); diff != "" {
				t.Errorf("evidence (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLongAnswers: what is beyond the bound is not kept, and the output says so.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	s := answering(t, 200, "application/json", `{"a":"`+strings.Repeat("x", 5<<20)+`"}`)
	res := run(t, rest(t), asking(t, `{'connection':'api','method':'POST'}`, to(t, s), expr.Env{}))
	output, _ := res.Output.(map[string]any)
	body, _ := output["body"].(string)
	if res.Failure != nil || output["truncated"] != true || output["status"] != 200.0 || len(body) > 4<<20 || len(body) < 4<<20-100 {
		t.Errorf("%+v, %d bytes", res.Failure, len(body))
	}
}

// TestStatuses: what each status says of the effect.
func TestStatuses(t *testing.T) {
	t.Parallel()
	const timeout, rate, auth, transient, permanent = workflow.ClassTimeout, workflow.ClassRateLimited, workflow.ClassAuth, workflow.ClassTransient, workflow.ClassPermanent
	for status, want := range map[int]workflow.Failure{
		200: {}, 204: {}, 302: {}, 303: {}, 304: {},
		307: {Class: permanent, Begun: workflow.Answered}, 308: {Class: permanent, Begun: workflow.Answered},
		400: {Class: permanent, Begun: workflow.Answered}, 404: {Class: permanent, Begun: workflow.Answered}, 409: {Class: permanent, Begun: workflow.Answered},
		401: {Class: auth, Begun: workflow.Answered}, 403: {Class: auth, Begun: workflow.Answered},
		408: {Class: timeout, Begun: workflow.Doubtful}, 504: {Class: timeout, Begun: workflow.Doubtful}, 502: {Class: transient, Begun: workflow.Doubtful},
		429: {Class: rate, Begun: workflow.NotBegun},
		500: {Class: transient, Begun: workflow.Answered}, 503: {Class: transient, Begun: workflow.Answered}, 599: {Class: transient, Begun: workflow.Answered},
	} {
		s := newService(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			if status != 204 && status != 304 {
				_, _ = io.WriteString(w, "because\nof \x1b[31mthis")
			}
		})
		res := run(t, rest(t), asking(t, `{'connection':'api','method':'POST'}`, to(t, s), expr.Env{}))
		if n := len(s.taken()); n != 1 {
			t.Errorf("%d: sent %d times", status, n)
		}
		if want.Class == "" {
			if res.Failure != nil || len(res.Evidence) != 1 {
				t.Errorf("%d: %+v", status, res)
			}
			continue
		}
		if res.Failure == nil || res.Failure.Class != want.Class || res.Failure.Begun != want.Begun || res.Evidence != nil {
			t.Errorf("%d: %+v, want %+v", status, res.Failure, want)
			continue
		}
		if !strings.HasSuffix(res.Failure.Message, `: because of \x1b[31mthis`) {
			t.Errorf("%d: message %q", status, res.Failure.Message)
		}
	}
}

// TestLongFailures: an answer of any length makes a message that can be shown.
func TestLongFailures(t *testing.T) {
	t.Parallel()
	s := answering(t, 400, "text/plain", strings.Repeat("é", 1<<20))
	res := run(t, rest(t), asking(t, `{'connection':'api'}`, to(t, s), expr.Env{}))
	if res.Failure == nil || len(res.Failure.Message) > 600 || !strings.HasSuffix(res.Failure.Message, "é…") {
		t.Errorf("%+v", res.Failure)
	}
}

// TestDoubt: when there is no answer, what is known of the effect is what was sent.
func TestDoubt(t *testing.T) {
	t.Parallel()
	closed := newService(t, nil)
	closed.Close()
	broken := newService(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	half := newService(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "half")
	})
	sent, gone := context.WithCancel(t.Context())
	defer gone()
	slow := newService(t, func(_ http.ResponseWriter, r *http.Request) { gone(); <-r.Context().Done() })
	deaf := listening(t)
	short := func(t *testing.T) context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		t.Cleanup(cancel)
		return ctx
	}
	over := func(t *testing.T) context.Context {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return ctx
	}
	for _, tt := range []struct {
		name, base string
		ctx        func(*testing.T) context.Context
		class      string
		begun      workflow.Begun
		sent       *service
		times      int
	}{
		{"nobody there", closed.URL, (*testing.T).Context, workflow.ClassConnection, workflow.NotBegun, nil, 0},
		{"no such name", "http://nothing.invalid", (*testing.T).Context, workflow.ClassConnection, workflow.NotBegun, nil, 0},
		{"a metadata service", "http://169.254.169.254", (*testing.T).Context, workflow.ClassPermanent, workflow.NotBegun, nil, 0},
		{"no TLS there", strings.Replace(broken.URL, "http:", "https:", 1), (*testing.T).Context, workflow.ClassConnection, workflow.NotBegun, broken, 0},
		{"broken off before the answer", broken.URL, (*testing.T).Context, workflow.ClassConnection, workflow.Doubtful, broken, 1},
		{"broken off within the answer", half.URL, (*testing.T).Context, workflow.ClassConnection, workflow.Doubtful, half, 1},
		{"ended once it was sent", slow.URL, func(*testing.T) context.Context { return sent }, workflow.ClassTimeout, workflow.Doubtful, slow, 1},
		{"nobody reads", deaf, short, workflow.ClassTimeout, workflow.Doubtful, nil, 0},
		{"too late", slow.URL, over, workflow.ClassTimeout, workflow.NotBegun, slow, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := asking(t, `{'connection':'api','method':'POST','body':{'n':1}}`, connection(t, `{'baseUrl':'`+tt.base+`'}`), expr.Env{})
			q.Key = "1"
			r, failure := rest(t).Prepare(t.Context(), q)
			if failure != nil {
				t.Fatal(failure)
			}
			res := r.Do(tt.ctx(t))
			if res.Failure == nil || res.Failure.Class != tt.class || res.Failure.Begun != tt.begun {
				t.Fatalf("%+v, want %s %v", res.Failure, tt.class, tt.begun)
			}
			if strings.Contains(res.Failure.Message, "127.0.0.1") || strings.Contains(res.Failure.Message, "169.254") || strings.Contains(res.Failure.Message, "invalid") {
				t.Errorf("the message tells where the service is: %s", res.Failure.Message)
			}
			if tt.sent != nil {
				if got := tt.sent.taken(); len(got) != tt.times {
					t.Errorf("sent %d times, want %d", len(got), tt.times)
				}
			}
		})
	}
}

// listening is the URL of a socket that takes connections and never reads.
func listening(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return "http://" + l.Addr().String()
}

// TestCanaries: a service that echoes the secrets that it was sent, in whatever form and place, teaches them to nobody.
func TestCanaries(t *testing.T) {
	t.Parallel()
	quoted := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	forms := map[string]func(string) string{
		"plain":        func(s string) string { return s },
		"json":         func(s string) string { return `{"echo":{` + quoted(s) + `:[` + quoted("<"+s+">") + `]}}` },
		"path escaped": url.PathEscape, "query escaped": url.QueryEscape,
		"base64":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"raw base64": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"cut short":  func(s string) string { return strings.Repeat("x", egress.MaxBody-len(s)+1) + s + "yyy" },
	}
	for name, form := range forms {
		for _, status := range []int{200, 302, 307, 401, 500} {
			if name == "cut short" && status != 200 {
				continue // it is the output alone that has so much of a body
			}
			s := newService(t, func(w http.ResponseWriter, r *http.Request) {
				sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
				w.Header().Set("X-Echo", sent)
				w.Header().Set("Location", "/x?token="+url.QueryEscape(sent))
				w.WriteHeader(status)
				_, _ = io.WriteString(w, form(sent)+"\n"+form(strings.TrimPrefix(r.Header.Get("X-Literal-Token"), "Token ")))
			})
			conn := connection(t, `{'baseUrl':'`+s.URL+`','headers':{'Authorization':'Bearer ${env:TOKEN}','X-Literal-Token':'Token written-out-9d8c'}}`)
			res := run(t, rest(t), asking(t, `{'connection':'api','method':'POST'}`, conn, expr.Env{}))
			if got := s.taken(); len(got) != 1 || got[0].Header.Get("Authorization") != "Bearer "+canaries["TOKEN"] {
				t.Fatalf("the service was sent %+v", got)
			}
			betrays(t, name, res, canaries["TOKEN"], "written-out-9d8c")
		}
	}
}

// betrays looks for secrets in all that a result says.
func betrays(t *testing.T, name string, res workflow.Result, secrets ...string) {
	t.Helper()
	raw, err := json.Marshal([]any{res.Output, res.Evidence, res.Failure, res.Material}, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		for _, form := range []string{
			s, escaped(s), escaped(s[:len(s)-1]), url.QueryEscape(s), url.PathEscape(s),
			base64.RawStdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)), digest.Hex([]byte(s)),
		} {
			if at := bytes.Index(raw, []byte(form)); at >= 0 {
				t.Errorf("%s: %q is in what comes back: …%s…", name, form, raw[max(0, at-40):min(len(raw), at+len(form)+40)])
			}
		}
	}
}

// escaped is a text as it stands between the quotes of JSON.
func escaped(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw[1 : len(raw)-1])
}

// TestCanariesOnRedirects: a GET that is sent elsewhere takes no secret along, and comes back without one.
func TestCanariesOnRedirects(t *testing.T) {
	t.Parallel()
	other := newService(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.String()) })
	for name, where := range map[string]func(*http.Request) string{
		"to another port": func(r *http.Request) string {
			return other.URL + "/?t=" + url.QueryEscape(r.Header.Get("Authorization"))
		},
		"to the metadata": func(r *http.Request) string {
			return "http://169.254.169.254/?t=" + url.QueryEscape(r.Header.Get("Authorization"))
		},
		"to itself": func(r *http.Request) string { return "/v1/x?t=" + url.QueryEscape(r.Header.Get("Authorization")) },
		"to another host": func(r *http.Request) string {
			return "http://" + base64.RawURLEncoding.EncodeToString([]byte(canaries["PLAIN"])) + ".invalid/"
		},
	} {
		s := newService(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, where(r), http.StatusFound) })
		conn := connection(t, `{'baseUrl':'`+s.URL+`/v1','headers':{'Authorization':'${env:PLAIN}'}}`)
		res := run(t, rest(t), asking(t, `{'connection':'api'}`, conn, expr.Env{}))
		if res.Failure == nil {
			t.Errorf("%s: %+v", name, res)
		}
		betrays(t, name, res, canaries["PLAIN"])
		if got := other.taken(); got != nil {
			t.Errorf("%s: the other was sent %+v", name, got)
		}
	}
}

// TestSecretsThatAreNotThere: nothing is sent without them, and a caller is not told how they are named.
func TestSecretsThatAreNotThere(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	out, err := egress.New(egress.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"missing": "", "short": "abc", "two lines": "canary-line\r\nX-Injected: 1"} {
		k := executor.NewREST(&secret.Source{Env: func(string) (string, bool) { return value, value != "" }}, out)
		res := run(t, k, asking(t, `{'connection':'api'}`, connection(t, `{'baseUrl':'`+s.URL+`','headers':{'X-Api-Key':'${env:SOME_KEY}'}}`), expr.Env{}))
		if res.Failure == nil || res.Failure.Begun != workflow.NotBegun || s.taken() != nil ||
			strings.Contains(res.Failure.Message, "SOME_KEY") || strings.Contains(res.Failure.Message, "canary") {
			t.Errorf("%s: %+v", name, res.Failure)
		}
	}
}

// TestAnEncodingThatNobodyAskedFor: a body that cannot be looked into is left out.
func TestAnEncodingThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	s := newService(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		_, _ = io.WriteString(w, "whatever")
	})
	res := run(t, rest(t), asking(t, `{'connection':'api'}`, to(t, s), expr.Env{}))
	if diff := cmp.Diff(map[string]any{"status": 200.0, "body": "", "truncated": true}, res.Output); diff != "" || res.Failure != nil {
		t.Errorf("%+v (-want +got):\n%s", res.Failure, diff)
	}
}
