package workflow

import (
	"errors"
	"strings"

	"prax/tools/workflow/expr"
)

// view is what guards are judged on.
type view struct {
	d     *Definition
	i     *Instance
	by    Caller
	env   expr.Env
	blind bool // the arguments are not known: what depends on them is undecided
}

func (d *Definition) view(i *Instance, c Caller, arguments map[string]any) *view {
	return &view{d: d, i: i, by: c, env: i.env(arguments)}
}

func (i *Instance) env(arguments map[string]any) expr.Env {
	return expr.Env{Context: i.Context, Arguments: arguments, Input: i.Input, ID: i.ID, State: i.State, Version: i.Version}
}

// truth of a guard.
type truth int8

const (
	no truth = iota
	yes
	undecided // it depends on the arguments
)

// verdict is the truth of a guard, and why it is no.
type verdict struct {
	truth  truth
	broken bool // it is no because it cannot be judged: its opposite is no too
	vague  bool // it is no, but whether for want of a judgement depends on the arguments
	code   Code
	reason string
}

var (
	passed = verdict{truth: yes}
	later  = verdict{truth: undecided}
)

func (v verdict) refusal() *Refusal { return refuse(v.code, v.reason) }

func holds(is bool, g *Guard) verdict {
	if is {
		return passed
	}
	return verdict{code: GuardRejected, reason: "the guard of kind " + string(g.Kind) + reads(g) + " does not hold"}
}

func broken(g *Guard) verdict {
	return verdict{broken: true, code: GuardRejected, reason: "the guard of kind " + string(g.Kind) + reads(g) + " cannot be judged"}
}

// all judges guards in order, up to the first that is no.
func (v *view) all(guards []*Guard) verdict {
	result := passed
	for _, g := range guards {
		switch one := v.judge(g); one.truth {
		case no:
			one.vague = one.vague || result.truth == undecided
			return one
		case undecided:
			result = one
		}
	}
	return result
}

// judge gives one guard's verdict. What it does not know is no.
func (v *view) judge(g *Guard) verdict {
	switch g.Kind {
	case GuardPermission:
		return holds(v.by.Permissions.Has(g.Name), g)
	case GuardRole:
		return holds(v.by.Roles.Has(g.Name), g)
	case GuardExpr:
		return v.expression(g)
	case GuardEvidence:
		return v.evidence(g)
	case GuardGuidance, GuardScript:
		return holds(v.acknowledged(g.Name), g)
	case GuardAllOf:
		return v.all(g.Guards)
	case GuardAnyOf:
		return v.any(g)
	case GuardNot:
		return v.not(g)
	}
	return broken(g)
}

func (v *view) expression(g *Guard) verdict {
	if v.blind && readsArguments(g) {
		return later
	}
	is, err := g.Expr.Eval(v.env)
	if err == nil {
		return holds(is, g)
	}
	var unset *expr.Unset
	if errors.As(err, &unset) {
		return verdict{broken: true, code: GuardUnsetSlot, reason: "a guard reads " + clip(unset.Path) + ", which is not set"}
	}
	return broken(g)
}

// any holds when one holds: one that cannot be judged matters only when none does.
func (v *view) any(g *Guard) verdict {
	result := holds(false, g)
	for _, inner := range g.Guards {
		switch one := v.judge(inner); {
		case one.truth == yes:
			return one
		case one.truth == undecided:
			result = one
		case result.truth == no && worse(one, result):
			result = one
		}
	}
	return result
}

// worse tells which no of two says more: one for want of a judgement, then one that may be.
func worse(a, b verdict) bool {
	rank := func(v verdict) int {
		switch {
		case v.vague:
			return 1
		case v.broken:
			return 2
		}
		return 0
	}
	return rank(a) > rank(b)
}

// not turns a guard around: one that cannot be judged stays no.
func (v *view) not(g *Guard) verdict {
	if len(g.Guards) != 1 {
		return broken(g)
	}
	switch one := v.judge(g.Guards[0]); {
	case one.truth == yes:
		return holds(false, g)
	case one.vague:
		return later
	case one.truth == undecided, one.broken:
		return one
	}
	return passed
}

// acknowledged tells whether a subject was shown within the instance as it is in the definition.
func (v *view) acknowledged(subject string) bool {
	known := v.d.Library[subject]
	shown, ok := v.i.Shown[subject]
	return known != nil && ok && shown == known.Hash
}

// paths are those that a guard reads, each once, in order.
func (g *Guard) paths() []expr.Path {
	found := g.Expr.Paths()
	for _, inner := range g.Guards {
		found = append(found[:len(found):len(found)], inner.paths()...)
	}
	seen := make(map[string]bool, len(found))
	unique := found[:0:0]
	for _, p := range found {
		if !seen[p.String()] {
			seen[p.String()] = true
			unique = append(unique, p)
		}
	}
	return unique
}

func readsArguments(g *Guard) bool {
	if g.Expr.Reads(expr.Arguments) {
		return true
	}
	for _, inner := range g.Guards {
		if readsArguments(inner) {
			return true
		}
	}
	return false
}

// maxNamed bounds how many names a message lists.
const maxNamed = 8

// reads words which paths a guard reads.
func reads(g *Guard) string {
	var names []string
	for _, p := range g.paths() {
		names = append(names, clip(p.String()))
	}
	if len(names) == 0 {
		return ""
	}
	return ", which reads " + enumerate(names) + ","
}

func enumerate(names []string) string {
	if len(names) > maxNamed {
		names = append(names[:maxNamed:maxNamed], "…")
	}
	return strings.Join(names, ", ")
}
