package lexicon

import (
	"maps"
	"slices"
	"sync/atomic"

	"prax/auth"
	"prax/store"
)

// Lexicon is what the words of workflows mean. It is safe for concurrent use.
type Lexicon struct {
	configured atomic.Pointer[configured]
}

// New is a lexicon of these entries, see [Lexicon.Configure].
func New(entries []Entry, pending map[string][]string) *Lexicon {
	l := &Lexicon{}
	l.Configure(entries, pending)
	return l
}

// Configure puts what the operator's file says in place of what it said before: the entries in the order in which
// they are declared, and for each definition, by id, the subjects that have no meaning yet.
func (l *Lexicon) Configure(entries []Entry, pending map[string][]string) {
	l.configured.Store(newConfigured(entries, pending))
}

// configured is what one reading of the file gave. It is immutable.
type configured struct {
	entries []Entry
	terms   map[string]int   // by exact term
	aliases map[string][]int // by exact alias, in the order of the entries
	folded  map[string][]int // by either, in whatever case: terms before aliases
	pending map[string][]string
}

func newConfigured(entries []Entry, pending map[string][]string) *configured {
	c := &configured{
		entries: slices.Clone(entries), pending: maps.Clone(pending),
		terms: map[string]int{}, aliases: map[string][]int{}, folded: map[string][]int{},
	}
	for i, e := range entries {
		c.terms[e.Term] = i
		c.folded[fold(e.Term)] = append(c.folded[fold(e.Term)], i)
	}
	for i, e := range entries {
		for _, alias := range e.Aliases {
			c.aliases[alias] = append(c.aliases[alias], i)
			c.folded[fold(alias)] = append(c.folded[fold(alias)], i)
		}
	}
	return c
}

// waits tells whether a definition that the caller may use has this subject among those without a meaning. Others do
// not count: whether they are there is none of the caller's business.
func (c *configured) waits(p auth.Principal, subject string) bool {
	for id, subjects := range c.pending {
		if slices.Contains(subjects, subject) && store.Granted(p.Workflows, id) {
			return true
		}
	}
	return false
}
