package workflow

import (
	"math"
	"slices"
	"strings"

	"prax/tools/workflow/expr"
)

// build makes the axes of all that the guards read.
func (q *question) build() *question { return q.buildWorld().buildCaller() }

// buildWorld makes those of what is as it is, whoever comes: the context, the input, evidence.
func (q *question) buildWorld() *question {
	slots := map[int][]*seenPath{}
	var order []int
	for _, s := range q.order {
		switch s.path.Root() {
		case expr.Context:
			name := s.path.Slot()
			if name == "" {
				q.inexact = true // the context as a whole
				continue
			}
			id := q.c.slotID(name)
			if slots[id] == nil {
				order = append(order, id)
			}
			slots[id] = append(slots[id], s)
		case expr.Input:
			q.member(s, q.c.d.Input, "input", q.setInput)
		case expr.Workflow:
			q.aboutInstance(s)
		}
	}
	for _, id := range order {
		q.slot(id, slots[id])
	}
	for _, key := range q.leafOrder {
		if kind, is := strings.CutPrefix(key, "have "); is {
			q.evidence(kind)
		} else if strings.HasPrefix(key, "enough ") {
			q.either(key)
		}
	}
	return q
}

// buildCaller makes those of what the caller is and sends.
func (q *question) buildCaller() *question {
	for _, s := range q.order {
		if s.path.Root() == expr.Arguments {
			q.member(s, q.argumentSchema(), "arguments", q.setArguments)
		}
	}
	var claims []string
	for _, key := range q.leafOrder {
		kind, name, _ := strings.Cut(key, " ")
		switch GuardKind(kind) {
		case GuardPermission, GuardRole:
			claims = append(claims, key)
		case GuardGuidance, GuardScript:
			if q.c.d.Library[name] != nil {
				q.either(key)
			}
		}
	}
	q.claims(claims)
	return q
}

// nothingSent is the schema of what nobody sends.
var nothingSent = &Schema{raw: []byte(`{"type":"object","additionalProperties":false}`)}

func (q *question) argumentSchema() *Schema {
	if q.t == nil {
		return nothingSent
	}
	return q.t.Input
}

func (q *question) axis(a *axis) { q.axes = append(q.axes, a) }

// either is a truth that can be both.
func (q *question) either(key string) {
	q.axis(&axis{slot: -1, choices: []choice{
		{set: func() { q.truths[key] = true }}, {set: func() { q.truths[key] = false }},
	}})
}

// claims are roles and permissions: those that one of the callers has together, or any.
func (q *question) claims(keys []string) {
	if q.callers == nil {
		for _, key := range keys {
			if key == string(GuardRole)+" human" && q.t != nil && (q.t.Actor == Human || q.t.asks()) {
				q.truths[key] = true
			} else {
				q.either(key)
			}
		}
		return
	}
	a := &axis{slot: -1}
	known := map[string]bool{}
	for _, caller := range q.callers {
		has := caller.has(keys)
		pattern := strings.Join(has, "\n")
		if known[pattern] {
			continue
		}
		known[pattern] = true
		a.choices = append(a.choices, choice{set: func() {
			for _, key := range keys {
				q.truths[key] = slices.Contains(has, key)
			}
		}})
	}
	q.axis(a)
}

// has are those of the claims that the caller can make.
func (c Caller) has(keys []string) []string {
	var has []string
	for _, key := range keys {
		kind, name, _ := strings.Cut(key, " ")
		if GuardKind(kind) == GuardRole && c.Roles.Has(name) || GuardKind(kind) == GuardPermission && c.Permissions.Has(name) {
			has = append(has, key)
		}
	}
	return has
}

// evidence is whether there is some of a kind.
func (q *question) evidence(kind string) {
	id := q.c.evidenceID(kind)
	key := "have " + kind
	a := &axis{slot: id, name: "evidence of the kind " + clip(kind)}
	m := q.can(id)
	if m&1 != 0 {
		a.choices = append(a.choices, choice{bit: 1, set: func() { q.truths[key] = true }})
	}
	if m&unset != 0 {
		a.choices = append(a.choices, choice{bit: unset, says: isMissing, set: func() { q.truths[key] = false }})
	}
	q.axis(a)
}

