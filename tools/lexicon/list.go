package lexicon

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"prax/auth"
	"prax/store"
)

// Standing says where an entry comes from.
type Standing string

// The standings.
const (
	Declared Standing = "declared" // in the operator's file
	Common   Standing = "common"   // defined at run time, and everybody's
	Proposed Standing = "proposed" // a user's own
	Accepted Standing = "accepted" // a user's own, until it became everybody's
	Gone     Standing = "removed"
	Waiting  Standing = "pending" // a workflow waits for its definition
)

// Listed is a row of the operator's list.
type Listed struct {
	Entry
	Standing Standing
	User     string // whose it is; "" for everybody's
	Client   string // who wrote it
	Version  int64  // 0: it is not stored
	Updated  time.Time
}

// List is all that there is, by term and then by user, and the subjects that have no meaning for everybody.
// Only the operator may.
func (l *Lexicon) List(tx store.Terms, p auth.Principal) ([]Listed, error) {
	if !p.Operates() {
		return nil, operatorOnly("")
	}
	stored, err := tx.Terms(p.Scope())
	if err != nil {
		return nil, fmt.Errorf("read the lexicon: %w", err)
	}
	v, err := l.view(tx, p.Scope(), "")
	if err != nil {
		return nil, err
	}
	list := v.undefined()
	for _, e := range v.entries {
		if _, over := v.over[e.Term]; !over {
			list = append(list, Listed{Entry: e, Standing: Declared})
		}
	}
	for _, t := range stored {
		e, err := NewEntry(t.Term, t.Entry)
		if err != nil {
			return nil, err
		}
		list = append(list, Listed{e, StandingOf(t), t.User, t.Client, t.Version, t.Updated})
	}
	slices.SortStableFunc(list, func(a, b Listed) int { return cmp.Or(cmp.Compare(a.Term, b.Term), cmp.Compare(a.User, b.User)) })
	return list, nil
}

// StandingOf is that of a stored version.
func StandingOf(t store.Term) Standing {
	switch {
	case t.Removed:
		return Gone
	case t.User == "":
		return Common
	case t.Accepted != "":
		return Accepted
	}
	return Proposed
}

// undefined are the subjects that mean nothing to everybody, each once.
func (v *view) undefined() (list []Listed) {
	listed := map[string]bool{}
	for _, subjects := range v.pending {
		for _, subject := range subjects {
			if _, found := v.meaning(subject); !found && !listed[subject] {
				listed[subject] = true
				list = append(list, Listed{Entry: Entry{Term: subject, State: PendingDefinition}, Standing: Waiting})
			}
		}
	}
	return list
}

// History are the versions of a term that were stored, oldest first: those of everybody and of the caller's own user;
// to the operator those of all users.
func (l *Lexicon) History(tx store.Terms, p auth.Principal, term string) ([]store.Term, error) {
	all, err := tx.TermHistory(p.Scope(), term)
	if err != nil {
		return nil, fmt.Errorf("read the lexicon's history: %w", err)
	}
	if p.Operates() {
		return all, nil
	}
	return slices.DeleteFunc(all, func(t store.Term) bool { return t.User != "" && t.User != p.User }), nil
}
