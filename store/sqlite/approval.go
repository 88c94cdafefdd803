package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"prax/auth"
	"prax/store"
)

const approvalColumns = `number, id, (SELECT i.id FROM instance i WHERE i.number = approval.instance), user, shared, definition, hash, version, transition,
	digest, tier, queue, client, status, answerer, created, expires, resolved, arguments, material, lent`

const (
	approvalByID = `SELECT ` + approvalColumns + ` FROM approval WHERE id = ? AND ` + ownInstance

	// An instance has at most one that is open.
	approvalOf = `SELECT ` + approvalColumns + ` FROM approval WHERE status = 'open' AND expires > ? AND instance = ?`

	approvalsAll     = `SELECT number FROM approval WHERE status = 'open' AND expires > ?`
	approvalsUser    = approvalsAll + ` AND ` + ownUser
	approvalsShared  = approvalsAll + ` AND shared = 1 AND definition = ?`
	approvalsEnd     = ` ORDER BY number LIMIT ?`
	countApprovals   = `SELECT count(*), min(created) FROM (SELECT created FROM approval WHERE status = 'open' AND expires > ? ORDER BY number LIMIT ?)`
	approvalByNumber = `SELECT ` + approvalColumns + ` FROM approval WHERE number = ?`
	openApproval     = `SELECT status, expires, version FROM approval WHERE id = ? AND instance = ?`
	answerApproval   = `UPDATE approval SET status = ?, answerer = ?, resolved = ? WHERE id = ? AND instance = ?`
	voidOpen         = `UPDATE approval SET status = 'void', resolved = ? WHERE instance = ? AND status = 'open'`
	voidAll          = `UPDATE approval SET status = 'void', resolved = ? WHERE status = 'open'`
)

// approval reads one row, and judges it.
func (t *tx) approval(s auth.Scope, text string, args ...any) (store.Approval, error) {
	var a store.Approval
	var number, created, expires int64
	var resolved sql.NullInt64
	var i store.Instance
	err := t.row(text, args, &number, &a.ID, &a.Instance, &i.User, &i.Shared, &a.Definition, &a.Hash, &a.Version, &a.Transition, &a.Digest,
		&a.Tier, &a.Queue, &a.Client, &a.Status, &a.By, &created, &expires, &resolved, (*[]byte)(&a.Arguments), (*[]byte)(&a.Material), &a.Grant)
	if err != nil {
		return store.Approval{}, missing(err)
	}
	if i.DefinitionID = a.Definition; !covers(s, i) {
		return store.Approval{}, store.ErrNotFound
	}
	a.User, a.Created, a.Expires, a.Resolved = i.User, moment(created), moment(expires), later(resolved)
	return a, nil
}

// Approval implements [store.Approvals].
func (t *tx) Approval(s auth.Scope, id string) (store.Approval, error) {
	if s.User() == "" {
		return store.Approval{}, store.ErrNotFound
	}
	return t.approval(s, approvalByID, id, s.User(), oversees(s))
}

// OpenApprovals implements [store.Approvals].
func (t *tx) OpenApprovals(s auth.Scope, instance string, now time.Time, limit int) ([]store.Approval, error) {
	if instance != "" {
		return t.openApprovalOf(s, instance, now)
	}
	if s.User() == "" {
		return nil, nil
	}
	if err := t.turn(s.User()); err != nil {
		return nil, err
	}
	walks, err := t.approvalWalks(s, now)
	if err != nil {
		return nil, err
	}
	limit = store.PageSize(limit)
	var numbers []int64
	for _, w := range walks {
		err := t.list(func(rows *sql.Rows) error {
			var number int64
			err := rows.Scan(&number)
			numbers = append(numbers, number)
			return err
		}, w.text+approvalsEnd, append(w.args, limit)...)
		if err != nil {
			return nil, err
		}
		slices.Sort(numbers)
		numbers = slices.Compact(numbers)
		numbers = numbers[:min(limit, len(numbers))]
	}
	return t.numberedApprovals(s, numbers)
}

// openApprovalOf is the one of an instance that is open, if there is one.
func (t *tx) openApprovalOf(s auth.Scope, instance string, now time.Time) ([]store.Approval, error) {
	i, err := t.covered(s, instance)
	if err != nil {
		return nil, err
	}
	a, err := t.approval(s, approvalOf, now.UnixMilli(), i.Number)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return []store.Approval{a}, err
}

