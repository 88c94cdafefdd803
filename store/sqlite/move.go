package sqlite

import (
	"database/sql"
	"errors"
	"fmt"

	"prax/store"
)

// moving is what a move needs to know about the instance that it changes.
type moving struct {
	number, version int64
	status          store.Status
	due             sql.NullInt64
	bytes           int64 // of the members that change
	evidence        int64
	userBytes       int64
	blocked         sql.NullString // the status of the attempt that it waits for
	outputs         int64          // bytes that attempts have kept for it
	asks            bool           // an approval of it is open
}

const movingByID = `SELECT i.number, i.version, i.status, i.due, octet_length(i.context) + octet_length(i.memo) + octet_length(i.summary) + octet_length(i.reason),
	i.evidence, o.instance_bytes,
	(SELECT a.status FROM attempt a WHERE a.instance = i.number AND a.ended IS NULL),
	(SELECT coalesce(sum(octet_length(a.output)), 0) FROM attempt a INDEXED BY attempt_kept WHERE a.status = 'kept' AND a.output IS NOT NULL AND a.instance = i.number),
	EXISTS (SELECT 1 FROM approval p WHERE p.instance = i.number AND p.status = 'open')
	FROM instance i JOIN owner o ON o.user = i.user WHERE i.id = ? AND i.user = ?`

// Move implements [store.Instances]. All that may refuse it is read before anything is written.
func (t *tx) Move(m store.Move) error {
	if !t.writable() {
		return store.ErrReadOnly
	}
	if err := m.Check(); err != nil {
		return err
	}
	m.Next = m.Next.Normal()
	if done, err := t.goOn(m); done || err != nil {
		return err
	}
	was, err := t.movable(m)
	if err != nil {
		return err
	}
	if err := t.answerable(m, was.number); err != nil {
		return err
	}
	kept := m.Bytes() + m.Next.Bytes() - was.bytes
	if ends := m.Next.Status != store.Open; !ends || kept > store.EndingBytes {
		if err := t.instanceRoom(was.userBytes, kept-was.outputs); err != nil {
			return err
		}
	}
	if err := t.replaceInstance(was, m, kept); err != nil {
		return err
	}
	return t.followMove(was, m, kept, false)
}

// followMove writes what belongs to a move beside the instance itself, which is free then or may not be.
func (t *tx) followMove(was moving, m store.Move, kept int64, free bool) error {
	reach("mid-move")
	if err := t.whole(t.writeMove(was, m, kept)); err != nil {
		return err
	}
	t.changed(change{next: m.Next, number: was.number, from: m.From, free: free})
	return nil
}

func (t *tx) writeMove(was moving, m store.Move, kept int64) error {
	if err := t.keepHistory(was.number, was.evidence, m); err != nil {
		return err
	}
	if err := t.settleApprovals(was, m); err != nil {
		return err
	}
	if was.outputs > 0 {
		if _, err := t.exec(dropOutputs, was.number); err != nil {
			return err
		}
	}
	return t.chargeInstances(m.Next.User, opened(m.Next.Status)-1, kept-was.outputs)
}

// nothingElse is what has to hold beside the version of an instance for a move that only goes on: it waits for no attempt
// and no approval, no output is kept for it, and its user has room. ?8 and ?10, the bytes that it adds and the number of
// its instance, are parameters of compareAndSet.
const nothingElse = ` AND user = ?12
	AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.instance = ?10 AND a.ended IS NULL)
	AND NOT EXISTS (SELECT 1 FROM attempt a INDEXED BY attempt_kept WHERE a.status = 'kept' AND a.output IS NOT NULL AND a.instance = ?10)
	AND NOT EXISTS (SELECT 1 FROM approval p WHERE p.instance = ?10 AND p.status = 'open')
	AND (?8 <= 0 OR ?8 + (SELECT o.instance_bytes FROM owner o WHERE o.user = ?12) <= ?13)`

