package sqlite

import (
	"database/sql"
	"fmt"
	"time"

	"prax/store"
)

const (
	noticeColumns = `id, kind, user, once, until, workflow, approval, attempt, client, at, expires, tries, worker, next`

	addNotice = `INSERT INTO notice (` + noticeColumns + `) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, '', ?10
		WHERE (SELECT count(*) FROM notice WHERE next IS NOT NULL AND kind = ?2 AND user = ?3) < ?12
		AND NOT EXISTS (SELECT 1 FROM notice WHERE once <> '' AND once = ?4)`

	dueNotice = `SELECT number, ` + noticeColumns + ` FROM notice
		WHERE next IS NOT NULL AND (next <= ?1 OR worker NOT IN ('', ?2) AND next < ?3) ORDER BY next, number LIMIT 1`

	forgetNotices = `DELETE FROM notice WHERE next IS NULL AND until <= ?`
)

// AddNotice implements [store.Notices].
func (t *tx) AddNotice(n store.Notice) (bool, error) {
	if !t.writable() {
		return false, store.ErrReadOnly
	}
	if err := n.Check(); err != nil {
		return false, err
	}
	n = n.Normal()
	if n.Once != "" {
		if _, err := t.exec(forgetNotices, n.At.UnixMilli()); err != nil {
			return false, err
		}
	}
	added, err := t.exec(addNotice, n.ID, string(n.Kind), n.User, n.Once, millis(n.Until), n.Workflow, n.Approval, n.Attempt, n.Client,
		n.At.UnixMilli(), millis(n.Expires), store.MaxNotices)
	if unique(err) {
		return false, fmt.Errorf("%w: the notice's id is taken", store.ErrConflict)
	}
	return added == 1, err
}

// ClaimNotice implements [store.Notices].
func (t *tx) ClaimNotice(worker string, before, lease, now time.Time) (store.Notice, error) {
	if !t.writable() {
		return store.Notice{}, store.ErrReadOnly
	}
	var n store.Notice
	var number, at, next int64
	var until, expires sql.NullInt64
	err := t.row(dueNotice, []any{now.UnixMilli(), worker, before.UnixMilli()}, &number, &n.ID, &n.Kind, &n.User, &n.Once, &until,
		&n.Workflow, &n.Approval, &n.Attempt, &n.Client, &at, &expires, &n.Tries, &n.Worker, &next)
	if err != nil {
		return store.Notice{}, missing(err)
	}
	n.At, n.Until, n.Expires = moment(at), later(until), later(expires)
	n.Tries, n.Worker, n.Next = n.Tries+1, worker, store.Milliseconds(lease)
	_, err = t.exec(`UPDATE notice SET tries = ?, worker = ?, next = ? WHERE number = ?`, n.Tries, worker, lease.UnixMilli(), number)
	return n, err
}

// DelayNotice implements [store.Notices].
func (t *tx) DelayNotice(id, worker string, next time.Time) error {
	if _, err := t.claimedNotice(id, worker); err != nil {
		return err
	}
	_, err := t.exec(`UPDATE notice SET worker = '', next = ? WHERE id = ?`, next.UnixMilli(), id)
	return err
}

// EndNotice implements [store.Notices].
func (t *tx) EndNotice(id, worker string) error {
	once, err := t.claimedNotice(id, worker)
	if err != nil {
		return err
	}
	end := `DELETE FROM notice WHERE id = ?`
	if once {
		end = `UPDATE notice SET worker = '', next = NULL WHERE id = ?`
	}
	_, err = t.exec(end, id)
	return err
}

// claimedNotice tells of a notice that the worker has whether it is told once.
func (t *tx) claimedNotice(id, worker string) (once bool, err error) {
	if !t.writable() {
		return false, store.ErrReadOnly
	}
	var by string
	err = t.row(`SELECT worker, once <> '' FROM notice WHERE id = ? AND next IS NOT NULL`, []any{id}, &by, &once)
	switch {
	case err != nil:
		return false, missing(err)
	case by != worker:
		return false, fmt.Errorf("%w: another worker has the notice", store.ErrConflict)
	}
	return once, nil
}

// NextNotice implements [store.Notices].
func (t *tx) NextNotice() (time.Time, error) {
	var next sql.NullInt64
	err := t.row(`SELECT min(next) FROM notice WHERE next IS NOT NULL`, nil, &next)
	return later(next), err
}

// FailedNotices implements [store.Notices].
func (t *tx) FailedNotices() (n int64, since time.Time, err error) {
	var at sql.NullInt64
	err = t.row(`SELECT count(*), min(at) FROM notice WHERE next IS NOT NULL AND tries > 0 AND worker = ''`, nil, &n, &at)
	return n, later(at), err
}

// DropNotices implements [store.Notices].
func (t *tx) DropNotices() (int64, error) { return t.exec(`DELETE FROM notice WHERE next IS NOT NULL`) }
