package definition

import (
	"path"
	"slices"
	"strings"

	"prax/tools/workflow"
)

// local is a slot of a state.
type local struct {
	Scope      string      `json:"scope"`
	Constraint *constraint `json:"constraint"`
}

type constraint struct {
	Paths    *allowlist `json:"path_allowlist"`
	SubsetOf *value     `json:"subset_of"`
}

type allowlist struct {
	Allow []string `json:"allow"`
	Deny  *value   `json:"deny"`
}

// stateSlots reads the slots that live as long as an instance is in the state.
func (b *builder) stateSlots(v *value, at string) (slots []workflow.StateSlot) {
	if v == nil || !b.is(v, at, '{') {
		return nil
	}
	for _, m := range v.members {
		here := below(at, m.name)
		var l local
		if !b.label(m, here, "a slot") || !b.read(m.value, here, &l) {
			continue
		}
		b.oneOf(here+"/scope", l.Scope, "state")
		slots = append(slots, workflow.StateSlot{Name: m.name, Paths: b.constraint(l.Constraint, here+"/constraint")})
	}
	return slots
}

// constraint is the globs that a slot's value must match.
func (b *builder) constraint(c *constraint, at string) []string {
	switch {
	case c == nil:
		return nil
	case c.SubsetOf != nil:
		b.about(InvalidConstraint, at+"/subset_of", "is not served: known is path_allowlist")
		return nil
	case c.Paths == nil:
		b.about(InvalidConstraint, at, "says nothing: known is path_allowlist")
		return nil
	case c.Paths.Deny != nil && !c.Paths.Deny.isEmpty():
		b.about(InvalidConstraint, at+"/path_allowlist/deny", "is not served: write an allow list that leaves it out")
		return nil
	}
	at += "/path_allowlist"
	if len(c.Paths.Allow) == 0 {
		b.about(InvalidConstraint, at, "allows nothing: give allow a pattern, or leave the constraint out")
	}
	for i, glob := range c.Paths.Allow {
		if _, err := path.Match(strings.ReplaceAll(glob, "**", "*"), ""); err != nil || glob == "" {
			b.about(InvalidConstraint, item(at+"/allow", i), "is no pattern")
		}
	}
	return slices.Clone(c.Paths.Allow)
}
