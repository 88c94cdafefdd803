package tools_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/tools"
)

const anyObject = `{"type":"object"}`

func fine(context.Context, *tools.Call) (*tools.Result, error) { return tools.Text("fine"), nil }

// tool is one that works, for tests to spoil.
func tool(name string, tier auth.Tier) *tools.Tool {
	return &tools.Tool{Name: name, Tier: tier, Input: jsontext.Value(anyObject), Handler: fine}
}

func principal(user string, allow ...string) auth.Principal {
	return auth.Principal{Client: user + "-agent", User: user, Allow: auth.Names(allow...), Generation: 7}
}

func names(list []*tools.Tool) []string {
	got := []string{}
	for _, t := range list {
		got = append(got, t.Name)
	}
	return got
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	spoil := func(f func(*tools.Tool)) *tools.Tool {
		made := tool("spoilt", auth.Low)
		f(made)
		return made
	}
	tests := []struct {
		name string
		list []*tools.Tool
		want string
	}{
		{"no tier", []*tools.Tool{spoil(func(t *tools.Tool) { t.Tier = auth.TierUnknown })}, "tier"},
		{"a tier beyond high", []*tools.Tool{spoil(func(t *tools.Tool) { t.Tier = auth.High + 1 })}, "tier"},
		{"no handler", []*tools.Tool{spoil(func(t *tools.Tool) { t.Handler = nil })}, "handler"},
		{"no name", []*tools.Tool{spoil(func(t *tools.Tool) { t.Name = "" })}, "name"},
		{"a slash in the name", []*tools.Tool{spoil(func(t *tools.Tool) { t.Name = "a/b" })}, "name"},
		{"a long name", []*tools.Tool{spoil(func(t *tools.Tool) { t.Name = strings.Repeat("n", 65) })}, "name"},
		{"no input schema", []*tools.Tool{spoil(func(t *tools.Tool) { t.Input = nil })}, "input"},
		{"input of another type", []*tools.Tool{spoil(func(t *tools.Tool) { t.Input = jsontext.Value(`{"type":"array"}`) })}, "input"},
		{"input with a reference", []*tools.Tool{spoil(func(t *tools.Tool) {
			t.Input = jsontext.Value(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":true}}`)
		})}, "$ref"},
		{"composed output", []*tools.Tool{spoil(func(t *tools.Tool) { t.Output = jsontext.Value(`{"type":"object","anyOf":[true]}`) })}, "output"},
		{"a bad schema of a tool that decodes for itself", []*tools.Tool{spoil(func(t *tools.Tool) {
			t.Arguments, t.Input = tools.ByTool, jsontext.Value(`{"type":"object","properties":5}`)
		})}, "input"},
		{"the same name twice", []*tools.Tool{tool("a.b", auth.Low), tool("a.b", auth.Low)}, "a.b"},
		{"a name that looks the same", []*tools.Tool{tool("A-b", auth.Low), tool("a_B", auth.Low)}, "one name"},
		{"a name of another source", []*tools.Tool{tool("standing", auth.Low)}, "one name"},
		{"nil", []*tools.Tool{nil}, "nil"},
	}
	db := open(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := tools.NewRegistry(tools.Config{Store: db})
			set(t, r, "first", tool("Stan.ding", auth.Low))
			err := r.Set("second", append([]*tools.Tool{tool("good", auth.Low)}, tt.list...))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Set = %v, want an error about %q", err, tt.want)
			}
			if got := r.Generation(); got != 1 {
				t.Errorf("generation %d after a refusal, want 1", got)
			}
			if _, there := r.Find("good"); there {
				t.Error("a refused list left a tool behind")
			}
		})
	}
}

func set(t *testing.T, r *tools.Registry, source string, list ...*tools.Tool) {
	t.Helper()
	if err := r.Set(source, list); err != nil {
		t.Fatal(err)
	}
}

func TestSetReplacesASource(t *testing.T) {
	t.Parallel()
	r := tools.NewRegistry(tools.Config{Store: open(t)})
	all := principal("alice")
	all.Allow = auth.Everything()
	set(t, r, "one", tool("b", auth.Low), tool("danger", auth.High))
	set(t, r, "two", tool("c.d", auth.Medium))
	changed := r.Changed()
	set(t, r, "one", tool("a", auth.Low))
	select {
	case <-changed:
	default:
		t.Error("Changed was not closed by another generation")
	}
	if diff := cmp.Diff([]string{"a", "c.d"}, names(r.List(all))); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if got := r.Generation(); got != 3 {
		t.Errorf("generation %d, want 3", got)
	}
	if tier, ok := r.Tier("c_d"); !ok || tier != auth.Medium {
		t.Errorf("Tier of the other spelling = %v, %v", tier, ok)
	}
	if tier, ok := r.Tier("b"); ok || tier != auth.TierUnknown {
		t.Errorf("Tier of a tool that has gone = %v, %v", tier, ok)
	}
}

