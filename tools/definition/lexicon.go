package definition

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"prax/tools/lexicon"
)

// entry is one of `lexicon`.
type entry struct {
	Short      string             `json:"definition_short"`
	Long       string             `json:"definition_long"`
	Aliases    []string           `json:"aliases"`
	Context    string             `json:"bounded_context"`
	Refs       []string           `json:"refs"`
	Governance lexicon.Governance `json:"governance"`
}

// maxEntry bounds an entry of the lexicon, in bytes of JSON.
const maxEntry = 64 << 10

// spoken is a word of a bounded context: a term or an alias.
type spoken struct{ context, word string }

// lexicon reads the terms.
func (c *compiler) lexicon(v *value) (terms []Term) {
	if v == nil || !c.is(v, "/lexicon", '{') {
		return nil
	}
	for _, m := range v.members {
		path := below("/lexicon", m.name)
		if c.label(m, path, "a term") {
			terms = append(terms, c.term(m, path))
		}
	}
	c.collisions(terms)
	slices.SortFunc(terms, func(a, b Term) int { return cmp.Compare(a.Term, b.Term) })
	return terms
}

func (c *compiler) term(m member, path string) Term {
	var e entry
	fits := c.read(m.value, path, &e)
	t := Term{Term: m.name, Short: e.Short, Long: e.Long, Aliases: e.Aliases, Context: e.Context, Refs: e.Refs, Governance: cmp.Or(e.Governance, lexicon.HumanOnly)}
	t.Entry = m.appendJSON(nil)
	switch {
	case !fits:
	case strings.TrimSpace(e.Short) == "":
		c.about(InvalidLexiconEntry, path, "has no definition_short")
	case t.Governance != lexicon.HumanOnly && t.Governance != lexicon.AgentMayPropose:
		c.about(InvalidLexiconEntry, path+"/governance", "must be human-only or agent-may-propose, is "+strconv.Quote(shown(string(e.Governance))))
	case len(t.Entry) > maxEntry:
		c.about(InvalidLexiconEntry, path, "is longer than "+strconv.Itoa(maxEntry)+" bytes")
	}
	for i, alias := range e.Aliases {
		if !isLabel(alias) {
			c.about(InvalidLexiconEntry, item(path+"/aliases", i), labelForm)
		}
	}
	return t
}

// collisions notes aliases that mean two things in one bounded context.
func (c *compiler) collisions(terms []Term) {
	meaning := map[spoken]string{}
	for _, t := range terms {
		meaning[spoken{t.Context, t.Term}] = t.Term
	}
	for _, t := range terms {
		for i, alias := range t.Aliases {
			word := spoken{t.Context, alias}
			if other, taken := meaning[word]; taken {
				c.about(LexiconCollision, item(below("/lexicon", t.Term)+"/aliases", i), strconv.Quote(alias)+" is taken by the term "+strconv.Quote(other)+ofContext(t.Context))
				continue
			}
			meaning[word] = t.Term
		}
	}
}

func ofContext(context string) string {
	if context == "" {
		return ""
	}
	return " in the bounded context " + strconv.Quote(shown(context))
}
