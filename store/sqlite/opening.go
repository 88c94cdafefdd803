package sqlite

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"prax/store"
)

// attemptingByID is what an attempt needs to know about its instance.
const attemptingByID = `SELECT i.number, i.version, i.status, i.shared, i.definition, o.instance_bytes,
	(SELECT a.status FROM attempt a WHERE a.instance = i.number AND a.ended IS NULL)
	FROM instance i JOIN owner o ON o.user = i.user WHERE i.id = ? AND i.user = ?`

// OpenAttempt implements [store.Attempts]. All that may refuse it is read before anything is written.
func (t *tx) OpenAttempt(a store.Attempt) error {
	if !t.writable() {
		return store.ErrReadOnly
	}
	if err := a.Check(); err != nil {
		return err
	}
	a = a.Normal()
	if a.Instance == "" {
		return t.openDirect(a)
	}
	instance, bytes, err := t.attemptable(&a)
	if err != nil {
		return err
	}
	if err := t.usable(a.Approval, instance, a.Version, a.Created); err != nil {
		return err
	}
	t.changed(change{next: store.Instance{ID: a.Instance}, bound: true})
	return t.beginAttempt(a, instance, bytes)
}

// openDirect opens an attempt without an instance.
func (t *tx) openDirect(a store.Attempt) error {
	if _, err := t.newOwner(a.User); err != nil {
		return err
	}
	_, bytes, err := t.instancesOf(a.User)
	if err != nil {
		return err
	}
	return t.beginAttempt(a, nil, bytes)
}

// attemptable finds the instance of an attempt, when it still is what the attempt is about, and what its user keeps.
// The attempt gets from it what tells who may see both.
func (t *tx) attemptable(a *store.Attempt) (number, bytes int64, err error) {
	var version int64
	var status store.Status
	var blocked sql.NullString
	err = t.row(attemptingByID, []any{a.Instance, a.User}, &number, &version, &status, &a.Shared, &a.Definition, &bytes, &blocked)
	switch {
	case err != nil:
		return 0, 0, missing(err)
	case version != a.Version:
		return 0, 0, fmt.Errorf("%w: the instance has version %d, not %d", store.ErrConflict, version, a.Version)
	case status != store.Open:
		return 0, 0, fmt.Errorf("%w: the instance has ended", store.ErrConflict)
	case blocked.Valid:
		return 0, 0, fmt.Errorf("%w: the instance has an attempt that is %s", store.ErrConflict, blocked.String)
	}
	return number, bytes, nil
}

// usable tells whether an attempt can use up an approval of its instance in its version; "" is none.
func (t *tx) usable(id string, instance, version int64, at time.Time) error {
	if id == "" {
		return nil
	}
	opened, err := t.openSince(id, instance, at)
	if err == nil && opened != version {
		return fmt.Errorf("%w: the approval is of version %d, not %d", store.ErrConflict, opened, version)
	}
	return err
}

// beginAttempt writes an attempt and what belongs to it.
func (t *tx) beginAttempt(a store.Attempt, instance any, kept int64) error {
	if err := t.instanceRoom(kept, a.Bytes()); err != nil {
		return err
	}
	if err := t.insertAttempt(a, instance); err != nil {
		return err
	}
	reach("mid-attempt")
	if a.Approval != "" {
		if err := t.useUp(a.Approval, instance, cmp.Or(a.Approver, a.Client), a.Created); err != nil {
			return t.whole(err)
		}
	}
	return t.whole(t.chargeInstances(a.User, 0, a.Bytes()))
}

func (t *tx) useUp(approval string, instance any, client string, at time.Time) error {
	_, err := t.exec(`UPDATE approval SET status = 'consumed', answerer = ?, resolved = ? WHERE id = ? AND instance = ?`,
		client, at.UnixMilli(), approval, instance)
	return err
}

// RenewAttempt implements [store.Attempts].
func (t *tx) RenewAttempt(id string, fence int64, tries, choice int, lease, now time.Time) error {
	if !t.writable() {
		return store.ErrReadOnly
	}
	if tries < 0 || choice < 0 || lease.IsZero() || now.IsZero() {
		return errors.New("an attempt is renewed with a lease, and no negative number")
	}
	n, err := t.exec(`UPDATE attempt SET tries = iif(?1 > 0, ?1, tries), choice = iif(?1 > 0, ?2, choice), lease = ?3, updated = ?4
		WHERE id = ?5 AND fence = ?6 AND status = 'running'`, tries, choice, lease.UnixMilli(), now.UnixMilli(), id, fence)
	if err != nil || n > 0 {
		return err
	}
	was, err := t.attempt(attemptUnscoped, id)
	if err != nil {
		return err
	}
	return fenced(was.Status, was.Fence, fence)
}

// fenced says why an attempt cannot go on as it should.
func fenced(status store.AttemptStatus, has, fence int64) error {
	if has != fence {
		return fmt.Errorf("%w: the attempt was taken over: its fence is %d, not %d", store.ErrConflict, has, fence)
	}
	return fmt.Errorf("%w: the attempt is %s", store.ErrConflict, status)
}
