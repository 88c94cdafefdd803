package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"prax/store"
	"prax/store/digest"
	"prax/store/sqlite"
)

// refused wants a start, and where it says so a reading, that fails with one sentence.
func refused(t *testing.T, dir, says string) {
	t.Helper()
	db, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
	if err == nil {
		_ = db.Close()
		t.Fatal("it started")
	}
	if !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q, want %q in one sentence", err, says)
	}
}

// whole opens the store and wants a chain without a problem.
func whole(t *testing.T, dir string) {
	t.Helper()
	db := open(t, sqlite.Config{Dir: dir})
	report, err := db.Verify(context.Background())
	if err := errors.Join(err, db.Close()); err != nil || !report.OK() {
		t.Errorf("verify: %v, problems %q", err, report.Problems)
	}
	wantProblem(t, dir, "")
}

// TestHeadCannotBeRead: that is no finding about the chain. The start fails, nothing is changed, and
// once the head can be read all is well.
func TestHeadCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := written(t)
	makes := map[string]func(path string) error{
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"loop":   func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"huge":   func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40)) },
	}
	for name, make := range makes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := copyStore(t, dir)
			head := filepath.Join(copied, "audit-head.json")
			if err := errors.Join(os.Rename(head, head+".kept"), make(head)); err != nil {
				t.Fatal(err)
			}
			refused(t, copied, "audit head")
			if _, err := os.Lstat(head); err != nil {
				t.Errorf("the head was touched: %v", err)
			}
			if _, err := os.Lstat(filepath.Join(copied, "audit-head.mismatch.json")); err == nil {
				t.Error("the head was put aside")
			}
			if err := errors.Join(os.Remove(head), os.Rename(head+".kept", head)); err != nil {
				t.Fatal(err)
			}
			whole(t, copied)
		})
	}
}

// TestHeadCannotBeSigned: without a first head nothing is written. What stood in the way is no
// tampering, and no lost log, to the next start.
func TestHeadCannotBeSigned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	head := filepath.Join(dir, "audit-head.json")
	inTheWay := func() time.Time {
		_ = os.Mkdir(head, 0o700)
		return time.Now()
	}
	if db, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir, Now: inTheWay}); err == nil {
		_ = db.Close()
		t.Fatal("it started")
	} else if !strings.Contains(err.Error(), "audit head") {
		t.Errorf("error %q", err)
	}
	if err := os.Remove(head); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	db := open(t, sqlite.Config{Dir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err := errors.Join(put(db, "alice", "x"), db.Close()); err != nil {
		t.Error(err)
	}
	if text := log.String(); strings.Contains(text, "log is missing") || strings.Contains(text, "level=ERROR") {
		t.Errorf("the next start complains:\n%s", text)
	}
	whole(t, dir)
}

// TestHeadCannotBeSignedAtTheEnd: the store then counts as one that was not stopped in order.
func TestHeadCannotBeSignedAtTheEnd(t *testing.T) {
	t.Parallel()
	dir := written(t)
	head := filepath.Join(dir, "audit-head.json")
	var last atomic.Bool
	db := open(t, sqlite.Config{Dir: dir, HeadEvery: time.Hour, Now: func() time.Time {
		if last.Load() {
			_ = errors.Join(os.Rename(head, head+".kept"), os.Mkdir(head, 0o700))
		}
		return time.Now()
	}})
	if err := put(db, "alice", "x"); err != nil {
		t.Fatal(err)
	}
	last.Store(true)
	if err := db.Close(); err == nil || !strings.Contains(err.Error(), "audit head") {
		t.Errorf("close: %v", err)
	}
	if err := errors.Join(os.Remove(head), os.Rename(head+".kept", head)); err != nil {
		t.Fatal(err)
	}
	whole(t, dir)
}

// TestFailedStartKeepsTheLog: after a crash, and a start that fails, the next one finds all there is.
func TestFailedStartKeepsTheLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := opened(t, sqlite.Config{Dir: dir, HeadEvery: time.Hour})
	if err := put(db, "alice", "acknowledged"); err != nil {
		t.Fatal(err)
	}
	killed := copyStore(t, dir, "prax.db-wal")
	head := filepath.Join(killed, "audit-head.json")
	if err := errors.Join(os.Rename(head, head+".kept"), os.Mkdir(head, 0o700)); err != nil {
		t.Fatal(err)
	}
	refused(t, killed, "audit head")
	if err := errors.Join(os.Remove(head), os.Rename(head+".kept", head)); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	after := opened(t, sqlite.Config{Dir: killed, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if got := newest(t, after, "alice"); len(got) != 1 {
		t.Errorf("%d documents, want 1", len(got))
	}
	if strings.Contains(log.String(), "log is missing") {
		t.Errorf("the start complains:\n%s", &log)
	}
}

// TestDatabaseIsGone: where a log or a head tells of a database that is missing or empty, nothing
// is started anew over them.
func TestDatabaseIsGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := opened(t, sqlite.Config{Dir: dir})
	if err := put(db, "alice", "x"); err != nil {
		t.Fatal(err)
	}
	logged := copyStore(t, dir, "prax.db-wal") // its head vouches for nothing yet
	vouched := written(t)
	for name, from := range map[string]string{"log": logged, "head": vouched} {
		for _, missing := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " missing=", missing), func(t *testing.T) {
				t.Parallel()
				var more []string
				if from == logged {
					more = append(more, "prax.db-wal")
				}
				copied := copyStore(t, from, more...)
				path := filepath.Join(copied, "prax.db")
				if err := os.Truncate(path, 0); err != nil {
					t.Fatal(err)
				}
				if missing {
					_ = os.Remove(path)
				}
				before, _ := os.ReadFile(path + "-wal")
				files := names(t, copied)
				refused(t, copied, "restore a backup")
				if reading, err := sqlite.OpenReadOnly(copied); err == nil {
					_ = reading.Close()
					t.Error("it is readable")
				}
				if after, _ := os.ReadFile(path + "-wal"); !bytes.Equal(before, after) || names(t, copied) != files {
					t.Errorf("%s became %s, and %d bytes of log %d", files, names(t, copied), len(before), len(after))
				}
			})
		}
	}
}

