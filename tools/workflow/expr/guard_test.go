package expr_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/tools/workflow/expr"
)

// TestGuards: what holds, and the canonical form of each guard.
func TestGuards(t *testing.T) {
	t.Parallel()
	env := world(t)
	for _, tt := range []struct {
		text    string
		want    bool
		spelled string // "" where it is the text
	}{
		// Comparisons as praxec has them.
		{"1 == 1", true, ""},
		{"1==1", true, "1 == 1"},
		{"1 != 2", true, ""},
		{"1 < 2", true, ""},
		{"2 <= 2", true, ""},
		{"3 > 2", true, ""},
		{"2 >= 3", false, ""},
		{"'a' == 'a'", true, ""},
		{`"a" == 'a'`, true, "'a' == 'a'"},
		{"'a' != 'b'", true, ""},
		{"'abc' starts_with 'ab'", true, ""},
		{"'abc' starts_with 'xy'", false, ""},
		{"'abc' contains 'b'", true, ""},
		{"'abc' contains 'x'", false, ""},
		{"true == true", true, ""},
		{"true != false", true, ""},
		{"null == null", true, ""},
		{"null != 1", true, ""},
		{"1 == 'a'", false, ""},
		{"$.context.n >= 5", true, ""},
		{"$.context.nothing == null", true, ""},
		{"$.context.word starts_with 'ab'", true, ""},
		{"$.context.o.a.b[0] == 10", true, ""},
		{"$.context.o.a.b.0 == 10", true, "$.context.o.a.b[0] == 10"},
		{"$.workflow.input.ok == 1", true, ""},
		{"$.workflow.input.missing == null", true, ""},
		{"$.arguments.missing == null", true, ""},
		{"$.arguments.text.deeper == null", true, ""},
		{"$.workflow.id == 'wf_1'", true, ""},
		{"$.workflow.state == 'review'", true, ""},
		{"$.workflow.version == 4", true, ""},
		{"$.run.repo_root == null", true, ""},

		// Operators are tokens: not within paths, names or texts, and blanks do not matter.
		{"$.context.contains == 'odd'", true, ""},
		{"'a == b' == 'a == b'", true, ""},
		{"'x and y' == 'x and y'", true, ""},
		{"'in' in ['in', 'not']", true, ""},
		{"$.context.n<=5", true, "$.context.n <= 5"},
		{"$.context.n>4 and$.context.n<6", true, "$.context.n > 4 and $.context.n < 6"},
		{"\t$.context.n\r\n==\n5 ", true, "$.context.n == 5"},
		{"$.context.a-b == 1", true, ""},
		{`$.context.o["two words"] == 1`, true, ""},
		{"$.context['n'] == 5", true, "$.context.n == 5"},
		{`'it is "so"' == "it's"`, false, `'it is "so"' == "it's"`},
		{`'C:\new' == "C:\new"`, true, `'C:\new' == 'C:\new'`}, // nothing is an escape
		{"'äöü' == $.context.umlaut", true, ""},

		// Numbers are exact, and decimal.
		{"1 == 1.0", true, "1 == 1"},
		{"1e2 == 100", true, "100 == 100"},
		{"-5 < +5", true, "-5 < 5"},
		{".5 == 0.50", true, "0.5 == 0.5"},
		{"-0 == 0", true, "0 == 0"},
		{"0.1 == 0.10000000000000001", true, "0.1 == 0.1"}, // one float64
		{"0.3 == 0.30000000000000004", false, ""},
		{"1 == 1.0000000000000002", false, ""},
		{"9007199254740992 == 9007199254740992", true, "9.007199254740992e+15 == 9.007199254740992e+15"},
		{"1e300 > 1e299", true, "1e+300 > 1e+299"},
		{"1e-400 == 0", true, "0 == 0"},

		// What an operator has no use for does not hold.
		{"'87' >= 80", false, ""},
		{"'87' < 80", false, ""},
		{"$.context.size >= 80", false, ""},
		{"'a' < 'b'", false, ""},
		{"'a' >= 'a'", false, ""},
		{"true > false", false, ""},
		{"null <= null", false, ""},
		{"$.context.none < 1", false, ""},
		{"$.context.o == $.context.n", false, ""},
		{"$.context.n starts_with 5", false, ""},
		{"'abc' starts_with null", false, ""},
		{"'abc' contains null", false, ""},
		{"$.context.n contains 5", false, ""},
		{"$.context.o contains 'a'", false, ""},
		{"'abc' in $.context.word", false, ""},
		{"5 in $.context.n", false, ""},
		{"'x' in $.arguments.missing", false, ""},
		{"len($.context.n) == null", true, ""},
		{"len($.arguments.missing) == 0", false, ""},

		// Equality is deep.
		{"$.context.o == $.context.o", true, ""},
		{"$.context.tags == $.context.none", false, ""},
		{"$.context.none == []", true, ""},
		{"$.arguments.list == [1, 2]", true, ""},
		{"$.arguments.list == [1,2,]", true, "$.arguments.list == [1, 2]"},
		{"$.arguments.list != [2, 1]", true, ""},

		// Lists, lengths and presence.
		{"$.context.tags contains 'red'", true, ""},
		{"$.context.tags contains null", true, ""},
		{"$.context.tags contains 're'", false, ""},
		{"'red' in $.context.tags", true, ""},
		{"$.context.word in ['abc', 1, true, null]", true, ""},
		{"$.context.word in []", false, ""},
		{"[1, 2] contains $.arguments.n", false, ""},
		{"len($.context.tags) == 4", true, ""},
		{"len($.context.umlaut) == 3", true, ""},
		{"len($.context.empty) == 0", true, ""},
		{"len($.context.o) == 2", true, ""},
		{"len ( $.context.none ) < 1", true, "len($.context.none) < 1"},
		{"exists($.context.n)", true, ""},
		{"exists($.context.nothing)", true, ""},
		{"exists($.context.ghost)", false, ""},
		{"exists($.arguments.null)", true, ""},
		{"exists($.arguments.missing)", false, ""},
		{"exists($.run.repo_root)", false, ""},
		{"exists($.workflow.state)", true, ""},

		// Binding: or is looser than and, and is looser than not.
		{"1 == 1 or 1 == 2 and 1 == 2", true, ""},
		{"(1 == 1 or 1 == 2) and 1 == 2", false, ""},
		{"not 1 == 2 and 1 == 2", false, ""},
		{"not (1 == 2 and 1 == 2)", true, ""},
		{"not not 1 == 1", true, ""},
		{"not (not (1 == 1))", true, "not not 1 == 1"},
		{"((1 == 1))", true, "1 == 1"},
		{"(1 == 1 and 1 == 1) and 1 == 2", false, ""},
		{"1 == 1 or (1 == 2 or 1 == 1)", true, ""},
		{"not exists($.context.ghost) and not(1==2)", true, "not exists($.context.ghost) and not 1 == 2"},

		// What has no truth matters only where the rest does not decide.
		{"exists($.context.ghost) and $.context.ghost == 1", false, ""},
		{"$.context.ghost == 1 and exists($.context.ghost)", false, ""},
		{"not exists($.context.ghost) or $.context.ghost == 1", true, ""},
		{"$.context.ghost == 1 or $.context.n >= 5", true, ""},
	} {
		g, err := expr.ParseGuard(tt.text, inGuards)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if tt.spelled == "" {
			tt.spelled = tt.text
		}
		if got, err := g.Eval(env); err != nil || got != tt.want || g.String() != tt.spelled {
			t.Errorf("%s\nis %v, %v, spelled %s\nwant %v, spelled %s", tt.text, got, err, g, tt.want, tt.spelled)
		}
	}
}

