package digest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxRead bounds what Read reads.
const maxRead = 8 << 10

// Read reads a small file, such as [Replace] writes. It never waits: what is no regular file, judged on the
// descriptor itself, or has more than 8 KiB, is an error. It does by itself what auth/watch does for the files
// that operators write: both packages import none of ours.
func Read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err == nil && len(text) > maxRead {
		err = fmt.Errorf("%s has more than %d bytes", path, maxRead)
	}
	return text, err
}

// RemoveLeftovers removes what a [Replace] of this file left that was killed before its end. Nobody
// may be replacing the file meanwhile.
func RemoveLeftovers(path string) error {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if leftover(entry.Name(), name) && entry.Type().IsRegular() {
			err = errors.Join(err, os.Remove(filepath.Join(dir, entry.Name())))
		}
	}
	return err
}

func leftover(entry, name string) bool {
	rest, ours := strings.CutPrefix(entry, name+".")
	number, ending := strings.CutSuffix(rest, ".new")
	return ours && ending && number != "" && strings.Trim(number, "0123456789") == ""
}

// Replace writes a file of mode 0600 in one durable step: a reader, and a crash, sees what was
// there before or all of the new content.
func Replace(path string, content []byte) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, filepath.Base(path)+".*.new") // mode 0600 whatever the umask
	if err != nil {
		return err
	}
	defer func() {
		_ = f.Close()
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err := f.Chmod(0o600); err != nil { // the umask may have taken the owner's bits
		return err
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDirectory(dir)
}

func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
