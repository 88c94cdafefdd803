package expr_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/tools/workflow/expr"
)

// TestMappings: what each mapping makes. They are written as JSON with ~ for ".
func TestMappings(t *testing.T) {
	t.Parallel()
	env := world(t)
	for _, tt := range []struct {
		mapping string
		want    string // JSON with ~ for "
	}{
		// Paths.
		{`~$.context.n~`, `5`},
		{`~$.context.o.a.b.0~`, `10`},
		{`~$.context.o.a.b[0]~`, `10`},
		{`~$.arguments.text~`, `~x~`},
		{`~$.workflow.input.user~`, `{~name~:~bob~}`},
		{`~$.workflow.version~`, `4`},
		{`~$.output.code~`, `0`},
		{`~$~`, `{~items~:[{~id~:1,~tags~:[~a~,~b~],~sub~:[{~v~:1},{~v~:2}]},{~id~:2,~tags~:[]},{~name~:~no id~}],~code~:0}`},
		{`~$.arguments~`, `{~n~:5, ~text~:~x~, ~null~:null, ~list~:[1,2]}`},
		{`~$['code']~`, `0`},
		{`~$.context.ghost~`, `null`},
		{`~$.context.n.deeper~`, `null`},
		{`~$.run.repo_root~`, `null`},

		// Projection.
		{`~$.output.items[*].id~`, `[1,2,null]`},
		{`~$.output.items[*]~`, `[{~id~:1,~tags~:[~a~,~b~],~sub~:[{~v~:1},{~v~:2}]},{~id~:2,~tags~:[]},{~name~:~no id~}]`},
		{`~$.output.items[*].sub[*].v~`, `[[1,2],null,null]`},
		{`~$.output.items[*].tags[*]~`, `[[~a~,~b~],[],null]`},
		{`~$.output.items[*].tags[0]~`, `[~a~,null,null]`},
		{`~$.output.code[*]~`, `null`},
		{`~$.output[*]~`, `null`},
		{`~$.context.none[*].x~`, `[]`},

		// Literals: everything else, as it is.
		{`~main~`, `~main~`},
		{`~~`, `~~`},
		{`~$5 fee~`, `~$5 fee~`},
		{`~a $.context.n~`, `~a $.context.n~`},
		{`~{{ $.context.n }}~`, `~{{ $.context.n }}~`},
		{`7`, `7`}, {`true`, `true`}, {`null`, `null`},
		{`[~$.context.n~]`, `[~$.context.n~]`},
		{`{~a~:~$.context.n~,~b~:1}`, `{~a~:~$.context.n~,~b~:1}`},
		{`{~a~:~$.context.n~}`, `{~a~:~$.context.n~}`},
		{`{}`, `{}`},
		{`{~add~:[1,2],~also~:1}`, `{~add~:[1,2],~also~:1}`},
		{`{~Add~:[1,2]}`, `{~Add~:[1,2]}`},
		{`{~set~:~$.context.n~}`, `~$.context.n~`},
		{`{~set~:{~add~:[1,2]}}`, `{~add~:[1,2]}`},
		{`{~set~:null}`, `null`},

		// Arithmetic.
		{`{~add~:[~$.context.n~,1]}`, `6`},
		{`{~add~:[~$.context.ghost~,1]}`, `1`},
		{`{~add~:[~$.context.nothing~,~$.context.ghost~]}`, `0`},
		{`{~subtract~:[1,~$.context.n~]}`, `-4`},
		{`{~multiply~:[~$.context.f~,~$.context.n~]}`, `7.5`},
		{`{~multiply~:[-1,~$.context.ghost~]}`, `0`},
		{`{~divide~:[~$.context.n~,2]}`, `2.5`},
		{`{~divide~:[~$.context.n~,0]}`, `null`},
		{`{~divide~:[~$.context.n~,~$.context.ghost~]}`, `null`},
		{`{~add~:[~$.context.word~,1]}`, `null`},
		{`{~add~:[~$.context.yes~,1]}`, `null`},
		{`{~add~:[~$.context.size~,1]}`, `null`},
		{`{~multiply~:[1e308,10]}`, `null`},
		{`{~add~:[{~multiply~:[~$.context.n~,2]},{~set~:1}]}`, `11`},

		// concat makes a text.
		{`{~concat~:[~n=~,~$.context.n~,~ f=~,~$.context.f~,~ yes=~,~$.context.yes~,~ ~,~$.context.ghost~,~ ~,~$.arguments.list~,~ ~,~$.workflow.input.user~]}`,
			`~n=5 f=1.5 yes=true null [1,2] {\~name\~:\~bob\~}~`},
		{`{~concat~:[]}`, `~~`},
		{`{~concat~:[{~add~:[1,2]},{~concat~:[~a~,~$.arguments.text~]}]}`, `~3ax~`},

		// pick finds an object in a list.
		{`{~pick~:{~from~:~$.output.items~,~by~:~id~,~eq~:2}}`, `{~id~:2,~tags~:[]}`},
		{`{~pick~:{~from~:~$.output.items~,~by~:~id~,~eq~:~$.workflow.input.ok~}}`, `{~id~:1,~tags~:[~a~,~b~],~sub~:[{~v~:1},{~v~:2}]}`},
		{`{~pick~:{~from~:~$.output.items~,~by~:~name~,~eq~:~no id~}}`, `{~name~:~no id~}`},
		{`{~pick~:{~from~:~$.output.items~,~by~:~id~,~eq~:9}}`, `null`},
		{`{~pick~:{~from~:~$.output.items~,~by~:~id~,~eq~:null}}`, `null`},
		{`{~pick~:{~from~:~$.output.code~,~by~:~id~,~eq~:1}}`, `null`},
		{`{~pick~:{~from~:~$.context.tags~,~by~:~a~,~eq~:1}}`, `{~a~:1}`},
		{`{~pick~:{~from~:[{~k~:~x~,~v~:1}],~by~:~k~,~eq~:~$.arguments.text~}}`, `{~k~:~x~,~v~:1}`},
	} {
		m, err := expr.ParseMapping(value(t, strings.ReplaceAll(tt.mapping, `\~`, `\"`)), all)
		if err != nil {
			t.Errorf("%s: %v", tt.mapping, err)
			continue
		}
		got, err := m.Eval(env)
		if diff := cmp.Diff(value(t, tt.want), got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tt.mapping, err, diff)
		}
	}
}