// TestUnset: a guard that hangs on a path into the context which leads nowhere has no truth, and names the first.
func TestUnset(t *testing.T) {
	t.Parallel()
	env := world(t)
	for text, want := range map[string]string{
		"$.context.ghost == 1":                                   "$.context.ghost",
		"$.context.ghost == null":                                "$.context.ghost",
		"not $.context.ghost == 1":                               "$.context.ghost",
		"1 in $.context.o.ghost":                                 "$.context.o.ghost",
		"len($.context.o.a.b[9]) > 1":                            "$.context.o.a.b[9]",
		"$.context.nothing.x == 1":                               "$.context.nothing.x",
		"$.context.ghost == 1 or 1 == 2":                         "$.context.ghost",
		"1 == 2 or $.context.ghost == 1":                         "$.context.ghost",
		"1 == 1 and $.context.ghost == 1":                        "$.context.ghost",
		"$.context.first == 1 and $.context.second == 1":         "$.context.first",
		"($.context.first == 1 or 1 == 2) and (1 == 1)":          "$.context.first",
		"not ($.context.first == 1 and 1 == 1) or 2 == 1":        "$.context.first",
		"$.arguments.missing == $.context.ghost":                 "$.context.ghost",
		`$.context["odd one"] starts_with $.context.not_reached`: `$.context["odd one"]`,
	} {
		g, err := expr.ParseGuard(text, inGuards)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		holds, err := g.Eval(env)
		var unset *expr.Unset
		if !errors.As(err, &unset) || unset.Path != want || holds || err.Error() != want+" is not set" {
			t.Errorf("%s: %v, %v, want %s unset", text, holds, err, want)
		}
	}
}

