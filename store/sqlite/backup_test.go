package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"prax/store"
	"prax/store/digest"
	"prax/store/sqlite"
)

// backUp writes a backup of a data directory beside nothing, and returns where.
func backUp(t *testing.T, data string, extra map[string]string) (dir, sum string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "backup")
	_, sum, err := sqlite.WriteBackup(context.Background(), sqlite.BackupConfig{Data: data, Dir: dir, Extra: extra, Version: "v1", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return dir, sum
}

// restore puts a backup back into a new directory.
func restore(t *testing.T, dir string) (data string, report store.Report) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "data")
	report, err := restoreTo(dir, data, false)
	if err != nil {
		t.Fatal(err)
	}
	return data, report
}

func restoreTo(dir, data string, unverified bool) (report store.Report, err error) {
	b, err := sqlite.OpenBackup(dir)
	if err != nil {
		return report, err
	}
	defer b.Close()
	r, err := b.Restore(context.Background(), sqlite.RestoreConfig{Data: data, Unverified: unverified})
	if err != nil {
		return report, err
	}
	defer r.Abandon()
	return r.Report, r.Finish()
}

// TestBackupTells: whoever waits for a backup or a restore is told of each part that may take long, in turn.
func TestBackupTells(t *testing.T) {
	t.Parallel()
	var told []string
	tell := func(doing string) { told = append(told, doing) }
	dir := filepath.Join(t.TempDir(), "backup")
	_, _, err := sqlite.WriteBackup(t.Context(), sqlite.BackupConfig{Data: written(t), Dir: dir, Now: time.Now, Tell: tell})
	if err != nil {
		t.Fatal(err)
	}
	b, err := sqlite.OpenBackup(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	r, err := b.Restore(t.Context(), sqlite.RestoreConfig{Data: filepath.Join(t.TempDir(), "data"), Tell: tell})
	if err != nil {
		t.Fatal(err)
	}
	r.Abandon()
	want := []string{
		"copying the database", "copying keys and archives", "verifying the audit of the copy", "reading the backup back",
		"copying the data", "verifying the audit", "bringing the data in line with the present",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told of %q, want %q", told, want)
	}
}

// TestBackup: what is restored has the documents, the chain, the archives and the keys of the original, and an event
// that tells of the restore; nothing of either is open to others.
func TestBackup(t *testing.T) {
	t.Parallel()
	for name, running := range map[string]bool{"beside a server": true, "without one": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := written(t)
			db := open(t, sqlite.Config{Dir: data})
			if err := put(db, "alice", "before the archive"); err != nil {
				t.Fatal(err)
			}
			if _, err := db.ArchiveOld(context.Background(), 0); err != nil {
				t.Fatal(err)
			}
			if err := put(db, "alice", "after it"); err != nil {
				t.Fatal(err)
			}
			if running {
				defer db.Close()
			} else if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			files := names(t, data)
			dir, sum := backUp(t, data, nil)
			if after := names(t, data); !running && after != files {
				t.Errorf("the data directory had %s and has %s", files, after)
			}
			modes(t, dir)
			back, report := restore(t, dir)
			modes(t, back)
			if !report.OK() || report.Anchor == nil {
				t.Errorf("report %+v", report)
			}
			restored := opened(t, sqlite.Config{Dir: back})
			if got := newest(t, restored, "alice"); len(got) != 2 || got[0].Body != "after it" {
				t.Errorf("documents %+v", got)
			}
			events := joined(t, restored, filepath.Join(back, "archive"))
			left(t, restored, events)
			last := events[int64(len(events))]
			if last.Kind != store.EventRestore || !strings.Contains(last.Detail, sum) {
				t.Errorf("the newest event is %+v", last)
			}
			ours, _ := digest.LoadKey(filepath.Join(data, "keys", "audit.key"))
			if ours.Public() != restored.Key().Public() {
				t.Error("the key is another")
			}
		})
	}
}

