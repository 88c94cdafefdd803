package definition

import (
	"maps"
	"slices"
	"strconv"

	"prax/auth"
	"prax/tools"
	"prax/tools/workflow"
)

// surround says what executors can lead to: the connections, the tools that exist already, and those that the
// configuration makes.
func (c *compiler) surround(able []*ability) {
	c.tiers, c.exposes, c.names = map[string]auth.Tier{}, map[string]*ability{}, map[string]string{}
	for _, t := range c.builtin {
		c.names[bare(t.Name)] = t.Name
	}
	for _, a := range able {
		a.owns = a.find("expose") != nil && c.ownName(a.name, c.root.at(a.path), a.path)
		if a.owns {
			c.exposes[a.name], c.exposes[tools.Spelling(a.name, auth.Underscore)] = a, a
			c.reachable = append(c.reachable, a.name)
		}
	}
	for _, t := range c.builtin {
		c.tiers[t.Name], c.tiers[tools.Spelling(t.Name, auth.Underscore)] = t.Tier, t.Tier
		if !isReserved(t.Name) {
			c.reachable = append(c.reachable, t.Name)
		}
	}
	slices.Sort(c.reachable)
	c.links = slices.Sorted(maps.Keys(c.connections))
	c.around = workflow.Surroundings{
		Connection: func(name string) (*workflow.Connection, bool) {
			found, there := c.connections[name]
			return found, there
		},
		Tool: c.toolTier,
	}
}

// toolTier is the tier of a tool, in either spelling of its name.
func (c *compiler) toolTier(name string) (auth.Tier, bool) {
	if a := c.exposes[name]; a != nil {
		return c.abilityTier(a), true
	}
	tier, there := c.tiers[name]
	return tier, there
}

// spelled tells whether a name is that of a tool, in either spelling.
func spelled(tool, name string) bool {
	return tool == name || tools.Spelling(tool, auth.Underscore) == name
}

// maxReach bounds how many tools call each other in a row.
const maxReach = 32

// abilityTier is the tier of a capability as a tool.
func (c *compiler) abilityTier(a *ability) auth.Tier {
	switch {
	case a.Executor == nil || !has(c.kinds.Executors, a.Executor):
		return a.tier
	case a.making:
		c.about(ToolCycle, a.path+"/executor", "leads back to this tool")
		return a.tier
	case c.reach >= maxReach && a.made == nil:
		c.about(ToolCycle, a.path+"/executor", "is called by a tool that a tool calls, and so on: more than "+strconv.Itoa(maxReach)+" in a row")
		return auth.High
	}
	if made := c.capable(a); made != nil {
		return made.Tier
	}
	return a.tier
}

// tierOf is the tier of an executor with an effect: what was said of it nearer, what its connection says, and what it
// does. What is wrong with it is told when it is compiled.
func (c *compiler) tierOf(e *value, said auth.Tier) auth.Tier {
	kind := textOf(e.find("kind"))
	if name := textOf(e.find("connection")); name != "" {
		said = max(said, c.rated[name])
	}
	if said == auth.TierUnknown && kind != kindTool {
		said = auth.Medium
	}
	_, rest := e.apart(effectKeys)
	quiet := reader{findings: &findings{}, root: e}
	spec := c.kinds.Executors[kind]()
	if !quiet.read(rest, "", spec) {
		return max(auth.Low, said)
	}
	w := c.around
	w.Dir, w.Roots = folderOf(e), inEffect
	w.Script = func(subject string) (*workflow.Guidance, bool) {
		g := c.fragments[subject]
		return g, g != nil && g.Script
	}
	least, _ := spec.Check(w)
	return max(auth.Low, said, least)
}

// The kinds of which more is known here: what reads only by its method, and what has the tier of the tool that it calls.
const (
	kindREST = "rest"
	kindTool = "tool"
)
