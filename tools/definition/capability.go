package definition

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/tools"
	"prax/tools/workflow"
)

// capability is one entry of `capabilities`, as it was written.
type capability struct {
	Title        string           `json:"title"`
	Description  string           `json:"description"`
	Tags         []string         `json:"tags"`
	Aliases      []string         `json:"aliases"`
	Examples     []jsontext.Value `json:"examples"`
	Risk         string           `json:"risk"`
	Expose       string           `json:"expose"`
	InputSchema  *value           `json:"inputSchema"`
	OutputSchema *value           `json:"outputSchema"`
	Wraps        string           `json:"wraps"`
	Executor     *value           `json:"executor"`
	Guards       []*value         `json:"guards"`
	Reliability  *value           `json:"reliability"`
}

// ability is a capability with everything of those that it wraps: what is said nearer counts, guards add up from the
// innermost on, and the tier never falls.
type ability struct {
	capability
	*value
	name  string
	path  string
	tier  auth.Tier // TierUnknown: nobody said
	under *ability  // the one that it wraps
	whole bool      // what it wraps has been added

	owns   bool                 // as a tool, it has its name for itself
	made   *workflow.Capability // that it is, with an effect and exposed
	making bool                 // it is being made
}

// The bounds of what a caller's model has to read, in bytes.
const (
	maxTitle       = 256
	maxDescription = 16 << 10
)

// capabilities reads all of them, in the order of the files.
func (c *compiler) capabilities(v *value) (list []*ability) {
	c.abilities = map[string]*ability{}
	if v == nil || !c.is(v, "/capabilities", '{') {
		return nil
	}
	for _, m := range v.members {
		path := below("/capabilities", m.name)
		if !c.label(m, path, "a capability") || !c.is(m.value, path, '{') {
			continue
		}
		a := &ability{value: m.value, name: m.name, path: path}
		c.read(a.value, path, &a.capability)
		c.abilities[m.name] = a
		list = append(list, a)
	}
	for _, a := range list {
		c.wrap(a)
	}
	for _, a := range list {
		c.inherit(a)
	}
	return list
}

// wrap finds what a capability wraps, and refuses a chain that leads back to itself. An executor that names a
// capability is the same thing.
func (c *compiler) wrap(a *ability) {
	name, path := a.Wraps, a.path+"/wraps"
	if a.Executor != nil {
		if by := a.Executor.find("capability"); by != nil && by.kind == '"' && c.only(a.Executor, a.path+"/executor", "capability") {
			name, path = by.text, a.path+"/executor/capability"
		}
	}
	switch {
	case a.Wraps != "" && a.Executor != nil:
		c.about(BadValue, a.path+"/wraps", "stands beside an executor, which it brings itself: leave one out")
	case name != "":
		a.Executor = nil
		if a.under = c.ability(name, path); a.under != nil && c.turns(a) {
			c.about(WrapsCycle, path, "leads back to this capability")
			a.under = nil
		}
	case a.find("executor") == nil && a.find("wraps") == nil:
		c.missing(a.path, "executor", "say what it does, or what it wraps")
	}
}

// turns tells whether following what is wrapped comes back to the capability itself.
func (c *compiler) turns(a *ability) bool {
	for next, steps := a.under, 0; next != nil && steps <= len(c.abilities); next, steps = next.under, steps+1 {
		if next == a {
			return true
		}
	}
	return false
}

// ability finds a capability by name.
func (c *compiler) ability(name, path string) *ability {
	a := c.abilities[name]
	if a == nil && !c.sated() {
		c.about(UnknownName, path, "names no capability: "+strconv.Quote(shown(name))+suggest(name, slices.Sorted(maps.Keys(c.abilities))))
	}
	return a
}

// inherit adds what is wrapped.
func (c *compiler) inherit(a *ability) {
	if a.whole {
		return
	}
	a.whole = true
	a.tier = c.risk(a.value, a.Risk, a.path)
	base := a.under
	if base == nil {
		return
	}
	c.inherit(base)
	a.Title, a.Description = cmp.Or(a.Title, base.Title), cmp.Or(a.Description, base.Description)
	a.InputSchema, a.OutputSchema = cmp.Or(a.InputSchema, base.InputSchema), cmp.Or(a.OutputSchema, base.OutputSchema)
	a.Reliability = cmp.Or(a.Reliability, base.Reliability)
	if a.Tags == nil {
		a.Tags = base.Tags
	}
	if a.Aliases == nil {
		a.Aliases = base.Aliases
	}
	if a.Examples == nil {
		a.Examples = base.Examples
	}
	a.Executor, a.tier = base.Executor, max(a.tier, base.tier)
	a.Guards = slices.Concat(base.Guards, a.Guards)
}

// judgeAbility checks a capability that is no tool of its own, by itself: what uses it is judged again.
func (c *compiler) judgeAbility(a *ability) {
	b := c.builder(c.reader)
	b.library, b.scripts, b.pends = nil, c.fragments, false
	for i, guard := range listOf(a.find("guards")) {
		b.guard(guard, item(a.path+"/guards", i), inGuard)
	}
	b.input(a.find("inputSchema"), a.path+"/inputSchema")
	path := a.path + "/executor"
	e := a.Executor
	if e == nil || a.under != nil && a.find("reliability") == nil || !c.is(e, path, '{') {
		return
	}
	if has(c.kinds.Tools, e) {
		c.executor(e, path, &tools.Tool{Name: a.name})
		return
	}
	e, reliability := c.written(a)
	b.executor(e, reliability, a.path, inEffect)
}

// written is the executor of a capability in its stored form, and how it is tried.
func (c *compiler) written(a *ability) (e, reliability *value) {
	r := &resolver{compiler: c, path: a.path, subjects: map[string]place{}}
	e = r.rated(a.Executor, a.path+"/executor", a.tier)
	return e, r.reliable(e, a.Reliability, a.path+"/reliability", a.tier)
}

// risk is the tier that a value declares; TierUnknown when it declares none.
func (r *reader) risk(v *value, text, path string) auth.Tier {
	tier, err := auth.ParseTier(text)
	if given := v.find("risk"); given != nil && given.kind == '"' && err != nil {
		r.about(BadValue, path+"/risk", "must be low, medium or high, is "+strconv.Quote(shown(text)))
	}
	return tier
}

func (r *reader) missing(path, key, why string) {
	r.about(MissingKey, path, "has no "+key+": "+why)
}

// maxSuggested bounds the names among which the nearest is looked for.
const maxSuggested = 500

// suggest names the nearest of the names that are known, or some of them.
func suggest(name string, known []string) string {
	const most = 20
	if near := tools.Nearest(name, known[:min(len(known), maxSuggested)]); near != "" {
		return ": did you mean " + strconv.Quote(near) + "?"
	}
	if len(known) == 0 {
		return ""
	}
	text := ": known are " + strings.Join(known[:min(len(known), most)], ", ")
	if len(known) > most {
		text += " …"
	}
	return text
}
