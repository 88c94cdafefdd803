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

// Left says what became of a file that stood in the place of one of the backup.
type Left string

// What may have become of it. Nothing is ever overwritten.
const (
	LeftNothing Left = ""     // nothing stood there
	LeftSame    Left = "same" // it has the same content
	LeftOther   Left = "other"
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
// path. What stands there is left alone, a folder as a whole.
func (b *Backup) Put(ctx context.Context, name, to string) (placed []Placed, err error) {
	folderStands := exists(to)
	for _, file := range b.Manifest.Files {
		at := Placed{Name: file.Name, Path: to}
		if below, inside := strings.CutPrefix(file.Name, name+"/"); inside {
			at.Path = filepath.Join(to, filepath.FromSlash(below))
		} else if file.Name != name {
			continue
		}
		if at.Left, err = b.putOne(ctx, file, at.Path, folderStands); err != nil {
			return placed, err
		}
		placed = append(placed, at)
	}
	return placed, nil
}

func (b *Backup) putOne(ctx context.Context, file BackupFile, to string, stands bool) (Left, error) {
	if stands {
		f, info, err := openRegular(to)
		if err != nil {
			return LeftOther, nil
		}
		_ = f.Close()
		if info.Size() != file.Size {
			return LeftOther, nil
		}
		if _, sum, err := sumFile(to); err != nil || sum != file.SHA256 {
			return LeftOther, nil
		}
		return LeftSame, nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return LeftNothing, err
	}
	err := b.put(ctx, file, to)
	if errors.Is(err, fs.ErrExist) {
		return LeftOther, nil
	}
	return LeftNothing, err
}
