package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"prax/store"
	"prax/store/digest"
	"prax/store/sqlite"
)

func mustWrite(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAnchorTampering: whoever can write to the file cannot remove what was not archived: only the
// installation key makes an anchor, and a signed head is none.
func TestAnchorTampering(t *testing.T) {
	t.Parallel()
	dir := written(t)
	text, err := os.ReadFile(filepath.Join(dir, "audit-head.json"))
	if err != nil {
		t.Fatal(err)
	}
	head, err := store.DecodeHead(text)
	if err != nil || head.Count != 30 {
		t.Fatalf("head %+v, %v", head, err)
	}
	db := open(t, sqlite.Config{Dir: dir})
	for i := range 10 {
		if err := put(db, "alice", fmt.Sprint("later ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	remove := "DELETE FROM block_user WHERE seq <= 30; DELETE FROM event WHERE seq <= 30;"
	anchor := func(seq int64, hash, signature string) string {
		return fmt.Sprintf("INSERT INTO anchor (chain, seq, hash, at, signature) VALUES ('main', %d, '%s', %d, '%s')", seq, hash, head.At, signature)
	}
	for name, test := range map[string]struct{ script, says string }{
		"no anchor":                  {remove, "events 1 to 30 are missing"},
		"unsigned anchor":            {remove + anchor(30, head.Hash, ""), "not signed by this installation"},
		"a head's signature":         {remove + anchor(30, head.Hash, head.Signature), "not signed by this installation"},
		"an anchor, nothing removed": {anchor(30, head.Hash, head.Signature), "not signed by this installation"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := copyStore(t, dir)
			tamper(t, copied, test.script)
			wantProblem(t, copied, test.says)
		})
	}
}

// TestArchivedTampering: after an archive, what is taken from the chain, or put before it, is found out.
func TestArchivedTampering(t *testing.T) {
	t.Parallel()
	dir := written(t)
	older, err := os.ReadFile(filepath.Join(dir, "audit-head.json"))
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, sqlite.Config{Dir: dir})
	for range 3 {
		if err := put(db, "alice", "x"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Archive(context.Background(), t.TempDir(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(put(db, "alice", "y"), put(db, "alice", "z"), db.Close()); err != nil {
		t.Fatal(err)
	}
	newest := query(t, filepath.Join(dir, "prax.db"), "SELECT max(seq) FROM event")
	first := query(t, filepath.Join(dir, "prax.db"), "SELECT min(seq) FROM event")
	for name, test := range map[string]struct{ script, says string }{
		"nothing":          {"", ""},
		"anchor removed":   {"DELETE FROM anchor", "are missing"},
		"anchor moved":     {"UPDATE anchor SET seq = seq + 1", "not signed by this installation"},
		"hash changed":     {"UPDATE anchor SET hash = replace(hash, substr(hash, 1, 1), 'x')", "not signed by this installation"},
		"first event":      {"DELETE FROM block_user WHERE seq = " + first + "; DELETE FROM event WHERE seq = " + first, "are missing"},
		"tail":             {"DELETE FROM block_user WHERE seq = " + newest + "; DELETE FROM event WHERE seq = " + newest, "tail is missing"},
		"all that is left": {"DELETE FROM block_user; DELETE FROM event", "tail is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := copyStore(t, dir)
			tamper(t, copied, test.script)
			wantProblem(t, copied, test.says)
		})
	}
	t.Run("head from before", func(t *testing.T) {
		t.Parallel()
		copied := copyStore(t, dir)
		if err := digest.Replace(filepath.Join(copied, "audit-head.json"), older); err != nil {
			t.Fatal(err)
		}
		tamper(t, copied, "UPDATE installation SET running = 1")
		mustWrite(t, filepath.Join(copied, "prax.db-wal"), "")
		wantProblem(t, copied, "the head is an older one")
	})
}