// aboutInstance is what a guard reads of the instance itself.
func (q *question) aboutInstance(s *seenPath) {
	if s.only || s.path.String() == "$.workflow.state" {
		return
	}
	q.inexact = true
	if s.path.String() != "$.workflow.version" {
		return
	}
	a := &axis{slot: -1, name: s.path.String()}
	values, _ := represent(s.compared, kindNumber)
	for _, v := range values {
		if n, _ := v.(float64); n >= 1 && n == math.Trunc(n) {
			a.choices = append(a.choices, choice{value: v, says: isValue, set: func() { q.env.Version = int64(n) }})
		}
	}
	if len(a.choices) > 0 {
		q.axis(a)
	}
}

func (q *question) setInput(o map[string]any)     { q.env.Input = o }
func (q *question) setArguments(o map[string]any) { q.env.Arguments = o }

// member is a path into the arguments or the input.
func (q *question) member(s *seenPath, schema *Schema, root string, set func(map[string]any)) {
	steps := s.path.Steps()
	if len(steps) == 0 {
		q.inexact = true
		return
	}
	h := q.hold(root)
	d := q.c.within(schema, steps)
	q.parts(h, s, d, steps, func() {
		object, _ := h.object().(map[string]any)
		set(object)
	})
}

func (q *question) hold(name string) *held {
	h := q.held[name]
	if h == nil {
		h = &held{open: true}
		q.held[name] = h
	}
	return h
}

// parts is the axis of one path into an object that is put together.
func (q *question) parts(h *held, s *seenPath, d domain, steps []string, set func()) {
	p := &heldPart{steps: steps}
	for _, other := range h.parts {
		if overlap(other.steps, steps) {
			q.inexact = true
		}
	}
	h.parts = append(h.parts, p)
	values := d.values
	if d.open {
		exact := false
		values, exact = represent(s.compared, d.kinds)
		q.inexact = q.inexact || !exact || s.tangled
		if s.only && len(values) > 1 {
			values = values[:1]
		}
	}
	a := &axis{slot: -1, name: s.path.String(), hidden: func() bool { return !h.open }}
	for _, v := range values {
		a.choices = append(a.choices, choice{value: v, says: isValue, set: func() { p.value, p.there = v, true; set() }})
	}
	if d.absent {
		a.choices = append(a.choices, choice{says: isNotSet, set: func() { p.there = false; set() }})
	}
	q.axis(a)
}

// overlap tells whether one of two ways is the beginning of the other.
func overlap(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// object is what is held, as a value.
func (h *held) object() any {
	if !h.open {
		return h.whole
	}
	object := map[string]any{}
	for _, p := range h.parts {
		if p.there {
			if len(p.steps) == 0 {
				return p.value
			}
			insert(object, p.steps, p.value)
		}
	}
	return object
}

func insert(object map[string]any, steps []string, value any) {
	for _, step := range steps[:len(steps)-1] {
		inner, ok := object[step].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[step] = inner
		}
		object = inner
	}
	object[steps[len(steps)-1]] = value
}

// slot is a member of the context: each of the values that it is known to have, unset, and others, of which the paths
// into it are chosen apart.
func (q *question) slot(id int, paths []*seenPath) {
	s, m := q.c.slots[id], q.can(id)
	h := q.hold("context " + s.name)
	set := func() { q.env.Context[s.name] = h.object() }
	a := &axis{slot: id, name: s.path()}
	for n, v := range s.values {
		if m&(1<<n) != 0 {
			a.choices = append(a.choices, choice{bit: 1 << n, value: v, says: isValue, set: func() { h.open, h.whole = false, v; set() }})
		}
	}
	if m&unset != 0 {
		a.choices = append(a.choices, choice{bit: unset, says: isNotSet, set: func() { h.open = false; delete(q.env.Context, s.name) }})
	}
	if m&others != 0 {
		a.choices = append(a.choices, choice{bit: others, set: func() { h.open = true; set() }})
	}
	q.axis(a)
	if m&others == 0 {
		return
	}
	again := func() {
		if h.open {
			set()
		}
	}
	for _, p := range paths {
		q.otherValues(h, s, p, again)
	}
}

// otherValues is the axis of a path into a slot that can be anything.
func (q *question) otherValues(h *held, s *slot, p *seenPath, set func()) {
	steps := p.path.Steps()[1:]
	if len(steps) == 0 && p.only {
		return // it is there
	}
	d := domain{open: true, kinds: s.kinds}
	if q.usual {
		d.kinds = s.usual
	}
	if len(steps) > 0 {
		if d = anything; s.schema != nil {
			d = q.c.within(s.schema, steps)
			d.absent = true
		}
	}
	for _, n := range q.numbers[p.path.String()] {
		p.compared = append(p.compared, expr.Comparison{Path: p.path, Op: "==", Literal: n})
	}
	q.parts(h, p, d, steps, set)
}
