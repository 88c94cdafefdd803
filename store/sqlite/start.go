package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"prax/store"
	"prax/store/digest"
)

// start opens the files, judges what is there before anything is added to it, and starts the
// goroutines. Where it fails, what was found stays as it was, or counts as after a crash.
func (db *DB) start() error {
	if err := checkLoss(db.dir); err != nil {
		return err
	}
	if err := db.removeLeftovers(); err != nil {
		return err
	}
	var err error
	if db.key, err = digest.LoadOrCreateKey(db.path(keyName)); err != nil {
		return err
	}
	c, f, err := db.openDatabase()
	if err != nil {
		return err
	}
	db.readers = lent(c)
	if err := db.takeOver(c, f); err != nil {
		_ = c.close()
		return err
	}
	db.readers = newReaders(reading(db.path(databaseName), nil))
	db.keeper = newKeeper(db)
	db.memory = newMemory(db.config.Memory)
	go db.writer.run()
	go db.keeper.run()
	return nil
}

// takeOver makes the database one that a server runs with, under a head that vouches for all of it: that of the last end, if it
// still does, or one that is signed now.
func (db *DB) takeOver(c *connection, f found) error {
	if err := db.inspect(c, f); err != nil {
		return err
	}
	_ = os.Remove(db.path(sealName)) // it was for this start; what it says of other bytes counts for nothing
	problem, err := db.headProblem()
	if err != nil {
		return err
	}
	if problem != "" {
		db.log.Error("audit chain does not match its signed head", "problem", problem)
		if err := db.keepHead(); err != nil {
			return err
		}
	}
	head, err := db.markRunning(c, problem)
	if err != nil {
		return fmt.Errorf("open %s: %w", databaseName, fault(err))
	}
	db.committed.Store(&head)
	db.writer = newWriter(db, c, head)
	if err := errors.Join(db.writer.limitPages(), db.writer.checkpoint(checkpointPatience)); err != nil {
		return fmt.Errorf("open %s: %w", databaseName, fault(err))
	}
	if head, err := db.readHead(); err == nil && head != nil && db.fits(*head) {
		db.tell(*head)
		return nil
	}
	return db.signHead()
}

// checkLoss refuses a directory whose database is gone while its log or its head tells that there was
// one: SQLite removes the log of an empty file, and a new chain would take the place of the old.
func checkLoss(dir string) error {
	if exists(filepath.Join(dir, restoringName)) {
		return fmt.Errorf("a restore into %s was interrupted (%s is there): remove what is in it, and restore again", dir, restoringName)
	}
	path := filepath.Join(dir, databaseName)
	if n, err := regularSize(path); err != nil || n > 0 {
		return err
	}
	logged, err := regularSize(path + "-wal")
	if err != nil {
		return err
	}
	text, err := headText(dir)
	if err != nil {
		return err
	}
	head, err := store.DecodeHead(text)
	if logged > 0 || text != nil && (err != nil || head.Count != 0) {
		return fmt.Errorf("%s is missing or empty, though %s or %s-wal tells of data in it: "+
			"restore a backup of the whole data directory, or choose another one to start anew", path, headName, databaseName)
	}
	return nil
}

// regularSize is the size of a file; 0 when there is none.
func regularSize(path string) (int64, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s is not a file", path)
	}
	return info.Size(), nil
}

// removeLeftovers removes what a kill left of a file that was being replaced.
func (db *DB) removeLeftovers() error {
	err := errors.Join(
		digest.RemoveLeftovers(db.path(headName)),
		digest.RemoveLeftovers(db.path(mismatchName)),
		removeDrafts(db.path(ArchiveName)),
		digest.RemoveKeyLeftovers(db.path(keyName)))
	if err != nil {
		return fmt.Errorf("remove leftovers: %w", err)
	}
	return nil
}

func newWriter(db *DB, c *connection, head link) *writer {
	return &writer{
		dsn: writing(db.path(databaseName)), c: c, db: db, log: db.log, head: head,
		notes: newNotes(), queue: newQueue(), stop: make(chan struct{}), finished: make(chan struct{}),
		idle: time.NewTimer(idleAfter),
	}
}

// openDatabase opens the file as the writer, made private and brought up to date, and tells how it found it.
func (db *DB) openDatabase() (c *connection, was found, err error) {
	path := db.path(databaseName)
	f, err := openPrivate(path)
	if err != nil {
		return nil, was, fmt.Errorf("open %s: %w", databaseName, err)
	}
	err = checkHeader(f)
	was = found{logged: exists(path + "-wal"), sealed: err == nil && db.sealed(f)}
	_ = f.Close()
	if err != nil {
		return nil, was, fmt.Errorf("open %s: %w", path, err)
	}
	if c, err = connect(writing(path)); err != nil {
		return nil, was, fmt.Errorf("open %s: %w", path, explainDamage(err))
	}
	// A log that a crash left has to outlive a start that fails: the next looks for it.
	if err = c.keepLog(was.logged); err == nil {
		err = prepareDatabase(c, db.dir)
	}
	if err != nil {
		_ = c.close()
		return nil, was, fmt.Errorf("open %s: %w", path, explainDamage(fault(err)))
	}
	return c, was, nil
}

// markRunning notes in the file that a server runs with it. In the same transaction, a chain that
// does not match its head gets an event that says so: the next head is signed over it, so that the
// finding cannot be made to disappear by starting once more. It returns the newest event.
func (db *DB) markRunning(c *connection, problem string) (head link, err error) {
	if err := c.keepLog(true); err != nil {
		return head, err
	}
	if err := c.script("BEGIN IMMEDIATE"); err != nil {
		return head, err
	}
	head, err = c.lastLink()
	if err == nil && problem != "" {
		e := store.Event{Kind: store.EventServer, Outcome: outcomeBroken, Detail: detail("problem", problem)}
		head, err = c.appendEvents(head, []pending{{Event: stamp(e, db.now())}})
	}
	if err == nil {
		err = setRunning(c, true)
	}
	if err == nil {
		err = c.script("COMMIT")
	}
	if err != nil {
		_ = c.script("ROLLBACK")
	}
	return head, err
}

func setRunning(c *connection, running bool) error {
	_, err := c.exec(`UPDATE installation SET running = ? WHERE id = 1 AND running <> ?`, running, running)
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
