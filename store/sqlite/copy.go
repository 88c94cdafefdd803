package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// maxExtra bounds one file beside the data: clients.json has at most so much.
const maxExtra = 64 << 20

// errMoved says that somebody was writing to a file while it was read.
var errMoved = errors.New("was changed while it was copied: try again")

// openRegular opens a file to be read. It never waits, whatever stands there.
func openRegular(name string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// copyFile copies one file into the backup. One that changes meanwhile is an error: half of two versions
// is worse than none.
func (b *backup) copyFile(ctx context.Context, dir, from, to string) error {
	f, before, err := openRegular(filepath.Join(dir, filepath.FromSlash(from)))
	if err != nil {
		return err
	}
	defer f.Close()
	out, err := b.create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	n, err := io.Copy(out, &endable{ctx, io.LimitReader(f, before.Size()+1)})
	if err != nil {
		return err
	}
	after, err := f.Stat()
	if err != nil {
		return err
	}
	if n != before.Size() || after.Size() != n || !after.ModTime().Equal(before.ModTime()) {
		return fmt.Errorf("%s %w", f.Name(), errMoved)
	}
	return out.Sync()
}

// endable is a reader that a context ends.
type endable struct {
	ctx context.Context
	r   io.Reader
}

// Read reads until the context ends.
func (e *endable) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.r.Read(p)
}

// copyFolder copies the files of a folder of the data directory, but for those that are being written.
func (b *backup) copyFolder(ctx context.Context, folder string) error {
	entries, err := os.ReadDir(filepath.Join(b.config.Data, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := folder + "/" + entry.Name()
		if !entry.Type().IsRegular() || !dataFile(name) {
			continue
		}
		if err := b.copyFile(ctx, b.config.Data, name, dataFolder+"/"+name); err != nil {
			return err
		}
	}
	return nil
}

// copyExtra copies a file beside the data, or a folder of them.
func (b *backup) copyExtra(ctx context.Context, name, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return b.copyTree(ctx, name, from)
	}
	if info.Size() > maxExtra {
		return fmt.Errorf("%s has more than %d bytes", from, maxExtra)
	}
	return b.copyFile(ctx, filepath.Dir(from), filepath.Base(from), name)
}

// is tells whether a folder is that of the backup.
func (b *backup) is(folder string) bool {
	info, err := os.Stat(folder)
	ours, errOurs := b.root.Stat(".")
	return err == nil && errOurs == nil && os.SameFile(info, ours)
}

// copyTree copies a folder of definitions. What is neither a file nor a folder is an error: it would be
// missing after a restore. A link may lead to a file, not to a folder, which could hold the link itself; and the
// backup in the folder would hold itself.
func (b *backup) copyTree(ctx context.Context, name, from string) error {
	if b.is(from) {
		return fmt.Errorf("%s is the backup itself: name a directory outside of the definitions", from)
	}
	if err := b.root.Mkdir(filepath.FromSlash(name), 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		source := filepath.Join(from, entry.Name())
		if entry.Type()&fs.ModeSymlink != 0 && isDirectory(source) {
			return fmt.Errorf("%s is a link to a folder", source)
		}
		if err := b.copyExtra(ctx, path.Join(name, entry.Name()), source); err != nil {
			return err
		}
	}
	return nil
}
