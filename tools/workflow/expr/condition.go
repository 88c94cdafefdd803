package expr

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// condition is a node of a parsed guard.
type condition struct {
	op    op
	kids  []condition // of or, and (two at least) and not (one)
	left  operand     // of the others; exists has no right one
	right operand
}

type op byte

// The operators; those that compare come last.
const (
	opOr op = iota
	opAnd
	opNot
	opExists
	opEqual
	opUnequal
	opLess
	opAtMost
	opMore
	opAtLeast
	opStarts
	opContains
	opIn
)

var operators = [...]string{"or", "and", "not", "exists", "==", "!=", "<", "<=", ">", ">=", "starts_with", "contains", "in"}

func (o op) String() string { return operators[o] }

// operand is a value of a comparison.
type operand struct {
	kind  operandKind
	value any // of a constant
	path  Path
}

type operandKind byte

const (
	none operandKind = iota
	constant
	valueOf
	lengthOf
)

func (o *operand) literal() bool { return o.kind == constant }

// walk visits a condition and all within, in the order of the text.
func (c *condition) walk(visit func(*condition)) {
	if c == nil {
		return
	}
	visit(c)
	for i := range c.kids {
		c.kids[i].walk(visit)
	}
}

// eval is the truth of a condition, or what it hangs on. A part that has no truth matters only if the others do
// not decide.
func (c *condition) eval(env *Env) (bool, *Unset) {
	switch c.op {
	case opOr, opAnd:
		return c.join(env)
	case opNot:
		holds, unset := c.kids[0].eval(env)
		return !holds, unset
	case opExists:
		_, there := c.left.path.of(env)
		return there, nil
	}
	l, unset := c.left.eval(env)
	if unset != nil {
		return false, unset
	}
	r, unset := c.right.eval(env)
	if unset != nil {
		return false, unset
	}
	return compare(c.op, l, r), nil
}

// join is the truth of an or, which one true decides, or of an and, which one false does.
func (c *condition) join(env *Env) (bool, *Unset) {
	decisive := c.op == opOr
	var first *Unset
	for i := range c.kids {
		holds, unset := c.kids[i].eval(env)
		if unset == nil && holds == decisive {
			return decisive, nil
		}
		if first == nil {
			first = unset
		}
	}
	return !decisive, first
}

// eval is the value of an operand: null for a path that leads nowhere, but for those into the context.
func (o *operand) eval(env *Env) (any, *Unset) {
	if o.kind == constant {
		return o.value, nil
	}
	v, ok := o.path.of(env)
	if !ok && o.path.root == Context {
		return nil, &Unset{Path: o.path.text}
	}
	if o.kind == lengthOf {
		return length(v), nil
	}
	return v, nil
}

// length is null for what has none.
func length(v any) any {
	switch v := v.(type) {
	case string:
		return float64(utf8.RuneCountInString(v))
	case []any:
		return float64(len(v))
	case map[string]any:
		return float64(len(v))
	}
	return nil
}

func compare(o op, l, r any) bool {
	switch o {
	case opEqual:
		return equal(l, r)
	case opUnequal:
		return !equal(l, r)
	case opStarts:
		text, ok := l.(string)
		prefix, also := r.(string)
		return ok && also && strings.HasPrefix(text, prefix)
	case opContains:
		return contains(l, r)
	case opIn:
		list, ok := r.([]any)
		return ok && contains(list, l)
	}
	a, ok := l.(float64)
	b, also := r.(float64)
	return ok && also && order(o, a, b)
}

func order(o op, a, b float64) bool {
	switch o {
	case opLess:
		return a < b
	case opAtMost:
		return a <= b
	case opMore:
		return a > b
	}
	return a >= b
}

// contains tells whether a text has another within, or a list an element that is equal to v.
func contains(in, v any) bool {
	switch in := in.(type) {
	case string:
		part, ok := v.(string)
		return ok && strings.Contains(in, part)
	case []any:
		return slices.ContainsFunc(in, func(one any) bool { return equal(one, v) })
	}
	return false
}

// equal compares two JSON values in depth. Anything that is none is equal to nothing.
func equal(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		b, ok := b.(string)
		return ok && a == b
	case float64:
		b, ok := b.(float64)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && equalMembers(a, b)
	}
	return false
}

func equalMembers(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for name, one := range a {
		other, ok := b[name]
		if !ok || !equal(one, other) {
			return false
		}
	}
	return true
}

// String writes a condition in its canonical form, with no more parentheses than it takes to read it back.
func (c *condition) String() string {
	switch c.op {
	case opOr, opAnd:
		parts := make([]string, len(c.kids))
		for i := range c.kids {
			parts[i] = c.kids[i].within(c.op)
		}
		return strings.Join(parts, " "+c.op.String()+" ")
	case opNot:
		return "not " + c.kids[0].within(c.op)
	case opExists:
		return "exists(" + c.left.path.text + ")"
	}
	return c.left.String() + " " + c.op.String() + " " + c.right.String()
}

// within writes a condition as a part of another.
func (c *condition) within(outer op) string {
	if c.op <= opAnd && c.op <= outer {
		return "(" + c.String() + ")"
	}
	return c.String()
}

func (o *operand) String() string {
	switch o.kind {
	case constant:
		return spellConstant(o.value)
	case lengthOf:
		return "len(" + o.path.text + ")"
	}
	return o.path.text
}

func spellConstant(v any) string {
	switch v := v.(type) {
	case string:
		quote := "'"
		if strings.Contains(v, quote) {
			quote = `"`
		}
		return quote + v + quote
	case float64:
		return spellNumber(v)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		texts := make([]string, len(v))
		for i, one := range v {
			texts[i] = spellConstant(one)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return "null"
}

// spellNumber writes a number so that parseNumber gives the same.
func spellNumber(n float64) string {
	format := byte('f')
	if a := max(n, -n); a != 0 && a < 1e-6 || a >= 1<<53 {
		format = 'e'
	}
	return strconv.FormatFloat(n, format, -1, 64)
}
