package executor

import (
	"context"
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/tools"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// FuzzPath: whatever callers put into the places of a path, it stays below the service, each value is one segment and
// arrives as it is, or nothing is sent.
func FuzzPath(f *testing.F) {
	for _, v := range []string{"a", "..", "a/../b", "%2e%2e", "?x=1", "#", "é", "", "a b", "//evil.example", `..\`, "..;", "\x00", "@evil"} {
		f.Add(v, v)
	}
	base, err := url.Parse("https://api.example/v1")
	if err != nil {
		f.Fatal(err)
	}
	var found violations
	path := found.pieces("/items/{v}/of-{w}", expr.Arguments)
	if found != nil {
		f.Fatal(found)
	}
	f.Fuzz(func(t *testing.T, v, w string) {
		u, failure := under(base, path, "", expr.Env{Arguments: map[string]any{"v": v, "w": w}})
		if failure != nil {
			if failure.Begun != workflow.NotBegun || u != nil {
				t.Fatalf("%q, %q: %+v", v, w, failure)
			}
			return
		}
		read, err := url.Parse(u.String())
		if err != nil || read.Scheme != "https" || read.Host != "api.example" || read.RawQuery != "" || read.Fragment != "" || read.User != nil {
			t.Fatalf("%q, %q lead to %s, %v", v, w, u, err)
		}
		parts := strings.Split(read.EscapedPath(), "/")
		if len(parts) != 5 || parts[1] != "v1" || parts[2] != "items" {
			t.Fatalf("%q, %q lead to %s", v, w, u)
		}
		first, errFirst := url.PathUnescape(parts[3])
		second, errSecond := url.PathUnescape(parts[4])
		if errFirst != nil || errSecond != nil || first != v || second != "of-"+w {
			t.Fatalf("%q, %q arrive as %q, %q", v, w, first, second)
		}
	})
}

// FuzzSpec: a configuration of any kind is judged, and judged the same again, each violation by a pointer; one that is
// taken has a tier that is not below that of what it leads to, and HIGH where a caller chooses the program.
func FuzzSpec(f *testing.F) {
	for _, config := range []string{
		`{"command":"sh","args":["-c","$.arguments.code"],"env":{"A":"$.context.x"}}`, `{"command":"$.arguments.x"}`, `{"connection":"go","args":["test","./..."]}`,
		`{"connection":"api","method":"POST","path":"/a/{b}","query":{"q":"$.arguments.q"},"headers":{"X-A":"b"},"body":{"a":["$.arguments.v",1.0]}}`,
		`{"connection":"api","path":"/../x"}`, `{"subject":"build.all"}`, `{"tool":"clock","arguments":{"a":"$.arguments"}}`, `{"tool":"wipe"}`, `{"command":"env","args":["$.arguments.x"]}`, `{}`,
	} {
		for kind := range byte(4) {
			f.Add([]byte(config), kind)
		}
	}
	kinds := []string{kindCLI, kindScript, kindREST, kindTool}
	around := workflow.Surroundings{Roots: expr.Arguments | expr.Context | expr.Input, Connection: someConnection, Tool: someTool,
		Script: func(subject string) (*workflow.Guidance, bool) {
			return &workflow.Guidance{Subject: subject}, subject == "build.all"
		}}
	f.Fuzz(func(t *testing.T, config []byte, kind byte) {
		made := Specs().Executors[kinds[int(kind)%len(kinds)]]
		spec, again := made(), made()
		if json.Unmarshal(config, spec, json.RejectUnknownMembers(true)) != nil || json.Unmarshal(config, again, json.RejectUnknownMembers(true)) != nil {
			return
		}
		tier, found := spec.Check(around)
		tierAgain, foundAgain := again.Check(around)
		if tier != tierAgain || !reflect.DeepEqual(found, foundAgain) {
			t.Fatalf("%s is %v %v, and then %v %v", config, tier, found, tierAgain, foundAgain)
		}
		for _, v := range found {
			if v.Message == "" || v.Path != "" && v.Path[0] != '/' {
				t.Fatalf("%s: violation %+v", config, v)
			}
		}
		if found != nil {
			return
		}
		if !tier.Exposable() && tier != auth.High {
			t.Fatalf("%s has the tier %v", config, tier)
		}
		if s, ok := spec.(*CLI); ok && (strings.HasPrefix(s.Command, "$.") || s.Connection != "" && tier < auth.Medium) {
			t.Fatalf("%s is taken as %v", config, tier)
		}
		if s, ok := spec.(*Tool); ok && s.Tool == "wipe" && tier != auth.High {
			t.Fatalf("%s is taken as %v", config, tier)
		}
	})
}

func someConnection(name string) (*workflow.Connection, bool) {
	switch name {
	case "go":
		c := &CLIConnection{Command: "go"}
		return &workflow.Connection{Name: name, Kind: kindCLI, Tier: auth.Medium, Spec: c}, c.CheckConnection("/") == nil
	case "api":
		c := &RESTConnection{BaseURL: "https://api.example/v1"}
		return &workflow.Connection{Name: name, Kind: kindREST, Tier: auth.Medium, Spec: c}, c.CheckConnection("/") == nil
	}
	return nil, false
}

func someTool(name string) (auth.Tier, bool) {
	tier, ok := map[string]auth.Tier{"clock": auth.Low, "note_create": auth.Medium, "wipe": auth.High}[name]
	return tier, ok
}

// FuzzConnection: a connection that is taken leads to one place that is written out, and brings no header that frames a
// message.
func FuzzConnection(f *testing.F) {
	for _, config := range []string{
		`{"baseUrl":"https://api.example/v1","headers":{"Authorization":"Bearer ${env:T}"}}`, `{"baseUrl":"http://u:p@h/"}`, `{"baseUrl":"https://h/a/../b"}`,
		`{"baseUrl":"https://h?x"}`, `{"baseUrl":"file:///etc"}`, `{"baseUrl":"https://h","headers":{"Host":"x"}}`, `{"baseUrl":"https://h","headers":{"a_b":"1","A-B":"2"}}`, `{"baseUrl":"https://h","headers":{"X":"a\r\nb"}}`,
	} {
		f.Add([]byte(config))
	}
	f.Fuzz(func(t *testing.T, config []byte) {
		s := &RESTConnection{}
		if json.Unmarshal(config, s, json.RejectUnknownMembers(true)) != nil || s.CheckConnection("/") != nil {
			return
		}
		u, err := url.Parse(s.BaseURL)
		if err != nil || s.base == nil || s.base.Host != u.Host || u.User != nil || u.RawQuery != "" || !downward(s.base.EscapedPath()) {
			t.Fatalf("%s leads to %v, %v", config, s.base, err)
		}
		seen := map[string]bool{}
		for _, h := range s.headers {
			key := headerKey(h.name)
			if seen[key] || !isToken(h.name) || key == "Host" || key == "Content-Length" || key == "Transfer-Encoding" {
				t.Fatalf("%s brings %s", config, h.name)
			}
			seen[key] = true
		}
	})
}

// FuzzStatic: a round that is taken answers any arguments: twice the same, within its bound, and with what the caller
// sent where a place stands and nowhere scanned again; or with a sentence for the caller.
func FuzzStatic(f *testing.F) {
	for _, round := range []string{
		`{"content":[{"type":"text","text":"Hi {{ $.arguments.who }}"}]}`, `{"structured":{"a":"{{ $.arguments.n }}","b":["x{{ $.arguments }}"]}}`,
		`{"content":[{"type":"resource","resource":{"uri":"u","blob":"cG5n"}},{"type":"image","data":"cG5n","mimeType":"image/png"}],"isError":true}`,
		`{"protocolError":{"code":-1,"message":"{{ $.arguments.who }}"}}`, `{"content":[],"structured":{"n":12345678901234567890}}`, `{"ask":{}}`,
	} {
		f.Add([]byte(round), []byte(`{"who":"{{ $.arguments.who }}","n":1e20}`))
	}
	f.Fuzz(func(t *testing.T, config, arguments []byte) {
		var r Round
		if json.Unmarshal(config, &r, json.RejectUnknownMembers(true)) != nil || r.DelayMs != nil || r.Progress != nil || jsontext.Value(arguments).Kind() != '{' || !jsontext.Value(arguments).IsValid() {
			return
		}
		play, found := (&Static{Rounds: []Round{r}}).Compile(&tools.Tool{})
		if (play == nil) != (found != nil) {
			t.Fatalf("%s: %v", config, found)
		}
		if play == nil {
			return
		}
		first, err := play(context.Background(), &tools.Call{Arguments: arguments, Progress: func(tools.Progress) {}})
		second, errAgain := play(context.Background(), &tools.Call{Arguments: arguments, Progress: func(tools.Progress) {}})
		if (err == nil) != (errAgain == nil) || err == nil && !reflect.DeepEqual(first, second) {
			t.Fatalf("%s for %s: %+v, %v, and then %+v, %v", config, arguments, first, err, second, errAgain)
		}
		var own *tools.Error
		var protocol *tools.ProtocolError
		if err != nil && !errors.As(err, &own) && !errors.As(err, &protocol) {
			t.Fatalf("%s for %s: %v", config, arguments, err)
		}
		if err == nil && (len(first.Content) != len(r.Content) || first.Structured != nil && !first.Structured.IsValid()) {
			t.Fatalf("%s for %s: %+v", config, arguments, first)
		}
	})
}

// FuzzDelay: a delay that is taken is from nothing to a day, whatever the arguments are.
func FuzzDelay(f *testing.F) {
	for _, raw := range []string{`0`, `20`, `-1`, `1e9`, `86400000`, `{"path":"$.arguments.s","factor":1000}`, `{"path":"$.arguments.s","factor":1e-300}`, `{"path":"$.context.s"}`, `"5"`, `1e400`} {
		f.Add([]byte(raw), []byte(`{"s":0.5}`))
	}
	f.Fuzz(func(t *testing.T, raw, arguments []byte) {
		if !jsontext.Value(raw).IsValid() {
			return
		}
		c := &compiling{}
		d := c.delay(raw, "/delayMs")
		var given map[string]any
		if c.found != nil || json.Unmarshal(arguments, &given) != nil {
			return
		}
		if over, err := newFilling(given).delay(d); err == nil && (over < 0 || over > 24*time.Hour) {
			t.Fatalf("%s takes %v for %s", raw, over, arguments)
		}
	})
}
