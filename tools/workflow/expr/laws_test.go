package expr_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"prax/tools/workflow/expr"
)

// names are members of contexts: few, so that paths find something.
var names = []string{"a", "b", "c", "0", "two words", "in", "x-y"}

// drawValue draws decoded JSON.
func drawValue(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 7).Draw(t, "kind")
	if depth == 0 {
		kind %= 6
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2, 3:
		return rapid.SampledFrom([]float64{-1, 0, 0.5, 1, 2, 1e300}).Draw(t, "number")
	case 4, 5:
		return rapid.SampledFrom([]string{"", "a", "ab", "b", "$.context.a", "{{ $.context.a }}", "' or 1 == 1", "1"}).Draw(t, "text")
	case 6:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	}
	return drawObject(t, depth-1)
}

func drawObject(t *rapid.T, depth int) map[string]any {
	object := map[string]any{}
	for _, name := range names {
		if rapid.Bool().Draw(t, "has "+name) {
			object[name] = drawValue(t, depth)
		}
	}
	return object
}

func drawEnv(t *rapid.T) expr.Env {
	return expr.Env{Context: drawObject(t, 2), Arguments: drawObject(t, 1), Input: drawObject(t, 1), Output: drawValue(t, 2), ID: "wf_1", State: "s", Version: 2}
}

// drawPath draws the text of a path that is allowed in a guard.
func drawPath(t *rapid.T) string {
	path := rapid.SampledFrom([]string{"$.context", "$.context", "$.arguments", "$.workflow.input"}).Draw(t, "root")
	for range rapid.IntRange(1, 3).Draw(t, "steps") {
		path += rapid.SampledFrom([]string{".a", ".b", ".c", "[0]", ".1", `["two words"]`, "['in']", ".in", ".x-y"}).Draw(t, "step")
	}
	return path
}

func drawOperand(t *rapid.T) string {
	switch rapid.IntRange(0, 3).Draw(t, "operand") {
	case 0:
		return drawLiteral(t)
	case 1:
		return "len(" + drawPath(t) + ")"
	}
	return drawPath(t)
}

func drawLiteral(t *rapid.T) string {
	return rapid.SampledFrom([]string{"1", "0.5", "-1e3", "'a'", `"it's"`, "''", "true", "false", "null", "[]", "['a', 1, null]", "'$.context.a'"}).Draw(t, "literal")
}

// drawGuard draws the text of a condition.
func drawGuard(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 7).Draw(t, "condition")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return "exists(" + drawPath(t) + ")"
	case 1:
		return drawOperand(t) + " in " + rapid.SampledFrom([]string{"$.context.a", "['a', 1]", "$.arguments.b"}).Draw(t, "in")
	case 2, 3:
		return drawOperand(t) + " " + rapid.SampledFrom([]string{"==", "!=", "<", "<=", ">", ">=", "starts_with", "contains"}).Draw(t, "operator") + " " + drawOperand(t)
	case 4:
		return "not " + drawGuard(t, 0)
	case 5:
		return "(" + drawGuard(t, depth-1) + ")"
	}
	return drawGuard(t, depth-1) + rapid.SampledFrom([]string{" and ", " or "}).Draw(t, "joint") + drawGuard(t, depth-1)
}

func parseGuard(t *rapid.T, text string) expr.Guard {
	g, err := expr.ParseGuard(text, inGuards)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return g
}

// truth is what a guard says: true, false, or neither.
func truth(t *rapid.T, text string, env expr.Env) string {
	g := parseGuard(t, text)
	holds, err := g.Eval(env)
	if err == nil {
		return fmt.Sprint(holds)
	}
	var unset *expr.Unset
	if !errors.As(err, &unset) || holds {
		t.Fatalf("%s: %v, %v", text, holds, err)
	}
	if !slices.ContainsFunc(g.Paths(), func(p expr.Path) bool { return p.String() == unset.Path && p.Root() == expr.Context }) {
		t.Fatalf("%s: unset is %s, which it does not read", text, unset.Path)
	}
	return "neither"
}

