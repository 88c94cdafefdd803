package executor

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/tools"
	"prax/tools/schema"
	"prax/tools/workflow/expr"
)

// structure is JSON whose strings are templates. A string that is one place and nothing else stands for the
// argument itself, of whatever type it is, and for null where there is none.
type structure struct {
	of    any // map[string]*structure, []*structure, expr.Template, a number as it was written, true, false or nil
	fixed bool
}

// parseStructure reads one. What cannot be read is told by path.
func parseStructure(raw jsontext.Value, at string) (*structure, []tools.Violation) {
	var v any
	if err := json.Unmarshal(raw, &v, json.WithUnmarshalers(json.UnmarshalFromFunc(numberAsWritten))); err != nil {
		return nil, []tools.Violation{{Path: at, Message: "must be JSON, with numbers in range"}}
	}
	return structureOf(v, at)
}

// numberAsWritten keeps a number from becoming its nearest float64: an id of 19 digits would be another.
func numberAsWritten(d *jsontext.Decoder, v *any) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	*v = raw.Clone()
	_, err = strconv.ParseFloat(string(raw), 64)
	return err
}

func structureOf(v any, at string) (*structure, []tools.Violation) {
	var found []tools.Violation
	s := &structure{of: v, fixed: true}
	inner := func(v any, name string) *structure {
		one, problems := structureOf(v, at+"/"+schema.Escape(name))
		found = append(found, problems...)
		s.fixed = s.fixed && one.fixed
		return one
	}
	switch v := v.(type) {
	case string:
		t, err := parseTemplate(v)
		if err != nil {
			found = append(found, tools.Violation{Path: at, Message: err.Error()})
		}
		_, fixed := t.Literal()
		s.of, s.fixed = t, fixed
	case map[string]any:
		members := map[string]*structure{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			members[name] = inner(v[name], name)
		}
		s.of = members
	case []any:
		items := make([]*structure, len(v))
		for i := range v {
			items[i] = inner(v[i], strconv.Itoa(i))
		}
		s.of = items
	}
	return s, found
}

// structure fills one.
func (f *filling) structure(s *structure) (jsontext.Value, error) {
	v, err := f.value(s)
	if err != nil {
		return nil, err
	}
	return marshal(v)
}

func (f *filling) value(s *structure) (any, error) {
	switch of := s.of.(type) {
	case expr.Template:
		return f.argument(of)
	case map[string]*structure:
		filled := make(map[string]any, len(of))
		for name, one := range of {
			v, err := f.value(one)
			if err != nil {
				return nil, err
			}
			filled[name] = v
		}
		return filled, nil
	case []*structure:
		filled := make([]any, len(of))
		for i, one := range of {
			v, err := f.value(one)
			if err != nil {
				return nil, err
			}
			filled[i] = v
		}
		return filled, nil
	}
	return s.of, nil
}

func (f *filling) argument(t expr.Template) (any, error) {
	p, sole := t.Sole()
	if !sole {
		return f.text(t)
	}
	v, _ := p.Of(f.env)
	raw, err := marshal(v)
	if err != nil {
		return nil, err
	}
	return v, f.take(len(raw), true)
}
