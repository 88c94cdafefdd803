package praxec

import (
	"cmp"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"prax/tools/definition"
	"prax/tools/workflow"
)

// catalog is what a set defines, made ready for questions once. It is immutable.
type catalog struct {
	set     *definition.Set
	entries []*entry            // by id
	byID    map[string][]*entry // an id can be that of a workflow and of a capability
	index   *index
	known   map[string]*known
}

// entry is one thing that can be found.
type entry struct {
	*definition.Item
	definition string            // whoever may use it may find this; "": anybody
	guards     []*workflow.Guard // that tell who may use a capability
}

// known is a definition in force, as callers may read it.
type known struct {
	*workflow.Definition
	text func() (jsontext.Value, error) // all of it: see [readable]
}

// current is the catalog of the set in force.
func (k *kernel) current() *catalog {
	set := k.Definitions()
	if c := k.catalogs.Load(); c != nil && c.set == set {
		return c
	}
	c := newCatalog(set)
	k.catalogs.Store(c) // two may make the same one: the later stays
	return c
}

func newCatalog(set *definition.Set) *catalog {
	c := &catalog{set: set, byID: map[string][]*entry{}, known: map[string]*known{}}
	for _, d := range set.Definitions {
		c.known[d.ID] = &known{d, sync.OnceValues(func() (jsontext.Value, error) { return readable(d, nil) })}
	}
	for n := range set.Items {
		e := &entry{Item: &set.Items[n]}
		switch e.Kind {
		case definition.Workflow:
			e.definition = e.ID
		case definition.Capability:
			e.definition, e.guards = definition.ProxyID, c.guards(e.ID)
		}
		c.entries = append(c.entries, e)
		c.byID[e.ID] = append(c.byID[e.ID], e)
	}
	slices.SortStableFunc(c.entries, func(a, b *entry) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind)) })
	c.index = newIndex(c.entries)
	return c
}

// guards are those of a capability's transition.
func (c *catalog) guards(capability string) []*workflow.Guard {
	d := c.known[definition.ProxyID]
	if d == nil {
		return nil
	}
	t := d.State(d.Initial).Transition(capability)
	if t == nil {
		return nil
	}
	return t.Guards
}

// definition is one in force that the caller may use; nil when there is none.
func (q *request) definition(id string) *known {
	if d := q.catalog.known[id]; d != nil && q.granted(id) {
		return d
	}
	return nil
}

// sees tells whether the caller may find an entry.
func (q *request) sees(e *entry) bool {
	switch {
	case e.Kind == definition.Skill:
		return q.settings.SkillsSearch
	case e.Kind == definition.Script:
		return q.settings.ScriptsSearch
	case e.definition == "" || !q.granted(e.definition):
		return false
	}
	return workflow.Admits(q.caller(), e.guards)
}

// entry is the one of this id that the caller may find; nil when there is none.
func (q *request) entry(id string) *entry {
	for _, e := range q.catalog.byID[id] {
		if q.sees(e) {
			return e
		}
	}
	return nil
}
