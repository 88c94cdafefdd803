package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Placed is where a file beside the data was put, or why it was not.
type Placed struct {
	Name string // in the backup
	Path string
	Left Left
}

// Left says what stood in the place of a file of the backup, and was left as it was.
type Left string

// What may have stood there. Nothing is ever overwritten.
const (
	LeftNothing Left = ""       // nothing: the file was put there
	LeftSame    Left = "same"   // a file with the same content
	LeftOther   Left = "other"  // something else
	LeftFolder  Left = "folder" // the folder that it belongs in, without it
)

// Extra are the names of the files beside the data.
func (b *Backup) Extra() (names []string) {
	for _, file := range b.Manifest.Files {
		if extra(file.Name) {
			names = append(names, file.Name)
		}
	}
	return names
}

// Put puts files beside the data back: the one with this name, or those in the folder with this name, to a
// path. What stands there is left alone, a folder as a whole; and a folder is put there as a whole or not at all.
func (b *Backup) Put(ctx context.Context, name, to string) (placed []Placed, err error) {
	files := b.under(name)
	if len(files) == 0 {
		return nil, nil
	}
	stood := stands(to)
	switch {
	case stood:
	case files[0].Name == name:
		err = b.putFile(ctx, files[0], to)
	default:
		err = b.putFolder(ctx, files, name, to)
	}
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		at := Placed{Name: file.Name, Path: place(file.Name, name, to)}
		if stood {
			at.Left = left(file, at.Path)
		}
		placed = append(placed, at)
	}
	return placed, nil
}

// under are the file with a name, or those in the folder with it.
func (b *Backup) under(name string) (files []BackupFile) {
	for _, file := range b.Manifest.Files {
		if file.Name == name || strings.HasPrefix(file.Name, name+"/") {
			files = append(files, file)
		}
	}
	return files
}

// place is where a file belongs when what has this name in the backup is put to a path.
func place(file, name, to string) string {
	return filepath.Join(to, filepath.FromSlash(strings.TrimPrefix(file, name)))
}

// stands tells whether anything has a name, be it a link to nowhere.
func stands(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// left holds what stands in the place of a file to it.
func left(file BackupFile, path string) Left {
	if !stands(path) {
		return LeftFolder
	}
	f, info, err := openRegular(path)
	if err != nil {
		return LeftOther
	}
	defer f.Close()
	if info.Size() != file.Size {
		return LeftOther
	}
	if _, sum, err := sumOf(f); err != nil || sum != file.SHA256 {
		return LeftOther
	}
	return LeftSame
}

func (b *Backup) putFile(ctx context.Context, file BackupFile, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return b.put(ctx, file, to)
}

// putFolder makes a folder ready beside its place: a kill must not leave some of the definitions, which the next
// restore would leave alone.
func (b *Backup) putFolder(ctx context.Context, files []BackupFile, name, to string) error {
	parent := filepath.Dir(filepath.Clean(to))
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	ready, err := os.MkdirTemp(parent, draftPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(ready)
	if err := os.Chmod(ready, 0o700); err != nil { // the umask may have taken the owner's bits
		return err
	}
	for _, file := range files {
		if err := b.putFile(ctx, file, place(file.Name, name, ready)); err != nil {
			return err
		}
	}
	if err := os.Rename(ready, to); err != nil {
		return err
	}
	return syncDirectory(parent)
}