// TestBackupUnderLoad: a backup that is taken while many write is one moment: all that was acknowledged before
// it began is in it, each document with its event and each event with its document.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	db := opened(t, sqlite.Config{Dir: data, BlockEvery: 5 * time.Millisecond, HeadEvery: 5 * time.Millisecond, WALLimit: 1 << 20})
	ctx, stop := context.WithCancel(context.Background())
	var group sync.WaitGroup
	var mu sync.Mutex
	var acknowledged []string
	for writer := range 8 {
		group.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				name := fmt.Sprintf("p0w%dn%d", writer, n)
				if err := writeOne(context.Background(), db, writer, name); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, name)
				mu.Unlock()
			}
		})
	}
	for i := range 3 {
		var before []string
		eventually(t, "writes", func() bool {
			mu.Lock()
			defer mu.Unlock()
			before = acknowledged[:len(acknowledged):len(acknowledged)]
			return len(before) > (i+1)*60
		})
		dir, _ := backUp(t, data, nil)
		back, _ := restore(t, dir)
		survived(t, back, before)
	}
	stop()
	group.Wait()
}

// TestBackupRefused: nothing that exists is written to, and what cannot be vouched for is no backup, unless it
// is asked for.
func TestBackupRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(t *testing.T, data, dir string)
		says   string
	}{
		"not empty":     {func(t *testing.T, _, dir string) { mustWrite(t, filepath.Join(mkdir(t, dir), "mine"), "x") }, "is not empty"},
		"a file":        {func(t *testing.T, _, dir string) { mustWrite(t, dir, "mine") }, "no directory"},
		"a link":        {func(t *testing.T, _, dir string) { symlink(t, t.TempDir(), dir) }, "no directory"},
		"a broken link": {func(t *testing.T, _, dir string) { symlink(t, "nowhere", dir) }, "no directory"},
		"no parent":     {func(t *testing.T, _, dir string) { _ = os.Remove(filepath.Dir(dir)) }, "no such file"},
		"no key":        {func(t *testing.T, data, _ string) { _ = os.Remove(filepath.Join(data, "keys", "audit.key")) }, "audit.key"},
		"event changed": {func(t *testing.T, data, _ string) { tamper(t, data, "UPDATE event SET at = at + 1 WHERE seq = 4") }, "event 4 differs"},
		"tail gone": {func(t *testing.T, data, _ string) {
			tamper(t, data, "DELETE FROM block_user WHERE seq > 28; DELETE FROM event WHERE seq > 28")
		}, "tail is missing"},
		"no database": {func(t *testing.T, data, _ string) {
			if err := os.Remove(filepath.Join(data, "prax.db")); err != nil {
				t.Fatal(err)
			}
		}, "prax.db"},
		"an extra that is a pipe": {func(t *testing.T, data, _ string) {
			if err := syscall.Mkfifo(filepath.Join(data, "clients"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := copyStore(t, written(t))
			dir := filepath.Join(mkdir(t, filepath.Join(t.TempDir(), "parent")), "backup")
			test.change(t, data, dir)
			before := tree(t, filepath.Dir(dir))
			config := sqlite.BackupConfig{Data: data, Dir: dir, Now: time.Now}
			if _, err := os.Lstat(filepath.Join(data, "clients")); err == nil {
				config.Extra = map[string]string{sqlite.ClientsName: filepath.Join(data, "clients")}
			}
			_, _, err := sqlite.WriteBackup(context.Background(), config)
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("backup: %v, want %q", err, test.says)
			}
			if after := tree(t, filepath.Dir(dir)); after != before {
				t.Errorf("there was %s, there is %s", before, after)
			}
			if !errors.Is(err, store.ErrNotWhole) {
				return
			}
			config.Unverified = true
			m, _, err := sqlite.WriteBackup(context.Background(), config)
			if err != nil || len(m.Problems) == 0 {
				t.Errorf("all the same: %v, problems %q", err, m.Problems)
			}
			back := filepath.Join(t.TempDir(), "data")
			if _, err := restoreTo(dir, back, false); !errors.Is(err, store.ErrNotWhole) {
				t.Errorf("restore of it: %v", err)
			}
			if _, err := os.Lstat(back); err == nil {
				t.Error("something was left of a restore that was refused")
			}
			if report, err := restoreTo(dir, back, true); err != nil || report.OK() {
				t.Errorf("restore of it all the same: %v, %+v", err, report)
			}
		})
	}
}

