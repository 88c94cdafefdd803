package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"prax/auth"
	"prax/store"
)

const termColumns = `term, user, version, entry, client, removed, created, updated, accepted, accepted_at`

const (
	// An entry of a user that was accepted stands aside for everybody's.
	seenTerm = `newest = 1 AND (user = '' OR ` + ownUser + ` AND accepted = '')`

	termSeen     = `SELECT ` + termColumns + ` FROM term WHERE ` + seenTerm + ` AND term = ? ORDER BY user DESC LIMIT 1`
	termsAll     = `SELECT ` + termColumns + ` FROM term WHERE newest = 1 AND (user = '' OR accepted = '') ORDER BY term, user`
	termsOf      = `SELECT ` + termColumns + ` FROM term WHERE ` + seenTerm + ` ORDER BY term, user`
	termNewest   = `SELECT version, created, removed FROM term WHERE newest = 1 AND user = ? AND term = ?`
	termCount    = `SELECT count(*) FROM term WHERE user = ?`
	settledCount = `SELECT coalesce(sum(subject = ?), 0), count(*) FROM settled_subject WHERE ` + ownUser
	settledOf    = `SELECT subject FROM settled_subject WHERE ` + ownUser + ` ORDER BY subject`
	termHistory  = `SELECT ` + termColumns + ` FROM term WHERE term = ? AND (user = '' OR ` + ownUser + ` OR ? = 1) ORDER BY number`
)

func scanTerm(scan func(...any) error) (store.Term, error) {
	var t store.Term
	var created, updated int64
	var accepted sql.NullInt64
	err := scan(&t.Term, &t.User, &t.Version, (*[]byte)(&t.Entry), &t.Client, &t.Removed, &created, &updated, &t.Accepted, &accepted)
	t.Created, t.Updated, t.AcceptedAt = moment(created), moment(updated), later(accepted)
	return t, err
}

// PutTerm implements [store.Terms].
func (t *tx) PutTerm(term store.Term) (store.Term, error) {
	if !t.writable() {
		return store.Term{}, store.ErrReadOnly
	}
	if err := term.Check(); err != nil {
		return store.Term{}, err
	}
	was, err := t.newestTerm(term)
	if err != nil {
		return store.Term{}, err
	}
	term = term.Normal(t.db.now())
	if was.Version > 0 {
		term.Created = was.Created
	}
	if err := t.termRoom(term, was); err != nil {
		return store.Term{}, err
	}
	term.Version++
	if _, err := t.exec(`UPDATE term SET newest = 0 WHERE newest = 1 AND user = ? AND term = ?`, term.User, term.Term); err != nil {
		return store.Term{}, err
	}
	_, err = t.exec(`INSERT INTO term (newest, `+termColumns+`) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		term.Term, term.User, term.Version, string(term.Entry), term.Client, term.Removed, term.Created.UnixMilli(), term.Updated.UnixMilli(),
		term.Accepted, millis(term.AcceptedAt))
	return term, t.whole(err)
}

// newestTerm is what a put replaces, when that is what it says.
func (t *tx) newestTerm(term store.Term) (was store.Term, err error) {
	var created int64
	err = t.row(termNewest, []any{term.User, term.Term}, &was.Version, &created, &was.Removed)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return was, err
	}
	was.Created = moment(created)
	if was.Version != term.Version {
		return was, fmt.Errorf("%w: the term has version %d, not %d", store.ErrConflict, was.Version, term.Version)
	}
	return was, nil
}

// termRoom tells whether a user's entries may have one more version. To remove an entry there always is room.
func (t *tx) termRoom(term, was store.Term) error {
	var versions int64
	if err := t.row(termCount, []any{term.User}, &versions); err != nil {
		return err
	}
	most := int64(store.MaxTermVersions)
	if term.User == "" {
		most = store.MaxEverybodys
	}
	if removes := term.Removed && was.Version > 0 && !was.Removed; versions >= most && !removes {
		return fmt.Errorf("%w: a user's terms have at most %d versions together", store.ErrQuota, most)
	}
	return nil
}

// Term implements [store.Terms].
func (t *tx) Term(s auth.Scope, term string) (store.Term, error) {
	if s.User() == "" {
		return store.Term{}, store.ErrNotFound
	}
	found, err := scanTerm(func(into ...any) error { return t.row(termSeen, []any{s.User(), term}, into...) })
	if err != nil {
		return store.Term{}, missing(err)
	}
	return found, nil
}

// Terms implements [store.Terms].
func (t *tx) Terms(s auth.Scope) ([]store.Term, error) {
	if s.User() == "" {
		return nil, nil
	}
	if err := t.turn(s.User()); err != nil {
		return nil, err
	}
	text, args := termsOf, []any{s.User()}
	if s.Oversees().All() {
		text, args = termsAll, nil
	}
	all, err := t.terms(text, args...)
	return withoutHidden(all, s.User()), err
}

// withoutHidden takes out everybody's entries for which the user has an own one. An entry of everybody
// stands before those of users.
func withoutHidden(all []store.Term, user string) []store.Term {
	own := map[string]bool{}
	for _, t := range all {
		own[t.Term] = own[t.Term] || t.User == user
	}
	kept := all[:0]
	for _, t := range all {
		if t.User != "" || !own[t.Term] {
			kept = append(kept, t)
		}
	}
	return kept
}

func (t *tx) terms(text string, args ...any) ([]store.Term, error) {
	var all []store.Term
	err := t.list(func(rows *sql.Rows) error {
		term, err := scanTerm(rows.Scan)
		all = append(all, term)
		return err
	}, text, args...)
	return all, err
}

// TermHistory implements [store.Terms].
func (t *tx) TermHistory(s auth.Scope, term string) ([]store.Term, error) {
	if s.User() == "" {
		return nil, nil
	}
	if err := t.turn(s.User()); err != nil {
		return nil, err
	}
	return t.terms(termHistory, term, s.User(), s.Oversees().All())
}

// SettleSubject implements [store.Terms].
func (t *tx) SettleSubject(s auth.Scope, subject string, at time.Time) (bool, error) {
	if !t.writable() {
		return false, store.ErrReadOnly
	}
	if err := store.CheckSubject(s, subject); err != nil {
		return false, err
	}
	var settled, all int64
	err := t.row(settledCount, []any{subject, s.User()}, &settled, &all)
	if err != nil || settled > 0 {
		return false, err
	}
	if all >= store.MaxSubjects {
		return false, fmt.Errorf("%w: a user has at most %d settled subjects", store.ErrQuota, store.MaxSubjects)
	}
	_, err = t.exec(`INSERT INTO settled_subject (user, subject, at) VALUES (?, ?, ?)`, s.User(), subject, at.UnixMilli())
	return err == nil, err
}

// SettledSubjects implements [store.Terms].
func (t *tx) SettledSubjects(s auth.Scope) ([]string, error) {
	if err := t.turn(s.User()); err != nil {
		return nil, err
	}
	var all []string
	err := t.list(func(rows *sql.Rows) error {
		var subject string
		err := rows.Scan(&subject)
		all = append(all, subject)
		return err
	}, settledOf, s.User())
	return all, err
}
