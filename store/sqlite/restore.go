package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"prax/store"
	"prax/store/digest"
)

// Backup is one that is read. It was written by somebody: nothing in it is believed.
type Backup struct {
	Manifest Manifest
	SHA256   string // of the manifest, as [WriteBackup] told it
	root     *os.Root
}

// OpenBackup opens a backup and judges its manifest. The files are judged when they are copied.
func OpenBackup(dir string) (*Backup, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	b := &Backup{root: root}
	if err := b.readManifest(); err != nil {
		_ = root.Close()
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return b, nil
}

// Close lets the backup go.
func (b *Backup) Close() error { return b.root.Close() }

func (b *Backup) readManifest() error {
	f, size, err := b.open(manifestName)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("no backup, or one that was interrupted: there is no %s", manifestName)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if size > maxManifest {
		return fmt.Errorf("%s has more than %d bytes", manifestName, maxManifest)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxManifest))
	if err != nil {
		return err
	}
	b.SHA256 = digest.Hex(text)
	b.Manifest, err = decodeManifest(text)
	return err
}

// open opens a file of the backup: no link, no pipe, nothing outside. It never waits.
func (b *Backup) open(name string) (*os.File, int64, error) {
	parts := strings.Split(name, "/")
	for i := range parts {
		part := strings.Join(parts[:i+1], "/")
		info, err := b.root.Lstat(part)
		if err != nil {
			return nil, 0, err
		}
		if part == name && !info.Mode().IsRegular() || part != name && !info.IsDir() {
			return nil, 0, fmt.Errorf("%s in the backup is a link, or no file", store.SafeString(part))
		}
	}
	f, err := b.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s in the backup is not a regular file", store.SafeString(name))
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// copy writes one file of the backup, which must be exactly what the manifest says.
func (b *Backup) copy(ctx context.Context, file BackupFile, to *draft) error {
	f, size, err := b.open(file.Name)
	if err != nil {
		return err
	}
	defer f.Close()
	if size != file.Size {
		return fmt.Errorf("%s has %d bytes, the manifest says %d", store.SafeString(file.Name), size, file.Size)
	}
	if _, err := io.Copy(to, &endable{ctx, io.LimitReader(f, size)}); err != nil {
		return err
	}
	if to.sum() != file.SHA256 {
		return fmt.Errorf("%s is not what the manifest says", store.SafeString(file.Name))
	}
	return nil
}

// RestoreConfig says where to, and how.
type RestoreConfig struct {
	Data       string             // the data directory: does not exist, or is empty
	Now        func() time.Time   // nil: time.Now
	Log        *slog.Logger       // nil: nothing is logged
	Unverified bool               // go on when the audit chain is not whole
	Tell       func(doing string) // nil, or what is told of each part that may take long
}

// restoringName is a folder in the data directory while a restore is under way. No server starts there.
const restoringName = "restoring"

// Restoration is a restore that is under way. Until Finish returns, the data directory is of no use.
type Restoration struct {
	backup *Backup
	config RestoreConfig
	lock   *os.File
	made   bool // the data directory
	Report store.Report
}

// Restore puts the data of a backup back, verifies it, and brings it in line with the present. It is followed by
// Finish, or by Abandon, which leaves the directory as it was found.
func (b *Backup) Restore(ctx context.Context, config RestoreConfig) (*Restoration, error) {
	r := &Restoration{backup: b, config: config}
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	reach("restore-begun")
	if err := r.stage(ctx); err != nil {
		r.Abandon()
		return nil, fmt.Errorf("restore: %w", err)
	}
	return r, nil
}

// stage makes everything ready beside the place where it will be.
func (r *Restoration) stage(ctx context.Context) error {
	if err := r.room(); err != nil {
		return err
	}
	tell(r.config.Tell, "copying the data")
	if err := r.copyData(ctx); err != nil {
		return err
	}
	reach("restore-copied")
	tell(r.config.Tell, "verifying the audit")
	if err := r.verify(ctx); err != nil {
		return err
	}
	tell(r.config.Tell, "bringing the data in line with the present")
	if err := r.apply(ctx); err != nil {
		return err
	}
	reach("restore-applied")
	return nil
}

func (r *Restoration) path(name string) string {
	return filepath.Join(r.config.Data, filepath.FromSlash(name))
}

func (r *Restoration) staged(name string) string {
	return filepath.Join(r.config.Data, restoringName, filepath.FromSlash(name))
}

// begin takes the directory for this process alone.
func (r *Restoration) begin(ctx context.Context) (err error) {
	if r.made, err = claimEmpty(r.config.Data); err != nil {
		if errors.Is(err, ErrNotEmpty) {
			return fmt.Errorf("data directory %w", err)
		}
		return unusable(r.config.Data, err)
	}
	if r.lock, err = lockDirectory(ctx, r.config.Data); err != nil {
		return err
	}
	entries, err := os.ReadDir(r.config.Data)
	if err == nil && len(entries) != 1 {
		err = fmt.Errorf("data directory %s %w any more", r.config.Data, ErrNotEmpty)
	}
	if err == nil {
		err = os.Mkdir(r.path(restoringName), 0o700)
	}
	if err != nil {
		_ = r.lock.Close() // whoever else is there may need the lock's file
		return err
	}
	return syncDirectory(r.config.Data)
}

// room refuses what the disk has no place for, before any of it is written.
func (r *Restoration) room() error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(r.config.Data, &disk); err != nil {
		return nil // then writing will tell
	}
	have, need := uint64(disk.Bavail)*uint64(disk.Bsize), uint64(0)
	for _, f := range r.backup.Manifest.Files {
		if need += uint64(f.Size); need > have {
			return fmt.Errorf("%w: the backup needs %d bytes or more, there are %d", store.ErrFull, need, have)
		}
	}
	return nil
}