func TestHighIsKeptAndNeverExposed(t *testing.T) {
	t.Parallel()
	r := tools.NewRegistry(tools.Config{Store: open(t)})
	set(t, r, "one", tool("danger", auth.High))
	all := principal("alice", "danger")
	if tier, ok := r.Tier("danger"); !ok || tier != auth.High {
		t.Errorf("Tier = %v, %v, want high", tier, ok)
	}
	if list := r.List(all); len(list) != 0 || list == nil {
		t.Errorf("List = %v, want empty and not nil", list)
	}
	if d := r.Decide(all, "danger"); d.OK {
		t.Errorf("Decide = %+v", d)
	}
}

// TestLaw1ListedIffCallable: in any catalogue, for any allowlist and either spelling, a tool is
// listed exactly if calling it reaches its handler, and all that is not reached answers the same.
func TestLaw1ListedIffCallable(t *testing.T) {
	t.Parallel()
	db := open(t)
	pool := []string{"a", "b.c", "b.d", "e_f", "g-h", "i.j.k", "praxec.query", "z"}
	rapid.Check(t, func(t *rapid.T) {
		reached := ""
		r := tools.NewRegistry(tools.Config{Store: db})
		var list []*tools.Tool
		exposed := map[string]bool{}
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(pool), rapid.ID).Draw(t, "catalogue") {
			made := tool(name, auth.Tier(rapid.IntRange(1, 3).Draw(t, "tier")))
			made.Handler = func(context.Context, *tools.Call) (*tools.Result, error) {
				reached = name
				return tools.Text(name), nil
			}
			list = append(list, made)
			exposed[name] = made.Tier != auth.High
		}
		if err := r.Set("one", list); err != nil {
			t.Fatal(err)
		}
		spelled := rapid.Custom(func(t *rapid.T) string {
			return tools.Spelling(rapid.SampledFrom(pool).Draw(t, "name"), auth.Spelling(rapid.IntRange(0, 1).Draw(t, "spelling")))
		})
		granted := rapid.SliceOf(spelled).Draw(t, "allow")
		p := principal("alice", granted...)
		listed := map[string]bool{}
		for _, l := range r.List(p) {
			listed[l.Name] = true
		}
		for _, name := range pool {
			may := exposed[name] && (slices.Contains(granted, name) || slices.Contains(granted, tools.Spelling(name, auth.Underscore)))
			if may != listed[name] {
				t.Fatalf("%s: listed %v, want %v", name, listed[name], may)
			}
			for _, asked := range []string{name, tools.Spelling(name, auth.Underscore)} {
				reached = ""
				_, err := r.Call(t.Context(), &tools.Call{Principal: p, Name: asked})
				if listed[name] != (reached == name) || listed[name] != r.Decide(p, asked).OK {
					t.Fatalf("%s asked as %s: listed %v, reached %q, decided %v", name, asked, listed[name], reached, r.Decide(p, asked))
				}
				if !listed[name] && !errors.Is(err, tools.ErrUnknownTool) {
					t.Fatalf("%s: error %v", asked, err)
				}
			}
		}
	})
}

