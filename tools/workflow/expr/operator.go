package expr

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The operators of mappings, beside the path, which has none.
const (
	literalOp  = "set"
	addOp      = "add"
	subtractOp = "subtract"
	multiplyOp = "multiply"
	divideOp   = "divide"
	concatOp   = "concat"
	pickOp     = "pick"
)

// mappingParser reads a mapping of bounded size.
type mappingParser struct {
	roots Roots
	depth int
	nodes int
}

func (p *mappingParser) parse(value any) (source, error) {
	if p.nodes++; p.nodes > MaxNodes {
		return source{}, &Operator{Name: "mapping", Text: fmt.Sprintf("has more than %d operators and operands", MaxNodes)}
	}
	switch v := value.(type) {
	case string:
		if isPath(v) {
			path, err := parsePath(v, p.roots, true)
			return source{path: path}, err
		}
	case map[string]any:
		if len(v) == 1 {
			for name, given := range v {
				return p.operator(name, given, value)
			}
		}
	}
	return fixed(value)
}

// fixed is a value that stands for itself.
func fixed(value any) (source, error) {
	if !newMeasure().take(value) {
		return source{}, ErrLarge
	}
	if !isJSON(value) {
		return source{}, errors.New("the value is not JSON")
	}
	return source{op: literalOp, fix: value}, nil
}

// operator reads an object of one member: an operator, or just an object.
func (p *mappingParser) operator(name string, given, whole any) (source, error) {
	if p.depth++; p.depth > MaxDepth {
		return source{}, &Operator{Name: name, Text: fmt.Sprintf("is nested deeper than %d", MaxDepth)}
	}
	defer func() { p.depth-- }()
	switch name {
	case literalOp:
		return fixed(given)
	case addOp, subtractOp, multiplyOp, divideOp:
		return p.arithmetic(name, given)
	case concatOp:
		list, ok := given.([]any)
		if !ok {
			return source{}, &Operator{Name: name, Text: "needs a list"}
		}
		return p.operands(name, list)
	case pickOp:
		return p.pick(given)
	}
	return fixed(whole)
}

func (p *mappingParser) arithmetic(name string, given any) (source, error) {
	list, ok := given.([]any)
	if !ok || len(list) != 2 {
		return source{}, &Operator{Name: name, Text: "needs a list of two operands"}
	}
	s, err := p.operands(name, list)
	if err != nil {
		return source{}, err
	}
	for i := range s.args {
		if _, number := s.args[i].fix.(float64); s.args[i].op == literalOp && !number {
			return source{}, &Operator{name, fmt.Sprintf("needs a number, a path or another operator as operand %d", i+1)}
		}
	}
	return s, nil
}

func (p *mappingParser) operands(name string, list []any) (source, error) {
	s := source{op: name}
	for i, one := range list {
		arg, err := p.parse(one)
		if err != nil {
			return source{}, fmt.Errorf("%s: operand %d: %w", name, i+1, err)
		}
		s.args = append(s.args, arg)
	}
	return s, nil
}

// pick reads {from: a list, by: a member's name, eq: what that member must equal}.
func (p *mappingParser) pick(given any) (source, error) {
	const usage = "needs from (a path to a list, or a list), by (the name of a member) and eq (a value, or a path to it), and nothing else"
	members, _ := given.(map[string]any)
	by, named := members["by"].(string)
	from, listed := members["from"]
	eq, valued := members["eq"]
	if len(members) != 3 || !named || !listed || !valued {
		return source{}, &Operator{Name: pickOp, Text: usage}
	}
	s, err := p.operands(pickOp, []any{from, eq})
	if err != nil {
		return source{}, err
	}
	if _, list := s.args[0].fix.([]any); s.args[0].op == literalOp && !list {
		return source{}, &Operator{Name: pickOp, Text: usage}
	}
	s.by = by
	return s, nil
}

// eval makes the value; false when it would be too large.
func (s *source) eval(env *Env) (any, bool) {
	switch s.op {
	case "":
		v, _ := s.path.of(env)
		return v, true
	case literalOp:
		return s.fix, true
	case concatOp:
		return s.concat(env)
	}
	l, ok := s.args[0].eval(env)
	r, also := s.args[1].eval(env)
	if !ok || !also {
		return nil, false
	}
	if s.op == pickOp {
		return pick(l, s.by, r), true
	}
	return compute(s.op, l, r), true
}

// concat joins the texts of its operands.
func (s *source) concat(env *Env) (any, bool) {
	var b strings.Builder
	for i := range s.args {
		v, ok := s.args[i].eval(env)
		if !ok {
			return nil, false
		}
		text := textOf(v)
		if b.Len()+len(text) > MaxText {
			return nil, false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// pick is the first object of a list whose member equals a value; null when there is none.
func pick(from any, by string, eq any) any {
	list, _ := from.([]any)
	i := slices.IndexFunc(list, func(one any) bool {
		members, _ := one.(map[string]any)
		v, there := members[by]
		return there && equal(v, eq)
	})
	if i < 0 {
		return nil
	}
	return list[i]
}

// compute is null where there is no number as a result. A null among the operands counts as 0, so that a counter need
// not be set before it counts.
func compute(op string, l, r any) any {
	a, ok := number(l)
	b, also := number(r)
	if !ok || !also || op == divideOp && b == 0 {
		return nil
	}
	switch op {
	case addOp:
		a += b
	case subtractOp:
		a -= b
	case multiplyOp:
		a *= b
	case divideOp:
		a /= b
	}
	if math.IsInf(a, 0) || math.IsNaN(a) {
		return nil
	}
	return a + 0 // one zero of both
}

func number(v any) (float64, bool) {
	if v == nil {
		return 0, true
	}
	n, ok := v.(float64)
	return n, ok
}
