package sqlite

import (
	"database/sql"
	"time"

	"prax/store"
)

const (
	leaseEnded = `SELECT number, bytes FROM attempt INDEXED BY attempt_lease WHERE status = 'running' AND lease < ? AND worker <> ? ORDER BY lease, number LIMIT ?`
	takeOver   = `UPDATE attempt SET worker = ?, fence = fence + 1, lease = ?, updated = ? WHERE number = ?`

	// doubt is why an attempt that ran when a backup was taken is unknown.
	doubt        = "it ran when the backup was taken that was restored since"
	chargeDoubts = `UPDATE owner SET instance_bytes = instance_bytes + ? * (SELECT count(*) FROM attempt a WHERE a.status = 'running' AND a.user = owner.user)`
	doubtAll     = `UPDATE attempt SET status = 'unknown', message = ?, bytes = bytes + ?, updated = ? WHERE status = 'running'`
)

// ClaimAttempts implements [store.Attempts].
func (t *tx) ClaimAttempts(worker string, before, lease, now time.Time, limit int) ([]store.Attempt, error) {
	if !t.writable() {
		return nil, store.ErrReadOnly
	}
	var numbers []int64
	room := pageRoom{}
	err := t.list(func(rows *sql.Rows) error {
		var number, bytes int64
		if err := rows.Scan(&number, &bytes); err != nil {
			return err
		}
		if !room.take(bytes) {
			return errEnough
		}
		numbers = append(numbers, number)
		return nil
	}, leaseEnded, before.UnixMilli(), worker, store.PageSize(limit))
	if err != nil {
		return nil, err
	}
	var all []store.Attempt
	for _, number := range numbers {
		if _, err := t.exec(takeOver, worker, lease.UnixMilli(), now.UnixMilli(), number); err != nil {
			return nil, t.whole(err)
		}
		a, err := t.attempt(attemptByNumber, number)
		if err != nil {
			return nil, t.whole(err)
		}
		all = append(all, a.Attempt)
	}
	return all, nil
}

// DoubtAttempts implements [store.Attempts].
func (t *tx) DoubtAttempts(now time.Time) (int64, error) {
	if _, err := t.exec(chargeDoubts, len(doubt)); err != nil {
		return 0, err
	}
	clear(t.notes.kept)
	n, err := t.exec(doubtAll, doubt, len(doubt), now.UnixMilli())
	return n, t.whole(err)
}
