package expr_test

import (
	"testing"

	"prax/tools/workflow/expr"
)

const simple = "$.context.n >= 5 and $.arguments.text in ['x', 'y']"

func BenchmarkGuard(b *testing.B) {
	env := world(b)
	g, err := expr.ParseGuard(simple, inGuards)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if holds, err := g.Eval(env); err != nil || !holds {
			b.Fatal(holds, err)
		}
	}
}

func BenchmarkParseGuard(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := expr.ParseGuard(simple, inGuards); err != nil {
			b.Fatal(err)
		}
	}
}

// TestGuardAllocates: judging a simple guard allocates nothing.
func TestGuardAllocates(t *testing.T) {
	env := world(t)
	g, err := expr.ParseGuard(simple, inGuards)
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = g.Eval(env); g.Reads(expr.Arguments) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