func TestSpelling(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		s    auth.Spelling
		want string
	}{
		{"praxec.query", auth.Dot, "praxec.query"},
		{"praxec.query", auth.Underscore, "praxec_query"},
		{"a.b.c", auth.Underscore, "a_b_c"},
		{"note_create", auth.Underscore, "note_create"},
	} {
		if got := tools.Spelling(tt.name, tt.s); got != tt.want {
			t.Errorf("Spelling(%q, %d) = %q, want %q", tt.name, tt.s, got, tt.want)
		}
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat(`{"a":`, n-1) + `{}` + strings.Repeat(`}`, n-1) }
	tests := []struct {
		name, given string
		want        string // what the handler gets; "" for a refusal
		about       string // in the refusal
	}{
		{"absent", "", "{}", ""},
		{"null", "null", "{}", ""},
		{"blanks around", " {\"a\":1}\n", `{"a":1}`, ""},
		{"an array", `[1]`, "", "an array"},
		{"a string", `"{}"`, "", "a string"},
		{"a number", `5`, "", "a number"},
		{"a boolean", `false`, "", "a boolean"},
		{"not JSON", `{"a":`, "", "JSON"},
		{"two objects", `{"a":1}{"b":2}`, "", "after the object"},
		{"trailing text", `{"a":1} x`, "", "after the object"},
		{"a name twice", `{"a":1,"a":2}`, "", "twice"},
		{"a name twice, within", `{"o":[{"a":1,"\u0061":2}]}`, "", "twice"},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "", "JSON"},
		{"NaN", `{"a":NaN}`, "", "JSON"},
		{"depth 64", deep(64), deep(64), ""},
		{"depth 65", deep(65), "", "64"},
		{"9,000 arrays", `{"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`, "", "64"},
		{"2^53", `{"a":9007199254740992}`, `{"a":9007199254740992}`, ""},
		{"-2^53", `{"a":[-9007199254740992]}`, `{"a":[-9007199254740992]}`, ""},
		{"2^53+1", `{"a":{"b/c":[9007199254740993]}}`, "", `/a/b~1c/0`},
		{"-2^53-1", `{"a":-9007199254740993}`, "", "2^53"},
		{"2^53+1 with a fraction", `{"a":9007199254740993.0}`, "", "2^53"},
		{"an integer of 10,000 digits", `{"a":` + strings.Repeat("9", 10000) + `}`, "", "range"},
		{"1e400", `{"a":1e400}`, "", "range"},
		{"a float on purpose", `{"a":1e20}`, `{"a":1e20}`, ""},
		{"0.1e-99999", `{"a":0.1e-99999}`, "", "range"},
		{"zero with an exponent", `{"a":-0.0e-99999}`, `{"a":-0.0e-99999}`, ""},
		{"a fraction", `{"a":0.25}`, `{"a":0.25}`, ""},
		{"100,000 names", `{"a":[` + strings.Repeat(`0,`, 100_000) + `0]}`, "", "50000"},
	}
	db := open(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			echo := tool("echo", auth.Low)
			echo.Handler = func(_ context.Context, c *tools.Call) (*tools.Result, error) {
				got = string(c.Arguments)
				return tools.Text("fine"), nil
			}
			r := tools.NewRegistry(tools.Config{Store: db})
			set(t, r, "one", echo)
			_, err := r.Call(t.Context(), &tools.Call{Principal: principal("alice", "echo"), Name: "echo", Arguments: jsontext.Value(tt.given)})
			if got != tt.want {
				t.Errorf("the handler got %.80q, want %.80q", got, tt.want)
			}
			if refused := errors.Is(err, tools.ErrArguments); refused != (tt.want == "") {
				t.Errorf("error %v", err)
			}
			if err != nil && !strings.Contains(err.Error(), tt.about) {
				t.Errorf("error %q says nothing about %q", err, tt.about)
			}
		})
	}
}

// TestRefusalComesFirst: bad arguments of a tool that the caller may not use answer as no tool at all.
func TestRefusalComesFirst(t *testing.T) {
	t.Parallel()
	r := tools.NewRegistry(tools.Config{Store: open(t)})
	set(t, r, "one", tool("granted", auth.Low), tool("other", auth.Low), tool("danger", auth.High))
	lapsed := principal("alice", "granted")
	lapsed.Expires = time.Now().Add(-time.Second)
	for name, p := range map[string]auth.Principal{
		"missing": principal("alice", "granted", "missing"), "other": principal("alice", "granted"),
		"danger": principal("alice", "danger"), "granted": lapsed,
	} {
		for _, arguments := range []string{"", `{}`, `[]`, `{"a":1,"a":2}`, `{`} {
			res, err := r.Call(t.Context(), &tools.Call{Principal: p, Name: name, Arguments: jsontext.Value(arguments)})
			if res != nil || err != tools.ErrUnknownTool { // the very same, without a word more
				t.Errorf("%s with %s: %v, %v", name, arguments, res, err)
			}
		}
	}
	if _, err := r.Call(t.Context(), &tools.Call{Name: "granted"}); !errors.Is(err, tools.ErrUnknownTool) {
		t.Errorf("nobody: %v", err)
	}
}

// TestSameCallManyTimes: nothing counts, tires or starves honest callers.
func TestSameCallManyTimes(t *testing.T) {
	t.Parallel()
	r := tools.NewRegistry(tools.Config{Store: open(t)})
	set(t, r, "one", tool("echo", auth.Low))
	for i := range 50 {
		p := principal(fmt.Sprint("user", i%5), "echo")
		res, err := r.Call(t.Context(), &tools.Call{Principal: p, Name: "echo"})
		if err != nil || res.IsError || res.Content[0].Text != "fine" {
			t.Fatalf("call %d: %v, %v", i, res, err)
		}
	}
}
