package schema

import (
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"
)

// cost is how much work a schema is for one value: JSON values with every reference written out, and
// instructions of regular expressions. It saturates above MaxExpanded.
type cost struct {
	values  int
	program int
}

func (c cost) plus(o cost) cost {
	return cost{
		values:  min(c.values+o.values, MaxExpanded+1),
		program: min(c.program+o.program, MaxExpanded*MaxProgram),
	}
}

// survey walks a schema once, following references, and finds out whether it keeps the bounds.
type survey struct {
	root    any
	anchors map[string]any
	seen    map[string]cost // by pointer, of schemas already measured
	open    map[string]bool // by pointer, of schemas on the way down
}

func measure(doc any) (cost, error) {
	if depth(doc, 1) > MaxDepth {
		return cost{}, fmt.Errorf("nests deeper than %d", MaxDepth)
	}
	s := &survey{root: doc, seen: map[string]cost{}, open: map[string]bool{}}
	total, err := s.schema(doc, "")
	if err != nil {
		return cost{}, err
	}
	if total.values > MaxExpanded {
		return cost{}, fmt.Errorf("more than %d values once references are written out", MaxExpanded)
	}
	return total, nil
}

func depth(v any, level int) int {
	deepest := level
	if level > MaxDepth {
		return level
	}
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			deepest = max(deepest, depth(item, level+1))
		}
	case []any:
		for _, item := range v {
			deepest = max(deepest, depth(item, level+1))
		}
	}
	return deepest
}

// schema measures the schema at pointer. One that is met again while it is still being measured
// refers to itself.
func (s *survey) schema(v any, pointer string) (cost, error) {
	if known, ok := s.seen[pointer]; ok {
		return known, nil
	}
	if s.open[pointer] {
		return cost{}, fmt.Errorf("at %q: refers to itself", pointer)
	}
	if len(s.seen)+len(s.open) >= MaxSubschemas {
		return cost{}, fmt.Errorf("more than %d subschemas", MaxSubschemas)
	}
	object, ok := v.(map[string]any)
	if !ok {
		s.seen[pointer] = cost{values: 1} // true or false; the library refuses the rest
		return cost{values: 1}, nil
	}
	s.open[pointer] = true
	defer delete(s.open, pointer)
	total := cost{values: 1}
	for keyword, value := range object {
		part, err := s.keyword(keyword, value, pointer)
		if err != nil {
			return cost{}, err
		}
		total = total.plus(part)
	}
	s.seen[pointer] = total
	return total, nil
}

func (s *survey) keyword(keyword string, value any, pointer string) (cost, error) {
	here := pointer + "/" + Escape(keyword)
	switch keyword {
	case "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames",
		"unevaluatedItems", "unevaluatedProperties", "contentSchema":
		return s.schema(value, here)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return s.list(value, here)
	case "$defs", "definitions":
		// Counted where they are referred to; looked at all the same.
		_, err := s.named(value, here)
		return cost{}, err
	case "properties", "dependentSchemas", "dependencies":
		return s.named(value, here)
	case "patternProperties":
		return s.patternNamed(value, here)
	case "pattern":
		return pattern(value, here)
	case "$ref":
		return s.reference(value, here)
	case "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor":
		return cost{}, fmt.Errorf("at %q: not supported: write it with $ref", here)
	case "$schema":
		return cost{values: 1}, checkDialect(value, pointer, here)
	case "$id":
		if pointer != "" {
			return cost{}, fmt.Errorf("at %q: $id is supported at the root only", here)
		}
	case "title", "description", "$comment", "default", "examples", "$anchor", "$vocabulary":
		return cost{}, nil // annotations: no work
	}
	return cost{values: size(value)}, nil
}

func (s *survey) list(value any, pointer string) (total cost, err error) {
	items, _ := value.([]any)
	for i, item := range items {
		part, err := s.schema(item, pointer+"/"+strconv.Itoa(i))
		if err != nil {
			return cost{}, err
		}
		total = total.plus(part)
	}
	return total, nil
}

func (s *survey) named(value any, pointer string) (total cost, err error) {
	members, _ := value.(map[string]any)
	for name, member := range members {
		part, err := s.schema(member, pointer+"/"+Escape(name))
		if err != nil {
			return cost{}, err
		}
		total = total.plus(part)
	}
	return total, nil
}

func (s *survey) patternNamed(value any, pointer string) (cost, error) {
	total, err := s.named(value, pointer)
	members, _ := value.(map[string]any)
	for expression := range members {
		if err != nil {
			return cost{}, err
		}
		var part cost
		part, err = pattern(expression, pointer)
		total = total.plus(part)
	}
	return total, err
}

// pattern measures a regular expression. Matching is linear in text × program (RE2), so both are
// bounded: the program here, the text by MaxWork.
func pattern(value any, pointer string) (cost, error) {
	expression, _ := value.(string)
	if len(expression) > MaxPattern {
		return cost{}, fmt.Errorf("at %q: a pattern of %d bytes is longer than %d", pointer, len(expression), MaxPattern)
	}
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return cost{}, fmt.Errorf("at %q: the pattern is not RE2 syntax", pointer)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > MaxProgram {
		return cost{}, fmt.Errorf("at %q: the pattern is too large once its repetitions are written out", pointer)
	}
	return cost{values: 1, program: len(program.Inst)}, nil
}

func checkDialect(value any, pointer, here string) error {
	if name, _ := value.(string); strings.TrimSuffix(name, "#") != dialect || pointer != "" {
		return fmt.Errorf("at %q: the only supported dialect is %s, at the root", here, dialect)
	}
	return nil
}

// size is the number of JSON values in v.
func size(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			n += size(member)
		}
	case []any:
		for _, item := range v {
			n += size(item)
		}
	}
	return n
}
