package expr

import (
	"fmt"
	"slices"
)

// guardParser reads a guard from left to right, one token ahead.
type guardParser struct {
	text  string
	roots Roots
	at    int // behind the token
	token token
	depth int
	nodes int
}

func (p *guardParser) parse() (*condition, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	if p.token.kind == ending {
		return nil, p.refuse("there is no condition")
	}
	root, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.token.kind != ending {
		return nil, p.leftover()
	}
	return &root, nil
}

// leftover says what stands where the guard could have ended.
func (p *guardParser) leftover() error {
	if slices.Contains(operators[opEqual:], p.token.text) {
		return p.refuse("what is before this is a condition and has no value to compare: join conditions with and")
	}
	if p.token.text == ")" {
		return p.refuse("this ) closes nothing")
	}
	return p.refuse("the condition is complete here: join another with and, or with or")
}

func (p *guardParser) or() (condition, error) { return p.chain(opOr, p.and) }

func (p *guardParser) and() (condition, error) { return p.chain(opAnd, p.unary) }

// chain reads conditions that one operator joins.
func (p *guardParser) chain(o op, part func() (condition, error)) (condition, error) {
	first, err := part()
	if err != nil || !p.is(word, o.String()) {
		return first, err
	}
	joined := condition{op: o, kids: []condition{first}}
	for p.is(word, o.String()) {
		if err := p.next(); err != nil {
			return condition{}, err
		}
		one, err := part()
		if err != nil {
			return condition{}, err
		}
		joined.kids = append(joined.kids, one)
	}
	return joined, p.count()
}

// unary reads a condition that no or and no and joins.
func (p *guardParser) unary() (condition, error) {
	switch {
	case p.is(word, "not"):
		return p.not()
	case p.is(mark, "("):
		return p.parentheses()
	case p.is(word, "exists"):
		path, err := p.argument("exists")
		return condition{op: opExists, left: operand{kind: valueOf, path: path}}, err
	}
	return p.comparison()
}

func (p *guardParser) not() (condition, error) {
	if err := p.enter(); err != nil {
		return condition{}, err
	}
	defer p.leave()
	inner, err := p.unary()
	return condition{op: opNot, kids: []condition{inner}}, err
}

func (p *guardParser) parentheses() (condition, error) {
	if err := p.enter(); err != nil {
		return condition{}, err
	}
	defer p.leave()
	inner, err := p.or()
	if err != nil {
		return condition{}, err
	}
	return inner, p.expect(")", "a ) is missing here")
}

// enter goes on to what is nested here.
func (p *guardParser) enter() error {
	if p.depth++; p.depth > MaxDepth {
		return p.refuse(fmt.Sprintf("nested deeper than %d", MaxDepth))
	}
	if err := p.count(); err != nil {
		return err
	}
	return p.next()
}

func (p *guardParser) leave() { p.depth-- }

func (p *guardParser) count() error {
	if p.nodes++; p.nodes > MaxNodes {
		return p.refuse(fmt.Sprintf("more than %d conditions and values", MaxNodes))
	}
	return nil
}

func (p *guardParser) comparison() (condition, error) {
	begin := p.token.at
	left, err := p.operand()
	if err != nil {
		return condition{}, err
	}
	o := op(slices.Index(operators[:], p.token.text))
	if p.token.text == "" || int(o) >= len(operators) || o < opEqual {
		return condition{}, p.uncompared(begin)
	}
	if err := p.next(); err != nil {
		return condition{}, err
	}
	at := p.token.at
	right, err := p.operand()
	if err != nil {
		return condition{}, err
	}
	if _, list := right.value.([]any); o == opIn && right.kind != valueOf && !list {
		return condition{}, &Error{Offset: at, Text: "in needs a list on its right, as ['a', 'b'], or a path to one"}
	}
	return condition{op: o, left: left, right: right}, p.count()
}

// uncompared says what is wrong behind a value that nothing compares.
func (p *guardParser) uncompared(begin int) error {
	if p.is(word, "not") {
		return p.refuse("not stands before a condition: not (… in …)")
	}
	if p.token.kind == literal || p.token.kind == pathTo {
		return p.refuse("an operator is missing before this value: == != < <= > >= starts_with contains in")
	}
	return &Error{Offset: begin, Text: "a value is no condition by itself: compare it, as with == true"}
}

func (p *guardParser) operand() (operand, error) {
	var read operand
	switch {
	case p.is(word, "len"):
		path, err := p.argument("len")
		return operand{kind: lengthOf, path: path}, err
	case p.is(mark, "["):
		return p.list()
	case p.token.kind == literal:
		read = operand{kind: constant, value: p.token.value}
	case p.token.kind == pathTo:
		read = operand{kind: valueOf, path: p.token.path}
	default:
		return operand{}, p.refuse("a value is missing here: a path, text in quotes, number, true, false, null, len(path) or list")
	}
	if err := p.count(); err != nil {
		return operand{}, err
	}
	return read, p.next()
}

// list reads literals in brackets.
func (p *guardParser) list() (operand, error) {
	list := []any{}
	if err := p.next(); err != nil {
		return operand{}, err
	}
	for !p.is(mark, "]") {
		if p.token.kind != literal {
			return operand{}, p.refuse("a list is of texts in quotes, numbers, true, false and null, and ends with ]")
		}
		list = append(list, p.token.value)
		if err := p.count(); err != nil {
			return operand{}, err
		}
		if err := p.next(); err != nil {
			return operand{}, err
		}
		if p.is(mark, "]") {
			break
		}
		if err := p.expect(",", "a , or ] is missing here"); err != nil {
			return operand{}, err
		}
	}
	return operand{kind: constant, value: list}, p.next()
}

// argument reads the path that a function is asked about.
func (p *guardParser) argument(function string) (Path, error) {
	if err := p.count(); err != nil {
		return Path{}, err
	}
	if err := p.next(); err != nil {
		return Path{}, err
	}
	if err := p.expect("(", function+" is written "+function+"(path)"); err != nil {
		return Path{}, err
	}
	if p.token.kind != pathTo {
		return Path{}, p.refuse(function + " takes a path")
	}
	path := p.token.path
	if err := p.next(); err != nil {
		return Path{}, err
	}
	return path, p.expect(")", "a ) is missing here")
}

func (p *guardParser) is(kind tokenKind, text string) bool {
	return p.token.kind == kind && p.token.text == text
}

// expect goes on behind a mark that must stand here.
func (p *guardParser) expect(text, missing string) error {
	if !p.is(mark, text) {
		return p.refuse(missing)
	}
	return p.next()
}
