package definition

import (
	"cmp"
	"slices"
	"strconv"

	"prax/auth"
	"prax/tools/workflow"
)

// resolver writes out one workflow: everything that it refers to becomes part of it.
type resolver struct {
	*compiler
	path     string           // of the workflow
	subjects map[string]place // of skills and scripts that it refers to
}

// resolve is the stored form of a workflow, in the order in which it was written.
func (c *compiler) resolve(m member, path string) *value {
	r := &resolver{compiler: c, path: path, subjects: map[string]place{}}
	v := c.own(m.value, path, foreignWorkflow)
	v = c.unstored(v, path, (*flow)(nil).stored())
	for _, indexed := range []string{"lifecycle", "process", "taskClass"} {
		v = v.without(indexed)
	}
	v = r.inputs(v)
	if t := v.find("onTimeout"); t != nil {
		v = v.with("onTimeout", c.own(t, path+"/onTimeout", foreignTimeout))
	}
	if states := v.find("states"); states != nil && states.kind == '{' {
		next := objectValue(states.place)
		for _, s := range states.members {
			next.members = append(next.members, member{s.place, s.name, r.state(s.value, below(path+"/states", s.name))})
		}
		v = v.with("states", next)
	}
	for _, one := range listOf(v.find("outcomes")) {
		r.refer(one.find("check"))
	}
	v = r.skills(v)
	return r.references(v.with("id", textValue(m.place, m.name)))
}

// listOf are the values of a list; none of anything else.
func listOf(v *value) []*value {
	if v == nil {
		return nil
	}
	return v.items
}

// inputs writes out the short form of a schema: names, with what there is to each.
func (r *resolver) inputs(v *value) *value {
	short := v.find("inputs")
	if short == nil {
		return v
	}
	v = v.without("inputs")
	path := r.path + "/inputs"
	if v.find("inputSchema") != nil {
		r.about(BadValue, path, "stands beside an inputSchema: leave one out")
		return v
	}
	if !r.is(short, path, '{') {
		return v
	}
	properties, required := objectValue(short.place), listValue(short.place)
	for _, m := range short.members {
		if !r.is(m.value, below(path, m.name), '{') {
			continue
		}
		if need := m.find("required"); need != nil && need.kind == 't' {
			required.items = append(required.items, textValue(m.place, m.name))
		}
		properties.members = append(properties.members, member{m.place, m.name, m.without("required")})
	}
	schema := objectValue(short.place, member{short.place, "type", textValue(short.place, "object")}, member{short.place, "properties", properties})
	if len(required.items) > 0 {
		schema = schema.with("required", required)
	}
	return v.with("inputSchema", schema)
}

func (r *resolver) state(v *value, path string) *value {
	if v.kind != '{' {
		return v
	}
	v = r.own(v, path, foreignState)
	v = r.unstored(v, path, (*phase)(nil).stored())
	if enter := v.find("onEnter"); enter != nil {
		v = v.with("onEnter", r.onEnter(enter, path+"/onEnter"))
	}
	if moves := v.find("transitions"); moves != nil && moves.kind == '{' {
		v = r.transitions(v, moves, path+"/transitions")
	}
	r.refer(v.find("while"))
	return r.skills(v)
}

// transitions writes out those of a state, and in which order they stand, if that is not the order of their names.
func (r *resolver) transitions(state, moves *value, path string) *value {
	next, order := objectValue(moves.place), []string{}
	for _, m := range moves.members {
		next.members = append(next.members, member{m.place, m.name, r.transition(m.value, below(path, m.name))})
		order = append(order, m.name)
	}
	state = state.with("transitions", next)
	if slices.IsSortedFunc(order, compareNames) {
		return state
	}
	return state.with("order", texts(moves.place, order))
}

func (r *resolver) transition(v *value, path string) *value {
	if v.kind != '{' {
		return v
	}
	v = r.own(v, path, foreignTransition)
	v, guards := r.effect(v, path)
	if own := v.find("guards"); len(guards) > 0 && (own == nil || own.kind == '[') {
		at := v.place
		if own != nil {
			at = own.place
		}
		v = v.with("guards", listValue(at, slices.Concat(guards, listOf(own))...))
	}
	v = v.without("risk")
	for _, guard := range listOf(v.find("guards")) {
		r.refer(guard)
	}
	for _, branch := range listOf(v.find("branches")) {
		r.refer(branch.find("when"))
	}
	return r.skills(v)
}

