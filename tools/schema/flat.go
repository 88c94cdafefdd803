package schema

import "math"

// flat is what a schema says of an object whose members are simple, as those of most tools are. It knows of many values
// that they fit, at a fraction of the cost; of the others, and of every value that does not fit, the library judges.
type flat struct {
	members  map[string]simple
	required []string
	open     bool // further members may be there
}

// simple is the schema of a member: a type, and for text how many bytes are surely not too many. The zero simple stands
// for a schema of another form.
type simple struct {
	kind string
	text int
}

// flatten is nil for a schema of another form.
func flatten(doc any) *flat {
	object, _ := doc.(map[string]any)
	if object["type"] != "object" {
		return nil
	}
	f := &flat{members: map[string]simple{}, open: true}
	for keyword, value := range object {
		switch keyword {
		case "type", "$schema", "title", "description", "$comment", "default", "examples":
		case "required":
			f.required = names(value)
		case "additionalProperties":
			f.open, _ = value.(bool)
		case "properties":
			properties, _ := value.(map[string]any)
			for name, member := range properties {
				f.members[name] = simply(member)
			}
		default:
			return nil
		}
	}
	return f
}

func names(v any) (found []string) {
	list, _ := v.([]any)
	for _, one := range list {
		name, _ := one.(string)
		found = append(found, name)
	}
	return found
}

func simply(v any) simple {
	object, _ := v.(map[string]any)
	s := simple{text: math.MaxInt32}
	for keyword, value := range object {
		switch keyword {
		case "title", "description", "$comment", "default", "examples":
		case "type":
			s.kind, _ = value.(string)
		case "maxLength": // in characters, none of which has less than a byte
			most, _ := value.(float64)
			s.text = int(min(most, math.MaxInt32))
		default:
			return simple{}
		}
	}
	return s
}

// fits tells whether a value surely fits.
func (f *flat) fits(v any) bool {
	object, ok := v.(map[string]any)
	if !ok || f == nil {
		return false
	}
	for _, name := range f.required {
		if _, there := object[name]; !there {
			return false
		}
	}
	for name, value := range object {
		s, named := f.members[name]
		if named && !s.fits(value) || !named && !f.open {
			return false
		}
	}
	return true
}

func (s simple) fits(v any) bool {
	switch v := v.(type) {
	case string:
		return s.kind == "string" && len(v) <= s.text
	case bool:
		return s.kind == "boolean"
	case float64:
		return s.kind == "number" && !math.IsNaN(v) && !math.IsInf(v, 0) || s.kind == "integer" && v == math.Trunc(v) && math.Abs(v) < 1<<53
	}
	return false
}