// TestGuardLaws: the canonical form is stable and means the same; de Morgan's laws, double negation and the orders of
// and and or hold, of what has no truth too; and nothing of it panics.
func TestGuardLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		env := drawEnv(t)
		a, b := drawGuard(t, 3), drawGuard(t, 2)
		spelled := parseGuard(t, a).String()
		if again := parseGuard(t, spelled).String(); again != spelled {
			t.Fatalf("%s\nis spelled %s\nand then   %s", a, spelled, again)
		}
		both, either := "("+a+") and ("+b+")", "("+a+") or ("+b+")"
		for _, same := range [][2]string{
			{a, spelled},
			{a, "not not (" + a + ")"},
			{"not (" + both + ")", "not (" + a + ") or not (" + b + ")"},
			{"not (" + either + ")", "not (" + a + ") and not (" + b + ")"},
			{both, "(" + b + ") and (" + a + ")"},
			{either, "(" + b + ") or (" + a + ")"},
			{a, "(" + a + ") and 1 == 1"},
			{a, "1 == 2 or (" + a + ")"},
		} {
			if x, y := truth(t, same[0], env), truth(t, same[1], env); x != y {
				t.Fatalf("%s is %s\n%s is %s", same[0], x, same[1], y)
			}
		}
	})
}

// TestEquality: == is what is equal in depth, != is the other, and neither is less.
func TestEquality(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawValue(t, 3)
		b := a
		if rapid.Bool().Draw(t, "another") {
			b = drawValue(t, 3)
		}
		env := expr.Env{Context: map[string]any{"a": a, "b": b, "l": []any{1.0, b}}}
		want := fmt.Sprint(reflect.DeepEqual(a, b))
		for _, text := range []string{"$.context.a == $.context.b", "not $.context.a != $.context.b", "$.context.b == $.context.a"} {
			if got := truth(t, text, env); got != want {
				t.Fatalf("%s of %#v and %#v is %s", text, a, b, got)
			}
		}
		if want == "true" && truth(t, "$.context.a in $.context.l and $.context.l contains $.context.a and not $.context.a < $.context.b", env) != "true" {
			t.Fatalf("%#v is not in a list of it", a)
		}
	})
}

// TestComparedHolds: what a checker is told that a guard compares is what it compares.
func TestComparedHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		env := drawEnv(t)
		l, r := drawPath(t), drawLiteral(t)
		if rapid.Bool().Draw(t, "len") {
			l = "len(" + l + ")"
		}
		if rapid.Bool().Draw(t, "turned") {
			l, r = r, l
		}
		text := l + rapid.SampledFrom([]string{" == ", " != ", " < ", " <= ", " > ", " >= ", " contains ", " starts_with "}).Draw(t, "operator") + r
		all := parseGuard(t, text).Compared()
		if len(all) != 1 {
			t.Fatalf("%s compares %v", text, all)
		}
		c := all[0]
		env.Answers = map[string]any{"literal": c.Literal}
		path, literal := c.Path.String(), "$.answers.literal"
		if c.Len {
			path = "len(" + path + ")"
		}
		if c.Swapped {
			path, literal = literal, path
		}
		told, err := expr.ParseGuard(path+" "+c.Op+" "+literal, withAnswers)
		if err != nil {
			t.Fatal(err)
		}
		x, xErr := parseGuard(t, text).Eval(env)
		y, yErr := told.Eval(env)
		if x != y || (xErr == nil) != (yErr == nil) {
			t.Fatalf("%s is %v, %v; %s with %#v is %v, %v", text, x, xErr, told, c.Literal, y, yErr)
		}
	})
}

const withAnswers = inGuards | expr.Answers