// TestRunningIsInTheFile: a copy of the database alone, made at any time while a server runs, says
// that it is not all there is.
func TestRunningIsInTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := opened(t, sqlite.Config{Dir: dir})
	if err := put(db, "alice", "acknowledged"); err != nil {
		t.Fatal(err)
	}
	copied := copyStore(t, dir)
	if got := query(t, filepath.Join(copied, "prax.db"), "SELECT running FROM installation"); got != "1" {
		t.Errorf("running is %s in the file", got)
	}
	var log bytes.Buffer
	if err := open(t, sqlite.Config{Dir: copyStore(t, dir), Log: slog.New(slog.NewTextHandler(&log, nil))}).Close(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "its log is missing") {
		t.Errorf("no word about the log:\n%s", &log)
	}
}

// TestLogIsGone: soon after the first event of a session, a log that vanishes or loses its content
// is found out by the head.
func TestLogIsGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := opened(t, sqlite.Config{Dir: dir})
	if err := put(db, "alice", "acknowledged"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the head is signed", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "audit-head.json"))
		head, bad := store.DecodeHead(text)
		return err == nil && bad == nil && head.Count == 1
	})
	for name, change := range map[string]func(wal string) error{
		"missing": os.Remove,
		"empty":   func(wal string) error { return os.Truncate(wal, 0) },
		"junk":    func(wal string) error { return os.WriteFile(wal, bytes.Repeat([]byte("junk"), 5000), 0o600) },
		"half":    func(wal string) error { info, _ := os.Stat(wal); return os.Truncate(wal, info.Size()/2) },
	} {
		t.Run(name, func(t *testing.T) {
			copied := copyStore(t, dir, "prax.db-wal")
			if err := change(filepath.Join(copied, "prax.db-wal")); err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			if err := open(t, sqlite.Config{Dir: copied, Log: slog.New(slog.NewTextHandler(&log, nil))}).Close(); err != nil {
				t.Error(err)
			}
			if !strings.Contains(log.String(), "tail is missing") {
				t.Errorf("the start says nothing:\n%s", &log)
			}
			wantProblem(t, copied, "tail is missing")
		})
	}
}