// TestMappingFacts: what a mapping reads, and whether it makes one value always.
func TestMappingFacts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mapping string
		paths   string
		literal any
	}{
		{`~x~`, "", "x"},
		{`{~set~:~$.context.n~}`, "", "$.context.n"},
		{`{~add~:[1,2]}`, "", 3.0},
		{`{~concat~:[~a~,1]}`, "", "a1"},
		{`{~divide~:[1,0]}`, "", nil},
		{`~$.context.n~`, "$.context.n", false},
		{`~$.run.x~`, "$.run.x", false},
		{`{~concat~:[~$.context.b~,{~add~:[~$.context.a~,~$.context.b~]}]}`, "$.context.b $.context.a", false},
		{`{~pick~:{~from~:~$.output.l[*].m~,~by~:~k~,~eq~:~$.arguments.k~}}`, "$.output.l[*].m $.arguments.k", false},
	} {
		m, err := expr.ParseMapping(value(t, tt.mapping), all)
		if err != nil {
			t.Errorf("%s: %v", tt.mapping, err)
			continue
		}
		var paths []string
		for _, p := range m.Paths() {
			paths = append(paths, p.String())
		}
		literal, always := m.Literal()
		if !always {
			literal = false
		}
		if diff := cmp.Diff([]any{tt.paths, tt.literal}, []any{strings.Join(paths, " "), literal}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.mapping, diff)
		}
	}
	var zero expr.Mapping
	if v, err := zero.Eval(world(t)); v != nil || err != nil {
		t.Errorf("the zero mapping: %v, %v", v, err)
	}
}

