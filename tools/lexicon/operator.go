package lexicon

import (
	"fmt"
	"time"

	"prax/auth"
	"prax/store"
)

// Publish has everybody take a term for what the draft says. A draft without a definition adds its aliases to the
// term. What users defined for themselves stays. Only the operator may.
func (l *Lexicon) Publish(tx store.Terms, p auth.Principal, term string, d Draft, now time.Time) (Change, error) {
	if !p.Operates() {
		return Change{}, operatorOnly(term)
	}
	if err := d.check(term); err != nil {
		return Change{}, err
	}
	v, err := l.view(tx, p.Scope(), "")
	if err != nil {
		return Change{}, err
	}
	if d.Short != "" {
		return v.define(tx, p, term, d, now)
	}
	e, found := v.meaning(term)
	if !found {
		return Change{}, unknownTerm(term)
	}
	return v.alias(tx, p, e, d.Aliases, now)
}

// Accept makes everybody's what a user has: exactly the version that the operator looked at, so that nothing else
// slips in. Only the operator may. The error wraps store.ErrConflict when there is a newer one.
func (l *Lexicon) Accept(tx store.Terms, p auth.Principal, user, term string, version int64, now time.Time) (Change, error) {
	if !p.Operates() {
		return Change{}, operatorOnly(term)
	}
	theirs, err := l.theirs(tx, p, user, term)
	if err != nil {
		return Change{}, err
	}
	if theirs.stored.Version != version {
		return Change{}, fmt.Errorf("%w: the user's term has version %d, not %d", store.ErrConflict, theirs.stored.Version, version)
	}
	v, err := l.view(tx, p.Scope(), "")
	if err != nil {
		return Change{}, err
	}
	was, _ := v.term(term)
	if err := v.collision(theirs.Entry, was); err != nil {
		return Change{}, err
	}
	before, err := v.last(tx, p, term)
	if err != nil {
		return Change{}, err
	}
	common, own := theirs.stored, theirs.stored
	common.User, common.Version, common.Created = "", before, time.Time{}
	for _, t := range []store.Term{common, own} {
		t.Accepted, t.AcceptedAt, t.Updated = p.Client, now, now
		if err := keep(tx, t, theirs.Entry); err != nil {
			return Change{}, err
		}
	}
	fact := Fact{"lexicon.accepted", map[string]any{"term": term, "user": user, "accepted_by": p.Client}}
	return Change{Term: term, Entry: theirs.Entry, Facts: []Fact{fact}}, nil
}

// theirs is what a user has of a term.
func (l *Lexicon) theirs(tx store.Terms, p auth.Principal, user, term string) (row, error) {
	v, err := l.view(tx, p.Scope(), user)
	if err != nil {
		return row{}, err
	}
	if i, stored := v.over[term]; stored && user != "" && v.rows[i].stored.User == user {
		return v.rows[i], nil
	}
	return row{}, unknownTerm(term)
}

// Remove takes a term away. Of everybody, with the user "", nobody has it any more but who defined it alone, and what
// the file says of it is hidden until it is defined again. Of a user, what everybody has counts again. Only the
// operator may.
func (l *Lexicon) Remove(tx store.Terms, p auth.Principal, user, term string, now time.Time) (Change, error) {
	if !p.Operates() {
		return Change{}, operatorOnly(term)
	}
	e, gone, err := l.removable(tx, p, user, term, now)
	if err != nil {
		return Change{}, err
	}
	gone.Term, gone.User, gone.Client, gone.Updated, gone.Removed = term, user, p.Client, now, true
	if err := keep(tx, gone, e); err != nil {
		return Change{}, err
	}
	fact := Fact{"lexicon.removed", map[string]any{"term": term, "user": user, "removed_by": p.Client}}
	return Change{Term: term, Entry: e, Facts: []Fact{fact}}, nil
}

// removable is what is taken away, and what of it is stored already.
func (l *Lexicon) removable(tx store.Terms, p auth.Principal, user, term string, now time.Time) (Entry, store.Term, error) {
	if user != "" {
		theirs, err := l.theirs(tx, p, user, term)
		gone := theirs.stored
		gone.Accepted, gone.AcceptedAt = p.Client, now // who settled it: so it stands aside for everybody's
		return theirs.Entry, gone, err
	}
	v, err := l.view(tx, p.Scope(), "")
	if err != nil {
		return Entry{}, store.Term{}, err
	}
	e, known := v.term(term)
	if !known {
		return Entry{}, store.Term{}, unknownTerm(term)
	}
	version, err := v.last(tx, p, term)
	return e, store.Term{Version: version}, err
}
