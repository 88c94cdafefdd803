package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"prax/store"
	"prax/store/digest"
)

// Open opens the store of a data directory for this process alone, makes it when there is none,
// and brings its schema up to date. The error is one sentence for an operator; it wraps
// store.ErrLocked when another process has the directory, store.ErrNewer when a newer prax wrote
// it. ctx bounds the opening only.
func Open(ctx context.Context, config Config) (*DB, error) {
	config = config.withDefaults()
	if err := prepareDirectory(config.Dir, config.Log); err != nil {
		return nil, err
	}
	db := newDB(config)
	lock, err := lockDirectory(ctx, config.Dir)
	if err != nil {
		return nil, unusable(config.Dir, err)
	}
	db.lock = lock
	if err := db.start(); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return db, nil
}

// unusable explains what an operating system's error means for the directory.
func unusable(dir string, err error) error {
	if errors.Is(err, store.ErrLocked) {
		return err
	}
	return explain(dir, err)
}

func newDB(config Config) *DB {
	db := &DB{
		dir: config.Dir, log: config.Log, now: config.Now, quota: config.Quota, config: config, born: time.Now(),
		prober: make(chan struct{}, 1), mover: make(chan struct{}, 1),
	}
	db.maxPages.Store(int64(config.MaxPages))
	db.committed.Store(&link{})
	return db
}

// OpenReadOnly opens the store of a data directory to be read, beside a running server or without
// one. Nothing is written: Update returns store.ErrReadOnly, Record does nothing. It makes no file
// beside the database unless a crash left a log without its index.
func OpenReadOnly(dir string) (*DB, error) {
	if err := checkLoss(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, databaseName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s does not exist: no server has run with this data directory", path)
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	db := newDB(Config{Dir: dir}.withDefaults())
	if db.lock, err = shareDirectory(dir); err != nil {
		return nil, err
	}
	if err := db.startReading(path); err != nil {
		if db.lock != nil {
			_ = db.lock.Close()
		}
		return nil, err
	}
	return db, nil
}

func (db *DB) startReading(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = checkHeader(f)
	_ = f.Close()
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	parameters := url.Values{"mode": {"ro"}}
	if db.lock != nil && empty(path+"-wal") {
		// Nobody writes while the lock is shared, so the file may be read as it lies.
		parameters.Set("immutable", "1")
	}
	c, err := connect(reading(path, parameters))
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer c.close()
	if err := checkVersion(c); err != nil {
		return fmt.Errorf("open %s: %w", path, fault(err))
	}
	head, err := c.lastLink()
	if err != nil {
		return fmt.Errorf("open %s: %w", path, fault(err))
	}
	db.committed.Store(&head)
	db.key, err = digest.LoadKey(db.path(keyName))
	if err != nil {
		db.log.Warn("installation key is not readable", "error", err)
	}
	db.readers = newReaders(reading(path, parameters))
	return nil
}

func empty(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Size() == 0
}
