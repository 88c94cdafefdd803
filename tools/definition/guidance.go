package definition

import (
	"prax/tools/workflow"
)

// pinned is a skill or a script in the stored form of a workflow.
type pinned struct {
	Script    bool   `json:"script"`
	Verb      string `json:"verb"`
	Lifecycle string `json:"lifecycle"`
	Body      string `json:"body"`
	Hash      string `json:"hash"`
	Source    string `json:"source"`
}

// guidance reads what the workflow refers to.
func (b *builder) guidance(v *value) {
	if v == nil || !b.is(v, "/library", '{') {
		return
	}
	for _, m := range v.members {
		var p pinned
		b.read(m.value, below("/library", m.name), &p)
		b.library[m.name] = &workflow.Guidance{
			Subject: m.name, Script: p.Script, Verb: p.Verb, Lifecycle: p.Lifecycle, Body: p.Body, Hash: p.Hash, Source: p.Source,
		}
	}
	b.d.Library = b.library
}
