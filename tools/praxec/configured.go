package praxec

import (
	"prax/tools/definition"
	"prax/tools/lexicon"
)

// Configure has the lexicon say what a set says: its terms, and for each of its definitions the subjects that have no
// meaning yet.
func Configure(l *lexicon.Lexicon, set *definition.Set) error {
	entries := make([]lexicon.Entry, 0, len(set.Lexicon))
	for _, t := range set.Lexicon {
		e, err := lexicon.NewEntry(t.Term, t.Entry)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	pending := map[string][]string{}
	for _, d := range set.Definitions {
		if len(d.Pending) > 0 {
			pending[d.ID] = d.Pending
		}
	}
	l.Configure(entries, pending)
	return nil
}
