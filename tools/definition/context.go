package definition

import (
	"strconv"
	"strings"

	"prax/tools/workflow"
)

// schemaOf compiles a schema, once for all that have the same text.
func (b *builder) schemaOf(v *value, path string) *workflow.Schema {
	raw := v.appendJSON(nil)
	if s, known := b.schemas[string(raw)]; known {
		return s
	}
	s, err := workflow.NewSchema(raw)
	if err != nil {
		b.about(BadSchema, path, "is no schema that can be served: "+strings.TrimPrefix(err.Error(), "schema: "))
		return nil
	}
	b.schemas[string(raw)] = s
	return s
}

// input compiles the schema of what a caller sends: always an object.
func (b *builder) input(v *value, path string) *workflow.Schema {
	if v == nil || !b.is(v, path, '{') {
		return nil
	}
	if kind := v.find("type"); kind != nil && (kind.kind != '"' || kind.text != "object") {
		b.about(BadSchema, path+"/type", `must be "object": arguments always are one`)
		return nil
	}
	return b.schemaOf(v, path)
}

// context is the context at the start.
func (b *builder) context(v *value) map[string]any {
	const path = "/initialContext"
	if v == nil || !b.is(v, path, '{') {
		return nil
	}
	for _, m := range v.members {
		b.label(m, below(path, m.name), "a slot")
	}
	if len(v.appendJSON(nil)) > workflow.MaxData {
		b.about(TooLarge, path, "is more than "+strconv.Itoa(workflow.MaxData)+" bytes")
	}
	return v.plainObject()
}

// blackboard reads which slots there are: a list of names, or an object of names and schemas.
func (b *builder) blackboard(v *value) {
	const path = "/blackboard"
	if v == nil {
		return
	}
	d := b.d
	d.SlotsDeclared, d.Slots = true, map[string]*workflow.Schema{}
	switch v.kind {
	case '[':
		for i, one := range v.items {
			at := item(path, i)
			if b.is(one, at, '"') && b.label(member{one.place, one.text, one}, at, "a slot") {
				d.Slots[one.text] = nil
			}
		}
	case '{':
		for _, m := range v.members {
			if at := below(path, m.name); b.label(m, at, "a slot") {
				d.Slots[m.name] = b.slot(m.value, at)
			}
		}
	default:
		b.about(WrongType, path, "must be a list of names, or an object of names and schemas, is "+named(v.kind))
	}
}

func (b *builder) slot(v *value, path string) *workflow.Schema {
	if v.find("constraint") != nil {
		b.about(InvalidConstraint, path+"/constraint", "is not served here: a constraint stands on a slot of a state")
		return nil
	}
	return b.schemaOf(v, path)
}