// TestZeroGuard: no guard is a guard that does not hold.
func TestZeroGuard(t *testing.T) {
	t.Parallel()
	var g expr.Guard
	if holds, err := g.Eval(world(t)); holds || err != nil || !g.IsZero() || g.String() != "" || g.Paths() != nil || g.Compared() != nil {
		t.Errorf("the zero guard: %v, %v", holds, err)
	}
	if g, err := expr.ParseGuard("1 == 1", inGuards); err != nil || g.IsZero() {
		t.Errorf("a guard: %v", err)
	}
}

// TestGuardErrors: what is no guard, where, and what the message says.
func TestGuardErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		at   int
		says string
	}{
		{"", 0, "no condition"},
		{"  ", 2, "no condition"},
		{"$.context.word == approved", 18, `the bare word "approved" stands for nothing: a text stands in quotes (praxec reads a bare word as null)`},
		{"approved == 'a'", 0, "bare word"},
		{"größe == 1", 0, `the bare word "größe"`},
		{"true", 0, "compare it, as with == true"},
		{"$.context.yes", 0, "compare it, as with == true"},
		{"1 == 1 and $.context.yes", 11, "compare it"},
		{"($.context.yes)", 1, "compare it"},
		{"len($.context.tags)", 0, "compare it"},
		{"exists($.context.n) == true", 20, "join conditions with and"},
		{"1 < 2 < 3", 6, "join conditions with and"},
		{"1 == 1 2 == 2", 7, "the condition is complete here"},
		{"1 == 1)", 6, "closes nothing"},
		{"(1 == 1", 7, "a ) is missing"},
		{"1 == 1 and", 10, "a value is missing"},
		{"and 1 == 1", 0, "a value is missing"},
		{"1 ==", 4, "a value is missing"},
		{"== 1", 0, "a value is missing"},
		{"1 == (2)", 5, "a value is missing"},
		{"1 == exists($.context.n)", 5, "a value is missing"},
		{"not", 3, "a value is missing"},
		{"$.context.n not in [1]", 12, "not stands before a condition"},
		{"$.context.n 5", 12, "an operator is missing"},
		{"$.context.n is 5", 12, "bare word"},
		{"1 = 1", 2, "= means nothing here: write =="},
		{"1 === 1", 4, "write =="},
		{"1 == 1 and2 == 2", 7, "bare word"},
		{"$.context.n>4and 1 == 1", 12, "is no number"},
		{"1 == 1 && 2 == 2", 7, "write and"},
		{"1 == 1 || 2 == 2", 7, "write or"},
		{"!(1 == 1)", 0, "write not"},
		{"1 == 1 AND 2 == 2", 7, "AND is written and"},
		{"1 == True", 5, "True is written true"},
		{"$.context.n + 1 == 2", 12, "is no number"},
		{"$.context.n * 2 == 2", 12, `"*" means nothing here`},
		{"5-3 == 2", 0, "is no number"},
		{"1.2.3 == 2", 0, "is no number"},
		{"0x10 == 16", 0, "is no number"},
		{"1_000 == 1000", 0, "is no number"},
		{"5days == 1", 0, "is no number"},
		{"1e999 == 1", 0, "out of the range"},
		{"-inf == 1", 0, "is no number"},
		{"NaN == NaN", 0, "bare word"},
		{"9007199254740993 == 1", 0, "beyond ±2^53"},
		{"-9007199254740993 == 1", 0, "beyond ±2^53"},
		{"'a == 1", 0, "its second ' is missing"},
		{`1 == "a'`, 5, `its second " is missing`},
		{"'\xff' == 1", 1, "not UTF-8"},
		{"\xff == 1", 0, "not UTF-8"},
		{"size($.context.n) == 1", 0, `there is no function "size"`},
		{"exists $.context.n", 7, "exists is written exists(path)"},
		{"exists('a')", 7, "exists takes a path"},
		{"exists($.context.n", 18, "a ) is missing"},
		{"len('abc') == 3", 4, "len takes a path"},
		{"len(len($.context.n)) == 3", 4, "len takes a path"},
		{"1 in 5", 5, "in needs a list"},
		{"1 in 'abc'", 5, "in needs a list"},
		{"1 in len($.context.n)", 5, "in needs a list"},
		{"1 in [1", 7, ", or ] is missing"},
		{"1 in [1 2]", 8, ", or ] is missing"},
		{"1 in [,]", 6, "a list is of texts"},
		{"1 in [$.context.n]", 6, "a list is of texts"},
		{"1 in [[1]]", 6, "a list is of texts"},
		{"$.input.mode == 'x'", 0, "must begin with $.context"},
		{"1 == $.output.a", 5, "must begin with $.context"},
		{"1 == 1 and $.context.a[x] == 1", 22, "a number between its brackets"},
		{"$.context.list[*] == 1", 14, "[*] belongs in a mapping only"},
		{"1 == \x00", 5, "means nothing here"},
		{"1 == ‘a’", 5, "bare word"},
	} {
		_, err := expr.ParseGuard(tt.text, inGuards)
		if err == nil {
			t.Errorf("%s was taken", tt.text)
			continue
		}
		if at := offset(t, err); at != tt.at || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v\nwant %q at %d", tt.text, err, tt.says, tt.at)
		}
	}
}