func (r *Restoration) copyData(ctx context.Context) error {
	for _, folder := range []string{"keys", ArchiveName} {
		if err := os.Mkdir(r.staged(folder), 0o700); err != nil {
			return err
		}
	}
	for _, file := range r.backup.Manifest.Files {
		name, inData := strings.CutPrefix(file.Name, dataFolder+"/")
		if !inData {
			continue
		}
		if err := r.backup.put(ctx, file, r.staged(name)); err != nil {
			return err
		}
		reach("mid-copy")
	}
	return nil
}

// put copies a file to a place where nothing stands.
func (b *Backup) put(ctx context.Context, file BackupFile, to string) error {
	d, err := createDraft(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer d.discard()
	if err := b.copy(ctx, file, d); err != nil {
		return err
	}
	return d.publish(to)
}

// verify walks the chain as it was put back.
func (r *Restoration) verify(ctx context.Context) error {
	db, err := OpenReadOnly(r.staged("."))
	if err != nil {
		return err
	}
	defer db.Close()
	r.Report, err = db.Verify(ctx)
	if err != nil {
		return err
	}
	if head := r.Report.Head; head == nil || *head != r.backup.Manifest.Head {
		r.Report.Problem("the signed head is not the one of the manifest")
	}
	for _, known := range r.backup.Manifest.Problems {
		r.Report.Problem("when the backup was taken: %s", store.SafeString(known))
	}
	if !r.Report.OK() && !r.config.Unverified {
		return fmt.Errorf("%w: %s", store.ErrNotWhole, r.Report.Problems[0])
	}
	return nil
}

// apply opens the store as a server would, and does what a restore does to what it finds.
func (r *Restoration) apply(ctx context.Context) error {
	db, err := Open(ctx, Config{Dir: r.staged("."), Log: r.config.Log, Now: r.config.Now})
	if err != nil {
		return err
	}
	err = db.Update(ctx, func(s store.Tx) error {
		t, ours := s.(*tx)
		if !ours {
			return errNotOurs
		}
		return restored(t, r.backup, len(r.Report.Problems))
	})
	return errors.Join(err, db.Close())
}

// Finish moves the data to its place and removes what kept servers away.
func (r *Restoration) Finish() error {
	entries, err := os.ReadDir(r.staged("."))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == lockName || entry.Name() == databaseName {
			continue
		}
		if err := os.Rename(r.staged(entry.Name()), r.path(entry.Name())); err != nil {
			return err
		}
		reach("mid-move")
	}
	if err := os.Rename(r.staged(databaseName), r.path(databaseName)); err != nil {
		return err
	}
	if err := errors.Join(os.Remove(r.staged(lockName)), syncDirectory(r.config.Data)); err != nil {
		return err
	}
	reach("restore-moved")
	if err := os.Remove(r.staged(".")); err != nil {
		return err
	}
	reach("restore-done")
	err = syncDirectory(r.config.Data)
	lock := r.lock
	r.lock = nil
	return errors.Join(err, lock.Close())
}

// Abandon takes back what was done. After Finish it does nothing.
func (r *Restoration) Abandon() {
	if r.lock == nil {
		return
	}
	entries, _ := os.ReadDir(r.config.Data)
	slices.Reverse(entries) // what keeps servers away goes before the lock, and after the database
	for _, entry := range entries {
		if entry.Name() != restoringName && entry.Name() != lockName {
			_ = os.RemoveAll(r.path(entry.Name()))
		}
	}
	_ = os.RemoveAll(r.path(restoringName))
	_ = os.Remove(r.path(lockName))
	_ = r.lock.Close()
	r.lock = nil
	if r.made {
		_ = os.Remove(r.config.Data)
	}
}
