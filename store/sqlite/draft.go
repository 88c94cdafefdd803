package sqlite

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// draftPrefix begins the name of every file that is still being written.
const draftPrefix = ".prax-draft-"

// draft is a file of mode 0600 that gets its name when it is whole. Nothing is ever overwritten by it.
type draft struct {
	file   *os.File
	digest hash.Hash
	name   string // once it is published
}

func createDraft(dir string) (*draft, error) {
	f, err := os.OpenFile(filepath.Join(dir, draftPrefix+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if failed := (*os.PathError)(nil); errors.As(err, &failed) {
		return nil, &os.PathError{Op: "create a file in", Path: dir, Err: failed.Err}
	}
	if err != nil {
		return nil, err
	}
	d := &draft{file: f, digest: sha256.New()}
	if err := f.Chmod(0o600); err != nil {
		d.discard()
		return nil, err
	}
	return d, nil
}

// Write adds to the file.
func (d *draft) Write(b []byte) (int, error) {
	n, err := d.file.Write(b)
	d.digest.Write(b[:n])
	return n, err
}

// sum is the SHA-256 of what was written, in hex.
func (d *draft) sum() string { return hex.EncodeToString(d.digest.Sum(nil)) }

// publish makes the file durable under its name, where nothing may stand.
func (d *draft) publish(name string) error {
	if err := d.file.Sync(); err != nil {
		return err
	}
	reach("archive-unnamed")
	if err := linkNew(d.file.Name(), name); err != nil {
		return err
	}
	if err := d.standsAt(name); err != nil {
		return err
	}
	d.name = name
	return syncDirectory(filepath.Dir(name))
}

// standsAt fails unless the file is what has this name: whoever else may write to the directory could have put
// another in its place.
func (d *draft) standsAt(name string) error {
	written, err := d.file.Stat()
	if err != nil {
		return err
	}
	found, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if !os.SameFile(written, found) {
		return fmt.Errorf("%s is not the file that was written: somebody else writes to its directory", name)
	}
	return nil
}

// discard removes what was not published, and closes the file.
func (d *draft) discard() {
	_ = d.file.Close()
	_ = os.Remove(d.file.Name()) // the other name stays
}

// linkNew gives a file another name, unless something has it. Where there are no links it is moved.
func linkNew(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, syscall.ENOSPC) {
		return err
	}
	if _, found := os.Lstat(to); !errors.Is(found, fs.ErrNotExist) {
		return &os.PathError{Op: "create", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// removeDrafts removes what a kill left of drafts in a directory. Nobody may be writing there.
func removeDrafts(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), draftPrefix) && entry.Type().IsRegular() {
			err = errors.Join(err, os.Remove(filepath.Join(dir, entry.Name())))
		}
	}
	return err
}

func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