// TestPathLaws: any name can be written, a path finds what was put where it leads, and its canonical form leads
// there too.
func TestPathLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := "$.context"
		var steps []string
		v := any("treasure")
		for _, name := range rapid.SliceOfN(rapid.String(), 1, 8).Draw(t, "names") {
			quoted, err := jsontext.AppendQuote(nil, name)
			if err != nil {
				t.Skip("not UTF-8")
			}
			text += "[" + string(quoted) + "]"
			steps = append(steps, name)
		}
		for _, name := range slices.Backward(steps) {
			v = map[string]any{name: v}
		}
		env := expr.Env{Context: v.(map[string]any)}
		p, err := expr.ParsePath(text, expr.Context)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := expr.ParsePath(p.String(), expr.Context)
		if err != nil || again.String() != p.String() || !slices.Equal(again.Steps(), steps) || p.Slot() != steps[0] {
			t.Fatalf("%s is spelled %s, and then %s: %v", text, p, again, err)
		}
		for _, one := range []expr.Path{p, again} {
			if got, ok := one.Of(env); !ok || got != "treasure" {
				t.Fatalf("%s leads to %v", one, got)
			}
		}
	})
}

// hostile draws what a caller might send in the hope that it is read as more than a text.
var hostile = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOf(rapid.OneOf(
		rapid.SampledFrom([]string{"{{", "}}", "{", "}", "$", "$.context", ".secret", "{{ $.context.secret }}", "$.context.secret", `"`, "'", `\`, " or 1 == 1", " and ", "[*]", "\x00", "\r\n"}),
		rapid.String(),
	)).Draw(t, "pieces"), "")
})

// TestValuesAreNotScanned: whatever a value holds stays a value: in a template, in a mapping and in a guard.
func TestValuesAreNotScanned(t *testing.T) {
	t.Parallel()
	tmpl, err := expr.ParseTemplate("<{{ $.arguments.a }}|{{ $.arguments.b }}>", expr.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := expr.ParseMapping("$.arguments.a", expr.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	joined, err := expr.ParseMapping(map[string]any{"concat": []any{"$.arguments.a", "|", "$.arguments.b"}}, expr.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	guard, err := expr.ParseGuard("$.arguments.a == 'yes' or $.arguments.a == $.context.secret", inGuards)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := hostile.Draw(t, "a"), hostile.Draw(t, "b")
		env := expr.Env{Context: map[string]any{"secret": "s3cr3t"}, Arguments: map[string]any{"a": a, "b": b}}
		if got := tmpl.Render(env); got != "<"+a+"|"+b+">" {
			t.Fatalf("rendered %q of %q and %q", got, a, b)
		}
		if got, err := whole.Eval(env); got != a || err != nil {
			t.Fatalf("mapped %q to %q, %v", a, got, err)
		}
		if got, err := joined.Eval(env); got != a+"|"+b || err != nil {
			t.Fatalf("joined %q and %q to %q, %v", a, b, got, err)
		}
		if holds, err := guard.Eval(env); holds != (a == "yes" || a == "s3cr3t") || err != nil {
			t.Fatalf("%q passes: %v, %v", a, holds, err)
		}
	})
}

// TestNothingIsChanged: evaluating leaves the Env as it was.
func TestNothingIsChanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		env := drawEnv(t)
		before := canonical(t, env)
		truth(t, drawGuard(t, 3), env)
		for _, given := range []any{"$.output[*].a", "$.output", map[string]any{"concat": []any{drawPath(t), "$.context"}},
			map[string]any{"pick": map[string]any{"from": drawPath(t), "by": "a", "eq": drawPath(t)}}, map[string]any{"add": []any{drawPath(t), drawPath(t)}}} {
			m, err := expr.ParseMapping(given, inGuards|expr.Output)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Eval(env); err != nil {
				t.Fatalf("%v: %v", given, err)
			}
		}
		if after := canonical(t, env); after != before {
			t.Fatalf("was %s\nis  %s", before, after)
		}
	})
}

// canonical is an Env as text: the template writes members in order.
func canonical(t *rapid.T, env expr.Env) string {
	tmpl, err := expr.ParseTemplate("{{ $.context }}{{ $.arguments }}{{ $.workflow.input }}{{ $.output }}", inGuards|expr.Output)
	if err != nil {
		t.Fatal(err)
	}
	return tmpl.Render(env)
}
