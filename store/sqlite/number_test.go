package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// TestNumbersInAnOlderFile: a file of schema 1 keeps its documents and can number from then on. Not
// parallel: it changes what this prax is.
func TestNumbersInAnOlderFile(t *testing.T) {
	dir := t.TempDir()
	restore := sqlite.Schema(1)
	db := open(t, sqlite.Config{Dir: dir})
	restore()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	tamper(t, dir, `INSERT INTO owner (id, user, documents, bytes) VALUES (1, 'alice', 1, 3);
		INSERT INTO document (seq, owner, id, kind, namespace, key, title, body, tags, source, source_type, importance, status, version, created, updated)
		VALUES (1, 1, 'd1', 'memory', '', '', '', 'old', '[]', '', '', 0, '', 1, 1700000000000, 1700000000000)`)
	if got := query(t, filepath.Join(dir, "prax.db"), "SELECT user_version FROM pragma_user_version"); got != "1" {
		t.Fatalf("the older file has schema %s", got)
	}
	db = open(t, sqlite.Config{Dir: dir})
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if got := newest(t, db, "alice"); len(got) != 1 {
		t.Errorf("%d documents after migrating", len(got))
	}
	var n int64
	err := db.Update(context.Background(), func(tx store.Tx) (err error) {
		n, err = tx.NextNumber(auth.Principal{User: "alice"}.Scope(), store.Todo)
		return err
	})
	if n != 1 || err != nil {
		t.Errorf("the first number is %d, %v", n, err)
	}
}

// TestWorkflowsInAnOlderFile: a file from before workflows is read as it is, and after it was brought up to
// date its calls are found, its chain verifies, and instances can start. Not parallel: it changes what this
// prax is.
func TestWorkflowsInAnOlderFile(t *testing.T) {
	dir := written(t)
	const older = 3
	tamper(t, dir, `DROP TABLE client_use; DROP TABLE notice; DROP TABLE epoch; DROP TABLE revoked_token; DROP TABLE lead; DROP TABLE lead_run; DROP TABLE attempt; DROP TABLE settled_subject; DROP TABLE term; DROP TABLE approval; DROP TABLE acknowledgement; DROP TABLE evidence;
		DROP TABLE step; DROP TABLE instance; DROP TABLE definition; DROP INDEX block_user_recent; DROP INDEX block_user_workflow;
		ALTER TABLE owner DROP COLUMN instances; ALTER TABLE owner DROP COLUMN instance_bytes;
		CREATE INDEX block_user_recent ON block_user (user, chain, seq); PRAGMA user_version = 3`)
	restore := sqlite.Schema(older)
	got := allTables(t, dir)
	fresh := t.TempDir()
	if err := open(t, sqlite.Config{Dir: fresh}).Close(); err != nil {
		t.Fatal(err)
	}
	restore()
	if diff := cmp.Diff(allTables(t, fresh), got); diff != "" {
		t.Fatalf("this is no file of schema %d (-want +got):\n%s", older, diff)
	}
	read, err := sqlite.OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	expectCalls(t, read)
	if err := read.Close(); err != nil {
		t.Error(err)
	}
	db := opened(t, sqlite.Config{Dir: dir})
	expectCalls(t, db)
	if _, err := startInstance(db, "alice", ""); err != nil {
		t.Errorf("start: %v", err)
	}
}

// TestAttemptsInAnOlderFile: a file from before attempts is read as it is, and after it was brought up to date its
// instances move and wait for attempts. Not parallel: it changes what this prax is.
func TestAttemptsInAnOlderFile(t *testing.T) {
	dir := t.TempDir()
	restore := sqlite.Schema(4)
	db := open(t, sqlite.Config{Dir: dir})
	i, err := startInstance(db, "alice", "")
	restore()
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	read, err := sqlite.OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	if report, err := read.Verify(context.Background()); err != nil || !report.OK() {
		t.Errorf("verify: %v, problems %q", err, report.Problems)
	}
	if err := read.Close(); err != nil {
		t.Error(err)
	}
	db = opened(t, sqlite.Config{Dir: dir})
	i, err = move(db, i)
	if err != nil {
		t.Fatal(err)
	}
	if err := attempt(db, anAttempt(i)); err != nil {
		t.Error(err)
	}
	if _, err := move(db, i); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a move under an attempt: %v, want ErrConflict", err)
	}
}

// expectCalls checks the calls of alice that written made, and the chain.
func expectCalls(t *testing.T, db *sqlite.DB) {
	t.Helper()
	calls, events := 0, 0
	err := db.View(context.Background(), func(tx store.Tx) error {
		alice := auth.Principal{User: "alice"}.Scope()
		err := tx.Traces(alice, func(store.Trace) bool { calls++; return true })
		return errors.Join(err, tx.Observed(alice, func(store.Event) bool { events++; return true }))
	})
	if err != nil || calls != 30 || events != 0 {
		t.Errorf("%d calls and %d events of workflows, %v", calls, events, err)
	}
	if report, err := db.Verify(context.Background()); err != nil || !report.OK() {
		t.Errorf("verify: %v, problems %q", err, report.Problems)
	}
}

// allTables is the schema of a file.
func allTables(t *testing.T, dir string) string {
	t.Helper()
	return query(t, filepath.Join(dir, "prax.db"), `SELECT (SELECT user_version FROM pragma_user_version) || group_concat(name || ': ' || tbl_name || char(10), '')
		FROM (SELECT * FROM sqlite_schema WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name)`)
}
