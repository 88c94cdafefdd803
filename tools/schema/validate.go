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
	if s.work(value, len(raw)) > MaxWork {
		return []Violation{{Message: "is too large to be checked: send less at a time"}}
	}
	err := s.root.Validate(value)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Violation{{Message: "is not valid"}}
	}
	return violations(invalid)
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
	before := len(members)
	for name, value := range members {
		if fits, optional := s.nullable[name]; optional && !fits && value.Kind() == 'n' {
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
// alternatives, of which no single one can be blamed.
func violations(root *jsonschema.ValidationError) []Violation {
	var found []Violation
	walk(root, func(path string, message string) {
		found = append(found, Violation{Path: clip(path), Message: message})
	})
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	found = slices.Compact(found)
	return found[:min(len(found), MaxViolations)]
}
