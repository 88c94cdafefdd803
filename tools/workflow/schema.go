package workflow

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
	"prax/tools/schema"
)

// Schema is a JSON Schema as a definition states it: shown as it was written, and applied with its defaults.
type Schema struct {
	raw  jsontext.Value
	root *schema.Schema
}

// NewSchema compiles a schema within the bounds of [schema.Compile].
func NewSchema(raw jsontext.Value) (*Schema, error) {
	root, err := schema.Compile(raw)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	return &Schema{raw: text, root: root}, nil
}

// Raw is the schema as it was written, but for white space. It must not be changed.
func (s *Schema) Raw() jsontext.Value { return s.raw }

// Fill is a JSON value with the schema's defaults in place of members that are absent or null, also in objects
// within objects, as canonical JSON. The error wraps [digest.ErrJSON] or says that the result would be too large.
func (s *Schema) Fill(raw jsontext.Value) (jsontext.Value, error) {
	if err := digest.Check(raw); err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, fmt.Errorf("%w: %w", digest.ErrJSON, err)
	}
	value = s.root.Fill(value)
	if err := weigh(value, MaxData); err != nil {
		return nil, err
	}
	filled, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return digest.Canonical(filled)
}

// Validate checks a JSON value and returns every violation by path; none when it fits.
func (s *Schema) Validate(raw jsontext.Value) []schema.Violation { return s.root.Validate(raw) }

// Check is Validate of a decoded value.
func (s *Schema) Check(value any) []schema.Violation { return s.root.ValidateValue(value) }

// object decodes what a caller sent as an object, fills in the defaults and checks it. Nothing is an empty
// object, as no schema is one that takes any.
func (s *Schema) object(raw jsontext.Value) (map[string]any, []schema.Violation) {
	value, violations := decodeObject(raw)
	if violations != nil {
		return nil, violations
	}
	return s.filled(value)
}

func (s *Schema) filled(value map[string]any) (map[string]any, []schema.Violation) {
	if s == nil {
		return value, nil
	}
	filled, _ := s.root.Fill(value).(map[string]any)
	if err := weigh(filled, MaxData); err != nil {
		return nil, []schema.Violation{{Message: "is too large with its defaults filled in"}}
	}
	return filled, s.root.ValidateValue(filled)
}

func decodeObject(raw jsontext.Value) (map[string]any, []schema.Violation) {
	if len(raw) == 0 || raw.Kind() == 'n' {
		return map[string]any{}, nil
	}
	if len(raw) > MaxData {
		return nil, []schema.Violation{{Message: fmt.Sprintf("must have at most %d bytes", MaxData)}}
	}
	if err := digest.Check(raw); err != nil {
		return nil, []schema.Violation{{Message: "must be JSON that is read the same everywhere: no name twice, no integer beyond ±2^53, nested at most 64 deep"}}
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, []schema.Violation{{Message: "must be JSON"}}
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, []schema.Violation{{Message: "must be an object"}}
	}
	return object, nil
}
