package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
	"prax/store/sqlite"
)

// TestRestoreRefused: a directory that holds anything is left as it is.
func TestRestoreRefused(t *testing.T) {
	t.Parallel()
	data := written(t)
	dir, _ := backUp(t, data, nil)
	for name, test := range map[string]struct {
		make func(t *testing.T, to string)
		says string
	}{
		"a file in it":    {func(t *testing.T, to string) { mustWrite(t, filepath.Join(mkdir(t, to), "mine"), "x") }, "is not empty"},
		"a server's":      {func(t *testing.T, to string) { opened(t, sqlite.Config{Dir: to}) }, "is not empty"},
		"a file":          {func(t *testing.T, to string) { mustWrite(t, to, "mine") }, "no directory"},
		"a link":          {func(t *testing.T, to string) { symlink(t, t.TempDir(), to) }, "no directory"},
		"no parent":       {func(t *testing.T, to string) { _ = os.Remove(filepath.Dir(to)) }, "parent directory does not exist"},
		"half a restore":  {func(t *testing.T, to string) { mkdir(t, filepath.Join(mkdir(t, to), "restoring")) }, "is not empty"},
		"only a lock":     {func(t *testing.T, to string) { mustWrite(t, filepath.Join(mkdir(t, to), "prax.lock"), "") }, "is not empty"},
		"another's chain": {func(t *testing.T, to string) { mustWrite(t, filepath.Join(mkdir(t, to), "audit-head.json"), "{}") }, "is not empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := filepath.Join(mkdir(t, filepath.Join(t.TempDir(), "parent")), "data")
			test.make(t, to)
			before := tree(t, filepath.Dir(to))
			if _, err := restoreTo(dir, to, false); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("restore: %v, want %q", err, test.says)
			}
			if after := tree(t, filepath.Dir(to)); name != "a server's" && after != before {
				t.Errorf("there was %s, there is %s", before, after)
			}
		})
	}
}

