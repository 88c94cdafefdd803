package expr

import "slices"

// Guard is a condition. The zero Guard never holds.
type Guard struct {
	root *condition
	text string // canonical
}

// ParseGuard parses a condition whose paths begin with one of these roots. Its errors are of type [*Error].
func ParseGuard(text string, roots Roots) (Guard, error) {
	if len(text) > MaxSource {
		return Guard{}, tooLong()
	}
	if err := checkText(text); err != nil {
		return Guard{}, err
	}
	p := &guardParser{text: text, roots: roots}
	root, err := p.parse()
	if err != nil {
		return Guard{}, err
	}
	return Guard{root: root, text: root.String()}, nil
}

// Eval tells whether the guard holds. Its only error is an [*Unset]: the guard has no truth, which whoever asks must
// take for a no. It takes time in proportion to the guard and to the values that it reads.
func (g Guard) Eval(env Env) (bool, error) {
	if g.root == nil {
		return false, nil
	}
	holds, unset := g.root.eval(&env)
	if unset != nil {
		return false, unset
	}
	return holds, nil
}

// IsZero tells whether this is the zero Guard.
func (g Guard) IsZero() bool { return g.root == nil }

// String is the guard in its canonical form, which parses to the same guard (if it is not longer than [MaxSource],
// for its numbers and blanks).
func (g Guard) String() string { return g.text }

// Paths are those that the guard reads, each once, in the order of the text.
func (g Guard) Paths() []Path {
	return g.paths(func(*condition) bool { return true })
}

// Reads tells whether any of the paths begins with one of these roots.
func (g Guard) Reads(roots Roots) (is bool) {
	g.root.walk(func(c *condition) { is = is || (c.left.path.root|c.right.path.root)&roots != 0 })
	return is
}

// Tested are those of the paths that exists is asked about.
func (g Guard) Tested() []Path {
	return g.paths(func(c *condition) bool { return c.op == opExists })
}

func (g Guard) paths(of func(*condition) bool) []Path {
	var found unique
	g.root.walk(func(c *condition) {
		if of(c) {
			found.add(c.left.path)
			found.add(c.right.path)
		}
	})
	return found
}

// unique collects paths, each once.
type unique []Path

func (u *unique) add(p Path) {
	if !p.IsZero() && !slices.ContainsFunc(*u, func(other Path) bool { return other.text == p.text }) {
		*u = append(*u, p)
	}
}

// Comparison is one of a path with a literal: what a guard distinguishes.
type Comparison struct {
	Path    Path
	Len     bool   // it is the len of the path that is compared
	Op      string // == != < <= > >= starts_with contains in
	Literal any    // string, float64, bool, nil or a []any of these
	Swapped bool   // the literal stands on the left, of an Op that has no mirror image: starts_with, contains
}

// Compared are the comparisons of a path with a literal, in the order of the text, each turned so that its path
// stands on the left where that can be.
func (g Guard) Compared() []Comparison {
	var found []Comparison
	g.root.walk(func(c *condition) {
		if one, ok := c.comparison(); ok {
			found = append(found, one)
		}
	})
	return found
}

// mirrored is each operator with its operands the other way round.
var mirrored = map[op]op{
	opEqual: opEqual, opUnequal: opUnequal, opLess: opMore, opMore: opLess, opAtMost: opAtLeast, opAtLeast: opAtMost,
	opIn: opContains,
}

func (c *condition) comparison() (Comparison, bool) {
	l, r, o := &c.left, &c.right, c.op
	if !l.literal() && !r.literal() || l.literal() && r.literal() || o < opEqual {
		return Comparison{}, false
	}
	if r.literal() {
		return Comparison{Path: l.path, Len: l.kind == lengthOf, Op: o.String(), Literal: r.value}, true
	}
	turned, can := mirrored[o]
	if _, list := l.value.([]any); o == opContains && list {
		turned, can = opIn, true
	}
	if can {
		o = turned
	}
	return Comparison{Path: r.path, Len: r.kind == lengthOf, Op: o.String(), Literal: l.value, Swapped: !can}, true
}
