package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"prax/store"
)

const lockName = "prax.lock"

// lockPatience covers a command that is reading the files at this moment.
const lockPatience = 2 * time.Second

// lockDirectory makes this process the only one that writes to the directory, until the file is
// closed or the process ends.
func lockDirectory(ctx context.Context, dir string) (*os.File, error) {
	f, err := openPrivate(filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = f.Close()
			return nil, fmt.Errorf("lock data directory: %w", err)
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, fmt.Errorf("data directory %s is %w: stop it, or choose another directory", dir, store.ErrLocked)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// shareDirectory keeps a writer from starting while the files are read. It returns nil when a
// writer is running, or never has.
func shareDirectory(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must not hold it up
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	return f, nil
}

// openPrivate opens or makes a file of mode 0600, whatever the umask.
func openPrivate(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return f, f.Chmod(0o600)
	}
	if !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	f, err = os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("uid %d may not read and write it: %w", os.Getuid(), err)
	}
	return f, err
}
