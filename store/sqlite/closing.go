package sqlite

import (
	"database/sql"
	"errors"

	"prax/store"
)

// closingByID is what a closing needs to know about its attempt.
const closingByID = `SELECT number, user, instance, status, fence, class, message, settler, note, bytes, coalesce(octet_length(work), 0) + octet_length(lent) FROM attempt WHERE id = ?`

// closing is an attempt that is about to end or to go on.
type closing struct {
	store.ListedAttempt
	instance sql.NullInt64
	bytes    int64 // that it counts
	work     int64 // of them, what is dropped at its end
}

// CloseAttempt implements [store.Attempts].
func (t *tx) CloseAttempt(c store.Closing) error {
	if !t.writable() {
		return store.ErrReadOnly
	}
	if err := c.Check(); err != nil {
		return err
	}
	was, err := t.closable(c)
	if err != nil {
		return err
	}
	next := c.After(was.Attempt)
	kept := next.Bytes()
	if next.Ended.IsZero() {
		kept += was.work
	}
	if err := t.replaceAttempt(was.Number, next, kept); err != nil {
		return err
	}
	reach("mid-closing")
	if err := t.chargeInstances(was.User, 0, kept-was.bytes); err != nil {
		return t.whole(err)
	}
	if was.instance.Valid {
		return nil
	}
	return t.whole(t.forgetDirect(was.User))
}

// closable is the attempt that is to be closed, when it still can be.
func (t *tx) closable(c store.Closing) (was closing, err error) {
	err = t.row(closingByID, []any{c.ID}, &was.Number, &was.User, &was.instance, &was.Status, &was.Fence, &was.Class, &was.Message, &was.By, &was.Note,
		&was.bytes, &was.work)
	if err != nil {
		return was, missing(err)
	}
	if was.Fence != c.Fence || !c.Follows(was.Status) {
		return was, fenced(was.Status, was.Fence, c.Fence)
	}
	return was, nil
}

func (t *tx) replaceAttempt(number int64, a store.Attempt, bytes int64) error {
	_, err := t.exec(`UPDATE attempt SET status = ?1, updated = ?2, ended = ?3, class = ?4, message = ?5, settler = ?6, note = ?7, output = ?8, bytes = ?9,
		work = iif(?3 IS NULL, work, NULL), lent = iif(?3 IS NULL, lent, '') WHERE number = ?10`,
		string(a.Status), a.Updated.UnixMilli(), millis(a.Ended), a.Class, a.Message, a.By, a.Note, optional(a.Output), bytes, number)
	return err
}

const (
	lastForgotten = `SELECT number, ended FROM attempt WHERE instance IS NULL AND ended IS NOT NULL AND user = ? ORDER BY ended DESC, number DESC LIMIT 1 OFFSET ?`
	forgotten     = `FROM attempt WHERE instance IS NULL AND ended IS NOT NULL AND user = ? AND (ended, number) <= (?, ?)`
)

// forgetDirect removes what a user has too many of: attempts without an instance that ended long ago.
func (t *tx) forgetDirect(user string) error {
	var number, ended, bytes int64
	err := t.row(lastForgotten, []any{user, store.MaxDirectAttempts}, &number, &ended)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := t.row(`SELECT sum(bytes) `+forgotten, []any{user, ended, number}, &bytes); err != nil {
		return err
	}
	if _, err := t.exec(`DELETE `+forgotten, user, ended, number); err != nil {
		return err
	}
	return t.chargeInstances(user, 0, -bytes)
}

// dropOutputs drops what attempts of an instance that moves on have kept for it.
const dropOutputs = `UPDATE attempt SET bytes = bytes - octet_length(output), output = NULL WHERE status = 'kept' AND output IS NOT NULL AND instance = ?`
