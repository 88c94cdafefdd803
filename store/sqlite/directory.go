package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"prax/store/digest"
)

// The files of a data directory.
const (
	databaseName = "prax.db"
	headName     = "audit-head.json"
	keyName      = "keys/audit.key"
)

// LoadKey reads the installation key of a data directory.
func LoadKey(dir string) (*digest.Key, error) { return digest.LoadKey(filepath.Join(dir, keyName)) }

// prepareDirectory makes the data directory, or looks at the one that is there.
func prepareDirectory(dir string, log *slog.Logger) error {
	if dir == "" {
		return errors.New("no data directory given")
	}
	if err := makeDirectory(dir); err != nil {
		return err
	}
	for _, name := range []string{".", "keys", databaseName, databaseName + "-wal", databaseName + "-shm", lockName, headName, keyName} {
		warnIfOpen(filepath.Join(dir, name), log)
	}
	return nil
}

func makeDirectory(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		return os.Chmod(dir, 0o700)
	}
	if !errors.Is(err, fs.ErrExist) {
		return explain(dir, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return explain(dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("data directory %s is a file", dir)
	}
	return checkOwner(dir, info)
}

// checkOwner keeps root out of another user's directory: what root writes there, the server that runs
// as its owner can read no more.
func checkOwner(dir string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 || stat.Uid == 0 {
		return nil
	}
	return fmt.Errorf("data directory %s belongs to uid %d: do this as that user (sudo -u '#%d'), who could not read what root writes", dir, stat.Uid, stat.Uid)
}

// explain says in one sentence why a directory cannot be used, and as whom.
func explain(dir string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("data directory %s: its parent directory does not exist", dir)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("data directory %s: its parent is a file", dir)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("data directory %s: uid %d may not read and write there", dir, os.Getuid())
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("data directory %s is on a read-only file system", dir)
	default:
		return fmt.Errorf("data directory %s: %w", dir, err)
	}
}

// warnIfOpen tells the operator about a file that others than the owner can reach.
func warnIfOpen(path string, log *slog.Logger) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		log.Warn("file is open to others: chmod go= it", "path", path, "mode", info.Mode().Perm().String())
	}
}
