package expr_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"prax/tools/workflow/expr"
)

// TestTemplates: what each template renders to.
func TestTemplates(t *testing.T) {
	t.Parallel()
	env := world(t)
	for template, want := range map[string]string{
		"": "",
		"no place, } and { and }} and $.context.n":                            "no place, } and { and }} and $.context.n",
		"Hi {{ $.workflow.input.user.name }}!":                                "Hi bob!",
		"{{$.context.n}}{{\n$.context.f\t}}":                                  "51.5",
		"{{ $.workflow.id }} {{ $.workflow.state }} {{ $.workflow.version }}": "wf_1 review 4",
		"{{ $.context.yes }} {{ $.context.nothing }}":                         "true (null)",
		"{{ $.context.ghost }} {{ $.context.o.a.ghost }}":                     "(ghost: unset) (ghost: unset)",
		"{{ $.context.o.a.b[7] }} {{ $.run.repo_root }} {{ $.run }}":          "(7: unset) (repo_root: unset) (run: unset)",
		"{{ $.arguments.list }} {{ $.workflow.input }}":                       `[1,2] {"ok":1,"user":{"name":"bob"}}`,
		`{{ $.context.o["two words"] }} {{ $.context['n'] }}`:                 "1 5",
		`{{ $.context["}}"] }} {{ $.context['}}'] }}`:                         "(}}: unset) (}}: unset)",
		"{{ $.context.like }}":                                                "{{ $.context.n }}", // never read again
		`{{ "{{" }} $.context.n {{ "}}" }}`:                                   "{{ $.context.n }}",
		`{{ "a\"}}\u0062" }}{{ "" }}`:                                         `a"}}b`,
		"{{{ }}}":                                                             "",
	} {
		tmpl, err := expr.ParseTemplate(template, all)
		if template == "{{{ }}}" {
			if err == nil {
				t.Errorf("%s was taken", template)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", template, err)
			continue
		}
		if got := tmpl.Render(env); got != want || tmpl.String() != template || tmpl.IsZero() != (want == "") {
			t.Errorf("%s\nis   %q\nwant %q", template, got, want)
		}
	}
}

// TestTemplateFacts: its places, its text if it has none, and its path if that is all.
func TestTemplateFacts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ template, paths, literal, sole string }{
		{"", "", "", "-"},
		{"plain", "", "plain", "-"},
		{`{{ "{{" }}x`, "", "{{x", "-"},
		{"{{ $.context.a }}", "$.context.a", "-", "$.context.a"},
		{" {{ $.context.a }}", "$.context.a", "-", "-"},
		{"{{ $.context.b }}{{ $.context.a }}{{ $.context.b }}", "$.context.b $.context.a", "-", "-"},
	} {
		tmpl, err := expr.ParseTemplate(tt.template, all)
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, p := range tmpl.Paths() {
			paths = append(paths, p.String())
		}
		literal, fixed := tmpl.Literal()
		if !fixed {
			literal += "-"
		}
		sole := "-"
		if p, ok := tmpl.Sole(); ok {
			sole = p.String()
		}
		if diff := cmp.Diff([]string{tt.paths, tt.literal, tt.sole}, []string{strings.Join(paths, " "), literal, sole}); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.template, diff)
		}
	}
}

// TestTemplateErrors: what is no template, where, and what the message says.
func TestTemplateErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		template string
		at       int
		says     string
	}{
		{"ab {{ $.context.a", 3, "without its }}"},
		{"ab {{", 3, "without its }}"},
		{`ab {{ "x`, 3, "without its }}"},
		{`ab {{ "x}} `, 6, "a JSON string"},
		{`{{ "\x" }}`, 3, "a JSON string"},
		{`{{ "x" y }}`, 7, "a JSON string, with nothing behind it"},
		{"{{}}", 2, "must begin with $.context"},
		{"{{   }}", 5, "must begin with $.context"},
		{"{{ name }}", 3, `"name" must begin with $.context`},
		{"{{ $.arguments.a }}", 3, `"$.arguments.a" must begin with $.context`},
		{"{{ $.context.a b }}", 15, "names of letters"},
		{"{{ $.context.a | upper }}", 15, "names of letters"},
		{"{{ $.context. }}", 12, "names of letters"},
		{"{{ $.context.a[*] }}", 14, "[*] belongs in a mapping only"},
		{"{{ $.context.a } }", 0, "without its }}"},
		{"{{ {{ $.context.a }} }}", 3, "must begin with"},
		{"ab\xff", 2, "not UTF-8"},
	} {
		_, err := expr.ParseTemplate(tt.template, expr.Context)
		if err == nil {
			t.Errorf("%s was taken", tt.template)
			continue
		}
		if at := offset(t, err); at != tt.at || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v\nwant %q at %d", tt.template, err, tt.says, tt.at)
		}
	}
}

// TestRenderedIsBounded: what is rendered is cut at the bound, between characters, and says so.
func TestRenderedIsBounded(t *testing.T) {
	t.Parallel()
	env := expr.Env{Context: map[string]any{"a": strings.Repeat("ä", 1<<19), "b": strings.Repeat("x", 1000)}}
	for _, template := range []string{
		"{{ $.context.a }}", "x{{ $.context.a }}", "{{ $.context }}", strings.Repeat("{{ $.context.b }}", 100), strings.Repeat("ö", 1<<17),
	} {
		tmpl, err := expr.ParseTemplate(template, all)
		if err != nil {
			t.Fatal(err)
		}
		got := tmpl.Render(env)
		if len(got) > expr.MaxRendered || len(got) < expr.MaxRendered-utf8.UTFMax || !utf8.ValidString(got) || !strings.HasSuffix(got, "…") {
			t.Errorf("%.20s: %d bytes", template, len(got))
		}
	}
	tmpl, err := expr.ParseTemplate("<{{ $.context.b }}>", all)
	if err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int]string{2000: "<" + strings.Repeat("x", 1000) + ">", 1002: "<" + strings.Repeat("x", 1000) + ">", 1001: "<" + strings.Repeat("x", 997) + "…", 4: "<…", 3: "…", 2: "", 0: "", -1: ""} {
		if got, fits := tmpl.RenderWithin(env, limit); got != want || fits != (limit >= 1002) {
			t.Errorf("within %d: %q, %v", limit, got, fits)
		}
	}
}
