package lexicon

import (
	"fmt"
	"slices"

	"prax/auth"
	"prax/store"
)

// row is what was stored of a term.
type row struct {
	Entry
	stored store.Term
}

// view is the lexicon as one user sees it, or as everybody does.
type view struct {
	*configured
	user string
	rows []row          // by term, removed ones too; a user's own one stands for everybody's
	over map[string]int // the rows by term
}

// view is the lexicon as the user sees it; as everybody does for "". The scope is that of the caller, who may cover
// more users than that one: what is theirs is left out.
func (l *Lexicon) view(tx store.Terms, s auth.Scope, user string) (*view, error) {
	stored, err := tx.Terms(s)
	if err != nil {
		return nil, fmt.Errorf("read the lexicon: %w", err)
	}
	v := &view{configured: l.configured.Load(), user: user, over: map[string]int{}}
	for _, t := range stored {
		if t.User != "" && t.User != user {
			continue
		}
		e, err := NewEntry(t.Term, t.Entry)
		if err != nil {
			return nil, err
		}
		v.over[t.Term] = len(v.rows)
		v.rows = append(v.rows, row{e, t})
	}
	return v, nil
}

// term is the entry of this very term.
func (v *view) term(term string) (Entry, bool) {
	if i, stored := v.over[term]; stored {
		return v.rows[i].Entry, !v.rows[i].stored.Removed
	}
	if i, known := v.terms[term]; known {
		return v.entries[i], true
	}
	return Entry{}, false
}

// find is the entry that goes by a name: a term before an alias, and what is written the same before what is not.
func (v *view) find(name string) (Entry, bool) {
	if e, found := v.term(name); found {
		return e, true
	}
	folded := fold(name)
	for _, by := range []struct {
		is    func(Entry) bool
		among []int
	}{
		{func(e Entry) bool { return e.hasAlias(name) }, v.aliases[name]},
		{func(e Entry) bool { return fold(e.Term) == folded }, v.folded[folded]},
		{func(e Entry) bool { return e.called(folded) }, v.folded[folded]},
	} {
		if e, found := v.first(by.is, by.among); found {
			return e, true
		}
	}
	return Entry{}, false
}

// first is an entry of which something is true: a user's own before everybody's before the file's, of which only some
// come into question.
func (v *view) first(is func(Entry) bool, among []int) (Entry, bool) {
	for _, own := range []bool{true, false} {
		for _, r := range v.rows {
			if (r.stored.User != "") == own && !r.stored.Removed && is(r.Entry) {
				return r.Entry, true
			}
		}
	}
	for _, i := range among {
		if _, hidden := v.over[v.entries[i].Term]; !hidden && is(v.entries[i]) {
			return v.entries[i], true
		}
	}
	return Entry{}, false
}

// all calls f with every entry until it returns false: in the order of the file, then by term.
func (v *view) all(f func(Entry) bool) {
	for _, e := range v.entries {
		if e, there := v.term(e.Term); there && !f(e) {
			return
		}
	}
	for _, r := range v.rows {
		if _, declared := v.terms[r.Term]; !declared && !r.stored.Removed && !f(r.Entry) {
			return
		}
	}
}

// count counts the entries that belong to the user of the view.
func (v *view) count() (n int) {
	for _, r := range v.rows {
		if r.stored.User == v.user && !r.stored.Removed {
			n++
		}
	}
	return n
}

// taken is the entry, other than that of the term, that goes by a name in a bounded context.
func (v *view) taken(name, context, term string) (by Entry, is bool) {
	folded := fold(name)
	v.all(func(e Entry) bool {
		if e.Term != term && e.Context == context && e.called(folded) {
			by, is = e, true
		}
		return !is
	})
	return by, is
}

// collision is a refusal when the entry would take a name from another. Names that it had before it keeps, whoever
// else has them.
func (v *view) collision(e, was Entry) error {
	for i, name := range append([]string{e.Term}, e.Aliases...) {
		if name == e.Term && i > 0 {
			return taken(e.Term, name, e.Term, e.Context)
		}
		if e.Context == was.Context && (name == was.Term || slices.Contains(was.Aliases, name)) {
			continue
		}
		if by, is := v.taken(name, e.Context, e.Term); is {
			return taken(e.Term, name, by.Term, e.Context)
		}
	}
	return nil
}
