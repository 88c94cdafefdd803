package clients

import (
	"strings"

	"prax/auth"
)

// allowance is an allow that was read.
type allowance struct {
	set     uint32
	ok      bool     // it could be read
	unknown []string // names that no tool has now
	high    []string // names of tools that are never exposed
}

func (r *reader) allow(e *entry, v value) {
	if a, known := r.allows[string(v.Value)]; known {
		r.allowed(e, v.at, a)
		return
	}
	a := r.readAllow(v)
	if len(v.Value) <= remembered {
		r.allows[string(v.Value)] = a
	}
	r.allowed(e, v.at, a)
}

// readAllow tells apart what must not be confused: nothing said (null), nothing granted (an empty
// string or list), and what cannot be read, which refuses the entry.
func (r *reader) readAllow(v value) allowance {
	if v.Kind() == 'n' {
		return r.defaultAllow()
	}
	if s, ok := text(v); ok {
		return r.allowText(s)
	}
	if list, ok := stringList(v); ok {
		return r.grant(list)
	}
	return allowance{}
}

// allowText reads an allow that is one string: the word for the default set, or names between commas.
func (r *reader) allowText(s string) allowance {
	if s == "default" || s == "DEFAULT" {
		return r.defaultAllow()
	}
	var names []string
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return r.grant(names)
}

func (r *reader) defaultAllow() allowance {
	return allowance{set: r.build.names.Add(DefaultTools()), ok: true}
}

// grant makes a set of the names that the operator wrote. A name that no tool has, or a HIGH one, stays
// in it: what is in force is what the allowlist and the catalogue have in common.
func (r *reader) grant(names []string) allowance {
	a := allowance{set: r.build.names.Add(names), ok: true}
	if r.catalogue == nil {
		return a
	}
	for _, name := range names {
		switch tier, exists := r.catalogue.Tier(name); {
		case !exists:
			a.unknown = append(a.unknown, name)
		case !tier.Exposable():
			a.high = append(a.high, name)
		}
	}
	return a
}

// allowed takes an allowance into an entry, with what is to be said about it.
func (r *reader) allowed(e *entry, at int, a allowance) {
	if !a.ok {
		r.refuse(e, at, BadAllow, `allow is neither a list of names, a comma separated string, null nor "default"`)
		return
	}
	e.terms.allow = a.set
	if len(a.unknown) > 0 {
		r.problem(e, at, UnknownTool, "allow names what no tool is called: %s", someNames(a.unknown))
	}
	if len(a.high) > 0 {
		r.problem(e, at, HighTool, "allow names tools of tier %s, which are never exposed: %s", auth.High, someNames(a.high))
	}
}

// someNames lists names for a report, the first few of them.
func someNames(names []string) string {
	const most = 8
	shownNames := make([]string, 0, most+1)
	for _, name := range names[:min(len(names), most)] {
		shownNames = append(shownNames, shown(name))
	}
	if len(names) > most {
		shownNames = append(shownNames, "…")
	}
	return strings.Join(shownNames, ", ")
}
