package tools

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"prax/auth"
	"prax/auth/policy"
	"prax/tools/schema"
)

// entry is a tool with what was derived from it once.
type entry struct {
	tool       *Tool
	underscore string
	input      *schema.Schema // nil: the tool decodes for itself
	output     *schema.Schema // nil: nothing promised
	told       told
}

func (e *entry) target() policy.Target {
	return policy.Target{Name: e.tool.Name, Underscore: e.underscore, Tier: e.tool.Tier, Exists: true}
}

// catalogue is the tools of one generation. It is immutable.
type catalogue struct {
	generation uint64
	sources    map[string][]*entry
	sorted     []*entry          // by canonical name
	byName     map[string]*entry // both spellings
}

// with is the next generation, in which source has these entries and no others.
func (c *catalogue) with(source string, entries []*entry) (*catalogue, error) {
	next := &catalogue{generation: c.generation + 1, sources: map[string][]*entry{source: entries}, byName: map[string]*entry{}}
	for other, theirs := range c.sources {
		if other != source {
			next.sources[other] = theirs
		}
	}
	for _, theirs := range next.sources {
		next.sorted = append(next.sorted, theirs...)
	}
	slices.SortFunc(next.sorted, func(a, b *entry) int { return cmp.Compare(a.tool.Name, b.tool.Name) })
	folded := map[string]string{}
	var problems []error
	for _, e := range next.sorted {
		if other, taken := folded[fold(e.tool.Name)]; taken {
			problems = append(problems, fmt.Errorf("tool %q: cannot be told from %q: case, dots, _ and - aside they are one name", e.tool.Name, other))
		}
		folded[fold(e.tool.Name)] = e.tool.Name
		next.byName[e.tool.Name] = e
		next.byName[e.underscore] = e
	}
	return next, errors.Join(problems...)
}

// find is the tool of this name in either spelling, and what the decision is about.
func (c *catalogue) find(name string) (*entry, policy.Target) {
	if e, ok := c.byName[name]; ok {
		return e, e.target()
	}
	return nil, policy.Target{Name: name, Underscore: Spelling(name, auth.Underscore)}
}

// compile checks a tool and derives its entry. A problem names the tool.
func compile(t *Tool) (*entry, error) {
	if t == nil {
		return nil, errors.New("tool: nil")
	}
	e := &entry{tool: t, underscore: Spelling(t.Name, auth.Underscore)}
	problems := []error{checkName(t.Name)}
	if t.Tier != auth.High && !t.Tier.Exposable() {
		problems = append(problems, errors.New("the tier is missing: say low, medium or high"))
	}
	if t.Handler == nil {
		problems = append(problems, errors.New("the handler is missing"))
	}
	var err error
	e.input, err = compileSchema("input", t.Input, t.AnySchema)
	problems = append(problems, err)
	if t.Output != nil {
		e.output, err = compileSchema("output", t.Output, t.AnySchema)
		problems = append(problems, err)
	}
	if t.Arguments == ByTool {
		e.input = nil
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("tool %.80q: %w", t.Name, err)
	}
	return e, nil
}

// compileSchema refuses what clients would refuse; with lenient only what all of them would, which is a
// root that is no object (MCP, tools: data types).
func compileSchema(which string, raw []byte, lenient bool) (*schema.Schema, error) {
	var problems []string
	s, found, err := schema.CompileLinted(raw)
	for _, v := range found {
		if lenient && v.Path != "" && v.Path != "/type" {
			continue
		}
		problems = append(problems, fmt.Sprintf("%q %s", v.Path, v.Message))
	}
	if problems != nil {
		return nil, fmt.Errorf("%s schema: %s", which, strings.Join(problems, "; "))
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w", which, err)
	}
	return s, nil
}