// goOn makes a move of the kind that most are, of an instance that memory has, and spares to read it. Of one that is known
// to be free it is noted that it moves. For another one statement tells whether it may: when it does not, nothing is
// written, and it is for others to tell why.
func (t *tx) goOn(m store.Move) (done bool, err error) {
	was, known := t.db.memory.committed(m.Next.ID)
	if !known || !goesOn(&was.Instance, &m) {
		return false, nil
	}
	kept := m.Bytes() + m.Next.Bytes() - was.Bytes()
	if was.free && was.turn != t.notes.turn {
		if done, err := t.note(m, was.Number, kept); done || err != nil {
			return done, err
		}
	}
	n, err := t.exec(compareAndSet+nothingElse, append(movedColumns(m, kept), was.Number, m.From, m.Next.User, t.db.quota.InstanceBytes)...)
	if err != nil || n == 0 {
		return false, err
	}
	return true, t.followMove(moving{number: was.Number}, m, kept, true)
}

// goesOn tells whether a move changes no more of an instance than its state and its context.
func goesOn(was *store.Instance, m *store.Move) bool {
	return was.User == m.Next.User && was.Version == m.From && was.Status == store.Open && m.Next.Status == store.Open &&
		m.Next.Due.Equal(was.Due) && len(m.Evidence) == 0 && m.Approval == nil && m.Consumed+m.Rejected == ""
}

// movable is the instance that is to move, when it still is what the move is about.
func (t *tx) movable(m store.Move) (was moving, err error) {
	err = t.row(movingByID, []any{m.Next.ID, m.Next.User}, &was.number, &was.version, &was.status, &was.due, &was.bytes, &was.evidence, &was.userBytes,
		&was.blocked, &was.outputs, &was.asks)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return was, store.ErrNotFound
	case err != nil:
		return was, err
	case was.version != m.From:
		return was, fmt.Errorf("%w: the instance has version %d, not %d", store.ErrConflict, was.version, m.From)
	case was.status != store.Open:
		return was, fmt.Errorf("%w: the instance has ended", store.ErrConflict)
	case was.blocked.Valid && m.Next.Status != store.Cancelled:
		return was, fmt.Errorf("%w: the instance has an attempt that is %s", store.ErrConflict, was.blocked.String)
	case was.evidence+int64(len(m.Evidence)) > store.MaxEvidence:
		return was, fmt.Errorf("%w: an instance has at most %d pieces of evidence", store.ErrQuota, store.MaxEvidence)
	}
	return was, nil
}

// compareAndSet is the one statement by which a version follows another. The first stands for most moves: it sets no
// column that is in an index, so that none is written.
const (
	setMoved      = `UPDATE instance SET state = ?, version = ?, updated = ?, reason = ?, summary = ?, memo = ?, context = ?, bytes = bytes + ?, evidence = evidence + ?`
	sameVersion   = ` WHERE number = ? AND version = ?`
	compareAndSet = setMoved + sameVersion
	endOrWait     = setMoved + `, status = ?, due = ?, ended = ?` + sameVersion
)

// movedColumns are the parameters of setMoved, with room for those of what follows it.
func movedColumns(m store.Move, kept int64) []any {
	const room = 14
	i := m.Next
	return append(make([]any, 0, room),
		i.State, i.Version, i.Updated.UnixMilli(), i.Reason, i.Summary, string(i.Memo), string(i.Context), kept, int64(len(m.Evidence)))
}

func (t *tx) replaceInstance(was moving, m store.Move, kept int64) error {
	i := m.Next
	text, set := compareAndSet, movedColumns(m, kept)
	if i.Status != store.Open || !i.Due.Equal(later(was.due)) {
		text, set = endOrWait, append(set, string(i.Status), millis(i.Due), millis(i.Ended))
	}
	n, err := t.exec(text, append(set, was.number, m.From)...)
	if err == nil && n != 1 {
		return store.ErrConflict
	}
	return err
}

// whole hands on the error of what follows the first statement of a change. What was done by then must
// not be kept, even if the caller's function goes on.
func (t *tx) whole(err error) error {
	if err != nil && t.misuse == nil {
		t.misuse = err
	}
	return err
}