// TestMappingErrors: what is no mapping is told when it is parsed: an operator that is not used as it must be, or
// a path.
func TestMappingErrors(t *testing.T) {
	t.Parallel()
	const prefill = all &^ expr.Output
	for _, tt := range []struct {
		mapping string
		op      string // of the *expr.Operator, "" for an *expr.Error
		says    string
	}{
		{`{~add~:1}`, "add", "add needs a list of two operands"},
		{`{~add~:[1]}`, "add", "add needs a list of two operands"},
		{`{~divide~:[1,2,3]}`, "divide", "divide needs a list of two operands"},
		{`{~add~:[1,~one~]}`, "add", "add needs a number, a path or another operator as operand 2"},
		{`{~multiply~:[null,1]}`, "multiply", "as operand 1"},
		{`{~subtract~:[[],1]}`, "subtract", "as operand 1"},
		{`{~add~:[{~set~:~1~},1]}`, "add", "as operand 1"},
		{`{~concat~:~a~}`, "concat", "concat needs a list"},
		{`{~concat~:[~a~,{~add~:[1]}]}`, "add", "concat: operand 2: add needs"},
		{`{~pick~:~$.context.o~}`, "pick", "pick needs from"},
		{`{~pick~:{~from~:~$.context.o~,~by~:~a~}}`, "pick", "pick needs from"},
		{`{~pick~:{~from~:~$.context.o~,~by~:1,~eq~:1}}`, "pick", "pick needs from"},
		{`{~pick~:{~from~:~$.context.o~,~by~:~a~,~eq~:1,~ne~:2}}`, "pick", "pick needs from"},
		{`{~pick~:{~from~:~items~,~by~:~a~,~eq~:1}}`, "pick", "pick needs from"},
		{`~$.input.x~`, "", `"$.input.x" must begin with`},
		{`~$.output.x~`, "", `"$.output.x" must begin with`},
		{`~$~`, "", `"$" must begin with`},
		{`~$[0]~`, "", `"$" must begin with`},
		{`~$.context.a b~`, "", "at 11: the steps of a path"},
		{`~$.context.a + 1~`, "", "at 11: the steps of a path"},
		{`~$.context.a == 1~`, "", "at 11: the steps of a path"},
		{`{~concat~:[~a~,~$.context.a[~]}`, "", "concat: operand 2: at 11: a path must have a number"},
	} {
		_, err := expr.ParseMapping(value(t, tt.mapping), prefill)
		if err == nil {
			t.Errorf("%s was taken", tt.mapping)
			continue
		}
		var op *expr.Operator
		var at *expr.Error
		if isOp := errors.As(err, &op); isOp != (tt.op != "") || isOp && op.Name != tt.op || !isOp && !errors.As(err, &at) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.mapping, err, tt.says)
		}
	}
	for _, v := range []any{math.NaN(), math.Inf(1), 7, []any{int64(1)}, map[string]any{"a": struct{}{}}, map[string]any{"set": t}} {
		if _, err := expr.ParseMapping(v, all); err == nil {
			t.Errorf("%v, which is no JSON, was taken", v)
		}
	}
}

// TestMappingBounds: neither a mapping nor what it makes grows beyond any use.
func TestMappingBounds(t *testing.T) {
	t.Parallel()
	list := func(n int, one any) []any {
		made := make([]any, n)
		for i := range made {
			made[i] = one
		}
		return made
	}
	deep := any("x")
	for range 65 {
		deep = map[string]any{"concat": []any{deep}}
	}
	for name, v := range map[string]any{
		"65 operators deep":       deep,
		"1,001 operands":          map[string]any{"concat": list(1000, "x")},
		"a literal of 5 MiB":      strings.Repeat("x", 5<<20),
		"a literal of many":       list(100_000, 1.0),
		"a constant of 5 MiB":     map[string]any{"concat": list(100, strings.Repeat("x", 50<<10))},
		"a set of 5 MiB of names": map[string]any{"set": map[string]any{strings.Repeat("x", 5<<20): 1.0}},
	} {
		if _, err := expr.ParseMapping(v, all); err == nil {
			t.Errorf("%s was taken", name)
		}
	}

	megabyte := strings.Repeat("x", 1<<20)
	env := expr.Env{Output: map[string]any{"text": megabyte, "flat": list(99_999, 1.0), "full": list(100_000, 1.0),
		"nested": list(1000, map[string]any{"inner": list(1000, nil)})}}
	for _, tt := range []struct {
		name    string
		mapping any
		fits    bool
	}{
		{"1 MiB", "$.output.text", true},
		{"4 MiB", map[string]any{"concat": list(4, "$.output.text")}, true},
		{"4 MiB and a byte", map[string]any{"concat": append(list(4, "$.output.text"), "x")}, false},
		{"999 times 1 MiB", map[string]any{"concat": list(999, "$.output.text")}, false},
		{"nested too large", map[string]any{"concat": []any{map[string]any{"concat": list(5, "$.output.text")}}}, false},
		{"a sum of what is too large", map[string]any{"add": []any{map[string]any{"concat": list(5, "$.output.text")}, 1.0}}, false},
		{"100,000 values", "$.output.flat", true},
		{"100,001 values", "$.output.full", false},
		{"100,001 values projected", "$.output.full[*]", false},
		{"a million projected", "$.output.nested[*].inner[*]", false},
		{"a thousand of a million", "$.output.nested[*].inner[0]", true},
	} {
		m, err := expr.ParseMapping(tt.mapping, all)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		v, err := m.Eval(env)
		if tt.fits != (err == nil) || err != nil && (!errors.Is(err, expr.ErrLarge) || v != nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
