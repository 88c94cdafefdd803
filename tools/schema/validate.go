package schema

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// MaxViolations bounds what [Schema.Validate] returns.
const MaxViolations = 32

// Violation is one place where a value does not fit.
type Violation struct {
	Path    string `json:"path"`    // JSON Pointer into the value; "" is the whole
	Message string `json:"message"` // what must change, without a subject: "must be an integer, is a string"
}

// Validate checks a JSON value and returns every violation in the order of their paths, at most
// [MaxViolations]; none when the value fits. Integers are exact up to ±2^53.
func (s *Schema) Validate(raw jsontext.Value) []Violation {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return []Violation{{Message: "is not a JSON value that can be read"}}
	}
	return s.Check(value, len(raw))
}

// ValidateValue is [Schema.Validate] for a value that is decoded already: of map[string]any, []any, string,
// float64, bool and nil.
func (s *Schema) ValidateValue(value any) []Violation { return s.Check(value, texts(value)) }

// Check is [Schema.ValidateValue] for a value whose JSON has so many bytes.
func (s *Schema) Check(value any, text int) []Violation {
	if s.work(value, text) > MaxWork {
		return []Violation{{Message: "is too large to be checked: send less at a time"}}
	}
	if s.flat.fits(value) {
		return nil
	}
	return violations(s.library().root.Validate(value))
}

// texts is how many bytes of text stand in a value, names included.
func texts(v any) int {
	n := 0
	switch v := v.(type) {
	case string:
		return len(v)
	case map[string]any:
		for name, member := range v {
			n += len(name) + texts(member)
		}
	case []any:
		for _, item := range v {
			n += texts(item)
		}
	}
	return n
}

func (s *Schema) work(value any, text int) int {
	return size(value)*s.cost.values + text/64*s.cost.program
}

// WithoutNulls is arguments without those members of the root that are null, optional, and of a
// schema that null does not fit: callers that fill in every member mean "absent" by it. The same
// value comes back when there is none.
func (s *Schema) WithoutNulls(arguments jsontext.Value) jsontext.Value {
	if !bytes.Contains(arguments, []byte("null")) {
		return arguments
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(arguments, &members) != nil {
		return arguments
	}
	before, nullable := len(members), s.library().nullable
	for name, value := range members {
		if fits, optional := nullable[name]; optional && !fits && value.Kind() == 'n' {
			delete(members, name)
		}
	}
	if len(members) == before {
		return arguments
	}
	kept, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return arguments
	}
	return kept
}

// violations flattens the library's tree: what a model can act on are the leaves, but for
// alternatives, of which no single one can be blamed. An error always gives one.
func violations(err error) []Violation {
	if err == nil {
		return nil
	}
	var found []Violation
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		walk(invalid, func(path string, message string) {
			found = append(found, Violation{Path: clip(path), Message: message})
		})
	}
	if len(found) == 0 {
		return []Violation{{Message: "is not valid"}}
	}
	found = slices.Compact(ordered(found))
	return found[:min(len(found), MaxViolations)]
}

func ordered(found []Violation) []Violation {
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return found
}
