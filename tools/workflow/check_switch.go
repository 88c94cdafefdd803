package workflow

import (
	"slices"
	"strings"
)

// switches finds states in which the server may not be able to choose, and deterministic transitions that it never
// takes.
func (c *checker) switches() {
	for i, s := range c.d.States {
		if !c.reached[i] || s.Terminal {
			continue
		}
		if len(c.auto[i]) == 0 {
			c.shadowed(i, s)
			continue
		}
		var free, guarded []*Transition
		for _, t := range c.auto[i] {
			switch _, never := c.never[t]; {
			case never:
			case len(t.Guards) == 0:
				free = append(free, t)
			default:
				guarded = append(guarded, t)
			}
		}
		if len(free) > 1 {
			c.tooMany(i, s, free, len(guarded) == 0)
		}
		c.undecided(i, s, free, guarded)
	}
}

func (c *checker) shadowed(i int, s *State) {
	for _, t := range s.Transitions {
		if t.Actor == Deterministic {
			c.add(Finding{
				Code: ShadowedTransition, State: s.Name, Transition: t.Name, Path: c.path(i), Pointer: t.pointer(s, "actor"),
				Text: "the deterministic transition " + t.Name + " of the state " + s.Name + " is never taken by the server: " +
					"the state has transitions of others beside it, which it waits for",
			})
		}
	}
}

func (c *checker) tooMany(i int, s *State, free []*Transition, always bool) {
	f := Finding{
		Code: AmbiguousSwitch, State: s.Name, Path: c.path(i), Pointer: s.pointer("transitions"),
		Text: "in the state " + s.Name + " the server cannot choose between " + names(free) + ": none of them has guards",
	}
	if always {
		f.Severity = SeverityError
	}
	c.add(f)
}

func names(list []*Transition) string {
	var all []string
	for _, t := range list {
		all = append(all, t.Name)
	}
	return enumerate(all)
}

// undecided looks for a case in which no transition can be taken, and for one in which more than one can.
func (c *checker) undecided(i int, s *State, free, guarded []*Transition) {
	if len(guarded) == 0 && len(free) > 0 {
		return
	}
	q := c.ask(s, nil, c.at(i))
	q.usual = true
	for _, t := range guarded {
		q.about(t.Guards...)
	}
	q.build()
	var empty, both *Finding
	say := func(code FindingCode, text, then string) *Finding {
		return &Finding{
			Code: code, State: s.Name, Path: c.path(i), Pointer: s.pointer("transitions"),
			Text: "in the state " + s.Name + " the server " + text + when(q.told()) + ": " + then,
		}
	}
	q.each(func() bool {
		viable := q.viable(guarded)
		if len(viable) == 0 && len(free) == 0 && empty == nil && c.fitting(q) {
			empty = say(SwitchWithoutDefault, "finds no transition to take", "give it one without guards")
		}
		if len(viable) > 1 && both == nil && c.fitting(q) {
			both = say(AmbiguousSwitch, "cannot choose between "+names(viable), "the guards of each hold")
		}
		return empty == nil || both == nil
	})
	if empty != nil {
		c.flagged[i] = true
		c.add(*empty)
	}
	if both != nil {
		c.add(*both)
	}
}

// viable are those of some transitions whose guards hold.
func (q *question) viable(list []*Transition) []*Transition {
	return slices.DeleteFunc(slices.Clone(list), func(t *Transition) bool { return q.all(t.Guards) != isTrue })
}

// when words a case.
func when(told string) string {
	if told = strings.TrimSpace(told); told == "" {
		return ""
	}
	return " when " + clipTo(told, 4*maxShown)
}
