package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"prax/store"
	"prax/store/digest"
	"prax/store/sqlite"
)

// joined reads every archive of a folder, and wants them and what is left of the chain to be one chain. It
// returns the events that are in the archives.
func joined(t *testing.T, db *sqlite.DB, folder string) map[int64]store.Event {
	t.Helper()
	report, err := db.Verify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	archived := map[int64]store.Event{}
	var before []int64
	for _, file := range files {
		before = append(before, archivedEvents(t, file, archived)-1)
	}
	if report.Anchor != nil {
		before = append(before, report.Anchor.Count)
	}
	joints := store.NewJoints(before)
	var pieces []store.Piece
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		piece, err := store.ReadArchive(f, db.Key().Public(), joints.Note)
		_ = f.Close()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		pieces = append(pieces, piece)
	}
	report.Join(pieces, joints)
	if !report.OK() {
		t.Errorf("problems %q", report.Problems)
	}
	return archived
}

// archivedEvents adds the events of an archive to a map, and returns the number of the first.
func archivedEvents(t *testing.T, file string, into map[int64]store.Event) (first int64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, line := range lines[:len(lines)-1] {
		e, err := store.DecodeEvent([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if first == 0 {
			first = e.Seq
		}
		into[e.Seq] = e
	}
	return first
}

// TestArchive: what was archived is in the file and no longer in the database, the rest verifies, running
// and stopped, and a second archive joins the first.
func TestArchive(t *testing.T) {
	t.Parallel()
	dir, folder := written(t), t.TempDir()
	db := open(t, sqlite.Config{Dir: dir, HeadEvery: time.Hour})
	done, err := db.Archive(context.Background(), filepath.Join(folder, "first.jsonl"), time.Time{})
	if err != nil || done.First != 1 || done.Last != 30 || done.File != filepath.Join(folder, "first.jsonl") {
		t.Fatalf("archived %+v, %v", done, err)
	}
	if text, err := os.ReadFile(done.File); err != nil || digest.Hex(text) != done.SHA256 {
		t.Errorf("the file is another than was told: %v", err)
	}
	if info, err := os.Stat(done.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if got := joined(t, db, folder); len(got) != 30 || len(got[30].Calls) != 3 {
		t.Errorf("%d events archived", len(got))
	}
	report, err := db.Verify(context.Background())
	if err != nil || !report.OK() || report.Anchor == nil || report.Anchor.Count != 30 || report.Events != 1 || report.Newest != 31 {
		t.Errorf("verify: %+v, %v", report, err)
	}
	var told []store.Event
	if err := db.View(context.Background(), func(tx store.Tx) (err error) { told, err = tx.EventsAfter(0, 10); return err }); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || told[0].Kind != store.EventArchive || !strings.Contains(told[0].Detail, done.SHA256) || !strings.Contains(told[0].Detail, `"first.jsonl"`) {
		t.Errorf("the chain holds %+v", told)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	wantProblem(t, dir, "")

	again := open(t, sqlite.Config{Dir: dir})
	if err := put(again, "alice", "later"); err != nil {
		t.Fatal(err)
	}
	second, err := again.Archive(context.Background(), folder, time.Time{})
	if err != nil || second.First != 31 || filepath.Dir(second.File) != folder {
		t.Fatalf("archived %+v, %v", second, err)
	}
	joined(t, again, folder)
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 2 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	wantProblem(t, dir, "")
}

// TestArchiveBefore: events from the moment on stay, also older ones behind them; nothing old enough is no
// file and no event.
func TestArchiveBefore(t *testing.T) {
	t.Parallel()
	dir, folder := t.TempDir(), t.TempDir()
	db := opened(t, sqlite.Config{Dir: dir})
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, hours := range []int{0, 1, 2, 5, 1, 9} {
		err := db.Update(context.Background(), func(tx store.Tx) error {
			tx.AddEvent(store.Event{Kind: store.EventServer, At: at.Add(time.Duration(hours) * time.Hour)})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if done, err := db.Archive(context.Background(), folder, at); err != nil || done != (store.Archived{}) {
		t.Errorf("nothing is older, but: %+v, %v", done, err)
	}
	done, err := db.Archive(context.Background(), folder, at.Add(3*time.Hour))
	if err != nil || done.First != 1 || done.Last != 3 {
		t.Errorf("archived %+v, %v", done, err)
	}
	joined(t, db, folder)
}

// TestArchiveRefused: nothing is overwritten, and what cannot be vouched for stays.
func TestArchiveRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(t *testing.T, dir, file string)
		says   string
		is     error
	}{
		"file exists": {func(t *testing.T, _, file string) { mustWrite(t, file, "mine") }, "exists", fs.ErrExist},
		"link": {func(t *testing.T, dir, file string) {
			if err := os.Symlink(filepath.Join(dir, "elsewhere"), file); err != nil {
				t.Fatal(err)
			}
		}, "exists", fs.ErrExist},
		"event changed": {func(t *testing.T, dir, _ string) {
			tamper(t, dir, "UPDATE event SET at = at + 1 WHERE seq = 4")
		}, "event 4 differs", store.ErrNotWhole},
		"event gone": {func(t *testing.T, dir, _ string) {
			tamper(t, dir, "DELETE FROM block_user WHERE seq = 4; DELETE FROM event WHERE seq = 4")
		}, "events 4 to 4 are missing", store.ErrNotWhole},
		"tail gone": {func(t *testing.T, dir, _ string) {
			tamper(t, dir, "DELETE FROM block_user WHERE seq > 28; DELETE FROM event WHERE seq > 28")
		}, "did not match its signed head", store.ErrNotWhole},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, folder := copyStore(t, written(t)), t.TempDir()
			file := filepath.Join(folder, "audit.jsonl")
			test.change(t, dir, file)
			db := open(t, sqlite.Config{Dir: dir})
			defer db.Close()
			before, err := db.Verify(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			content, _ := os.ReadFile(file)
			done, err := db.Archive(context.Background(), file, time.Time{})
			if err == nil || !strings.Contains(err.Error(), test.says) || !errors.Is(err, test.is) {
				t.Errorf("archived %+v, %v", done, err)
			}
			if after, err := db.Verify(context.Background()); err != nil || after.Events != before.Events || after.Anchor != nil {
				t.Errorf("%d events, before %d, %v", after.Events, before.Events, err)
			}
			if now, _ := os.ReadFile(file); string(now) != string(content) {
				t.Errorf("the file became %q", now)
			}
			if entries, err := os.ReadDir(folder); err != nil || len(entries) > 1 {
				t.Errorf("left behind: %v, %v", entries, err)
			}
		})
	}
	t.Run("only read", func(t *testing.T) {
		t.Parallel()
		db, err := sqlite.OpenReadOnly(written(t))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Archive(context.Background(), t.TempDir(), time.Time{}); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("archived: %v", err)
		}
	})
}

// TestArchiveUnderLoad: while many write and the chain is verified over and over, archives take the oldest
// away. Every event is in an archive or in the chain at the end, once each by its number.
func TestArchiveUnderLoad(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	db := opened(t, sqlite.Config{BlockEvery: 5 * time.Millisecond, HeadEvery: 5 * time.Millisecond})
	ctx, stop := context.WithCancel(context.Background())
	var group sync.WaitGroup
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	for writer := range 6 {
		group.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				name := fmt.Sprintf("w%dn%d", writer, n)
				if err := writeOne(context.Background(), db, writer, name); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acknowledged[name] = true
				mu.Unlock()
			}
		})
	}
	group.Go(func() {
		for ctx.Err() == nil {
			if report, err := db.Verify(context.Background()); err != nil || !report.OK() {
				t.Errorf("verify: %v, problems %q", err, report.Problems)
				return
			}
		}
	})
	for i := range 8 {
		eventually(t, "events to archive", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(acknowledged) > (i+1)*20
		})
		if _, err := db.Archive(context.Background(), filepath.Join(folder, fmt.Sprint(i, ".jsonl")), time.Time{}); err != nil {
			t.Error(err)
		}
	}
	stop()
	group.Wait()
	events := joined(t, db, folder)
	left(t, db, events)
	there := map[string]bool{}
	for _, e := range events {
		for _, call := range e.All() {
			there[call.RequestID] = true
		}
	}
	for name := range acknowledged {
		if !there[name] {
			t.Errorf("%s was acknowledged, its event is nowhere", name)
		}
	}
}

