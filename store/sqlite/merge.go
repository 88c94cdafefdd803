package sqlite

import (
	"database/sql"
	"errors"

	"prax/store"
)

const (
	mergeRuns = 16  // of one level become one of the next
	fullLevel = 100 // of a full run
)

// fullRun is how many bytes of leads make a run full: it is never written again.
var fullRun int64 = 512 << 10

// mergeLeads makes fewer runs of many, so that a way to a user's calls goes through few. What it leads to stays the same
// at every moment.
func (db *DB) mergeLeads() error {
	for level := int64(0); level < fullLevel; level++ {
		merged, err := db.mergeLevel(level)
		for again := merged; again && err == nil; { // a start does not know how many there are
			again, err = db.mergeLevel(level)
		}
		if !merged || err != nil {
			return err
		}
	}
	return nil
}

// mergeLevel makes one run of the oldest of a level, if there are enough.
func (db *DB) mergeLevel(level int64) (merged bool, err error) {
	runs, leads, err := db.oldestRuns(level)
	if err != nil || len(runs) == 0 {
		return false, err
	}
	reach("before-merge")
	err = db.writer.insist(func(s store.Tx) error { return s.(*tx).replaceRuns(runs, leads) })
	if errors.Is(err, errRunGone) {
		return false, nil // there may be enough another time
	}
	return err == nil, err
}

// oldestRuns are runs of a level that are to become one, and what is in them; none when there are too few.
func (db *DB) oldestRuns(level int64) (runs []leadRun, leads []lead, err error) {
	err = db.View(background, func(s store.Tx) error {
		t, ours := s.(*tx)
		if !ours {
			return errNotOurs
		}
		if runs, err = t.runsOf(level); err != nil || len(runs) < mergeRuns {
			runs = nil
			return err
		}
		bytes := int64(0)
		for n, run := range runs {
			if err := t.leads(func(l lead) { leads = append(leads, l) }, leadsOfRun, run.number); err != nil {
				return err
			}
			if bytes += run.bytes; bytes >= fullRun {
				runs = runs[:n+1]
				break
			}
		}
		return nil
	})
	return runs, leads, err
}

// runsOf are up to mergeRuns of a level, the oldest.
func (t *tx) runsOf(level int64) (runs []leadRun, err error) {
	err = t.few(func(rows *sql.Rows) error {
		run := leadRun{level: level}
		runs = append(runs, run)
		last := &runs[len(runs)-1]
		return rows.Scan(&last.number, &last.bytes)
	}, `SELECT number, bytes FROM lead_run WHERE level = ? ORDER BY last LIMIT ?`, level, mergeRuns)
	return runs, err
}

var errRunGone = errors.New("leads were archived while they were merged")

// replaceRuns writes what is in some runs as one.
func (t *tx) replaceRuns(runs []leadRun, leads []lead) error {
	level, bytes := runs[0].level+1, int64(0)
	t.c.patient = true
	defer func() { t.c.patient = false }()
	for _, run := range runs {
		bytes += run.bytes
		if _, err := t.exec(`DELETE FROM lead WHERE run = ?`, run.number); err != nil {
			return err
		}
		n, err := t.exec(`DELETE FROM lead_run WHERE number = ?`, run.number)
		if err != nil {
			return err
		}
		if n == 0 {
			return errRunGone
		}
		t.c.worked(int(run.bytes))
	}
	if bytes >= fullRun {
		level = fullLevel
	}
	reach("mid-merge")
	return t.failed(t.c.insertLeads(level, leads))
}
