package sqlite

import (
	"errors"
	"fmt"

	"prax/auth"
	"prax/store"
)

// The ways to a scope's attempts, newest first: each is a walk along one index, and stops at the limit.
const (
	attemptsAll      = `SELECT number FROM attempt WHERE number < ?`
	attemptsUser     = attemptsAll + ` AND ` + ownUser
	attemptsShared   = attemptsAll + ` AND definition = ? AND shared = 1`
	attemptsInstance = attemptsAll + ` AND instance = ?`
	direct           = ` AND instance IS NULL`

	countAttempts = `SELECT count(*) FROM (SELECT 1 FROM attempt WHERE status = ? LIMIT ?)`
)

// attemptStatuses are the parts of a walk along the index by user and status.
var attemptStatuses = []store.AttemptStatus{
	store.AttemptRunning, store.AttemptUnknown, store.AttemptDone, store.AttemptKept, store.AttemptFailed, store.AttemptApplied, store.AttemptNotApplied,
}

// ListAttempts implements [store.Attempts].
func (t *tx) ListAttempts(s auth.Scope, f store.AttemptFilter) ([]store.ListedAttempt, error) {
	if s.User() == "" || f.Direct && f.Instance != "" {
		return nil, nil
	}
	if err := t.turn(s.User()); err != nil {
		return nil, err
	}
	walks, err := t.attemptWalks(s, f)
	if err != nil {
		return nil, err
	}
	numbers := newestNumbers{limit: store.PageSize(f.Limit), before: f.Before}
	for _, w := range walks {
		if err := t.walk(w, &numbers); err != nil {
			return nil, err
		}
	}
	return t.numberedAttempts(s, numbers.all)
}

// attemptWalks are the ways to all that the scope covers and the filter lets through.
func (t *tx) attemptWalks(s auth.Scope, f store.AttemptFilter) ([]walk, error) {
	if f.Instance != "" {
		return t.attemptsOf(s, f)
	}
	if s.Oversees().All() && f.User == "" {
		return []walk{walk{text: attemptsAll}.directly(f.Direct).restrict("status", string(f.Status))}, nil
	}
	var walks []walk
	for user := range seenUsers(s, f.User) {
		for _, status := range attemptStatuses {
			if f.Status == "" || f.Status == status {
				walks = append(walks, walk{attemptsUser, []any{user}}.directly(f.Direct).restrict("status", string(status)))
			}
		}
	}
	if f.Direct {
		return walks, nil // nobody shares those
	}
	shared, err := t.sharedDefinitions(s, "")
	for _, id := range shared {
		walks = append(walks, walk{attemptsShared, []any{id}}.restrict("status", string(f.Status)).restrict("user", f.User))
	}
	return walks, err
}

// attemptsOf is the way to those of one instance; there is none when the scope does not cover it.
func (t *tx) attemptsOf(s auth.Scope, f store.AttemptFilter) ([]walk, error) {
	i, err := t.covered(s, f.Instance)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return []walk{walk{attemptsInstance, []any{i.Number}}.restrict("status", string(f.Status)).restrict("user", f.User)}, err
}

// directly narrows a walk to attempts without an instance.
func (w walk) directly(only bool) walk {
	if only {
		w.text += direct
	}
	return w
}

// numberedAttempts reads the attempts with these numbers, as many as fit in one answer.
func (t *tx) numberedAttempts(s auth.Scope, numbers []int64) ([]store.ListedAttempt, error) {
	var all []store.ListedAttempt
	room := pageRoom{}
	for _, number := range numbers {
		a, err := t.coveredAttempt(s, attemptByNumber, number)
		if err != nil {
			return nil, fmt.Errorf("attempt %d: %w", number, err)
		}
		if !room.take(a.Bytes()) {
			break
		}
		all = append(all, a)
	}
	return all, nil
}

// CountAttempts implements [store.Attempts].
func (t *tx) CountAttempts(status store.AttemptStatus) (n int, err error) {
	err = t.row(countAttempts, []any{string(status), store.MaxCounted}, &n)
	return n, err
}
