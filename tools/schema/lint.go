package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// nameLetters are what the name of a property has.
const nameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

func isPropertyName(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, nameLetters) == ""
}

// Lint says what in a schema would make clients refuse it, or with it the whole list that it stands
// in: a root that is not an object, composition at the root, a reference, a property name beyond
// letters, digits, _ . - and 64 bytes. Paths point into the schema. None means publish it.
func Lint(raw jsontext.Value) []Violation {
	doc, err := decode(raw)
	if err != nil {
		return unreadable()
	}
	return lintRoot(doc)
}

func unreadable() []Violation { return []Violation{{Message: "cannot be read as a schema"}} }

// CompileLinted is [Lint] and [Compile] of one schema, which is read once.
func CompileLinted(raw jsontext.Value) (*Schema, []Violation, error) {
	doc, err := decode(raw)
	if err != nil {
		return nil, unreadable(), fmt.Errorf("schema: %w", err)
	}
	found := lintRoot(doc) // before the compiler has the document
	s, err := compileDocument(doc, raw)
	return s, found, err
}

func lintRoot(doc any) []Violation {
	root, ok := doc.(map[string]any)
	if !ok {
		return []Violation{{Message: "must be an object with type object"}}
	}
	var found []Violation
	if root["type"] != "object" {
		found = append(found, Violation{"/type", `must be "object"`})
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if _, there := root[keyword]; there {
			found = append(found, Violation{"/" + keyword, "must not stand at the root"})
		}
	}
	lint(root, "", &found)
	return ordered(found)
}

// lint walks a schema. A keyword that it does not know may hold one, so it looks inside, but for those
// that hold data.
func lint(v any, pointer string, found *[]Violation) {
	if len(*found) >= MaxViolations {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for keyword, value := range v {
			lintKeyword(keyword, value, pointer+"/"+Escape(keyword), found)
		}
	case []any:
		for i, item := range v {
			lint(item, pointer+"/"+strconv.Itoa(i), found)
		}
	}
}

func lintKeyword(keyword string, value any, pointer string, found *[]Violation) {
	switch keyword {
	case "const", "enum", "default", "examples":
	case "$ref":
		*found = append(*found, Violation{clip(pointer), "must be written out"})
	case "properties", "patternProperties", "dependentSchemas", "$defs":
		members, _ := value.(map[string]any)
		for name, member := range members {
			at := pointer + "/" + Escape(name)
			if keyword == "properties" && !isPropertyName(name) {
				*found = append(*found, Violation{clip(at), "has a name that clients refuse"})
			}
			lint(member, at, found)
		}
	default:
		lint(value, pointer, found)
	}
}