func mkdir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func symlink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// tree lists what is below a directory, with sizes.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && !entry.IsDir() {
			all = append(all, fmt.Sprintf("%s %d", path, info.Size()))
		} else {
			all = append(all, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// TestBackupInterrupted: a context that ends leaves nothing.
func TestBackupInterrupted(t *testing.T) {
	t.Parallel()
	data := written(t)
	dir := filepath.Join(t.TempDir(), "backup")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := sqlite.WriteBackup(ctx, sqlite.BackupConfig{Data: data, Dir: dir, Now: time.Now}); !errors.Is(err, context.Canceled) {
		t.Errorf("backup: %v", err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("something was left")
	}
}

// TestBackupExtra: files beside the data, and a folder of them, are in the backup and come back where nothing
// stands; what stands there is left alone.
func TestBackupExtra(t *testing.T) {
	t.Parallel()
	data, beside := written(t), t.TempDir()
	clients, folder := filepath.Join(beside, "c.json"), mkdir(t, filepath.Join(beside, "d"))
	mustWrite(t, clients, `{"clients":[]}`)
	mustWrite(t, filepath.Join(folder, "a.yaml"), "a: 1\n")
	mustWrite(t, filepath.Join(mkdir(t, filepath.Join(folder, "more")), "b.yaml"), "b: 1\n")
	mustWrite(t, filepath.Join(folder, ".hidden"), "no")
	symlink(t, "a.yaml", filepath.Join(folder, "linked.yaml"))
	dir, _ := backUp(t, data, map[string]string{sqlite.ClientsName: clients, sqlite.DefinitionsName: folder})
	modes(t, dir)
	b, err := sqlite.OpenBackup(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got := strings.Join(b.Extra(), " "); got != "clients.json definitions/a.yaml definitions/linked.yaml definitions/more/b.yaml" {
		t.Errorf("extra files %s", got)
	}
	to := t.TempDir()
	for round, left := range []sqlite.Left{sqlite.LeftNothing, sqlite.LeftSame} {
		placed, err := b.Put(context.Background(), sqlite.ClientsName, filepath.Join(to, "clients.json"))
		if err != nil || len(placed) != 1 || placed[0].Left != left {
			t.Errorf("round %d: %+v, %v", round, placed, err)
		}
		placed, err = b.Put(context.Background(), sqlite.DefinitionsName, filepath.Join(to, "defs"))
		if err != nil || len(placed) != 3 || placed[2].Left != left || placed[2].Path != filepath.Join(to, "defs", "more", "b.yaml") {
			t.Errorf("round %d: %+v, %v", round, placed, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(to, "defs", "linked.yaml")); err != nil || string(text) != "a: 1\n" {
		t.Errorf("read back %q, %v", text, err)
	}
	mustWrite(t, filepath.Join(to, "clients.json"), `{"clients":[1]}`)
	placed, err := b.Put(context.Background(), sqlite.ClientsName, filepath.Join(to, "clients.json"))
	if text, _ := os.ReadFile(filepath.Join(to, "clients.json")); err != nil || placed[0].Left != sqlite.LeftOther || string(text) != `{"clients":[1]}` {
		t.Errorf("%+v, %v, the file is %q", placed, err, text)
	}
}

// TestBackupTwiceAtOnce: of two that take one directory, one has it, and what it says is done is whole.
func TestBackupTwiceAtOnce(t *testing.T) {
	t.Parallel()
	data := written(t)
	for i := range 20 / effort {
		dir := filepath.Join(t.TempDir(), "backup")
		if i%2 == 0 {
			mkdir(t, dir)
		}
		var group sync.WaitGroup
		var done atomic.Int32
		for range 3 {
			group.Go(func() {
				_, _, err := sqlite.WriteBackup(context.Background(), sqlite.BackupConfig{Data: data, Dir: dir, Now: time.Now})
				if err == nil {
					done.Add(1)
				} else if !errors.Is(err, sqlite.ErrNotEmpty) {
					t.Errorf("the other: %v", err)
				}
			})
		}
		group.Wait()
		if done.Load() != 1 {
			t.Fatalf("%d of them say that they are done", done.Load())
		}
		back, _ := restore(t, dir)
		whole(t, back)
	}
}

// TestBackupWithinDefinitions: a folder of definitions that the backup lies in would be copied for ever.
func TestBackupWithinDefinitions(t *testing.T) {
	t.Parallel()
	data, folder := written(t), t.TempDir()
	mustWrite(t, filepath.Join(folder, "a.yaml"), "a: 1\n")
	more := mkdir(t, filepath.Join(folder, "more"))
	for _, dir := range []string{filepath.Join(folder, "backup"), filepath.Join(more, "backup"), mkdir(t, filepath.Join(folder, "z"))} {
		_, _, err := sqlite.WriteBackup(context.Background(), sqlite.BackupConfig{
			Data: data, Dir: dir, Extra: map[string]string{sqlite.DefinitionsName: folder}, Now: time.Now,
		})
		if err == nil || !strings.Contains(err.Error(), "is the backup itself") {
			t.Errorf("backup in %s: %v", dir, err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 0 {
			t.Errorf("left behind in %s: %v", dir, entries)
		}
	}
}

// TestPutFolderHalf: of a folder that stands with some of its files, each is told as it is, and a folder that cannot
// be put back as a whole is not begun.
func TestPutFolderHalf(t *testing.T) {
	t.Parallel()
	beside := t.TempDir()
	folder := mkdir(t, filepath.Join(beside, "d"))
	for _, name := range []string{"a.yaml", "b.yaml", "c.yaml"} {
		mustWrite(t, filepath.Join(folder, name), name)
	}
	dir, _ := backUp(t, written(t), map[string]string{sqlite.DefinitionsName: folder})
	b, err := sqlite.OpenBackup(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	half := mkdir(t, filepath.Join(beside, "half"))
	mustWrite(t, filepath.Join(half, "a.yaml"), "a.yaml")
	mustWrite(t, filepath.Join(half, "b.yaml"), "mine")
	placed, err := b.Put(context.Background(), sqlite.DefinitionsName, half)
	var lefts []sqlite.Left
	for _, at := range placed {
		lefts = append(lefts, at.Left)
	}
	if want := []sqlite.Left{sqlite.LeftSame, sqlite.LeftOther, sqlite.LeftFolder}; err != nil || !slices.Equal(lefts, want) {
		t.Errorf("left %v, %v, want %v", lefts, err, want)
	}
	mustWrite(t, filepath.Join(dir, "definitions", "c.yaml"), "evil!!")
	before := tree(t, beside)
	if _, err := b.Put(context.Background(), sqlite.DefinitionsName, filepath.Join(beside, "new")); err == nil {
		t.Error("a file that is not what the manifest says was put back")
	}
	if after := tree(t, beside); after != before {
		t.Errorf("there was %s, there is %s", before, after)
	}
}

// TestBackupIntoAnothersDirectory: its owner could put others in the place of the files, and have root write the
// database into one that is open.
func TestBackupIntoAnothersDirectory(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can act in another user's directory: run as root to see this")
	}
	data, dir := written(t), mkdir(t, filepath.Join(t.TempDir(), "dir"))
	source, _ := backUp(t, data, nil)
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	_, _, err := sqlite.WriteBackup(context.Background(), sqlite.BackupConfig{Data: data, Dir: dir, Now: time.Now})
	if err == nil || !strings.Contains(err.Error(), "belongs to uid 65534") {
		t.Errorf("backup: %v", err)
	}
	if _, err := restoreTo(source, dir, false); err == nil || !strings.Contains(err.Error(), "belongs to uid 65534") {
		t.Errorf("restore: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
