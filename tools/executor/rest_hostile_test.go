package executor_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// hostile are values that mean something to somebody on the way.
var hostile = []string{
	"--x=1", "-x", "..", ".", "../", "../../admin", "a/../../b", `..\..\x`, "..;/x", "%2e%2e", "%2e%2e%2f", "%2F..", "?a=b", "a?b", "#frag", "a#b", "@evil.example", "a@b:80",
	"//evil.example/x", "http://evil.example/", "a\r\nX-Injected: 1", "a\nb", "a\rb", "a\x00b", "${file:/etc/passwd}", "${env:PLAIN}", "{{ $.context.secret }}", "$.context.secret",
	"{both}", "a&b=c", "a=b", "a;b", "a+b c", "é\u202e", "\u2028", strings.Repeat("x", 100<<10), "", "\x7f", "[secret]",
}

// TestHostileValues: wherever a value of a caller stands, it is either refused before anything is sent, or arrives at
// the other end as the very value, in its place and nowhere else.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	k, conn := rest(t), to(t, s)
	for place, tt := range map[string]struct {
		config string
		read   func(received) string
		refuse func(string) bool
	}{
		"path": {`{'connection':'api','path':'/items/{v}/rest'}`, func(r received) string { return inPath(t, r.URI) }, func(v string) bool {
			dotted := false
			for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return strings.ContainsRune(`/\;`, r) }) {
				dotted = dotted || part == "." || part == ".."
			}
			return v == "" || dotted || len(v) > 8<<10 || strings.ContainsAny(v, "\r\n\x00\x7f")
		}},
		"query": {`{'connection':'api','query':{'q':'$.arguments.v','z':'last'}}`, func(r received) string { return inQuery(t, r.URI) },
			func(v string) bool { return len(v) > 8<<10 }},
		"header": {`{'connection':'api','headers':{'X-V':'$.arguments.v'}}`, func(r received) string { return r.Header.Get("X-V") },
			func(v string) bool { return len(v) > 8<<10 || strings.ContainsAny(v, "\r\n\x00\x7f") }},
		"body": {`{'connection':'api','method':'POST','body':{'v':'$.arguments.v','w':1}}`, func(r received) string { return inBody(t, r.Body) },
			func(string) bool { return false }},
	} {
		for _, v := range hostile {
			res := run(t, k, asking(t, tt.config, conn, expr.Env{Arguments: map[string]any{"v": v}}))
			got := s.taken()
			shown := v[:min(len(v), 40)]
			switch {
			case tt.refuse(v):
				if res.Failure == nil || res.Failure.Begun != workflow.NotBegun || res.Failure.Class != workflow.ClassPermanent || got != nil {
					t.Errorf("%s %q is not refused: %+v, sent %+v", place, shown, res.Failure, got)
				}
			case res.Failure != nil || len(got) != 1:
				t.Errorf("%s %q: %+v, sent %d requests", place, shown, res.Failure, len(got))
			case tt.read(got[0]) != strings.TrimSpace(v) && tt.read(got[0]) != v:
				t.Errorf("%s %q arrived as %q", place, shown, tt.read(got[0]))
			case got[0].Header.Get("X-Injected") != "" || got[0].Host != strings.TrimPrefix(s.URL, "http://"):
				t.Errorf("%s %q reached the headers: %+v", place, shown, got[0])
			}
		}
	}
}

// inPath is the one segment in its place, decoded.
func inPath(t testing.TB, uri string) string {
	t.Helper()
	parts := strings.Split(uri, "/")
	if len(parts) != 5 || parts[1] != "v1" || parts[2] != "items" || parts[4] != "rest" {
		t.Errorf("the path came apart: %q", uri)
		return ""
	}
	v, err := url.PathUnescape(parts[3])
	if err != nil {
		t.Errorf("%q: %v", uri, err)
	}
	return v
}