func (r *resolver) onEnter(v *value, path string) *value {
	if v.kind != '{' {
		return v
	}
	v, guards := r.effect(v, path)
	if len(guards) > 0 {
		r.about(Misplaced, path+"/executor/capability", "has guards, which nobody can be held to on entering a state")
	}
	return v
}

// effect writes out the executor of a transition or of an onEnter, and gives the guards that come with it. Its risk is
// the highest that anything on the way says.
func (r *resolver) effect(v *value, path string) (*value, []*value) {
	tier := auth.TierUnknown
	if said := v.find("risk"); said != nil {
		if r.is(said, path+"/risk", '"') {
			tier = r.reader.risk(v, said.text, path)
		}
		if v.find("executor") == nil {
			r.about(BadValue, path+"/risk", "is the risk of an executor, and there is none")
		}
	}
	e := v.find("executor")
	if e == nil || e.kind != '{' {
		r.reliable(nil, v.find("reliability"), path+"/reliability", tier)
		return v.without("reliability"), nil
	}
	made, guards := r.executorOf(e, path+"/executor", tier)
	v, tried := v.with("executor", made), v.find("reliability")
	if name := e.find("capability"); name != nil && r.abilities[name.text] != nil {
		a := r.abilities[name.text]
		tier, tried = max(tier, a.tier), cmp.Or(tried, a.Reliability)
	}
	v = v.without("reliability")
	if tried = r.reliable(made, tried, path+"/reliability", tier); tried != nil {
		v = v.with("reliability", tried)
	}
	return v, guards
}

// reliable writes out how an executor is tried; nil when nothing is said, or there is nothing that could be tried.
func (r *resolver) reliable(e, v *value, path string, tier auth.Tier) *value {
	if v == nil || v.isEmpty() {
		return nil
	}
	if e == nil || !has(r.kinds.Executors, e) {
		r.warn(Ignored, path, "is ignored: such an executor has no effect that could be tried again")
		return nil
	}
	instead := v.find("fallback")
	if instead == nil {
		return v
	}
	list := instead.find("executors")
	if list == nil || list.kind != '[' || len(list.items) > maxFallbacks {
		return v
	}
	made := listValue(list.place)
	for i, one := range list.items {
		at := item(path+"/fallback/executors", i)
		if one.kind == '{' {
			var guards []*value
			if one, guards = r.executorOf(one, at, tier); len(guards) > 0 {
				r.about(Misplaced, at+"/capability", "has guards, which nobody can be held to after another executor has failed")
			}
		}
		made.items = append(made.items, one)
	}
	return v.with("fallback", instead.with("executors", made))
}

func (r *resolver) executorOf(e *value, path string, tier auth.Tier) (*value, []*value) {
	name := e.find("capability")
	if name == nil {
		return r.rated(e, path, tier), nil
	}
	harmless := objectValue(e.place, member{e.place, "kind", textValue(e.place, workflow.KindNoop)})
	for _, m := range e.members {
		if m.name != "capability" {
			r.note(UnknownKey, m.place, below(path, m.name), strconv.Quote(shown(m.name))+" is not known beside a capability, which brings its executor")
		}
	}
	if !r.is(name, path+"/capability", '"') {
		return harmless, nil
	}
	a := r.ability(name.text, path+"/capability")
	if a == nil || a.Executor == nil || a.Executor.kind != '{' {
		return harmless, nil // told already
	}
	return r.rated(a.Executor, path, max(tier, a.tier)), a.Guards
}

// rated is an executor with its risk raised to a tier.
func (r *resolver) rated(e *value, path string, tier auth.Tier) *value {
	if e.kind != '{' {
		return e
	}
	effect := has(r.kinds.Executors, e)
	if !effect {
		e = r.own(e, path, foreignExecutor)
	}
	if said := e.find("risk"); said != nil && said.kind == '"' {
		tier = max(tier, r.reader.risk(e, said.text, path))
	}
	if effect {
		tier = r.tierOf(e, tier)
		if s := e.find("subject"); s != nil && s.kind == '"' && subjectForm().MatchString(s.text) {
			r.subjects[s.text] = s.place
		}
	}
	if tier == auth.TierUnknown {
		return e
	}
	return e.with("risk", textValue(e.place, tier.String()))
}