// TestScope: a root that cannot be read here is told apart from bad spelling.
func TestScope(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"$.output.x == 1": true, "$.input.mode == 'x'": true, "$.context..x == 1": false, "x == 1": false} {
		_, err := expr.ParseGuard(text, inGuards)
		var e *expr.Error
		if !errors.As(err, &e) || e.Scope != want {
			t.Errorf("%s: %v, scope %v wanted", text, err, want)
		}
	}
}

// TestGuardBounds: what is longer, deeper or has more parts than any use asks for is refused, and what is just
// within the bounds is read and evaluated.
func TestGuardBounds(t *testing.T) {
	t.Parallel()
	joined := func(n int) string { return strings.Repeat("1 == 1 and ", n-1) + "1 == 1" }
	nested := func(n int) string { return strings.Repeat("(", n) + "1 == 1" + strings.Repeat(")", n) }
	list := func(n int) string { return "1 in [" + strings.Repeat("0,", n) + "1]" }
	for _, tt := range []struct {
		name, text, refused string
	}{
		{"10 kB", "'" + strings.Repeat("x", 10_240-7) + "' != 1", ""},
		{"over 10 kB", "'" + strings.Repeat("x", 10_241-7) + "' != 1", "longer than 10240 bytes"},
		{"1 MB", strings.Repeat("x", 1<<20), "longer than 10240 bytes"},
		{"333 comparisons", joined(333), ""},
		{"334 comparisons", joined(334), "more than 1000"},
		{"10 kB of comparisons", joined(900), "more than 1000"},
		{"64 deep", nested(64), ""},
		{"65 deep", nested(65), "nested deeper than 64"},
		{"100 deep", nested(100), "nested deeper than 64"},
		{"10 kB of parentheses", strings.Repeat("(", 10_000), "nested deeper than 64"},
		{"64 times not", strings.Repeat("not ", 64) + "1 == 1", ""},
		{"65 times not", strings.Repeat("not ", 65) + "1 == 1", "nested deeper than 64"},
		{"a list of 990", list(990), ""},
		{"a list of 1,000", list(1000), "more than 1000"},
	} {
		g, err := expr.ParseGuard(tt.text, inGuards)
		if tt.refused != "" {
			if err == nil || !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if holds, err := g.Eval(expr.Env{}); err != nil || !holds {
			t.Errorf("%s: %v, %v", tt.name, holds, err)
		}
	}
}

// TestGuardFacts: what a checker asks about a guard: what it reads, what it only tests for, and what it compares
// with which literal.
func TestGuardFacts(t *testing.T) {
	t.Parallel()
	g, err := expr.ParseGuard(`exists($.context.a) and ($.context.a == 'x' or 5 < $.arguments.n) and not len($.context.l) >= 2
		and $.context.a in ['x', 'y'] and 'z' in $.context.l and ['q'] contains $.context.a and 'abc' starts_with $.context.a
		and 'abc' contains $.context.a and $.context.a == $.context.b and 1 == 1 and null != $.workflow.input.i`, inGuards)
	if err != nil {
		t.Fatal(err)
	}
	texts := func(paths []expr.Path) (all []string) {
		for _, p := range paths {
			all = append(all, p.String())
		}
		return all
	}
	if diff := cmp.Diff([]string{"$.context.a", "$.arguments.n", "$.context.l", "$.context.b", "$.workflow.input.i"}, texts(g.Paths())); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"$.context.a"}, texts(g.Tested())); diff != "" {
		t.Errorf("tested (-want +got):\n%s", diff)
	}
	for roots, want := range map[expr.Roots]bool{
		expr.Context: true, expr.Arguments: true, expr.Input: true, expr.Workflow: false, expr.Output | expr.Run: false, expr.Run | expr.Input: true,
	} {
		if g.Reads(roots) != want {
			t.Errorf("reads %v: %v", roots, !want)
		}
	}
	type fact struct {
		Path, Op     string
		Literal      any
		Len, Swapped bool
	}
	var got []fact
	for _, c := range g.Compared() {
		got = append(got, fact{c.Path.String(), c.Op, c.Literal, c.Len, c.Swapped})
	}
	if diff := cmp.Diff([]fact{
		{Path: "$.context.a", Op: "==", Literal: "x"},
		{Path: "$.arguments.n", Op: ">", Literal: 5.0},
		{Path: "$.context.l", Op: ">=", Literal: 2.0, Len: true},
		{Path: "$.context.a", Op: "in", Literal: []any{"x", "y"}},
		{Path: "$.context.l", Op: "contains", Literal: "z"},
		{Path: "$.context.a", Op: "in", Literal: []any{"q"}},
		{Path: "$.context.a", Op: "starts_with", Literal: "abc", Swapped: true},
		{Path: "$.context.a", Op: "contains", Literal: "abc", Swapped: true},
		{Path: "$.workflow.input.i", Op: "!=", Literal: nil},
	}, got); diff != "" {
		t.Errorf("compared (-want +got):\n%s", diff)
	}
}