func inQuery(t testing.TB, uri string) string {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil || len(u.Query()) != 2 || u.Query().Get("z") != "last" || len(u.Query()["q"]) != 1 {
		t.Errorf("the query came apart: %q", uri)
		return ""
	}
	return u.Query().Get("q")
}

func inBody(t testing.TB, body string) string {
	t.Helper()
	var got struct {
		V string `json:"v"`
		W int    `json:"w"`
	}
	if err := json.Unmarshal([]byte(body), &got, json.RejectUnknownMembers(true)); err != nil || got.W != 1 {
		t.Errorf("the body came apart: %v", err)
	}
	return got.V
}

// TestAnyValueStaysInItsPlace: of any texts in a path and its query, the URL that would be asked for has the host, the
// folder and the number of segments that the operator wrote, and gives the texts back.
func TestAnyValueStaysInItsPlace(t *testing.T) {
	t.Parallel()
	k, conn := rest(t), connection(t, `{'baseUrl':'https://api.example.com/v1/'}`)
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(append([]string{"/", "%", "\\", ";"}, hostile[:25]...)), rapid.String()), 0, 4).Draw(t, "parts"), "")
	})
	q := asking(t, `{'connection':'api','path':'/a/{x}.{y}/b','query':{'q':'$.arguments.x'}}`, conn, expr.Env{})
	rapid.Check(t, func(rt *rapid.T) {
		x, y := text.Draw(rt, "x"), text.Draw(rt, "y")
		q.Env.Arguments = map[string]any{"x": x, "y": y}
		r, failure := k.Prepare(t.Context(), q)
		if failure != nil {
			if failure.Begun != workflow.NotBegun {
				rt.Fatalf("%+v", failure)
			}
			return
		}
		u, err := url.Parse(r.Material["url"].(string))
		if err != nil {
			rt.Fatal(err)
		}
		parts := strings.Split(u.EscapedPath(), "/")
		if u.Scheme != "https" || u.Host != "api.example.com" || u.User != nil || u.Fragment != "" || len(parts) != 5 || parts[1] != "v1" || parts[2] != "a" || parts[4] != "b" {
			rt.Fatalf("%q and %q give %s", x, y, u)
		}
		if got, err := url.PathUnescape(parts[3]); err != nil || got != x+"."+y || u.Query().Get("q") != x || len(u.Query()) != 1 {
			rt.Fatalf("%q and %q came back as %q and %q", x, y, got, u.Query())
		}
	})
}

// TestValuesThatFitNoPlace: an object is no segment, and what is not there is nothing that could be left out silently.
func TestValuesThatFitNoPlace(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	k, conn := rest(t), to(t, s)
	env := sending(`{"o":{},"l":[1],"z":null,"big":"` + strings.Repeat("x", 600<<10) + `"}`)
	for _, config := range []string{
		`{'connection':'api','path':'/{gone}'}`, `{'connection':'api','path':'/{o}'}`, `{'connection':'api','path':'/{l}'}`, `{'connection':'api','path':'/{z}'}`,
		`{'connection':'api','query':{'q':'$.arguments.o'}}`, `{'connection':'api','query':{'q':'$.arguments.l'}}`,
		`{'connection':'api','headers':{'X-A':'$.arguments.gone'}}`, `{'connection':'api','headers':{'X-A':'$.arguments.z'}}`, `{'connection':'api','headers':{'X-A':'$.arguments.o'}}`,
		`{'connection':'api','method':'POST','body':{'a':{'b':'$.arguments.gone'}}}`, `{'connection':'api','method':'POST','body':['$.context.gone']}`,
		`{'connection':'api','method':'POST','body':['$.arguments.big','$.arguments.big']}`,
	} {
		res := run(t, k, asking(t, config, conn, env))
		if res.Failure == nil || res.Failure.Begun != workflow.NotBegun || res.Failure.Class != workflow.ClassPermanent || s.taken() != nil {
			t.Errorf("%s: %+v", config, res)
		}
	}
}
