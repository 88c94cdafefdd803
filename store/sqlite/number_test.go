package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

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
	err := put(db, "alice", "old")
	restore()
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
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
	err = db.Update(context.Background(), func(tx store.Tx) (err error) {
		n, err = tx.NextNumber(auth.Principal{User: "alice"}.Scope(), store.Todo)
		return err
	})
	if n != 1 || err != nil {
		t.Errorf("the first number is %d, %v", n, err)
	}
}