// TestHostileBackup: whoever wrote the backup cannot make a restore read or write elsewhere, wait, or take
// something that the manifest does not vouch for; nothing is left of the try.
func TestHostileBackup(t *testing.T) {
	t.Parallel()
	data := written(t)
	source, _ := backUp(t, data, nil)
	type change func(t *testing.T, dir string, m *sqlite.Manifest)
	add := func(name string) change {
		return func(_ *testing.T, _ string, m *sqlite.Manifest) {
			m.Files = append(m.Files, sqlite.BackupFile{Name: name, SHA256: strings.Repeat("0", 64)})
		}
	}
	replaced := func(make func(t *testing.T, path string)) change {
		return func(t *testing.T, dir string, _ *sqlite.Manifest) {
			path := filepath.Join(dir, "data", "prax.db")
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			make(t, path)
		}
	}
	tests := map[string]struct {
		change change
		says   string
	}{
		"parent":             {add("../evil"), "no backup has"},
		"parent within":      {add("data/../../evil"), "no backup has"},
		"parent of keys":     {add("data/keys/../../../evil"), "no backup has"},
		"absolute":           {add("/etc/evil"), "no backup has"},
		"empty":              {add(""), "no backup has"},
		"dot":                {add("."), "no backup has"},
		"backslash":          {add(`data\..\evil`), "no backup has"},
		"control character":  {add("data/keys/a\x1b[2Jb"), "no backup has"},
		"log of a database":  {add("data/prax.db-wal"), "no backup has"},
		"socket":             {add("data/prax.sock"), "no backup has"},
		"hidden key":         {add("data/keys/.x"), "no backup has"},
		"deep in keys":       {add("data/keys/a/b"), "no backup has"},
		"beside":             {add("evil"), "no backup has"},
		"definitions, up":    {add("definitions/../evil"), "no backup has"},
		"long":               {add("definitions/" + strings.Repeat("x", 2000)), "no backup has"},
		"twice":              {add("data/prax.db"), "twice"},
		"named, not there":   {add("data/keys/other.key"), "no such file"},
		"no digest":          {func(_ *testing.T, _ string, m *sqlite.Manifest) { m.Files[0].SHA256 = "" }, "no size or digest"},
		"negative size":      {func(_ *testing.T, _ string, m *sqlite.Manifest) { m.Files[0].Size = -1 }, "no size or digest"},
		"no files":           {func(_ *testing.T, _ string, m *sqlite.Manifest) { m.Files = nil }, "does not name"},
		"newer format":       {func(_ *testing.T, _ string, m *sqlite.Manifest) { m.Format = 2 }, "newer"},
		"newer schema":       {func(_ *testing.T, _ string, m *sqlite.Manifest) { m.Schema = 999 }, "newer"},
		"no schema":          {func(_ *testing.T, _ string, m *sqlite.Manifest) { m.Schema = 0 }, "no format or no schema"},
		"another head":       {func(_ *testing.T, _ string, m *sqlite.Manifest) { m.Head.Count-- }, "not the one of the manifest"},
		"size beyond reason": {func(_ *testing.T, _ string, m *sqlite.Manifest) { m.Files[0].Size = 1 << 60 }, "no space left"},
		"sizes that overflow": {func(_ *testing.T, _ string, m *sqlite.Manifest) {
			for i := range m.Files {
				m.Files[i].Size = 1<<63 - 1
			}
		}, "no space left"},
		"a byte changed": {func(t *testing.T, dir string, _ *sqlite.Manifest) {
			path := filepath.Join(dir, "data", "prax.db")
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			content[len(content)-1] ^= 1
			mustWrite(t, path, string(content))
		}, "not what the manifest says"},
		"cut off": {func(t *testing.T, dir string, _ *sqlite.Manifest) {
			if err := os.Truncate(filepath.Join(dir, "data", "prax.db"), 4096); err != nil {
				t.Fatal(err)
			}
		}, "bytes, the manifest says"},
		"huge":            {replaced(func(t *testing.T, path string) { mustWrite(t, path, ""); _ = os.Truncate(path, 1<<40) }), "bytes, the manifest says"},
		"a link":          {replaced(func(t *testing.T, path string) { symlink(t, path+".away", path) }), "a link"},
		"a link outside":  {replaced(func(t *testing.T, path string) { symlink(t, "/etc/passwd", path) }), "a link"},
		"a pipe":          {replaced(func(t *testing.T, path string) { _ = syscall.Mkfifo(path, 0o600) }), "a link, or no file"},
		"a folder":        {replaced(func(t *testing.T, path string) { mkdir(t, path) }), "a link, or no file"},
		"folder a link":   {folderLink, "a link"},
		"another's key":   {otherKey, "not signed by this installation"},
		"tampered, fixed": {tampered, "event 4 differs"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "backup")
			if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
				t.Fatal(err)
			}
			m := readManifest(t, dir)
			test.change(t, dir, &m)
			writeManifest(t, dir, m)
			parent := t.TempDir()
			_, err := restoreTo(dir, filepath.Join(parent, "data"), false)
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("restore: %v, want %q", err, test.says)
			}
			if got := tree(t, parent); got != parent {
				t.Errorf("left behind: %s", got)
			}
		})
	}
}

func readManifest(t *testing.T, dir string) (m sqlite.Manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func writeManifest(t *testing.T, dir string, m sqlite.Manifest) {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, filepath.Join(dir, "manifest.json"), string(text))
}

func folderLink(t *testing.T, dir string, _ *sqlite.Manifest) {
	if err := os.Rename(filepath.Join(dir, "data"), filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	symlink(t, "elsewhere", filepath.Join(dir, "data"))
}

// redone gives the manifest the digests that its files have now.
func redone(t *testing.T, dir string, m *sqlite.Manifest) {
	for i, file := range m.Files {
		content, err := os.ReadFile(filepath.Join(dir, file.Name))
		if err != nil {
			t.Fatal(err)
		}
		m.Files[i] = sqlite.BackupFile{Name: file.Name, Size: int64(len(content)), SHA256: digest.Hex(content)}
	}
}

func otherKey(t *testing.T, dir string, m *sqlite.Manifest) {
	mustWrite(t, filepath.Join(dir, "data", "keys", "audit.key"), strings.Repeat("ab", 32)+"\n")
	redone(t, dir, m)
}

func tampered(t *testing.T, dir string, m *sqlite.Manifest) {
	tamper(t, filepath.Join(dir, "data"), "UPDATE event SET at = at + 1 WHERE seq = 4")
	redone(t, dir, m)
}

// TestHostileManifest: what stands in the place of the manifest is refused, and never waited for.
func TestHostileManifest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		make func(t *testing.T, path string)
		says string
	}{
		"missing": {func(*testing.T, string) {}, "no backup, or one that was interrupted"},
		"empty":   {func(t *testing.T, path string) { mustWrite(t, path, "") }, "decode manifest"},
		"half":    {func(t *testing.T, path string) { mustWrite(t, path, `{"format":1,`) }, "decode manifest"},
		"other":   {func(t *testing.T, path string) { mustWrite(t, path, `{"format":1,"evil":true}`) }, "decode manifest"},
		"twice":   {func(t *testing.T, path string) { mustWrite(t, path, `{"format":1,"format":1}`) }, "decode manifest"},
		"huge":    {func(t *testing.T, path string) { mustWrite(t, path, ""); _ = os.Truncate(path, 1<<40) }, "more than"},
		"pipe":    {func(t *testing.T, path string) { _ = syscall.Mkfifo(path, 0o600) }, "a link, or no file"},
		"link":    {func(t *testing.T, path string) { mustWrite(t, path+".x", "{}"); symlink(t, path+".x", path) }, "a link, or no file"},
		"device":  {func(t *testing.T, path string) { symlink(t, "/dev/zero", path) }, "a link, or no file"},
		"many files": {func(t *testing.T, path string) {
			mustWrite(t, path, `{"format":1,"schema":1,"files":[`+strings.Repeat("{},", 100_001)+"{}]}")
		}, "more than"},
		"not a folder": {func(t *testing.T, path string) {
			_ = os.RemoveAll(filepath.Dir(path))
			mustWrite(t, filepath.Dir(path), "")
		}, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := mkdir(t, filepath.Join(t.TempDir(), "backup"))
			test.make(t, filepath.Join(dir, "manifest.json"))
			if _, err := sqlite.OpenBackup(dir); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("open: %v, want %q", err, test.says)
			}
		})
	}
}

