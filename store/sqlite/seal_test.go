package sqlite_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"prax/store/sqlite"
)

// TestSeal: an end in order vouches for each byte of the database, and nothing else does.
func TestSeal(t *testing.T) {
	t.Parallel()
	dir := written(t)
	wantSealed(t, dir, true)
	whole(t, dir) // which starts on it, and ends in order
	wantSealed(t, dir, true)

	copied := copyStore(t, dir, sqlite.SealName)
	wantSealed(t, copied, true)
	path := filepath.Join(copied, "prax.db")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		at := rand.IntN(len(content))
		content[at] ^= 1 << rand.IntN(8)
		mustWrite(t, path, string(content))
		wantSealed(t, copied, false)
	}
	mustWrite(t, path, string(content)+"x")
	wantSealed(t, copied, false)

	copied = copyStore(t, dir, sqlite.SealName)
	mustWrite(t, filepath.Join(copied, "prax.db-journal"), "of what SQLite plays back as it opens the file")
	wantSealed(t, copied, false)
	whole(t, copied)
}

// TestSealOfTheRunning: what a server that runs, or was killed, has written is not vouched for.
func TestSealOfTheRunning(t *testing.T) {
	t.Parallel()
	dir := written(t)
	before, _ := sqlite.SealOf(dir)
	db := opened(t, sqlite.Config{Dir: dir})
	if err := put(db, "alice", "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, sqlite.SealName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is sealed: %v", err)
	}
	mustWrite(t, filepath.Join(dir, sqlite.SealName), before) // as if it had come back
	wantSealed(t, dir, false)
	killed := copyStore(t, dir, "prax.db-wal", sqlite.SealName)
	after := opened(t, sqlite.Config{Dir: killed})
	if got := newest(t, after, "alice"); len(got) != 1 {
		t.Errorf("%d documents, want 1", len(got))
	}
}

// TestSealOfAnOlderDatabase: one that was put back with its seal is as sound as it was, and the chain tells of it.
func TestSealOfAnOlderDatabase(t *testing.T) {
	t.Parallel()
	dir := written(t)
	older := copyStore(t, dir, sqlite.SealName)
	db := open(t, sqlite.Config{Dir: dir})
	if err := errors.Join(put(db, "alice", "later"), db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"prax.db", sqlite.SealName} {
		content, err := os.ReadFile(filepath.Join(older, name))
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, filepath.Join(dir, name), string(content))
	}
	wantSealed(t, dir, true)
	if err := open(t, sqlite.Config{Dir: dir}).Close(); err != nil {
		t.Fatal(err)
	}
	wantProblem(t, dir, "its tail is missing")
}

// TestSealIsOfThatInspection: the seal of another schema, or of another inspection, fits nothing; nor does one that is torn,
// or in whose place something else stands. Each start goes well without.
func TestSealIsOfThatInspection(t *testing.T) {
	t.Parallel()
	dir := written(t)
	seal, _ := sqlite.SealOf(dir)
	for name, text := range map[string]string{
		"torn": seal[:len(seal)/2], "empty": "", "another inspection": "inspection 0" + seal[len("inspection 0"):], "longer": seal + "x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := copyStore(t, dir)
			mustWrite(t, filepath.Join(copied, sqlite.SealName), text)
			wantSealed(t, copied, false)
			whole(t, copied)
			wantSealed(t, copied, true)
		})
	}
	t.Run("a folder", func(t *testing.T) {
		t.Parallel()
		copied := copyStore(t, dir)
		if err := os.Mkdir(filepath.Join(copied, sqlite.SealName), 0o700); err != nil {
			t.Fatal(err)
		}
		whole(t, copied)
	})
}

// TestDamageIsNotSealed: what is damaged at the end is not vouched for, and damage after a seal is found as without one.
func TestDamageIsNotSealed(t *testing.T) {
	t.Parallel()
	dir := written(t)
	t.Run("after the seal", func(t *testing.T) {
		t.Parallel()
		copied := copyStore(t, dir, sqlite.SealName)
		spoil(t, filepath.Join(copied, "prax.db"))
		refused(t, copied, "restore a backup")
	})
	t.Run("while it runs", func(t *testing.T) {
		t.Parallel()
		copied := copyStore(t, dir)
		db := open(t, sqlite.Config{Dir: copied})
		eventually(t, "the log is folded", func() bool {
			info, err := os.Stat(filepath.Join(copied, "prax.db-wal"))
			return err == nil && info.Size() == 0
		})
		spoil(t, filepath.Join(copied, "prax.db"))
		_ = db.Close() // whatever it says of such a file
		if _, err := os.Stat(filepath.Join(copied, sqlite.SealName)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it is sealed: %v", err)
		}
		refused(t, copied, "restore a backup")
	})
}

// TestSealedIsNotLookedThrough: the seal is all that a start on the same bytes asks for.
func TestSealedIsNotLookedThrough(t *testing.T) {
	t.Parallel()
	copied := copyStore(t, written(t))
	tamper(t, copied, `UPDATE event SET body = replace(body, '"kind"', '"extra":1,"kind"') WHERE seq = 28`)
	seal, _ := sqlite.SealOf(copied)
	mustWrite(t, filepath.Join(copied, sqlite.SealName), seal)
	db := open(t, sqlite.Config{Dir: copied})
	_ = db.Close()
	refused(t, copied, "restore a backup") // for its end looked
}

func wantSealed(t *testing.T, dir string, want bool) {
	t.Helper()
	if _, fits := sqlite.SealOf(dir); fits != want {
		t.Errorf("sealed: %v, want %v", fits, want)
	}
}
