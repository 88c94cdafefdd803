package definition

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"prax/tools"
)

// exposure is one entry of `proxy.expose`, as it was written: a capability, or an executor with a name.
type exposure struct {
	Name        string           `json:"name"`
	Capability  string           `json:"capability"`
	As          string           `json:"as"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Tags        []string         `json:"tags"`
	Aliases     []string         `json:"aliases"`
	Examples    []jsontext.Value `json:"examples"`
	InputSchema *value           `json:"inputSchema"`
	Risk        string           `json:"risk"`
	Executor    *value           `json:"executor"`
	Guards      []*value         `json:"guards"`
	Reliability *value           `json:"reliability"`
}

// proxied is an exposure with what the capability brings.
type proxied struct {
	ability
	place place
}

// maxExposures bounds the entries of proxy.expose.
const maxExposures = maxTransitions

// proxy is `proxy`.
type proxy struct {
	Expose []*value `json:"expose"`
}

// proxy reads what is exposed, in order.
func (c *compiler) proxy(v *value) (list []*proxied) {
	if v == nil {
		return nil
	}
	var p proxy
	c.read(c.own(v, "/proxy", foreignProxy), "/proxy", &p)
	if len(p.Expose) > maxExposures {
		c.about(BadValue, "/proxy/expose", "has more than "+strconv.Itoa(maxExposures)+" entries")
		return nil
	}
	var names []string
	for i, one := range p.Expose {
		path := item("/proxy/expose", i)
		x := c.exposure(one, path)
		if x == nil {
			continue
		}
		if other := slices.IndexFunc(names, func(n string) bool { return tools.Alike(n, x.name) }); other >= 0 {
			c.about(NameTaken, path, "cannot be told from "+strconv.Quote(names[other])+": case, dots, _ and - aside they are one name")
			continue
		}
		names = append(names, x.name)
		list = append(list, x)
	}
	return list
}

func (c *compiler) exposure(v *value, path string) *proxied {
	if !c.is(v, path, '{') {
		return nil
	}
	var read exposure
	fits := c.read(v, path, &read)
	x := &proxied{place: v.place, ability: ability{value: v, path: path}}
	x.tier = c.risk(v, read.Risk, path)
	x.Title, x.Description, x.Tags, x.Aliases, x.Examples = read.Title, read.Description, read.Tags, read.Aliases, read.Examples
	x.InputSchema, x.Executor, x.Guards, x.Reliability = read.InputSchema, read.Executor, read.Guards, read.Reliability
	switch {
	case v.find("capability") != nil:
		fits = c.exposedCapability(x, &read, path) && fits
	case read.Name == "" || read.Executor == nil:
		c.about(InvalidExposure, path, "needs a name and an executor, or a capability")
		return nil
	default:
		x.name = read.Name
	}
	if !fits || !c.toolName(x.name, v.place, path) {
		return nil
	}
	c.lengths(&x.ability)
	return x
}

// exposedCapability adds what the capability brings: its guards come first, its tags too.
func (c *compiler) exposedCapability(x *proxied, read *exposure, path string) bool {
	if !c.only(x.value, path, "capability", "as", "description", "tags", "aliases", "examples", "guards", "risk", "reliability") {
		return false
	}
	base := c.ability(read.Capability, path+"/capability")
	if base == nil {
		return false
	}
	x.under, x.name = base, read.Capability
	if read.As != "" {
		x.name = read.As
	}
	x.Title, x.InputSchema, x.Executor, x.tier = base.Title, base.InputSchema, base.Executor, max(x.tier, base.tier)
	x.Reliability = cmp.Or(x.Reliability, base.Reliability)
	if x.Description == "" {
		x.Description = base.Description
	}
	x.Tags = slices.Concat(base.Tags, x.Tags)
	x.Aliases, x.Examples = slices.Concat(base.Aliases, x.Aliases), slices.Concat(base.Examples, x.Examples)
	x.Guards = slices.Concat(base.Guards, x.Guards)
	return base.Executor != nil
}

// noArgumentsValue is the schema of an exposure that says nothing of any.
func noArgumentsValue(at place) *value {
	return objectValue(at,
		member{at, "type", textValue(at, "object")},
		member{at, "properties", objectValue(at)},
		member{at, "additionalProperties", &value{place: at, kind: 'f'}})
}

// proxyForm is the stored form of the definition that is made of what is exposed.
func (c *compiler) proxyForm(list []*proxied) *value {
	at := list[0].place
	say := func(name, text string) member { return member{at, name, textValue(at, text)} }
	r := &resolver{compiler: c, path: "/proxy/expose", subjects: map[string]place{}}
	moves, order := objectValue(at), []string{}
	for _, x := range list {
		moves.members = append(moves.members, member{x.place, x.name, r.exposed(x)})
		order = append(order, x.name)
	}
	ready := objectValue(at, member{at, "transitions", moves})
	if !slices.IsSortedFunc(order, compareNames) {
		ready = ready.with("order", texts(at, order))
	}
	input := objectValue(at, say("type", "object"),
		member{at, "properties", objectValue(at, member{at, "capability", objectValue(at, say("type", "string"))})},
		member{at, "additionalProperties", &value{place: at, kind: 'f'}})
	return r.references(objectValue(at,
		say("id", ProxyID), say("title", "Capabilities"), say("description", "Every capability that is exposed, each as a transition."),
		say("linkFilter", "byGuards"), say("initialState", proxyState),
		member{input.place, "inputSchema", input}, member{at, "states", objectValue(at, member{at, proxyState, ready})}))
}

// proxyState is the one state of the definition.
const proxyState = "ready"

// exposed is the transition of an exposure: it leads back to where it is, and keeps what it gave.
func (r *resolver) exposed(x *proxied) *value {
	at, executor := x.place, x.Executor
	if executor.kind == '{' {
		executor = r.exposedExecutor(x)
	}
	say := func(name, text string) member { return member{at, name, textValue(at, text)} }
	chosen := objectValue(at, say("kind", "expr"), say("expr", "$.workflow.input.capability == null or $.workflow.input.capability == '"+x.name+"'"))
	input := x.InputSchema
	if input == nil {
		input = noArgumentsValue(at)
	}
	v := objectValue(at, say("target", proxyState), member{input.place, "inputSchema", input},
		member{at, "guards", listValue(at, slices.Concat([]*value{chosen}, x.Guards)...)},
		member{at, "output", objectValue(at, say("lastResult", "$.output"))})
	if x.Title != "" {
		v.members = append(v.members, say("title", x.Title))
	}
	if x.Description != "" {
		v.members = append(v.members, say("description", x.Description))
	}
	v.members = append(v.members, member{executor.place, "executor", executor})
	if tried := r.reliable(executor, x.Reliability, x.path+"/reliability", x.tier); tried != nil {
		v.members = append(v.members, member{tried.place, "reliability", tried})
	}
	for _, guard := range x.Guards {
		r.refer(guard)
	}
	return v
}

func (r *resolver) exposedExecutor(x *proxied) *value {
	path := x.path + "/executor"
	if x.under != nil {
		return r.rated(x.Executor, path, x.tier)
	}
	made, guards := r.executorOf(x.Executor, path, x.tier)
	x.Guards = slices.Concat(guards, x.Guards)
	return made
}
