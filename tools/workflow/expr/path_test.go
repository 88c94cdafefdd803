package expr_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/tools/workflow/expr"
)

// TestPaths: one syntax, its canonical spelling, and where each path leads.
func TestPaths(t *testing.T) {
	t.Parallel()
	env := world(t)
	nowhere := struct{}{}
	for _, tt := range []struct {
		text, spelled, slot string
		want                any
	}{
		{"$.context.n", "$.context.n", "n", 5.0},
		{"$.context.o.a.b[1]", "$.context.o.a.b[1]", "o", 20.0},
		{"$.context.o.a.b.1", "$.context.o.a.b[1]", "o", 20.0},
		{"$.context.o.a.b[2].c", "$.context.o.a.b[2].c", "o", "deep"},
		{`$.context["o"]["two words"]`, `$.context.o["two words"]`, "o", 1.0},
		{`$.context.o['two words']`, `$.context.o["two words"]`, "o", 1.0},
		{"$.context.größe", "$.context.größe", "größe", 3.0},
		{"$.context.a-b", "$.context.a-b", "a-b", 1.0},
		{"$.context.0", "$.context[0]", "0", "zero"},
		{"$.context[0]", "$.context[0]", "0", "zero"},
		{`$.context["0"]`, "$.context[0]", "0", "zero"},
		{"$.context.nothing", "$.context.nothing", "nothing", nil},
		{"$.context.nothing.x", "$.context.nothing.x", "nothing", nowhere},
		{"$.context.ghost", "$.context.ghost", "ghost", nowhere},
		{`$.context[""]`, `$.context[""]`, "", nowhere},
		{"$.context.n.x", "$.context.n.x", "n", nowhere},
		{"$.context.word[0]", "$.context.word[0]", "word", nowhere},
		{"$.context.o.a.b[3]", "$.context.o.a.b[3]", "o", nowhere},
		{"$.context.o.a.b.01", "$.context.o.a.b.01", "o", nowhere},
		{"$.context.o.a.b.length", "$.context.o.a.b.length", "o", nowhere},
		{"$.context.o.a.b[99999999999999999999]", "", "", nil},
		{"$.context.o.a.b.99999999999999999999", "$.context.o.a.b.99999999999999999999", "o", nowhere},
		{`$.context["*"]`, `$.context["*"]`, "*", nowhere},
		{"$.arguments.list[1]", "$.arguments.list[1]", "", 2.0},
		{"$.arguments.null", "$.arguments.null", "", nil},
		{"$.workflow.input.user.name", "$.workflow.input.user.name", "", "bob"},
		{"$.workflow.id", "$.workflow.id", "", "wf_1"},
		{"$.workflow.state", "$.workflow.state", "", "review"},
		{"$.workflow.version", "$.workflow.version", "", 4.0},
		{"$.run.repo_root", "$.run.repo_root", "", nowhere},
		{"$.run", "$.run", "", nowhere},
		{"$.answers.q.yes", "$.answers.q.yes", "", true},
		{"$.output.items[0].id", "$.output.items[0].id", "", 1.0},
		{"$", "$.output", "", env.Output},
		{"$.output", "$.output", "", env.Output},
		{"$.context", "$.context", "", env.Context},
		{"$.arguments", "$.arguments", "", env.Arguments},
		{"$.workflow.input", "$.workflow.input", "", env.Input},
	} {
		p, err := expr.ParsePath(tt.text, all)
		if tt.spelled == "" {
			if err == nil {
				t.Errorf("%s was taken", tt.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		got, ok := p.Of(env)
		if !ok {
			got = nowhere
		}
		if diff := cmp.Diff([]any{tt.spelled, tt.slot, tt.want}, []any{p.String(), p.Slot(), got}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

// TestPathParts: the root and the steps of a path, and of none.
func TestPathParts(t *testing.T) {
	t.Parallel()
	p, err := expr.ParsePath(`$.workflow.input.a.0["b c"]`, expr.Input)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{expr.Input, []string{"a", "0", "b c"}, false}, []any{p.Root(), p.Steps(), p.IsZero()}); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var zero expr.Path
	if _, ok := zero.Of(world(t)); ok || !zero.IsZero() || zero.String() != "" || zero.Root() != 0 || zero.Slot() != "" || len(zero.Steps()) != 0 {
		t.Errorf("the zero path: %#v", zero)
	}
}

// TestPathErrors: what is no path, where, and what the message says.
func TestPathErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		roots expr.Roots
		at    int
		says  string
	}{
		{"", expr.Context, 0, `"" must begin with $.context`},
		{"context.a", expr.Context, 0, `"context.a" must begin with $.context`},
		{"$.input.mode", expr.Context | expr.Input, 0, `"$.input.mode" must begin with $.context or $.workflow.input`},
		{"$.contextual.a", expr.Context, 0, "must begin with $.context"},
		{"$.output.a", inGuards, 0, "$.context, $.arguments, $.workflow.input, $.workflow.id, $.workflow.state, $.workflow.version or $.run"},
		{"$", inGuards, 0, "must begin with"},
		{"$$", all, 0, "must begin with"},
		{"$.", all, 0, "must begin with"},
		{"$a", all, 0, "must begin with"},
		{"$.workflow", all, 0, "must begin with"},
		{"$.workflow.name", all, 0, "must begin with"},
		{"$.workflow.id.x", all, 13, "$.workflow.id has nothing within"},
		{"$.context.", all, 9, "names of letters"},
		{"$.context..a", all, 9, "names of letters"},
		{"$.context.a b", all, 11, "names of letters"},
		{"$.context.a/b", all, 11, "names of letters"},
		{"$.context.a ", all, 11, "names of letters"},
		{" $.context.a", all, 0, "must begin with"},
		{"$.context.\xff", all, 9, "names of letters"},
		{"$.context.a[", all, 11, "a number between its brackets"},
		{"$.context.a[]", all, 11, "a number between its brackets"},
		{"$.context.a[-1]", all, 11, "a number between its brackets"},
		{"$.context.a[01]", all, 11, "a number between its brackets"},
		{"$.context.a[b]", all, 11, "a number between its brackets"},
		{"$.context.a[ 1 ]", all, 11, "a number between its brackets"},
		{`$.context["a`, all, 9, "a JSON string"},
		{`$.context["a"`, all, 9, "with ] after it"},
		{`$.context["a" ]`, all, 9, "with ] after it"},
		{`$.context["\x"]`, all, 9, "a JSON string"},
		{"$.context['a\xff']", all, 9, "a JSON string"},
		{"$.context['a]", all, 9, "' marks"},
		{"$.context.a[*]", all, 11, "[*] belongs in a mapping only"},
		{"$.context" + strings.Repeat(".a", 33), all, 9 + 2*32, "more than 32 steps"},
		{"$.context." + strings.Repeat("a", 11_000), all, 10240, "longer than 10240 bytes"},
	} {
		_, err := expr.ParsePath(tt.text, tt.roots)
		if err == nil {
			t.Errorf("%s was taken", tt.text)
			continue
		}
		if at := offset(t, err); at != tt.at || !strings.Contains(err.Error(), tt.says) || len(err.Error()) > 300 {
			t.Errorf("%.60s: %v\nwant %q at %d", tt.text, err, tt.says, tt.at)
		}
	}
}