// left adds the events of the chain to a map.
func left(t *testing.T, db *sqlite.DB, into map[int64]store.Event) {
	t.Helper()
	err := db.View(context.Background(), func(tx store.Tx) error {
		for after := int64(0); ; {
			more, err := tx.EventsAfter(after, 1000)
			if err != nil || len(more) == 0 {
				return err
			}
			for _, e := range more {
				after = e.Seq
				into[e.Seq] = e
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestArchiveInterrupted: a context that ends leaves a chain that verifies, and the archive whole.
func TestArchiveInterrupted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	db := opened(t, sqlite.Config{})
	for range 300 {
		if err := put(db, "alice", "x"); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := db.Archive(ctx, folder, time.Time{}); !errors.Is(err, context.Canceled) {
		t.Errorf("archived: %v", err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if _, err := db.Archive(context.Background(), folder, time.Time{}); err != nil {
		t.Error(err)
	}
	joined(t, db, folder)
}

// TestArchiveOld: a server's own archives lie in the data directory, private, and what a kill left of one
// is removed by the next start.
func TestArchiveOld(t *testing.T) {
	t.Parallel()
	dir := written(t)
	later := func() time.Time { return time.Now().Add(time.Hour) }
	db := open(t, sqlite.Config{Dir: dir, Now: later})
	done, err := db.ArchiveOld(context.Background(), 30*time.Minute)
	if err != nil || done.Last != 30 || filepath.Dir(done.File) != filepath.Join(dir, "archive") {
		t.Errorf("archived %+v, %v", done, err)
	}
	if again, err := db.ArchiveOld(context.Background(), 30*time.Minute); err != nil || again.Last != 0 {
		t.Errorf("archived again %+v, %v", again, err)
	}
	modes(t, filepath.Join(dir, "archive"))
	joined(t, db, filepath.Join(dir, "archive"))
	draft := filepath.Join(dir, "archive", ".prax-draft-X")
	mustWrite(t, draft, "half")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	whole(t, dir)
	if _, err := os.Stat(draft); err == nil {
		t.Error("what a kill left is still there")
	}
}

// TestArchiveBesideVerification: a chain that is archived up to its end while its head is compared with it is
// whole all the same.
func TestArchiveBesideVerification(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	db := opened(t, sqlite.Config{HeadEvery: time.Hour})
	ctx, stop := context.WithCancel(context.Background())
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	for range 2 {
		group.Go(func() {
			for ctx.Err() == nil {
				if report, err := db.Verify(context.Background()); err != nil || !report.OK() {
					t.Errorf("verify: %v, problems %q", err, report.Problems)
				}
			}
		})
	}
	for i := range 100 / effort {
		if err := put(db, "alice", "x"); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Archive(context.Background(), filepath.Join(folder, fmt.Sprint(i, ".jsonl")), time.Time{}); err != nil {
			t.Error(err)
		}
	}
}

// TestArchiveOfAnotherHand: who may write to the directory of an archive can put no other file in its place
// unnoticed; the events stay.
func TestArchiveOfAnotherHand(t *testing.T) {
	t.Parallel()
	folder, data := t.TempDir(), t.TempDir()
	now := func() time.Time { // which the archive is signed with, after its last event
		drafts, _ := filepath.Glob(filepath.Join(folder, ".prax-draft-*"))
		for _, draft := range drafts {
			if err := os.Remove(draft); err != nil {
				t.Error(err)
			}
			mustWrite(t, draft, "mine")
		}
		return time.Now()
	}
	db := opened(t, sqlite.Config{Dir: data, Now: now})
	if err := put(db, "alice", "x"); err != nil {
		t.Fatal(err)
	}
	_, err := db.Archive(context.Background(), folder, time.Time{})
	if err == nil || !strings.Contains(err.Error(), "somebody else writes to its directory") {
		t.Errorf("archive: %v", err)
	}
	if report, err := db.Verify(context.Background()); err != nil || !report.OK() || report.Anchor != nil {
		t.Errorf("verify: %+v, %v", report, err)
	}
}
