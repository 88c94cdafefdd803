package definition

import (
	"maps"
	"slices"
	"strconv"

	"prax/tools/lexicon"
	"prax/tools/workflow"
)

// refer notes the subjects that a guard refers to.
func (r *resolver) refer(guard *value) {
	if guard == nil {
		return
	}
	if s := guard.find("subject"); s != nil && s.kind == '"' {
		r.subjects[s.text] = s.place
	}
	r.refer(guard.find("guard"))
	for _, one := range listOf(guard.find("guards")) {
		r.refer(one)
	}
}

// skills notes the subjects that a value lists. Those that there is nothing for are taken out: they are pending.
func (r *resolver) skills(v *value) *value {
	list := v.find("skills")
	if list == nil || list.kind != '[' {
		return v
	}
	known := listValue(list.place)
	for _, one := range list.items {
		if one.kind != '"' {
			return v
		}
		r.subjects[one.text] = one.place
		if r.fragments[one.text] != nil {
			known.items = append(known.items, one)
		}
	}
	return v.with("skills", known)
}

// references adds what the workflow refers to, and the subjects that mean nothing yet.
func (r *resolver) references(v *value) *value {
	library, pending := objectValue(v.place), []string{}
	for _, subject := range slices.Sorted(maps.Keys(r.subjects)) {
		if g := r.fragments[subject]; g != nil {
			library.members = append(library.members, member{v.place, subject, guidanceValue(g, v.place)})
			continue
		}
		term := lexicon.TermOf(subject)
		if r.isTerm[term] {
			continue
		}
		r.doubt(subject, term)
		if !slices.Contains(pending, term) {
			pending = append(pending, term)
		}
	}
	if len(library.members) > 0 {
		v = v.with("library", library)
	}
	if len(pending) > 0 {
		v = v.with("pending", texts(v.place, pending))
	}
	return v
}

func (r *resolver) doubt(subject, term string) {
	r.problem(Pending, true, r.subjects[subject], r.path, r.shown(r.path)+" refers to "+strconv.Quote(shown(subject))+
		", which is no skill and no script: it cannot be started before the lexicon has the term "+strconv.Quote(shown(term)))
}

// guidanceValue is a skill or a script in the stored form.
func guidanceValue(g *workflow.Guidance, at place) *value {
	v := objectValue(at)
	add := func(name, text string) {
		if text != "" {
			v.members = append(v.members, member{at, name, textValue(at, text)})
		}
	}
	add("verb", g.Verb)
	add("lifecycle", g.Lifecycle)
	add("body", g.Body)
	add("hash", g.Hash)
	add("source", g.Source)
	if g.Script {
		v.members = append(v.members, member{at, "script", &value{place: at, kind: 't'}})
	}
	return v
}