// TestLeftoversGo: what a kill left of a replacement is removed by the next start.
func TestLeftoversGo(t *testing.T) {
	t.Parallel()
	dir := written(t)
	left := []string{"audit-head.json.1.new", "audit-head.mismatch.json.2.new", "keys/audit.key.3.new", "keys/audit.pub.4.new"}
	for _, name := range left {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole(t, dir)
	for _, name := range left {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// TestOlderHead: after a stop in order, an older head is found out though it is genuine, and so are documents
// that no event tells of. While a server runs, or after it was killed, the head may lag.
func TestOlderHead(t *testing.T) {
	t.Parallel()
	dir := written(t)
	db, err := sqlite.OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	var early store.Event
	err = db.View(context.Background(), func(tx store.Tx) error {
		events, err := tx.EventsAfter(9, 1)
		early = events[0]
		return err
	})
	older := store.EncodeHead(store.SignHead(db.Key(), early.Seq, early.Hash, time.Now()))
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, lock := range []bool{true, false} {
		stopped := copyStore(t, dir)
		if err := digest.Replace(filepath.Join(stopped, "audit-head.json"), older); err != nil {
			t.Fatal(err)
		}
		if !lock {
			_ = os.Remove(filepath.Join(stopped, "prax.lock"))
		}
		wantProblem(t, stopped, "older")
		if err := open(t, sqlite.Config{Dir: stopped}).Close(); err != nil {
			t.Fatal(err)
		}
		wantProblem(t, stopped, "older") // though a head was signed since
	}
	killed := copyStore(t, dir)
	if err := digest.Replace(filepath.Join(killed, "audit-head.json"), older); err != nil {
		t.Fatal(err)
	}
	tamper(t, killed, "UPDATE installation SET running = 1")
	if err := os.WriteFile(filepath.Join(killed, "prax.db-wal"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantProblem(t, killed, "")
	whole(t, killed)
}

// TestDocumentsWithoutEvents: there is no document before the first event.
func TestDocumentsWithoutEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, sqlite.Config{Dir: dir})
	if err := errors.Join(put(db, "alice", "x"), db.Close()); err != nil {
		t.Fatal(err)
	}
	tamper(t, dir, "DELETE FROM block_user; DELETE FROM event")
	if err := os.Remove(filepath.Join(dir, "audit-head.json")); err != nil {
		t.Fatal(err)
	}
	wantProblem(t, dir, "documents but no events")
	if err := open(t, sqlite.Config{Dir: dir}).Close(); err != nil {
		t.Fatal(err)
	}
	wantProblem(t, dir, "documents but no events")
}

// TestHeadStands: what an end in order has signed is not signed again, but the log is told; what a kill left is.
func TestHeadStands(t *testing.T) {
	t.Parallel()
	dir := written(t)
	before, err := os.ReadFile(filepath.Join(dir, "audit-head.json"))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	db := opened(t, sqlite.Config{Dir: dir, HeadEvery: time.Hour, Log: slog.New(slog.NewTextHandler(&log, nil))})
	after, err := os.ReadFile(filepath.Join(dir, "audit-head.json"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the head was signed again: %s, %v", after, err)
	}
	if !strings.Contains(log.String(), "audit head signed") {
		t.Errorf("the log does not tell of the head: %s", &log)
	}
	if err := put(db, "alice", "acknowledged"); err != nil {
		t.Fatal(err)
	}
	killed := copyStore(t, dir, "prax.db-wal")
	opened(t, sqlite.Config{Dir: killed, HeadEvery: time.Hour})
	if after, err = os.ReadFile(filepath.Join(killed, "audit-head.json")); err != nil || bytes.Equal(before, after) {
		t.Errorf("the head was not signed over what a kill left: %s, %v", after, err)
	}
}
