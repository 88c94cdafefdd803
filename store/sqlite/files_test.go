package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
	"prax/store/sqlite"
)

// TestUnusable: each way in which a data directory can be unusable gives one sentence that names
// the path, and nothing in it is changed.
func TestUnusable(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		make func(dir string) error
		says string
		is   error
	}{
		"parent missing": {func(string) error { return nil }, "parent directory does not exist", nil},
		"a file": {func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Dir(dir), 0o700), os.WriteFile(dir, nil, 0o600))
		}, "is a file", nil},
		"parent a file":  {func(dir string) error { return os.WriteFile(filepath.Dir(dir), nil, 0o600) }, "parent is a file", nil},
		"not a database": {func(dir string) error { return write(dir, "prax.db", strings.Repeat("hello world, ", 500)) }, "not a database", nil},
		"cut off":        {func(dir string) error { return write(dir, "prax.db", "SQLite format 3\x00") }, "not a database", nil},
		"foreign":        {foreign(""), "another program", nil},
		"foreign by id":  {foreign("PRAGMA application_id = 7"), "another program", nil},
		"newer":          {foreign("PRAGMA application_id = 0x70726178; PRAGMA user_version = 999"), "newer prax", store.ErrNewer},
		"negative":       {foreign("PRAGMA application_id = 0x70726178; PRAGMA user_version = -1"), "negative", nil},
		"a pipe":         {pipe, "prax.db", nil},
		"a folder":       {func(dir string) error { return os.MkdirAll(filepath.Join(dir, "prax.db"), 0o700) }, "prax.db", nil},
		"bad key":        {func(dir string) error { return write(dir, "keys/audit.key", "not hex") }, "installation key", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "parent", "data")
			if err := test.make(dir); err != nil {
				t.Fatal(err)
			}
			before, _ := digest.Read(filepath.Join(dir, "prax.db"))
			db, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
			if err == nil {
				_ = db.Close()
				t.Fatal("it opened")
			}
			if !strings.Contains(err.Error(), test.says) || test.is != nil && !errors.Is(err, test.is) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q, want %q and %v", err, test.says, test.is)
			}
			if after, _ := digest.Read(filepath.Join(dir, "prax.db")); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func pipe(dir string) error {
	return errors.Join(os.MkdirAll(dir, 0o700), syscall.Mkfifo(filepath.Join(dir, "prax.db"), 0o600))
}

func write(dir, name, content string) error {
	path := filepath.Join(dir, name)
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600))
}

// foreign makes a database with a table that is not ours, and runs a script in it.
func foreign(script string) func(string) error {
	return func(dir string) error {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		db, err := sql.Open("sqlite", filepath.Join(dir, "prax.db"))
		if err != nil {
			return err
		}
		_, err = db.Exec("CREATE TABLE theirs (x); " + script)
		return errors.Join(err, db.Close())
	}
}

// TestUnwritable needs a user whom modes bind.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("modes do not bind root, as whom this runs")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "may not read and write there") {
		t.Errorf("error %v", err)
	}
}

// TestModes: nothing that the store makes is open to others, whatever the umask; what somebody
// else left open is a warning. Not parallel: the umask is the process's.
func TestModes(t *testing.T) {
	for _, mask := range []int{0, 0o777} {
		func() {
			parent := t.TempDir()
			defer syscall.Umask(syscall.Umask(mask))
			dir := filepath.Join(parent, "data")
			var log bytes.Buffer
			db := open(t, sqlite.Config{Dir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err := put(db, "alice", "x"); err != nil {
				t.Error(err)
			}
			modes(t, dir)
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			modes(t, dir)
			if strings.Contains(log.String(), "open to others") {
				t.Errorf("warned about its own files:\n%s", &log)
			}
		}()
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	db := open(t, sqlite.Config{Dir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "open to others") {
		t.Errorf("no warning about mode 0755:\n%s", &log)
	}
}

func modes(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOneOwner: of several that open a fresh directory at once, one gets it, and the schema is
// right; the others are told so. When it is closed, the next gets it.
func TestOneOwner(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	var mu sync.Mutex
	var won []*sqlite.DB
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			db, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, db)
			} else if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), dir) {
				t.Errorf("a later one: %v", err)
			}
		})
	}
	group.Wait()
	if len(won) != 1 {
		t.Fatalf("%d own the directory", len(won))
	}
	if err := put(won[0], "alice", "x"); err != nil {
		t.Error(err)
	}
	if err := won[0].Close(); err != nil {
		t.Error(err)
	}
	db := opened(t, sqlite.Config{Dir: dir})
	if len(newest(t, db, "alice")) != 1 {
		t.Error("the document is gone")
	}
}

// TestReadOnly: beside a server and without one, reading works, writes nothing and leaves no file.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := sqlite.OpenReadOnly(dir); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("an empty directory: %v", err)
	}
	server := open(t, sqlite.Config{Dir: dir})
	if err := put(server, "alice", "first"); err != nil {
		t.Fatal(err)
	}
	beside, err := sqlite.OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := put(server, "alice", "second"); err != nil {
		t.Fatal(err)
	}
	readable(t, beside, 2)
	if err := beside.Close(); err != nil {
		t.Error(err)
	}
	if err := put(server, "alice", "third"); err != nil {
		t.Errorf("after a reader has gone: %v", err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	before := names(t, dir)
	alone, err := sqlite.OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	readable(t, alone, 3)
	if after := names(t, dir); after != before {
		t.Errorf("reading changed the directory from %s to %s", before, after)
	}
	if err := alone.Close(); err != nil {
		t.Error(err)
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return strings.Join(all, " ")
}

func readable(t *testing.T, db *sqlite.DB, documents int) {
	t.Helper()
	if got := newest(t, db, "alice"); len(got) != documents {
		t.Errorf("%d documents, want %d", len(got), documents)
	}
	if err := put(db, "alice", "no"); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("update: %v, want ErrReadOnly", err)
	}
	if err := db.Health(context.Background()); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("health: %v, want ErrReadOnly", err)
	}
	err := db.View(context.Background(), func(tx store.Tx) error {
		return tx.DeleteDocument(auth.Principal{User: "alice"}.Scope(), "x")
	})
	if !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("delete: %v, want ErrReadOnly", err)
	}
	db.Record(store.Event{Kind: store.EventCall})
	report, err := db.Verify(context.Background())
	if err != nil || !report.OK() || report.Head == nil {
		t.Errorf("verify: %v, %+v", err, report)
	}
	var out bytes.Buffer
	if err := db.Export(context.Background(), &out, 0); err != nil || out.Len() == 0 {
		t.Errorf("export: %v, %q", err, &out)
	}
}

// TestRootKeepsOut: what root wrote into the directory of a server that runs as another user, that
// server could read no more.
func TestRootKeepsOut(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can act in another user's directory: run as root to see this")
	}
	const nobody = 65534
	dir := filepath.Join(t.TempDir(), "data")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
	if err == nil {
		_ = db.Close()
		t.Fatal("root opened another user's store")
	}
	if want := "belongs to uid 65534"; !strings.Contains(err.Error(), want) {
		t.Errorf("error %q, want %q", err, want)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("root left %v, %v", left, err)
	}
}
