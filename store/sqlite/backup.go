package sqlite

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"prax/store"
	"prax/store/digest"
)

// BackupConfig is what is backed up, and where to.
type BackupConfig struct {
	Data       string            // the data directory; a server may run with it
	Dir        string            // does not exist, or is an empty directory
	Extra      map[string]string // files beside the data: name in the backup (ClientsName, …) to path
	Version    string            // of the program
	Now        func() time.Time
	Unverified bool               // go on when the audit chain is not whole
	Tell       func(doing string) // nil, or what is told of each part that may take long
}

// tell says what is done now.
func tell(to func(string), doing string) {
	if to != nil {
		to(doing)
	}
}

// WriteBackup writes a backup and returns its manifest with the manifest's SHA-256. It is taken from one
// moment at or after the call: all that was acknowledged before is in it. The backup holds the keys and everything
// else that is secret. When there is an error nothing is left in its place.
func WriteBackup(ctx context.Context, config BackupConfig) (m Manifest, sum string, err error) {
	b := &backup{config: config, m: Manifest{Format: backupFormat, Version: config.Version, At: config.Now().UTC().Truncate(time.Millisecond)}}
	if b.db, err = OpenReadOnly(config.Data); err != nil {
		return m, "", err
	}
	defer func() { err = errors.Join(err, b.db.Close()) }()
	if b.db.key == nil {
		return m, "", fmt.Errorf("%s cannot be read: without it the backup would be of no use", filepath.Join(config.Data, keyName))
	}
	if err = b.begin(); err != nil {
		return m, "", err
	}
	defer func() {
		if err != nil {
			b.undo()
		}
	}()
	reach("backup-begun")
	if err = b.write(ctx); err != nil {
		return m, "", fmt.Errorf("backup: %w", err)
	}
	sum, err = b.finish()
	return b.m, sum, err
}

// backup is one that is being written.
type backup struct {
	config BackupConfig
	db     *DB
	root   *os.Root // of the backup
	made   bool     // its directory
	m      Manifest
}

func (b *backup) path(name string) string {
	return filepath.Join(b.config.Dir, filepath.FromSlash(name))
}

// begin makes the directory, or takes one that is empty. Of two backups that take the same one, the one that
// makes the first folder in it has it, and the other leaves it alone.
func (b *backup) begin() (err error) {
	if b.made, err = claimEmpty(b.config.Dir); err != nil {
		return err
	}
	if b.root, err = os.OpenRoot(b.config.Dir); err != nil {
		return err
	}
	if err = b.root.Mkdir(dataFolder, 0o700); err == nil {
		return nil
	}
	_ = b.root.Close()
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %w any more", b.config.Dir, ErrNotEmpty)
	}
	if b.made {
		_ = os.Remove(b.config.Dir)
	}
	return err
}

// claimEmpty makes a directory of mode 0700, or takes one that is empty. A link to one is none, nor is one of
// another user, who could put others in the place of the files in it.
func claimEmpty(dir string) (made bool, err error) {
	if err := os.Mkdir(dir, 0o700); err == nil {
		if err := errors.Join(os.Chmod(dir, 0o700), syncDirectory(filepath.Dir(filepath.Clean(dir)))); err != nil {
			_ = os.Remove(dir)
			return false, err
		}
		return true, nil
	} else if !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return false, err
	}
	if !info.IsDir() {
		return false, fmt.Errorf("%s exists and is no directory", dir)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return false, fmt.Errorf("%s belongs to uid %d: do this as that user, or name a directory that does not exist", dir, stat.Uid)
	}
	if err := checkEmpty(dir); err != nil {
		return false, err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return false, err
	}
	return false, checkEmpty(dir) // nobody else can have put anything there since
}

func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s %w", dir, ErrNotEmpty)
	}
	return err
}

// ErrNotEmpty refuses a directory that a backup or a restore would have to share.
var ErrNotEmpty = errors.New("is not empty")

// undo removes what was written.
func (b *backup) undo() {
	_ = b.root.Remove(manifestName) // first: what is left is no backup
	for _, name := range []string{dataFolder, DefinitionsName} {
		_ = b.root.RemoveAll(name)
	}
	if entries, err := os.ReadDir(b.config.Dir); err == nil {
		for _, entry := range entries {
			_ = b.root.Remove(entry.Name()) // it was empty: all is ours
		}
	}
	_ = b.root.Close()
	if b.made {
		_ = os.Remove(b.config.Dir)
	}
}

