package sqlite

import (
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"prax/store"
)

// How much of a database a start looks through, so that it stays quick.
const (
	inspectAlways  = 32 << 20  // bytes of a file whose pages are checked at every start
	inspectUnclean = 256 << 20 // and after a server that did not end by itself
	inspectEvents  = 1000      // newest events that are decoded
	inspectBody    = 4 << 20   // and bytes of them
)

// The statements that look through a database.
const (
	quickly    = "PRAGMA quick_check(1)"
	thoroughly = "PRAGMA integrity_check(1)"
)

// found is a database file as a start finds it.
type found struct {
	logged bool // with the log of a server
	sealed bool // as an end in order left it, which had inspected it
}

// inspect looks at a database before anything trusts it, and refuses one that is damaged. Where
// the last server did not end by itself there has to be its log: without it the file was copied
// alone, or the log was removed.
func (db *DB) inspect(c *connection, f found) error {
	running, size, err := extent(c)
	switch {
	case err != nil:
		return err
	case running && !f.logged:
		db.log.Warn("the database was not closed and its log is missing: what was written last is lost")
		err = db.lookThrough(c, thoroughly)
	case f.sealed && !f.logged:
		return nil
	case size <= inspectAlways || running && size <= inspectUnclean:
		err = db.lookThrough(c, quickly)
	}
	if err != nil {
		return err
	}
	return db.inspectEvents(c)
}

// sound tells, after an end in order, whether the next start would find the database sound; false for one that is too
// large to be looked through.
func (db *DB) sound(c *connection) bool {
	_, size, err := extent(c)
	return err == nil && size <= inspectAlways && db.lookThrough(c, quickly) == nil && db.inspectEvents(c) == nil
}

// extent tells how large a database is, in bytes, and whether a server runs with it, or did not end by itself.
func extent(c *connection) (running bool, size int64, err error) {
	err = c.row(`SELECT running, (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)
		FROM installation WHERE id = 1`, nil, &running, &size)
	if err != nil {
		err = explainDamage(fault(err))
	}
	return running, size, err
}

func (db *DB) lookThrough(c *connection, check string) error {
	var verdict string
	err := c.row(check, nil, &verdict)
	if err != nil && !corrupt(err) {
		return fmt.Errorf("check %s: %w", databaseName, fault(err))
	}
	if err != nil || verdict != "ok" {
		db.log.Error("the database is damaged", "found", store.SafeString(verdict), "error", err)
		return fmt.Errorf("%s is damaged, or was copied without its log (%s-wal) while it was written to: %s", databaseName, databaseName, nextStep)
	}
	return nil
}

// nextStep is what an operator does about damage.
const nextStep = "restore a backup of the whole data directory"

// inspectEvents decodes the newest events.
func (db *DB) inspectEvents(c *connection) error {
	head, err := c.lastLink()
	if err != nil {
		return explainDamage(fault(err))
	}
	bytes := 0
	for last := head.seq; last > max(0, head.seq-inspectEvents) && bytes < inspectBody; last -= verifyStep {
		var next stretch
		if err := db.look(background, next.after(max(0, last-verifyStep))); err != nil {
			return explainDamage(err)
		}
		for _, s := range next.stored {
			if _, err := s.event(); err != nil {
				db.log.Error("the database is damaged", "error", err)
				return fmt.Errorf("the newest events cannot be read: %s: %w", nextStep, err)
			}
			bytes += s.size()
		}
	}
	return nil
}

func (s storedEvent) size() int {
	n := len(s.body)
	for _, share := range s.shares {
		n += len(share.Calls)
	}
	return n
}

// corrupt tells whether an error is about the content of the file.
func corrupt(err error) bool {
	c := code(err)
	return c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB
}

// explainDamage adds what to do about it.
func explainDamage(err error) error {
	if !corrupt(err) {
		return err
	}
	return fmt.Errorf("%w: %s", err, nextStep)
}
