package executor

import (
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/tools/schema"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// mapped is JSON some of whose strings are paths: each stands for the value that it leads to, of whatever type that
// is. What a value holds is never looked at.
type mapped struct {
	of any // map[string]*mapped, []*mapped, expr.Path, string, a number as it was written, true, false or nil
}

// mapped reads JSON whose strings are literals, or paths as a whole.
func (f *violations) mapped(at string, raw jsontext.Value, roots expr.Roots) *mapped {
	var v any
	if err := json.Unmarshal(raw, &v, json.WithUnmarshalers(json.UnmarshalFromFunc(numberAsWritten))); err != nil {
		f.add(at, "must be JSON, with numbers in range")
		return nil
	}
	return f.mappedValue(at, v, roots)
}

func (f *violations) mappedValue(at string, v any, roots expr.Roots) *mapped {
	switch v := v.(type) {
	case string:
		a := f.argument(at, v, roots)
		if a.path.IsZero() {
			return &mapped{of: a.text}
		}
		return &mapped{of: a.path}
	case map[string]any:
		members := map[string]*mapped{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner := at + "/" + schema.Escape(name)
			f.add(inner, literalDefect(name))
			members[name] = f.mappedValue(inner, v[name], roots)
		}
		return &mapped{of: members}
	case []any:
		items := make([]*mapped, len(v))
		for i := range v {
			items[i] = f.mappedValue(at+"/"+strconv.Itoa(i), v[i], roots)
		}
		return &mapped{of: items}
	}
	return &mapped{of: v}
}

// maxSent bounds what an executor sends, in bytes of JSON.
const maxSent = 1 << 20

// sending puts values in place, within a budget: a definition may name one large argument many times.
type sending struct {
	env  expr.Env
	left int
}

// fill is the JSON that is to be sent.
func (m *mapped) fill(env expr.Env) (jsontext.Value, *workflow.Failure) {
	s := &sending{env: env, left: maxSent}
	v, failure := s.value(m)
	if failure != nil {
		return nil, failure
	}
	return s.raw(v, maxSent)
}

func (s *sending) value(m *mapped) (any, *workflow.Failure) {
	switch of := m.of.(type) {
	case expr.Path:
		return s.led(of)
	case map[string]*mapped:
		filled := make(map[string]any, len(of))
		for _, name := range slices.Sorted(maps.Keys(of)) {
			v, failure := s.value(of[name])
			if failure != nil {
				return nil, failure
			}
			filled[name] = v
		}
		return filled, nil
	case []*mapped:
		filled := make([]any, len(of))
		for i, one := range of {
			v, failure := s.value(one)
			if failure != nil {
				return nil, failure
			}
			filled[i] = v
		}
		return filled, nil
	}
	return m.of, nil
}

// led is the value that a path leads to.
func (s *sending) led(p expr.Path) (any, *workflow.Failure) {
	v, ok := p.Of(s.env)
	if !ok {
		return nil, unfit("%s leads to nothing", p)
	}
	raw, failure := s.raw(v, s.left)
	s.left -= len(raw)
	return raw, failure
}

func (s *sending) raw(v any, most int) (jsontext.Value, *workflow.Failure) {
	raw, err := marshal(v)
	switch {
	case err != nil:
		return nil, unfit("what would be sent is no JSON")
	case len(raw) > most:
		return nil, unfit("what would be sent has more than %d MiB: send less", maxSent>>20)
	}
	return raw, nil
}