func (b *backup) write(ctx context.Context) error {
	for _, name := range []string{dataFolder + "/keys", dataFolder + "/" + ArchiveName} {
		if err := b.root.Mkdir(name, 0o700); err != nil {
			return err
		}
	}
	for name, from := range b.config.Extra {
		if err := b.copyExtra(ctx, name, from); err != nil {
			return err
		}
	}
	tell(b.config.Tell, "copying the database")
	if err := b.copyDatabase(ctx); err != nil {
		return err
	}
	tell(b.config.Tell, "copying keys and archives")
	// After the database: what was archived since then is in both, never in neither.
	for _, folder := range []string{"keys", ArchiveName} {
		if err := b.copyFolder(ctx, folder); err != nil {
			return err
		}
	}
	if err := b.copyFile(ctx, b.config.Data, mismatchName, dataFolder+"/"+mismatchName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return b.verify(ctx)
}

// copyDatabase takes the snapshot and signs its head. The head of the source was read before, so that the
// signature covers no chain that the source's own would not.
func (b *backup) copyDatabase(ctx context.Context) error {
	head, err := b.db.readHead()
	if err != nil {
		return err
	}
	name := dataFolder + "/" + databaseName
	f, err := b.create(name)
	if err != nil {
		return err
	}
	_ = f.Close()
	if err := b.db.snapshot(ctx, b.path(name)); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	reach("backup-copied")
	schema, newest, err := settle(b.path(name))
	if err != nil {
		return fmt.Errorf("copy the database: %w", fault(err))
	}
	if err := syncPath(b.path(name)); err != nil {
		return err
	}
	b.m.Schema = schema
	b.m.Head = store.SignHead(b.db.key, newest.seq, newest.hash, b.m.At)
	if err := b.put(dataFolder+"/"+headName, store.EncodeHead(b.m.Head)); err != nil {
		return err
	}
	reach("backup-signed")
	return b.compare(head)
}

// compare holds the copy to the head that the source had.
func (b *backup) compare(head *store.Head) error {
	copied, err := OpenReadOnly(b.path(dataFolder))
	if err != nil {
		return err
	}
	defer copied.Close()
	problem, err := b.db.laterThan(head, copied)
	if err != nil || problem == "" {
		return err
	}
	return b.problem(problem)
}

// problem is an error unless the operator wants the backup all the same.
func (b *backup) problem(text string) error {
	if !b.config.Unverified {
		return fmt.Errorf("%w: %s", store.ErrNotWhole, text)
	}
	b.m.Problems = append(b.m.Problems, text)
	return nil
}

// verify walks the whole chain of the copy, as a server with it would.
func (b *backup) verify(ctx context.Context) error {
	copied, err := OpenReadOnly(b.path(dataFolder))
	if err != nil {
		return err
	}
	defer copied.Close()
	tell(b.config.Tell, "verifying the audit of the copy")
	report, err := copied.Verify(ctx)
	if err != nil {
		return err
	}
	for _, text := range report.Problems {
		if err := b.problem(text); err != nil {
			return err
		}
	}
	reach("backup-verified")
	return nil
}

func (b *backup) create(name string) (*os.File, error) {
	f, err := b.root.OpenFile(filepath.FromSlash(name), os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o600); err != nil { // the umask may have taken the owner's bits
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// put writes a small file.
func (b *backup) put(name string, content []byte) error {
	f, err := b.create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// finish names every file with its digest, and writes that last.
func (b *backup) finish() (sum string, err error) {
	tell(b.config.Tell, "reading the backup back")
	if err := b.list("."); err != nil {
		return "", fmt.Errorf("backup: %w", err)
	}
	slices.SortFunc(b.m.Files, func(a, b BackupFile) int { return cmp.Compare(a.Name, b.Name) })
	text, err := b.m.encode()
	if err != nil {
		return "", err
	}
	if _, err := decodeManifest(text); err != nil {
		return "", fmt.Errorf("backup: it could not be restored: %w", err)
	}
	reach("mid-manifest")
	if err := digest.Replace(b.path(manifestName), text); err != nil {
		return "", fmt.Errorf("backup: %w", err)
	}
	reach("after-manifest")
	return digest.Hex(text), b.root.Close()
}

// list reads back what a folder of the backup holds, and makes it durable.
func (b *backup) list(folder string) error {
	entries, err := fs.ReadDir(b.root.FS(), folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := path.Join(folder, entry.Name())
		if entry.IsDir() {
			if err := b.list(name); err != nil {
				return err
			}
			continue
		}
		size, sum, err := sumFile(b.path(name))
		if err != nil {
			return err
		}
		b.m.Files = append(b.m.Files, BackupFile{name, size, sum})
	}
	return syncDirectory(b.path(folder))
}

func sumFile(name string) (size int64, sum string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	return sumOf(f)
}

// sumOf is the size and the SHA-256 of what is read, in hex.
func sumOf(r io.Reader) (size int64, sum string, err error) {
	hash := sha256.New()
	size, err = io.Copy(hash, r)
	return size, hex.EncodeToString(hash.Sum(nil)), err
}
