package definition

import (
	"slices"
	"strconv"
	"strings"
)

// gateway is `gateway`.
type gateway struct {
	StrictValidation bool `json:"strict_validation"`
}

// kernel is `praxec`.
type kernel struct {
	StrictNamespacing *bool     `json:"strict_namespacing"`
	Authoring         authoring `json:"authoring"`
}

type authoring struct {
	SkillsSearch  bool `json:"skills_search"`
	ScriptsSearch bool `json:"scripts_search"`
	LexiconWrites bool `json:"lexicon_writes"`
}

// settings reads what is said about the two tools themselves.
func (c *compiler) settings(f *file) (s Settings) {
	if f.Gateway != nil {
		var g gateway
		c.read(c.own(f.Gateway, "/gateway", foreignGateway), "/gateway", &g)
		s.Strict = g.StrictValidation
	}
	if f.Praxec == nil {
		return s
	}
	var k kernel
	v := c.own(f.Praxec, "/praxec", foreignPraxec)
	if a := v.find("authoring"); a != nil {
		v = v.with("authoring", c.own(a, "/praxec/authoring", foreignAuthoring))
	}
	c.read(v, "/praxec", &k)
	c.anyRoot = k.StrictNamespacing != nil && !*k.StrictNamespacing
	s.SkillsSearch, s.ScriptsSearch, s.LexiconWrites = k.Authoring.SkillsSearch, k.Authoring.ScriptsSearch, k.Authoring.LexiconWrites
	return s
}

// storage is `store`.
type storage struct {
	Kind string `json:"kind"`
	Path string `json:"path"`
}

// trail is `audit`.
type trail struct {
	Sink      string `json:"sink"`
	Path      string `json:"path"`
	Rotation  string `json:"rotation"`
	Retention *value `json:"retention_hours"`
}

// elsewhere reads what praxec lets a configuration say and prax is told otherwise.
func (c *compiler) elsewhere(f *file) {
	if f.Store != nil && !f.Store.isEmpty() {
		var s storage
		if c.read(f.Store, "/store", &s) {
			c.oneOf("/store/kind", s.Kind, "memory", "file", "sqlite")
			c.warn(Ignored, "/store", "is ignored: PRAX_STORE and PRAX_DATA say where everything is kept")
		}
	}
	if f.Audit != nil && !f.Audit.isEmpty() {
		var a trail
		if c.read(f.Audit, "/audit", &a) {
			c.oneOf("/audit/sink", a.Sink, "stderr", "memory", "file", "none")
			c.warn(Ignored, "/audit", "is ignored: everything is audited, in the store: prax audit shows it")
		}
	}
	if f.Repos != nil {
		c.repos(f.Repos)
	}
}

// repos are not needed: nothing here runs in a checkout. One that could be a pack is another thing.
func (c *compiler) repos(v *value) {
	if v.isEmpty() || !c.is(v, "/repos", '[') {
		return
	}
	for i, one := range v.items {
		path := item("/repos", i)
		if !c.is(one, path, '{') {
			return
		}
		for _, m := range one.members {
			if !slices.Contains([]string{"path", "writable", "name"}, m.name) {
				c.note(NotServed, m.place, below(path, m.name), c.shown(below(path, m.name))+" is not served: packs are not loaded, so include their files")
				return
			}
		}
	}
	c.warn(Ignored, "/repos", "is ignored: it is not needed, and no pack is loaded from it")
}

// discovery is `discovery`.
type discovery struct {
	Enabled *bool    `json:"enabled"`
	Include []string `json:"include"`
}

// The parts of the index that can be named.
const (
	includeProxy       = "proxy"
	includeWorkflows   = "workflows"
	includeConnections = "connections" // which callers never see, so that there is nothing to find
)

// discovered tells which parts of the index there are.
func (c *compiler) discovered(v *value) (workflows, capabilities bool) {
	if v == nil {
		return true, true
	}
	var d discovery
	v = c.own(v, "/discovery", foreignDiscovery)
	if !c.read(v, "/discovery", &d) {
		return true, true
	}
	known := []string{includeProxy, includeWorkflows, includeConnections}
	for i, one := range d.Include {
		if !slices.Contains(known, one) {
			c.about(InvalidDiscovery, item("/discovery/include", i), "is "+strconv.Quote(shown(one))+": known are "+strings.Join(known, ", "))
		}
	}
	switch {
	case d.Enabled != nil && !*d.Enabled:
		return false, false
	case v.find("include") == nil:
		return true, true
	}
	return slices.Contains(d.Include, includeWorkflows), slices.Contains(d.Include, includeProxy)
}

// oneOf notes a text that is none of those known. Nothing said is all right.
func (r *reader) oneOf(path, text string, known ...string) {
	if text != "" && !slices.Contains(known, text) {
		r.about(BadValue, path, "must be "+alternatives(known)+", is "+strconv.Quote(shown(text)))
	}
}

// alternatives are names in a sentence.
func alternatives(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
