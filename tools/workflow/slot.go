package workflow

import (
	"maps"
	"path"
	"slices"
	"strings"

	"prax/tools/workflow/expr"
)

// put evaluates an output on the context as it was before, and sets its slots: each of the type that it was declared
// with, and within the constraint of the state that it is local to.
func (s *stage) put(output []Slot, env expr.Env, in *State) *halt {
	for _, slot := range output {
		value, err := slot.Value.Eval(env)
		if err != nil {
			return halted(ContextTooLarge, "the slot "+slot.Name+": "+err.Error())
		}
		if h := s.typed(slot.Name, value); h != nil {
			return h
		}
		s.set(slot.Name, value)
	}
	return s.constrain(in)
}

// typed checks a value against the slot's schema.
func (s *stage) typed(name string, value any) *halt {
	declared, known := s.m.d.Slots[name]
	if !known && s.m.d.SlotsDeclared {
		return halted(SlotTypeError, "the slot "+name+" is not one of the blackboard's")
	}
	if declared == nil {
		return nil
	}
	if violations := declared.Check(value); len(violations) > 0 {
		h := halted(SlotTypeError, "the slot "+name+": "+sentence(violations))
		h.refusal.Violations = violations
		return h
	}
	return nil
}

func (s *stage) set(name string, value any) {
	s.own()
	s.context[name] = value
	if s.delta == nil {
		s.delta = make(map[string]any, 4)
	}
	s.delta[name] = value
	if n := slices.Index(s.removed, name); n >= 0 {
		s.removed = slices.Delete(s.removed, n, n+1)
	}
}

// clear removes a member from the context.
func (s *stage) clear(name string) {
	if _, there := s.context[name]; !there {
		return
	}
	s.own()
	delete(s.context, name)
	delete(s.delta, name)
	if _, before := s.m.next.Context[name]; before {
		s.removed = append(s.removed, name)
	}
	s.before = append(s.before, Fact{"workflow.slot.cleared", map[string]any{"state": s.from.Name, "slot": name}})
}

// own makes the context the stage's own, to be changed.
func (s *stage) own() {
	if s.owned {
		return
	}
	s.context, s.owned = maps.Clone(s.context), true
	if s.context == nil {
		s.context = map[string]any{}
	}
}

// constrain checks what the step set of a state's own slots.
func (s *stage) constrain(in *State) *halt {
	for _, slot := range in.Slots {
		value, set := s.delta[slot.Name]
		if !set || len(slot.Paths) == 0 || within(value, slot.Paths) {
			continue
		}
		return halted(ConstraintViolated, "the slot "+slot.Name+" must be a path, or a list of paths, that one of its globs allows")
	}
	return nil
}

// within tells whether a value is a path, or a list of paths, each of which a glob allows.
func within(value any, globs []string) bool {
	switch v := value.(type) {
	case string:
		return tidy(v) && slices.ContainsFunc(globs, func(glob string) bool { return match(glob, v) })
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool {
			one, ok := item.(string)
			return !ok || !within(one, globs)
		})
	}
	return false
}

// tidy tells whether a path is spelled in the one way that leads where it looks like.
func tidy(p string) bool {
	if p == "" || path.Clean(p) != p || strings.ContainsAny(p, "\x00\\") {
		return false
	}
	return p != ".." && !strings.HasPrefix(p, "../")
}

// match tells whether a path matches a glob, part by part: ** is any number of parts, the rest as [path.Match].
func match(glob, p string) bool {
	return matchParts(strings.Split(glob, "/"), strings.Split(p, "/"))
}

func matchParts(globs, parts []string) bool {
	for len(globs) > 0 {
		if globs[0] == "**" {
			return matchRest(globs, parts)
		}
		if len(parts) == 0 {
			return false
		}
		if ok, err := path.Match(globs[0], parts[0]); err != nil || !ok {
			return false
		}
		globs, parts = globs[1:], parts[1:]
	}
	return len(parts) == 0
}

// matchRest matches what begins with **. Of several, the first may take as little as it can: what comes later can
// take the rest.
func matchRest(globs, parts []string) bool {
	for len(globs) > 1 && globs[1] == "**" {
		globs = globs[1:]
	}
	next := slices.Index(globs[1:], "**") + 1
	if next == 0 {
		tail := globs[1:]
		return len(parts) >= len(tail) && matchParts(tail, parts[len(parts)-len(tail):])
	}
	middle := globs[1:next]
	for at := 0; at+len(middle) <= len(parts); at++ {
		if matchParts(middle, parts[at:at+len(middle)]) {
			return matchRest(globs[next:], parts[at+len(middle):])
		}
	}
	return false
}
