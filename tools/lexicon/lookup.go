package lexicon

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
)

// The bounds of what is read.
const (
	DefaultHits = 10  // of a search that says no limit
	MaxHits     = 100 // of any
	MaxInline   = 200 // bytes of a definition that is embedded as it is
	MaxEmbedded = 64  // terms embedded in one answer
)

// Lookup is the entry that the caller's user has for a term or an alias. What has no meaning yet has no entry.
func (l *Lexicon) Lookup(tx store.Terms, p auth.Principal, name string) (Entry, bool, error) {
	if !isName(name) {
		return Entry{}, false, nil // nothing has such a name: it need not be asked for
	}
	e, known, err := l.written(tx, p, name)
	if err != nil || known {
		return e, known && e.resolved(), err
	}
	v, err := l.view(tx, p.Scope(), p.User)
	if err != nil {
		return Entry{}, false, err
	}
	e, found := v.meaning(name)
	return e, found, nil
}

// written is the entry of what is written just so: one row to read, where an alias needs all of them.
func (l *Lexicon) written(tx store.Terms, p auth.Principal, term string) (Entry, bool, error) {
	t, err := tx.Term(p.Scope(), term)
	switch {
	case errors.Is(err, store.ErrNotFound):
		c := l.configured.Load()
		i, known := c.terms[term]
		if !known {
			return Entry{}, false, nil
		}
		return c.entries[i], true, nil
	case err != nil:
		return Entry{}, false, fmt.Errorf("read the lexicon: %w", err)
	case t.Removed:
		return Entry{}, false, nil // an alias of another term, perhaps
	}
	e, err := NewEntry(t.Term, t.Entry)
	return e, err == nil, err
}

// meaning is the entry that goes by a name and says what it means.
func (v *view) meaning(name string) (Entry, bool) {
	e, found := v.find(name)
	if !found || !e.resolved() {
		return Entry{}, false
	}
	return e, true
}

// Query is what a search looks for.
type Query struct {
	Text    string // in the term or in the definition, in whatever case; "": everything
	Context string // the bounded context; "": any
	Limit   int    // 0 or less: DefaultHits; MaxHits at most
}

// Search are the entries of the caller's user that a query is for, in the order of the file and then by term.
func (l *Lexicon) Search(tx store.Terms, p auth.Principal, q Query) ([]Entry, error) {
	v, err := l.view(tx, p.Scope(), p.User)
	if err != nil {
		return nil, err
	}
	limit := min(q.Limit, MaxHits)
	if limit <= 0 {
		limit = DefaultHits
	}
	text, hits := fold(q.Text), []Entry{}
	v.all(func(e Entry) bool {
		inContext := q.Context == "" || e.Context == q.Context
		if inContext && (strings.Contains(fold(e.Term), text) || strings.Contains(fold(e.Short), text)) {
			hits = append(hits, e)
		}
		return len(hits) < limit
	})
	return hits, nil
}

// Pending is the first of the subjects that means nothing yet to the caller's user, and that the user has not given
// up either: a start of the workflow which has them waits for it.
func (l *Lexicon) Pending(tx store.Terms, p auth.Principal, subjects []string) (string, bool, error) {
	if len(subjects) == 0 {
		return "", false, nil
	}
	v, err := l.view(tx, p.Scope(), p.User)
	if err != nil {
		return "", false, err
	}
	for _, subject := range subjects {
		if _, found := v.meaning(subject); found {
			continue
		}
		given, err := givenUp(tx, p, subject)
		if err != nil {
			return "", false, err
		}
		if !given {
			return subject, true, nil
		}
	}
	return "", false, nil
}

func givenUp(tx store.Terms, p auth.Principal, subject string) (bool, error) {
	settled, err := tx.SettledSubjects(p.Scope())
	if err != nil {
		return false, fmt.Errorf("read the subjects given up: %w", err)
	}
	return slices.Contains(settled, subject), nil
}

// Embedded is what an answer says of a term beside its own matter: the definition, or where that is long the hash of
// the whole entry.
type Embedded struct {
	Short string // "" where there is a Hash
	Hash  string // sha256:<hex> of the canonical JSON
}

// Embed are the terms that subjects are about, by term: those that mean something to the caller's user, MaxEmbedded
// at most. With refs there are also the terms that those refer to. It is nil when there is none.
func (l *Lexicon) Embed(tx store.Terms, p auth.Principal, subjects []string, refs bool) (map[string]Embedded, error) {
	if len(subjects) == 0 {
		return nil, nil
	}
	v, err := l.view(tx, p.Scope(), p.User)
	if err != nil {
		return nil, err
	}
	var found map[string]Embedded
	for _, name := range v.about(subjects, refs) {
		e, known := v.meaning(name)
		if _, has := found[e.Term]; !known || has || len(found) == MaxEmbedded {
			continue
		}
		embedded, err := e.embedded()
		if err != nil {
			return nil, err
		}
		if found == nil {
			found = map[string]Embedded{}
		}
		found[e.Term] = embedded
	}
	return found, nil
}

// about are the names of the terms that subjects are about, each followed by what it refers to.
func (v *view) about(subjects []string, refs bool) (names []string) {
	for _, subject := range subjects {
		names = append(names, TermOf(subject))
		if e, known := v.meaning(TermOf(subject)); known && refs {
			names = append(names, e.Refs...)
		}
	}
	return names
}

func (e Entry) embedded() (Embedded, error) {
	if len(e.Short) <= MaxInline {
		return Embedded{Short: e.Short}, nil
	}
	text, err := e.JSON()
	if err != nil {
		return Embedded{}, err
	}
	sum, err := digest.Sum(text)
	if err != nil {
		return Embedded{}, fmt.Errorf("hash the lexicon's entry of %s: %w", quoted(e.Term), err)
	}
	return Embedded{Hash: "sha256:" + sum}, nil
}
