package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"runtime"
	"slices"

	"prax/store"
)

// Migrations lets a test be an older or a newer prax.
func Migrations(texts []string) (restore func()) {
	before := migrations
	migrations = append(append([]string(nil), before...), texts...)
	return func() { migrations = before }
}

// Schema lets a test be the prax whose schema had this number.
func Schema(number int) (restore func()) {
	before := migrations
	migrations = before[:number]
	return func() { migrations = before }
}

// SetMaxPages gives the database more room, or less, while it runs.
func (db *DB) SetMaxPages(n int) error {
	db.maxPages.Store(int64(n))
	return db.writer.insist(func(store.Tx) error { return db.writer.limitPages() })
}

// Pragma is a setting of the writing connection.
func (db *DB) Pragma(name string) (value string, err error) {
	err = db.writer.insist(func(s store.Tx) error { return s.(*tx).c.row("PRAGMA "+name, nil, &value) })
	return value, err
}

// The statements that must go through an index: the read of a document by its key, and the counts by
// namespace.
const (
	ByKey       = byKey
	ByNamespace = byNamespace
)

// WorkflowReads are the statements by which the nouns of workflows, and the events of users, are read.
func WorkflowReads() []string {
	texts := []string{
		callsOf, workflowsOf, sharedRow, leadsOfRun, leadsOfKey,
		definitionByHash, definitionByVersion, lastDefinition, definitionIDs,
		instanceReach, instanceByID, instanceByRun, instanceByNumber, movingByID, startingBy, compareAndSet + nothingElse, compareAndSet, endOrWait, dueInstances, nextDue,
		stepsAfter, evidenceOf, shownIn,
		approvalByID, approvalByNumber, approvalOf, openApproval, answerApproval, voidOpen, voidAll,
		approvalsAll + approvalsEnd, approvalsUser + approvalsEnd, approvalsShared + approvalsEnd, countApprovals, countAttempts,
		attemptByID, attemptUnscoped, attemptByNumber, attemptBlocking, attemptKept, attemptingByID, closingByID, leaseEnded, doubtAll,
		dropOutputs, lastForgotten, `SELECT sum(bytes) ` + forgotten, `DELETE ` + forgotten,
		termSeen, termsAll, termsOf, termHistory, openDefinitions, termNewest, termCount, settledCount, settledOf,
	}
	for _, w := range []walk{
		{text: walkAll}, {text: walkAll + ` AND definition = ?`}, {text: walkAll + ` AND status = ?`}, {text: walkAll + ` AND definition = ? AND status = ?`},
		{text: walkUser + ` AND status = ?`}, {text: walkUser + ` AND status = ? AND definition = ?`},
		{text: walkShared}, {text: walkShared + ` AND status = ?`}, {text: walkShared + ` AND status = ? AND user = ?`},
		{text: attemptsAll}, {text: attemptsAll + direct}, {text: attemptsAll + ` AND status = ?`}, {text: attemptsAll + direct + ` AND status = ?`},
		{text: attemptsUser + ` AND status = ?`}, {text: attemptsUser + direct + ` AND status = ?`},
		{text: attemptsShared}, {text: attemptsShared + ` AND status = ? AND user = ?`},
		{text: attemptsInstance}, {text: attemptsInstance + ` AND status = ? AND user = ?`},
	} {
		texts = append(texts, w.text+walkEnd)
	}
	return texts
}

// MergeLeads merges what there is to merge.
func (db *DB) MergeLeads() error { return db.mergeLeads() }

// MergeRuns is how many runs of leads become one.
const MergeRuns = mergeRuns

// FullRun lets a test say how many bytes fill a run.
func FullRun(bytes int64) (restore func()) {
	before := fullRun
	fullRun = bytes
	return func() { fullRun = before }
}

// LeadsAgain writes leads, each with key, event and place, as a run of the event first on, and reads them. It tells how many
// bytes the rows have.
func LeadsAgain(first int64, leads [][3]int64) (again [][3]int64, sizes []int, err error) {
	run, sorted := leadRun{first: first}, make([]lead, len(leads))
	for n, l := range leads {
		sorted[n] = lead{uint32(l[0]), l[1], l[2]}
	}
	slices.SortFunc(sorted, byLead)
	for _, page := range run.pages(sorted) {
		page.first = first
		sizes = append(sizes, len(page.leads))
		err = errors.Join(err, page.read(func(l lead) { again = append(again, [3]int64{int64(l.key), l.seq, l.place}) }))
	}
	return again, sizes, err
}

// ReadLeads reads what stands for leads in a row.
func ReadLeads(b []byte) (n int, err error) {
	err = leadsPage{leads: b}.read(func(lead) { n++ })
	return n, err
}

// LeadKey is the key of leads to a user's calls, or to what it did in workflows.
var LeadKey = leadKey

// Queued is how many functions wait for the writer.
func (db *DB) Queued() int {
	q := db.writer.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n
}

// Break makes the open transaction die under a function, as a disk that fails does.
func Break(s store.Tx) error {
	t := s.(*tx)
	_ = t.c.script("ROLLBACK")
	t.broken = sql.ErrConnDone
	return t.broken
}

// KeptOf is how many bytes the instances of a user keep.
func KeptOf(s store.Tx, user string) (int64, error) {
	_, bytes, err := s.(*tx).instancesOf(user)
	return bytes, err
}

// EndGoroutine is what a test's FailNow does within a function.
func EndGoroutine(store.Tx) error {
	runtime.Goexit()
	return nil
}

// AllowedInBackup tells whether a manifest may name this file.
var AllowedInBackup = allowed

// MaxQueue is how much may wait for the writer.
const MaxQueue = maxQueue

// RowsWritten is how many rows the writing connection has written.
func (db *DB) RowsWritten() (n int64, err error) {
	err = db.writer.insist(func(s store.Tx) error { return s.(*tx).c.row("SELECT total_changes()", nil, &n) })
	return n, err
}

// Endless is a long read of a user that never ends by itself.
func (db *DB) Endless(ctx context.Context, user string) error {
	return db.View(ctx, func(s store.Tx) error {
		t := s.(*tx)
		if err := t.turn(user); err != nil {
			return err
		}
		return t.list(func(*sql.Rows) error { return nil },
			`WITH RECURSIVE forever (n) AS (SELECT count(*) FROM event UNION ALL SELECT n + 1 FROM forever) SELECT n FROM forever WHERE n < 0`)
	})
}

// SealName is the file that vouches for a database.
const SealName = sealName

// SealOf is the seal that the database in a directory has now, and whether the one that is there fits it.
func SealOf(dir string) (seal string, fits bool) {
	db := newDB(Config{Dir: dir}.withDefaults())
	f, err := os.Open(db.path(databaseName))
	if err != nil {
		return "", false
	}
	defer f.Close()
	seal, _ = sealOf(f)
	return seal, db.sealed(f)
}
