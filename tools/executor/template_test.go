package executor_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"prax/tools"
)

// TestTemplates: one path syntax, and what is shown of each kind of value.
func TestTemplates(t *testing.T) {
	t.Parallel()
	const args = `{"s":"text","n":1.50,"big":9007199254740992,"b":false,"z":null,"l":[10,{"k":"deep"}],"o":{"b":1,"a":"x"},"a-b_C":"odd","2":"two"}`
	for _, tt := range []struct{ template, want string }{
		{"", ""},
		{"no place, } and { and }}", "no place, } and { and }}"},
		{"{{$.arguments.s}}", "text"},
		{"<{{   $.arguments.s   }}{{ $.arguments.s }}>", "<texttext>"},
		{"{{ $.arguments.n }} {{ $.arguments.big }} {{ $.arguments.b }}", "1.5 9007199254740992 false"},
		{"{{ $.arguments.z }}", "(null)"},
		{"{{ $.arguments.none }} {{ $.arguments.s.none }} {{ $.arguments.l[7] }}", "(none: unset) (none: unset) (7: unset)"},
		{"{{ $.arguments.l[0] }} {{ $.arguments.l.0 }} {{ $.arguments.l[1].k }}", "10 10 deep"},
		{"{{ $.arguments.l[-1] }}", ""},
		{"{{ $.arguments.o }}", `{"a":"x","b":1}`},
		{"{{ $.arguments.l }}", `[10,{"k":"deep"}]`},
		{"{{ $.arguments.a-b_C }} {{ $.arguments.2 }} {{ $.arguments[2] }}", "odd two two"},
		{`{{ "{{" }} $.arguments.s {{ "}}" }}`, "{{ $.arguments.s }}"},
		{`{{ "a\"}}\u0062" }}`, `a"}}b`},
	} {
		if tt.want == "" && tt.template != "" { // refused
			if _, found := compile(t, &tools.Tool{}, `{'rounds':[`+text(tt.template)+`]}`); found == nil {
				t.Errorf("%s was taken", tt.template)
			}
			continue
		}
		res, err := play(t, text(tt.template), args)
		if err != nil || res.Content[0].Text != tt.want {
			t.Errorf("%s\ngives %q, %v\nwant  %q", tt.template, res.Content[0].Text, err, tt.want)
		}
	}
}

// TestCallerDataIsNotScanned: whatever a caller sends stands in the answer as it is, with braces, paths and quotes,
// in a text and by value in a structure.
func TestCallerDataIsNotScanned(t *testing.T) {
	t.Parallel()
	handler, found := compile(t, &tools.Tool{}, `{'rounds':[{'content':[{'type':'text','text':'<{{ $.arguments.a }}|{{ $.arguments.b }}>'}],'structured':{'a':'{{ $.arguments.a }}','ab':'{{ $.arguments.a }}{{ $.arguments.b }}'}}]}`)
	if found != nil {
		t.Fatal(found)
	}
	hostile := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOf(rapid.OneOf(
			rapid.SampledFrom([]string{"{{", "}}", "{", "}", "$.arguments", ".a", ".b", " ", `"`, `\`, "${file:/etc/passwd}", "{{ $.arguments.b }}", "\x00", "\r\n"}),
			rapid.String(),
		)).Draw(t, "pieces"), "")
	})
	rapid.Check(t, func(rt *rapid.T) {
		a, b := hostile.Draw(rt, "a"), hostile.Draw(rt, "b")
		raw, err := json.Marshal(map[string]string{"a": a, "b": b})
		if err != nil {
			return // not UTF-8: never gets this far
		}
		res, err := handler(t.Context(), &tools.Call{Arguments: raw, Progress: func(tools.Progress) {}})
		if err != nil {
			rt.Fatal(err)
		}
		if want := "<" + a + "|" + b + ">"; res.Content[0].Text != want {
			rt.Fatalf("text %q, want %q", res.Content[0].Text, want)
		}
		var structured struct{ A, Ab string }
		if err := json.Unmarshal(res.Structured, &structured, json.MatchCaseInsensitiveNames(true)); err != nil || structured.A != a || structured.Ab != a+b {
			rt.Fatalf("structured %s, %v", res.Structured, err)
		}
	})
}

// TestAnswersAreBounded: naming a large argument many times does not make an answer of any size.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("{{ $.arguments.a }}", 100)
	args := `{"a":"` + strings.Repeat("x", 100_000) + `"}`
	for name, round := range map[string]string{
		"text":      text(many),
		"structure": `{'structured':{'t':'` + many + `'}}`,
		"by value":  `{'structured':{'t':[` + strings.TrimSuffix(strings.Repeat(`'{{ $.arguments }}',`, 100), ",") + `]}}`,
		"message":   `{'protocolError':{'code':1,'message':'` + many + `'}}`,
		"uri":       `{'content':[{'type':'resource','resource':{'uri':'` + many + `','text':''}}]}`,
	} {
		_, err := play(t, round, args)
		var own *tools.Error
		if !errors.As(err, &own) || own.Code != tools.CodeInvalidArguments || !strings.Contains(own.Message, "4 MiB") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := play(t, text(strings.Repeat("{{ $.arguments.a }}", 40)), args); err != nil {
		t.Errorf("4 MB: %v", err)
	}
}
