package expr_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"prax/tools/workflow/expr"
)

// placed fails unless an error names a position within the text, in a message that can be shown.
func placed(t *testing.T, text string, err error) {
	t.Helper()
	var e *expr.Error
	if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) || e.Text == "" || len(e.Text) > 400 || !utf8.ValidString(err.Error()) {
		t.Fatalf("%q: %v", text, err)
	}
}

// FuzzPath: any text is a path with a stable spelling that leads to the same, or an error with a position.
func FuzzPath(f *testing.F) {
	for _, text := range []string{"$.context.a.b[0]", `$.context["a b"]['c'].0`, "$", "$.output[1]", "$.workflow.version", "$.run.x", "$.context.größe", "$.context[*]", "$.context[", "$.answers.a-b", `$.context["\ud800"]`} {
		f.Add(text)
	}
	env := world(f)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := expr.ParsePath(text, all)
		if err != nil {
			placed(t, text, err)
			return
		}
		again, err := expr.ParsePath(p.String(), all)
		if err != nil || again.String() != p.String() || again.Root() != p.Root() || again.Slot() != p.Slot() || len(p.Steps()) > expr.MaxSteps {
			t.Fatalf("%q is spelled %q, and then %q: %v", text, p, again, err)
		}
		_, there := p.Of(env)
		if _, still := again.Of(env); there != still {
			t.Fatalf("%q leads somewhere: %v; %q: %v", text, there, again, still)
		}
	})
}

// FuzzGuard: any text is a guard with a stable spelling of the same truth, or an error with a position.
func FuzzGuard(f *testing.F) {
	for _, text := range []string{"$.context.n >= 5 and not ($.context.word in ['abc', 'x'] or exists($.arguments.y))", "len($.context.tags)==4", `"a" starts_with 'a'`,
		"1 < 2 < 3", "((((1 == 1))))", "not not not 1 == 1", "$.context.ghost == null", "'it''s' contains \"'\"", "-1e5 != .5", "&& || = !", "1 in [1,2,", strings.Repeat("(", 100), "größe == 1", "\x94", "1 == '\xe4'"} {
		f.Add(text)
	}
	env := world(f)
	f.Fuzz(func(t *testing.T, text string) {
		g, err := expr.ParseGuard(text, inGuards)
		if err != nil {
			placed(t, text, err)
			return
		}
		again, err := expr.ParseGuard(g.String(), inGuards)
		if err != nil && len(g.String()) > expr.MaxSource {
			return // the canonical form may be longer, of numbers for one
		}
		if err != nil || again.String() != g.String() {
			t.Fatalf("%q is spelled %q, and then %q: %v", text, g, again, err)
		}
		holds, unset := g.Eval(env)
		same, also := again.Eval(env)
		if holds != same || (unset == nil) != (also == nil) || len(g.Compared()) != len(again.Compared()) {
			t.Fatalf("%q is %v, %v; %q is %v, %v", text, holds, unset, again, same, also)
		}
	})
}

// FuzzMapping: any JSON is a mapping that makes JSON within the bounds, or an error.
func FuzzMapping(f *testing.F) {
	for _, text := range []string{`"$.output.items[*].sub[*].v"`, `{"add":["$.context.n",1]}`, `{"concat":["a",{"concat":["$"]},null]}`, `{"pick":{"from":"$.output.items","by":"id","eq":2}}`,
		`{"set":{"add":[1]}}`, `{"divide":[1,"$.context.ghost"]}`, `"$[0]"`, `{"multiply":[1e308,1e308]}`, `[{"add":[1,2]}]`, `"$.context.a b"`, `{"pick":{}}`} {
		f.Add([]byte(text))
	}
	env := world(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		var given any
		if json.Unmarshal(text, &given) != nil {
			return
		}
		m, err := expr.ParseMapping(given, all)
		if err != nil {
			if len(err.Error()) > 2000 {
				t.Fatalf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		v, err := m.Eval(env)
		if err != nil && !errors.Is(err, expr.ErrLarge) {
			t.Fatal(err)
		}
		if raw, err := json.Marshal(v); err != nil || len(raw) > 8*(expr.MaxText+32*expr.MaxValues) {
			t.Fatalf("%s makes %d bytes: %v", text, len(raw), err)
		}
		if _, always := m.Literal(); always != (len(m.Paths()) == 0) {
			t.Fatalf("%s reads %v and is a literal: %v", text, m.Paths(), always)
		}
	})
}

// FuzzTemplate: any text is a template that renders within the bound, to itself if it has no place, or an error with a
// position.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"a {{ $.context.n }} b", `{{ "{{" }}{{ "\u0062" }}`, "{{ $.context.like }}", "{{", "}}", `{{ $.context["}}"] }}`, "{{ $.context.a[*] }}", `{{ "x" y }}`, "{{{{ }}}}", "\x94"} {
		f.Add(text)
	}
	env := world(f)
	f.Fuzz(func(t *testing.T, text string) {
		tmpl, err := expr.ParseTemplate(text, all)
		if err != nil {
			placed(t, text, err)
			return
		}
		got := tmpl.Render(env)
		if len(got) > expr.MaxRendered || tmpl.String() != text {
			t.Fatalf("%q renders to %d bytes", text, len(got))
		}
		if !strings.Contains(text, "{{") && len(text) <= expr.MaxRendered && got != text {
			t.Fatalf("%q has no place and renders to %q", text, got)
		}
		if literal, fixed := tmpl.Literal(); fixed != (len(tmpl.Paths()) == 0) || fixed && len(literal) <= expr.MaxRendered && literal != got {
			t.Fatalf("%q is the text %q: %v; it renders to %q", text, literal, fixed, got)
		}
	})
}
