package schema

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds of one schema. What lies beyond is refused by [Compile].
const (
	MaxBytes      = 256 << 10 // of the JSON text
	MaxDepth      = 64        // nesting of the JSON text
	MaxSubschemas = 1000      // distinct ones, the root included
	MaxExpanded   = 10_000    // JSON values once every $ref is written out
	MaxPattern    = 1024      // bytes of one regular expression
	MaxProgram    = 2000      // instructions of one compiled regular expression
)

// MaxWork bounds one validation: values to check × expanded size of the schema, plus bytes of text ×
// instructions of its regular expressions / 64. A value beyond it is a violation, not a long wait.
const MaxWork = 1_000_000

const dialect = "https://json-schema.org/draft/2020-12/schema"

// Schema is a compiled JSON Schema. It is immutable and may be used by many goroutines.
type Schema struct {
	library  func() library
	cost     cost
	defaults defaults
	flat     *flat // nil: of another form
}

// library is a schema as the library has it.
type library struct {
	root     *jsonschema.Schema
	nullable map[string]bool // the optional properties of the root: does null fit?
}

// Compile reads a schema of dialect 2020-12. References must stay within the document (`#`,
// `#/pointer`, `#anchor`), must not form a cycle, and the whole must keep within the bounds. The error
// says where, as a JSON Pointer, and what to change.
func Compile(raw jsontext.Value) (*Schema, error) {
	doc, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return compileDocument(doc, raw)
}

// compileDocument compiles a schema that has been read, which is the library's from then on.
func compileDocument(doc any, raw jsontext.Value) (*Schema, error) {
	cost, err := measure(doc)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	s := &Schema{cost: cost, defaults: collectDefaults(doc), flat: flatten(doc)}
	if plain(doc) {
		s.library = lazily(bytes.Clone(raw))
		return s, nil
	}
	root, err := compile(doc)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled := library{root, nullable(root)}
	s.library = func() library { return compiled }
	return s, nil
}

// lazily has the library compile a plain schema when a value first needs it: many values never do, and a start has dozens of
// schemas. One that it did not compile after all would let nothing through.
func lazily(raw jsontext.Value) func() library {
	return sync.OnceValue(func() library {
		doc, err := decode(raw)
		if err != nil {
			return library{root: refuse}
		}
		root, err := compile(doc)
		if err != nil {
			return library{root: refuse}
		}
		return library{root, nullable(root)}
	})
}

// refuse is the schema that nothing fits.
var refuse = &jsonschema.Schema{Bool: new(bool)}

func decode(raw jsontext.Value) (any, error) {
	if len(raw) > MaxBytes {
		return nil, fmt.Errorf("%d bytes are more than %d", len(raw), MaxBytes)
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	return doc, nil
}

// location is the base of every schema: no loader answers for it or for anything else.
const location = "prax:///schema"

func compile(doc any) (*jsonschema.Schema, error) {
	if object, ok := doc.(map[string]any); ok {
		delete(object, "$id") // a base of its own could stand for a document that is not here
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nothing{})
	if err := c.AddResource(location, doc); err != nil {
		return nil, err
	}
	root, err := c.Compile(location)
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		first := violations(invalid.Err)[0]
		return nil, fmt.Errorf("does not fit the dialect 2020-12: at %q: %s", first.Path, first.Message)
	}
	return root, err
}

// nothing is the loader: no document but the given one exists.
type nothing struct{}

func (nothing) Load(string) (any, error) { return nil, errors.New("remote references are refused") }

// nullable tells for each optional property of the root whether null fits it.
func nullable(root *jsonschema.Schema) map[string]bool {
	optional := make(map[string]bool, len(root.Properties))
	for name, property := range root.Properties {
		optional[name] = property.Validate(nil) == nil
	}
	for _, name := range root.Required {
		delete(optional, name)
	}
	return optional
}