// approvalWalks are the ways to all open approvals that the scope covers.
func (t *tx) approvalWalks(s auth.Scope, now time.Time) ([]walk, error) {
	ms := now.UnixMilli()
	if s.Oversees().All() {
		return []walk{{approvalsAll, []any{ms}}}, nil
	}
	var walks []walk
	for user := range seenUsers(s, "") {
		walks = append(walks, walk{approvalsUser, []any{ms, user}})
	}
	shared, err := t.sharedDefinitions(s, "")
	for _, id := range shared {
		walks = append(walks, walk{approvalsShared, []any{ms, id}})
	}
	return walks, err
}

func (t *tx) numberedApprovals(s auth.Scope, numbers []int64) ([]store.Approval, error) {
	var all []store.Approval
	room := pageRoom{}
	for _, number := range numbers {
		a, err := t.approval(s, approvalByNumber, number)
		if err != nil {
			return nil, fmt.Errorf("approval %d: %w", number, err)
		}
		if !room.take(int64(len(a.Arguments) + len(a.Material))) {
			break
		}
		all = append(all, a)
	}
	return all, nil
}

// CountApprovals implements [store.Approvals].
func (t *tx) CountApprovals(now time.Time) (n int, oldest time.Time, err error) {
	var created sql.NullInt64
	if err := t.row(countApprovals, []any{now.UnixMilli(), store.MaxCounted}, &n, &created); err != nil {
		return 0, time.Time{}, err
	}
	return n, later(created), nil
}

// VoidApprovals implements [store.Approvals].
func (t *tx) VoidApprovals(now time.Time) (int64, error) {
	return t.exec(voidAll, now.UnixMilli())
}

// answerable tells whether the approval that a move uses up or rejects can still be.
func (t *tx) answerable(m store.Move, instance int64) error {
	id := m.Consumed + m.Rejected // one of them at most
	if id == "" {
		return nil
	}
	_, err := t.openSince(id, instance, m.Next.Updated)
	return err
}

// openSince tells in which version an approval was opened that still is open and unexpired.
func (t *tx) openSince(id string, instance int64, at time.Time) (version int64, err error) {
	var status store.ApprovalStatus
	var expires int64
	err = t.row(openApproval, []any{id, instance}, &status, &expires, &version)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, fmt.Errorf("%w: the instance has no such approval", store.ErrConflict)
	case err != nil:
		return 0, err
	case status != store.ApprovalOpen:
		return 0, fmt.Errorf("%w: the approval is %s", store.ErrConflict, status)
	case at.UnixMilli() >= expires:
		return 0, fmt.Errorf("%w: the approval has expired", store.ErrConflict)
	}
	return version, nil
}

// settleApprovals answers the approval that a move is about, or voids the one that is open, and opens the new one. An
// instance has at most one that is open.
func (t *tx) settleApprovals(was moving, m store.Move) error {
	var err error
	switch at := m.Next.Updated.UnixMilli(); {
	case m.Consumed != "":
		_, err = t.exec(answerApproval, string(store.ApprovalConsumed), m.Steps[0].Client, at, m.Consumed, was.number)
	case m.Rejected != "":
		_, err = t.exec(answerApproval, string(store.ApprovalRejected), m.Steps[0].Client, at, m.Rejected, was.number)
	case was.asks:
		_, err = t.exec(voidOpen, at, was.number)
	}
	if err != nil || m.Approval == nil {
		return err
	}
	return t.openApproval(was.number, *m.Approval)
}

func (t *tx) openApproval(instance int64, a store.Approval) error {
	var shared bool
	if err := t.row(`SELECT shared FROM instance WHERE number = ?`, []any{instance}, &shared); err != nil {
		return err
	}
	_, err := t.exec(`INSERT INTO approval (id, instance, user, shared, definition, hash, version, transition, digest, tier, queue, client,
		status, answerer, created, expires, arguments, material) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', '', ?, ?, ?, ?)`,
		a.ID, instance, a.User, shared, a.Definition, a.Hash, a.Version, a.Transition, a.Digest, a.Tier, a.Queue, a.Client,
		a.Created.UnixMilli(), a.Expires.UnixMilli(), optional(a.Arguments), string(a.Material))
	if unique(err) {
		return fmt.Errorf("%w: the approval's id is taken", store.ErrConflict)
	}
	return t.lend(`UPDATE approval SET lent = ? WHERE id = ?`, a.Grant, a.ID, err)
}
