package definition

import (
	"errors"

	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// slots compiles an object of names and what is put there.
func (b *builder) slots(v *value, at string, roots expr.Roots) (made []workflow.Slot) {
	if v == nil || !b.is(v, at, '{') {
		return nil
	}
	for _, m := range v.members {
		if here := below(at, m.name); b.label(m, here, "a slot") {
			made = append(made, workflow.Slot{Name: m.name, Value: b.mapping(m.value, here, roots)})
		}
	}
	return made
}

func (b *builder) mapping(v *value, at string, roots expr.Roots) expr.Mapping {
	m, err := expr.ParseMapping(v.plain(), roots)
	if err == nil {
		return m
	}
	code, syntax, operator := BadValue, (*expr.Error)(nil), (*expr.Operator)(nil)
	switch {
	case errors.As(err, &operator):
		code = MalformedOperator
	case errors.As(err, &syntax) && syntax.Scope:
		code = UnresolvableWrite
	}
	b.about(code, at, "cannot be read: "+err.Error())
	return m
}

// output compiles where the output of an executor goes, and holds what is known of it against the blackboard.
func (b *builder) output(v *value, at string, roots expr.Roots) []workflow.Slot {
	made := b.slots(v, at, roots)
	for _, one := range made {
		literal, always := one.Value.Literal()
		s := b.d.Slots[one.Name]
		if s == nil || !always {
			continue
		}
		if found := s.Check(literal); len(found) > 0 {
			b.about(OutputTypeMismatch, below(at, one.Name), "does not fit the slot's schema: "+found[0].Message)
		}
	}
	return made
}
