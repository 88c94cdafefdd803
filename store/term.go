package store

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
)

// Term is one entry of the lexicon that was defined at run time. One by an agent is its own user's until a
// person accepts it; then it is everybody's.
type Term struct {
	Term       string
	User       string         // whose it is; "" for everybody's
	Entry      jsontext.Value // as callers see it: definition_short, bounded_context, refs, aliases, governance …
	Client     string         // who wrote it
	Removed    bool           // the term is gone: it hides a configured one of the same name too
	Version    int64          // 1, +1 a change of the same term and user
	Created    time.Time
	Updated    time.Time
	Accepted   string    // who made it everybody's; "" for nobody
	AcceptedAt time.Time // zero when nobody did
}

// Terms is the noun's part of a transaction.
type Terms interface {
	// PutTerm stores t as the next version; t.Version is the one it replaces, 0 for none. ErrConflict when
	// that moved on. To accept a user's entry is to put it for everybody, and the user's own again with
	// Accepted set: that one is in the history from then on, and hides nothing.
	PutTerm(t Term) (Term, error)

	// Term is the scope's user's own entry, else everybody's; removed ones too.
	Term(s auth.Scope, term string) (Term, error)

	// Terms are everybody's and the scope's user's own, by term; a user's own one hides everybody's. A scope
	// that oversees everybody also gets the other users', each under its user.
	Terms(s auth.Scope) ([]Term, error)

	// TermHistory are all versions of a term that the scope covers, oldest first.
	TermHistory(s auth.Scope, term string) ([]Term, error)

	// SettleSubject notes that a pending subject was cancelled for the scope's user, and tells whether that
	// is new.
	SettleSubject(s auth.Scope, subject string, at time.Time) (bool, error)

	// SettledSubjects are those of the scope's user.
	SettledSubjects(s auth.Scope) ([]string, error)
}
