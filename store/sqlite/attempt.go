package sqlite

import (
	"database/sql"
	"fmt"

	"prax/auth"
	"prax/store"
)

// attemptColumns are those of an attempt in the order of scanAttempt.
const attemptColumns = `number, id, (SELECT i.id FROM instance i WHERE i.number = attempt.instance), user, shared, definition, version, status,
	fence, lease, worker, tries, choice, created, updated, ended, parent, part, client, actor, state, transition, tool, kind, tier, digest, key,
	approval, class, settler, correlation, request, message, note, work, output, lent`

const (
	attemptByID     = `SELECT ` + attemptColumns + ` FROM attempt WHERE id = ? AND ` + ownInstance
	attemptUnscoped = `SELECT ` + attemptColumns + ` FROM attempt WHERE id = ?`
	attemptByNumber = `SELECT ` + attemptColumns + ` FROM attempt WHERE number = ?`
	attemptBlocking = `SELECT ` + attemptColumns + ` FROM attempt WHERE instance = ? AND ended IS NULL`
	attemptKept     = `SELECT ` + attemptColumns + ` FROM attempt INDEXED BY attempt_kept
		WHERE status = 'kept' AND output IS NOT NULL AND instance = ? AND version = ? AND digest = ? ORDER BY number DESC LIMIT 1`
)

// scanAttempt reads a row of attemptColumns.
func scanAttempt(scan func(...any) error) (store.ListedAttempt, error) {
	var a store.ListedAttempt
	var instance sql.NullString
	var ended sql.NullInt64
	var lease, created, updated int64
	err := scan(&a.Number, &a.ID, &instance, &a.User, &a.Shared, &a.Definition, &a.Version, &a.Status,
		&a.Fence, &lease, &a.Worker, &a.Tries, &a.Choice, &created, &updated, &ended, &a.Parent, &a.Index, &a.Client, &a.Actor, &a.State,
		&a.Transition, &a.Tool, &a.Kind, &a.Tier, &a.Digest, &a.Key, &a.Approval, &a.Class, &a.By, &a.Correlation, &a.RequestID,
		&a.Message, &a.Note, (*[]byte)(&a.Work), (*[]byte)(&a.Output), &a.Grant)
	a.Instance, a.Lease, a.Created, a.Updated, a.Ended = instance.String, moment(lease), moment(created), moment(updated), later(ended)
	return a, err
}

// attempt reads one row, for the store itself.
func (t *tx) attempt(text string, args ...any) (store.ListedAttempt, error) {
	a, err := scanAttempt(func(into ...any) error { return t.row(text, args, into...) })
	if err != nil {
		return store.ListedAttempt{}, missing(err)
	}
	return a, nil
}

// coveredAttempt reads one row, and judges it.
func (t *tx) coveredAttempt(s auth.Scope, text string, args ...any) (store.ListedAttempt, error) {
	a, err := t.attempt(text, args...)
	if err == nil && !covers(s, store.Instance{User: a.User, Shared: a.Shared, DefinitionID: a.Definition}) {
		return store.ListedAttempt{}, store.ErrNotFound
	}
	return a, err
}

// Attempt implements [store.Attempts].
func (t *tx) Attempt(s auth.Scope, id string) (store.Attempt, error) {
	if s.User() == "" {
		return store.Attempt{}, store.ErrNotFound
	}
	a, err := t.coveredAttempt(s, attemptByID, id, s.User(), oversees(s))
	return a.Attempt, err
}

// BlockingAttempt implements [store.Attempts].
func (t *tx) BlockingAttempt(s auth.Scope, instance string) (store.Attempt, error) {
	i, err := t.covered(s, instance)
	if err != nil {
		return store.Attempt{}, err
	}
	a, err := t.coveredAttempt(s, attemptBlocking, i.Number)
	return a.Attempt, err
}

// KeptAttempt implements [store.Attempts].
func (t *tx) KeptAttempt(s auth.Scope, instance string, version int64, digest string) (store.Attempt, error) {
	i, err := t.covered(s, instance)
	if err != nil {
		return store.Attempt{}, err
	}
	a, err := t.coveredAttempt(s, attemptKept, i.Number, version, digest)
	return a.Attempt, err
}

// insertAttempt writes a row: of an instance, or of none.
func (t *tx) insertAttempt(a store.Attempt, instance any) error {
	_, err := t.exec(`INSERT INTO attempt (number, id, instance, user, shared, definition, version, status, fence, lease, worker, tries, choice, bytes,
		created, updated, parent, part, client, actor, state, transition, tool, kind, tier, digest, key, approval, class, settler,
		correlation, request, message, note, work)
		VALUES ((SELECT coalesce(max(number), 0) + 1 FROM attempt), ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?,
		?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', ?, ?, '', '', ?)`,
		a.ID, instance, a.User, a.Shared, a.Definition, a.Version, a.Fence, a.Lease.UnixMilli(), a.Worker, a.Tries, a.Choice, a.Bytes(),
		a.Created.UnixMilli(), a.Updated.UnixMilli(), a.Parent, a.Index, a.Client, a.Actor, a.State, a.Transition, a.Tool, a.Kind, a.Tier,
		a.Digest, a.Key, a.Approval, a.Correlation, a.RequestID, optional(a.Work))
	if unique(err) {
		return fmt.Errorf("%w: the attempt's id is taken, or another one blocks its instance", store.ErrConflict)
	}
	return t.lend(`UPDATE attempt SET lent = ? WHERE id = ?`, a.Grant, a.ID, err)
}
