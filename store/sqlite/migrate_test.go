package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prax/store"
	"prax/store/sqlite"
)

// TestMigrate: an older file is copied first and then brought up to date, once; a migration that
// fails changes nothing; an older prax refuses the result. Not parallel: it changes what this
// prax is.
func TestMigrate(t *testing.T) {
	dir := t.TempDir()
	db := open(t, sqlite.Config{Dir: dir})
	if err := put(db, "alice", "old"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	restore := sqlite.Migrations([]string{"CREATE TABLE extra (x INTEGER) STRICT; CREATE TABLE broken ("})
	_, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
	restore()
	if err == nil || !strings.Contains(err.Error(), "migrate to schema 4") {
		t.Errorf("a migration that fails: %v", err)
	}
	if got := query(t, filepath.Join(dir, "prax.db"), "SELECT count(*) FROM sqlite_schema WHERE name = 'extra'"); got != "0" {
		t.Error("a migration that failed left something")
	}

	restore = sqlite.Migrations([]string{"CREATE TABLE extra (x INTEGER) STRICT; INSERT INTO extra VALUES (1)"})
	for range 2 {
		db := open(t, sqlite.Config{Dir: dir})
		if got := newest(t, db, "alice"); len(got) != 1 {
			t.Errorf("%d documents after migrating", len(got))
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	restore()
	if got := query(t, filepath.Join(dir, "prax.db"), "SELECT count(*) FROM extra"); got != "1" {
		t.Errorf("the migration ran %s times", got)
	}
	before := filepath.Join(dir, "prax-before-v4.db")
	if got := query(t, before, "SELECT (SELECT user_version FROM pragma_user_version) || ' ' || count(*) FROM document"); got != "3 1" {
		t.Errorf("the copy holds %q", got)
	}
	if info, err := os.Stat(before); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v, %v", info, err)
	}

	_, err = sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
	if !errors.Is(err, store.ErrNewer) {
		t.Errorf("an older prax: %v, want ErrNewer", err)
	}
	if _, err := sqlite.OpenReadOnly(dir); !errors.Is(err, store.ErrNewer) {
		t.Errorf("an older prax that only reads: %v, want ErrNewer", err)
	}
}

func query(t *testing.T, path, text string) string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var got string
	if err := db.QueryRow(text).Scan(&got); err != nil {
		t.Fatal(err)
	}
	return got
}
