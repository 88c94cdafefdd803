package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"prax/store/sqlite"
)

// TestKeysAreIndexed: a document is read by its key through the index, not by walking all that its owner
// keeps: that would hold up the writer.
func TestKeysAreIndexed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := open(t, sqlite.Config{Dir: dir}).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "prax.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var id, parent, unused int
	var plan string
	if err := db.QueryRow("EXPLAIN QUERY PLAN "+sqlite.ByKey, 1, "note", "", "slug").Scan(&id, &parent, &unused, &plan); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(plan, "USING INDEX document_key (owner=? AND kind=? AND namespace=? AND key=?)") {
		t.Errorf("the plan is %q", plan)
	}
}