// FuzzManifest: no manifest makes a restore write outside of the folders that it is given.
func FuzzManifest(f *testing.F) {
	for _, name := range []string{"data/prax.db", "../x", "definitions/a/b", "data/keys/../x", "definitions.yaml", "data//x", `definitions/..\x`} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !sqlite.AllowedInBackup(name) {
			return
		}
		clean := filepath.ToSlash(filepath.Clean(filepath.FromSlash(name)))
		if clean != name || !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00\n\x1b") {
			t.Fatalf("%q is allowed", name)
		}
	})
}

// TestRestoreAbandoned: whoever does not finish leaves the directory as it was, and until it is finished no server
// starts in it.
func TestRestoreAbandoned(t *testing.T) {
	t.Parallel()
	dir, _ := backUp(t, written(t), nil)
	for _, there := range []bool{true, false} {
		to := filepath.Join(t.TempDir(), "data")
		if there {
			mkdir(t, to)
		}
		before := tree(t, filepath.Dir(to))
		b, err := sqlite.OpenBackup(dir)
		if err != nil {
			t.Fatal(err)
		}
		r, err := b.Restore(context.Background(), sqlite.RestoreConfig{Data: to})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sqlite.Open(context.Background(), sqlite.Config{Dir: to}); !errors.Is(err, store.ErrLocked) {
			t.Errorf("a server started meanwhile: %v", err)
		}
		r.Abandon()
		if after := tree(t, filepath.Dir(to)); after != before {
			t.Errorf("there was %s, there is %s", before, after)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRestoreOfAnOlderSchema: it is brought up to date as any older file is, with the copy before. Not parallel: it
// changes what this prax is.
func TestRestoreOfAnOlderSchema(t *testing.T) {
	undo := sqlite.Schema(2)
	data := written(t)
	dir, _ := backUp(t, data, nil)
	undo()
	if m := readManifest(t, dir); m.Schema != 2 {
		t.Fatalf("the backup has schema %d", m.Schema)
	}
	back, _ := restore(t, dir)
	whole(t, back)
	if !strings.Contains(names(t, back), fmt.Sprintf("prax-before-v%d.db", sqlite.SchemaNumber())) {
		t.Errorf("no copy before the migration: %s", names(t, back))
	}
}

// TestRestoreDoubts: the world went on since the backup. What was running then may have had its effect, so it is
// unknown; what was asked may have been answered, so it is void; what the operator was to be told of is old; and the chain
// tells how many there were of each.
func TestRestoreDoubts(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	db := open(t, sqlite.Config{Dir: data})
	i, err := startInstance(db, "alice", "")
	if err != nil {
		t.Fatal(err)
	}
	m := twoSteps(i)
	running, direct, unknown, done := anAttempt(m.Next), aDirectAttempt("bob"), aDirectAttempt("bob"), aDirectAttempt("bob")
	err = errors.Join(
		db.Update(context.Background(), func(tx store.Tx) error { return tx.Move(m) }),
		attempt(db, running), attempt(db, direct), attempt(db, unknown), attempt(db, done),
		end(db, store.Closing{ID: unknown.ID, Status: store.AttemptUnknown, Message: "no answer"}), end(db, store.Closing{ID: done.ID, Status: store.AttemptDone}),
		db.Update(context.Background(), func(tx store.Tx) error {
			_, err := tx.AddNotice(store.Notice{ID: "nt_1", Kind: store.NoticeUnknown, User: "bob", Attempt: unknown.ID, At: m.Next.Updated})
			return err
		}),
		db.Close())
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := backUp(t, data, nil)
	back, _ := restore(t, dir)
	db = opened(t, sqlite.Config{Dir: back})
	root := auth.Principal{User: "root", Oversees: auth.Everything()}.Scope()
	err = db.View(context.Background(), func(tx store.Tx) error {
		for id, want := range map[string]store.AttemptStatus{
			running.ID: store.AttemptUnknown, direct.ID: store.AttemptUnknown, unknown.ID: store.AttemptUnknown, done.ID: store.AttemptDone,
		} {
			got, err := tx.Attempt(root, id)
			if err != nil || got.Status != want || id == unknown.ID && got.Message != "no answer" || id == running.ID && !strings.Contains(got.Message, "backup") {
				t.Errorf("%+v, %v, want %s", got, err, want)
			}
		}
		if blocking, err := tx.BlockingAttempt(root, i.ID); err != nil || blocking.ID != running.ID {
			t.Errorf("the instance waits for %+v, %v", blocking, err)
		}
		asked, err := tx.Approval(root, m.Approval.ID)
		if err != nil || asked.Status != store.ApprovalVoid {
			t.Errorf("%+v, %v, want it void", asked, err)
		}
		if next, err := tx.NextNotice(); err != nil || !next.IsZero() {
			t.Errorf("a notice is due at %v, %v", next, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := db.Export(context.Background(), &text, 0); err != nil || !strings.Contains(text.String(), `"doubted":2,"dropped":1`) || !strings.Contains(text.String(), `"voided":1`) {
		t.Errorf("the chain tells %s, %v", &text, err)
	}
}

// TestRestoreRaisesEpochs: no signed token of before a restore is good, be it one that was made after the backup was taken;
// what was revoked stays so.
func TestRestoreRaisesEpochs(t *testing.T) {
	t.Parallel()
	data, now := t.TempDir(), time.Now()
	db := open(t, sqlite.Config{Dir: data})
	revoked := store.RevokedToken{ID: "gone", Until: now.Add(time.Hour).Truncate(time.Millisecond).UTC()}
	err := db.Update(context.Background(), func(tx store.Tx) error {
		tx.AddEvent(store.Event{Kind: store.EventServer, Outcome: "ok"})
		return errors.Join(tx.PutEpoch(store.Epoch{Client: "alice", Number: 3, Seal: "s"}), tx.RevokeToken(revoked, now))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	dir, _ := backUp(t, data, nil)
	back, _ := restore(t, dir)
	db = opened(t, sqlite.Config{Dir: back})
	err = db.View(context.Background(), func(tx store.Tx) error {
		got, err := tx.Epochs()
		if len(got) != 1 || got[0].Number < auth.NextEpoch(3, now) || got[0].Seal != "" {
			t.Errorf("epochs %+v: want one that is above whatever was given out, without a seal", got)
		}
		kept, errKept := tx.RevokedTokens(now)
		if len(kept) != 1 || kept[0] != revoked {
			t.Errorf("revoked tokens %+v", kept)
		}
		return errors.Join(err, errKept)
	})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := db.Export(context.Background(), &text, 0); err != nil || !strings.Contains(text.String(), `"raised":1`) {
		t.Errorf("the chain tells %s, %v", &text, err)
	}
}

// TestRestoreTwice: a backup of what was restored can be restored again, and the chain tells of both.
func TestRestoreTwice(t *testing.T) {
	t.Parallel()
	dir, first := backUp(t, written(t), nil)
	back, _ := restore(t, dir)
	again, second := backUp(t, back, nil)
	last, _ := restore(t, again)
	db := opened(t, sqlite.Config{Dir: last})
	var text bytes.Buffer
	if err := db.Export(context.Background(), &text, 0); err != nil {
		t.Fatal(err)
	}
	for _, sum := range []string{first, second} {
		if !strings.Contains(text.String(), fmt.Sprintf(`"backup":"%s"`, sum)) {
			t.Errorf("no event of the restore of %s", sum)
		}
	}
}
