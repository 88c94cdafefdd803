package schema

import "maps"

// defaults is what a schema has to fill in within an object: by the name of the property.
type defaults map[string]property

type property struct {
	value any // the default
	has   bool
	inner defaults // of the object that the property may be
}

// maxDefaults bounds how many properties one schema may fill in.
const maxDefaults = 10_000

// Fill is a decoded value with the schema's defaults in place: of properties that are absent or null, also in
// objects within objects; an object that is absent and has no default of its own is not made up. The value is not
// changed; what comes back shares with it and with the schema, and must not be changed either.
func (s *Schema) Fill(value any) any {
	filled, _ := s.defaults.fill(value)
	return filled
}

func (d defaults) fill(value any) (filled any, changed bool) {
	object, ok := value.(map[string]any)
	if !ok || len(d) == 0 {
		return value, false
	}
	for name, p := range d {
		next, other := p.fill(object, name)
		if !other {
			continue
		}
		if !changed {
			object, changed = maps.Clone(object), true
			if object == nil {
				object = map[string]any{}
			}
		}
		object[name] = next
	}
	return object, changed
}

// fill is the property's value in an object, and whether it is another than before.
func (p property) fill(object map[string]any, name string) (any, bool) {
	value, there := object[name]
	if value != nil {
		return p.inner.fill(value)
	}
	if !p.has || there && p.value == nil {
		return nil, false
	}
	filled, _ := p.inner.fill(p.value)
	return filled, true
}

// collector gathers the defaults of a schema that has been measured: its references end, and written out they
// are not too many.
type collector struct {
	root any
	left int // properties that may still be added
}

func collectDefaults(doc any) defaults {
	c := &collector{root: doc, left: maxDefaults}
	d := defaults{}
	c.schema(doc, d)
	return d
}

// schema adds what v, what it refers to and what it is composed of fill in. The outermost default wins.
func (c *collector) schema(v any, into defaults) {
	object, _ := v.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	for name, inner := range properties {
		if c.left--; c.left < 0 {
			return
		}
		c.property(name, inner, into)
	}
	if target, ok := c.target(object); ok {
		c.schema(target, into)
	}
	parts, _ := object["allOf"].([]any)
	for _, part := range parts {
		c.schema(part, into)
	}
}

func (c *collector) property(name string, v any, into defaults) {
	p, known := into[name]
	if p.inner == nil {
		p.inner = defaults{}
	}
	if !p.has {
		p.value, p.has = c.value(v)
	}
	c.schema(v, p.inner)
	if known || p.has || len(p.inner) > 0 {
		into[name] = p
	}
}

// value is the default that a schema states, itself or by what it refers to.
func (c *collector) value(v any) (any, bool) {
	object, _ := v.(map[string]any)
	if value, ok := object["default"]; ok {
		return value, true
	}
	if target, ok := c.target(object); ok {
		return c.value(target)
	}
	return nil, false
}

func (c *collector) target(object map[string]any) (any, bool) {
	ref, _ := object["$ref"].(string)
	if ref == "" {
		return nil, false
	}
	target, _, err := (&survey{root: c.root}).resolve(ref)
	return target, err == nil
}
