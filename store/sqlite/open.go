package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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
		dir: config.Dir, log: config.Log, now: config.Now, quota: config.Quota, config: config,
		prober: make(chan struct{}, 1),
	}
	db.maxPages.Store(int64(config.MaxPages))
	db.committed.Store(&link{})
	return db
}

func (db *DB) start() error {
	key, err := digest.LoadOrCreateKey(db.path(keyName))
	if err != nil {
		return err
	}
	db.key = key
	c, err := db.openDatabase()
	if err != nil {
		return err
	}
	head, err := c.lastLink()
	if err != nil {
		_ = c.close()
		return fmt.Errorf("open %s: %w", databaseName, fault(err))
	}
	db.committed.Store(&head)
	db.readers = newReaders(reading(db.path(databaseName), nil))
	db.writer = newWriter(db, c, head)
	if err := db.writer.limitPages(); err != nil {
		_ = c.close()
		return fmt.Errorf("open %s: %w", databaseName, fault(err))
	}
	db.keeper = newKeeper(db)
	go db.writer.run()
	db.checkHead()
	go db.keeper.run()
	return nil
}

func newWriter(db *DB, c *connection, head link) *writer {
	return &writer{
		dsn: writing(db.path(databaseName)), c: c, db: db, log: db.log, head: head,
		queue: make(chan *request, maxQueue), stop: make(chan struct{}), finished: make(chan struct{}),
		idle: time.NewTimer(idleAfter),
	}
}

// openDatabase opens the file as the writer, made private and brought up to date.
func (db *DB) openDatabase() (*connection, error) {
	path := db.path(databaseName)
	f, err := openPrivate(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", databaseName, err)
	}
	err = checkHeader(f)
	_ = f.Close()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	logged := exists(path + "-wal")
	c, err := connect(writing(path))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	err = prepareDatabase(c, db.dir)
	if err == nil {
		err = markRunning(c, logged, db.log)
	}
	if err != nil {
		_ = c.close()
		return nil, fmt.Errorf("open %s: %w", path, fault(err))
	}
	return c, nil
}

// markRunning notes in the file that a server runs with it. Where the last one did not end by
// itself there has to be its log: without it the file was copied alone, or the log was removed, so
// it is looked through before anything trusts it.
func markRunning(c *connection, logged bool, log *slog.Logger) error {
	var running bool
	if err := c.row(`SELECT running FROM installation WHERE id = 1`, nil, &running); err != nil {
		return err
	}
	if running && !logged {
		log.Warn("the database was not closed and its log is missing: what was written last is lost")
		var found string
		err := c.row(`PRAGMA integrity_check(1)`, nil, &found)
		if err != nil || found != "ok" {
			return fmt.Errorf("the database was copied without its log (%s-wal) while it was written to, and is damaged: restore a backup", databaseName)
		}
	}
	return setRunning(c, true)
}

func setRunning(c *connection, running bool) error {
	_, err := c.exec(`UPDATE installation SET running = ? WHERE id = 1 AND running <> ?`, running, running)
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// OpenReadOnly opens the store of a data directory to be read, beside a running server or without
// one. Nothing is written: Update returns store.ErrReadOnly, Record does nothing. It makes no file
// beside the database unless a crash left a log without its index.
func OpenReadOnly(dir string) (*DB, error) {
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
