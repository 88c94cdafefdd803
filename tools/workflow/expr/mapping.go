package expr

import (
	"math"
	"strings"
)

// Mapping makes a value. The zero Mapping makes null.
type Mapping struct {
	source *source // nil: the literal
	value  any
}

// source is a node of a mapping.
type source struct {
	op   string // "" for a path, literalOp for a value
	path Path
	args []source // operands
	fix  any      // of literalOp
	by   string   // of pick
}

// ParseMapping reads a decoded JSON value as a mapping whose paths begin with one of these roots. Its errors are, or
// wrap, an [*Error] for a path (with a position in that string), an [*Operator], or [ErrLarge].
func ParseMapping(value any, roots Roots) (Mapping, error) {
	p := &mappingParser{roots: roots}
	s, err := p.parse(value)
	if err != nil {
		return Mapping{}, err
	}
	m := Mapping{source: &s}
	if len(m.Paths()) > 0 {
		return m, nil
	}
	m.value, err = m.Eval(Env{})
	m.source = nil
	return m, err
}

// Eval makes the value. A path that leads nowhere gives null, and so does a computation that has no result. The value
// shares what it consists of with the Env and with the mapping: it is not to be changed. The only error is [ErrLarge].
func (m Mapping) Eval(env Env) (any, error) {
	if m.source == nil {
		return m.value, nil
	}
	v, ok := m.source.eval(&env)
	if !ok || !newMeasure().take(v) {
		return nil, ErrLarge
	}
	return v, nil
}

// Paths are those that the mapping reads, each once.
func (m Mapping) Paths() []Path {
	var found unique
	if m.source != nil {
		m.source.walk(func(s *source) { found.add(s.path) })
	}
	return found
}

// Literal is the value that the mapping always makes, and false when it depends on anything.
func (m Mapping) Literal() (any, bool) { return m.value, m.source == nil }

func (s *source) walk(visit func(*source)) {
	visit(s)
	for i := range s.args {
		s.args[i].walk(visit)
	}
}

// measure is what a value may still hold.
type measure struct {
	values int
	text   int
}

func newMeasure() *measure { return &measure{values: MaxValues, text: MaxText} }

// take counts a value and all within, and tells whether they fit.
func (m *measure) take(v any) bool {
	if m.values--; m.values < 0 {
		return false
	}
	switch v := v.(type) {
	case string:
		return m.takeText(v)
	case []any:
		for _, one := range v {
			if !m.take(one) {
				return false
			}
		}
	case map[string]any:
		for name, one := range v {
			if !m.takeText(name) || !m.take(one) {
				return false
			}
		}
	}
	return true
}

func (m *measure) takeText(text string) bool {
	m.text -= len(text)
	return m.text >= 0
}

// isJSON tells whether a value is decoded JSON. It is one that fits a measure.
func isJSON(v any) bool {
	switch v := v.(type) {
	case nil, bool, string:
		return true
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	case []any:
		for _, one := range v {
			if !isJSON(one) {
				return false
			}
		}
		return true
	case map[string]any:
		for _, one := range v {
			if !isJSON(one) {
				return false
			}
		}
		return true
	}
	return false
}

// isPath tells whether a string in a mapping is meant as a path.
func isPath(text string) bool {
	return text == "$" || strings.HasPrefix(text, "$.") || strings.HasPrefix(text, "$[")
}
