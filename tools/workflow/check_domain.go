package workflow

import (
	"math"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
)

// domain is which values a place can hold.
type domain struct {
	values []any // all of them, when it is not open
	open   bool  // others too: of these kinds
	kinds  kinds
	absent bool // there may be nothing
}

// kinds is a set of kinds of JSON values.
type kinds byte

const (
	kindNull kinds = 1 << iota
	kindBool
	kindWhole
	kindFraction
	kindText
	kindList
	kindObject

	kindNumber = kindWhole | kindFraction
	allKinds   = kindNull | kindBool | kindNumber | kindText | kindList | kindObject
)

var kindNames = map[string]kinds{
	"null": kindNull, "boolean": kindBool, "number": kindNumber, "integer": kindWhole,
	"string": kindText, "array": kindList, "object": kindObject,
}

func kindOf(value any) kinds {
	switch v := value.(type) {
	case nil:
		return kindNull
	case bool:
		return kindBool
	case float64:
		if v != math.Trunc(v) {
			return kindFraction
		}
		return kindWhole
	case string:
		return kindText
	case []any:
		return kindList
	}
	return kindObject
}

var anything = domain{open: true, kinds: allKinds, absent: true}

// maxValues bounds a domain that is listed. A larger one is open.
const maxValues = 40

// decoded is a schema as JSON; nil for none.
func (c *checker) decoded(s *Schema) any {
	if s == nil {
		return nil
	}
	value, known := c.schemas[s]
	if !known {
		if json.Unmarshal(s.raw, &value) != nil {
			value = nil // it was compiled, so that it is JSON
		}
		c.schemas[s] = value
	}
	return value
}

// within is what a schema says of the place that steps lead to from an object that fits it. All keywords of a schema
// hold together (JSON Schema 2020-12, section 10.1), so that each that is read makes the domain smaller, and those
// that are not read never make it larger.
func (c *checker) within(s *Schema, steps []string) domain {
	if s == nil {
		return anything
	}
	at, absent := c.decoded(s), false
	for n, step := range steps {
		object, _ := at.(map[string]any)
		properties, _ := object["properties"].(map[string]any)
		next, known := properties[step]
		if !known {
			if n == 0 && object["additionalProperties"] == false && object["patternProperties"] == nil {
				return domain{absent: true}
			}
			return anything
		}
		if n > 0 && object["type"] != "object" || !demands(object, step) && !defaulted(next) {
			absent = true
		}
		at = next
	}
	found := valuesOf(at)
	found.absent = absent
	return found
}

// demands tells whether the object cannot do without a member.
func demands(object map[string]any, name string) bool {
	list, _ := object["required"].([]any)
	return slices.Contains(list, any(name))
}

func defaulted(schema any) bool {
	object, _ := schema.(map[string]any)
	_, has := object["default"]
	return has
}

// valuesOf is what a schema says of the value itself.
func valuesOf(schema any) domain {
	object, ok := schema.(map[string]any)
	if !ok {
		return domain{open: true, kinds: allKinds}
	}
	found := domain{open: true, kinds: typesOf(object["type"])}
	if constant, has := object["const"]; has {
		found.values, found.open = []any{constant}, false
	}
	if list, has := object["enum"].([]any); has && found.open {
		found.values, found.open = list, false
	}
	switch {
	case !found.open:
	case found.kinds == kindBool:
		found.values, found.open = []any{true, false}, false
	case found.kinds == kindNull:
		found.values, found.open = []any{nil}, false
	}
	found.values = slices.DeleteFunc(slices.Clone(found.values), func(v any) bool { return kindOf(v)&found.kinds == 0 })
	if len(found.values) > maxValues {
		return domain{open: true, kinds: found.kinds}
	}
	return found
}

func typesOf(keyword any) kinds {
	switch v := keyword.(type) {
	case string:
		return kindNames[v]
	case []any:
		var set kinds
		for _, one := range v {
			name, _ := one.(string)
			set |= kindNames[name]
		}
		return set
	}
	return allKinds
}

// mask is a set of what a slot can be: a bit for each of its values, and two more.
type mask uint64

const (
	others mask = 1 << 62 // any value at all
	unset  mask = 1 << 63
	every  mask = 1<<64 - 1
)

// slot is a member of the context, or a kind of evidence, over the whole definition.
type slot struct {
	name     string
	evidence bool
	values   []any
	open     bool
	kinds    kinds // of other values
	usual    kinds // those that are to be reckoned with: a sum of numbers is a number, unless it is too large for one
	schema   *Schema
	touches  []touch // in the order of the edges
	readers  map[int]bool
	written  bool
}

// touch is what an edge does with a slot, in this order: it needs before, it puts, it needs after, it removes.
type touch struct {
	edge          int
	before, after mask
	puts          mask
	weak          bool // it may also not put it
	clears        bool
}

func (t *touch) apply(m mask) mask {
	m &= t.before
	if m == 0 {
		return 0
	}
	switch {
	case t.puts != 0 && t.weak:
		m |= t.puts
	case t.puts != 0:
		m = t.puts
	}
	m &= t.after
	if m != 0 && t.clears {
		m = unset
	}
	return m
}

// slotID is the number of a slot, which is made when it is not known.
func (c *checker) slotID(name string) int {
	id, known := c.slotIDs[name]
	if !known {
		id = len(c.slots)
		c.slotIDs[name] = id
		c.slots = append(c.slots, &slot{name: name, schema: c.d.Slots[name], readers: map[int]bool{}})
	}
	return id
}

// evidenceID is the number of a kind of evidence.
func (c *checker) evidenceID(kind string) int {
	id, known := c.slotIDs["\x00"+kind]
	if !known {
		id = c.slotID("\x00" + kind)
		c.slots[id].evidence, c.slots[id].values = true, []any{true}
	}
	return id
}

// bit is that of a value, which is added when there is room.
func (s *slot) bit(value any) mask {
	for n, known := range s.values {
		if reflect.DeepEqual(known, value) {
			return 1 << n
		}
	}
	if len(s.values) == maxValues {
		s.open, s.kinds, s.usual = true, allKinds, allKinds
		return others
	}
	s.values = append(s.values, value)
	return 1 << (len(s.values) - 1)
}

// all is everything that the slot can be, but unset.
func (s *slot) all() mask {
	m := mask(1)<<len(s.values) - 1
	if s.open {
		m |= others
	}
	return m
}

// path is how a slot is written.
func (s *slot) path() string { return "$.context." + s.name }
