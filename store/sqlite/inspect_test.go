package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prax/store/sqlite"
)

// TestDamaged: a database whose pages, or newest events, are not what they were is refused.
func TestDamaged(t *testing.T) {
	t.Parallel()
	dir := written(t)
	t.Run("pages", func(t *testing.T) {
		t.Parallel()
		copied := copyStore(t, dir)
		spoil(t, filepath.Join(copied, "prax.db"))
		refused(t, copied, "restore a backup")
	})
	t.Run("one page of documents", func(t *testing.T) {
		t.Parallel()
		copied := copyStore(t, dir)
		db := open(t, sqlite.Config{Dir: copied})
		if err := errors.Join(put(db, "alice", "Needle! "+strings.Repeat("x", 500)), db.Close()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(copied, "prax.db")
		content, err := os.ReadFile(path)
		at := bytes.Index(content, []byte("Needle!"))
		if err != nil || at < 0 {
			t.Fatalf("the document is at %d, %v", at, err)
		}
		copy(content[at&^4095:], bytes.Repeat([]byte{0xa5}, 64))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, copied, "restore a backup")
	})
	t.Run("newest event", func(t *testing.T) {
		t.Parallel()
		copied := copyStore(t, dir)
		tamper(t, copied, `UPDATE event SET body = replace(body, '"kind"', '"extra":1,"kind"') WHERE seq = 28`)
		refused(t, copied, "restore a backup")
	})
}

// spoil overwrites all pages but the first.
func spoil(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xa5}, int(info.Size())-4096), 4096); err != nil {
		t.Fatal(err)
	}
}

// TestDamageIsUnhealthy: what is found while it runs makes Health say so.
func TestDamageIsUnhealthy(t *testing.T) {
	t.Parallel()
	dir := written(t)
	db := open(t, sqlite.Config{Dir: dir})
	defer db.Close() // whatever it says of such a file
	if err := db.Health(context.Background()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the log is folded", func() bool {
		info, err := os.Stat(filepath.Join(dir, "prax.db-wal"))
		return err == nil && info.Size() == 0
	})
	spoil(t, filepath.Join(dir, "prax.db"))
	_, err := db.Verify(context.Background())
	if err == nil {
		t.Fatal("the damage was not read")
	}
	if err := db.Health(context.Background()); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("health: %v", err)
	}
}
