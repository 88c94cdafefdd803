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

// inspect looks at a database before anything trusts it, and refuses one that is damaged. Where
// the last server did not end by itself there has to be its log: without it the file was copied
// alone, or the log was removed.
func (db *DB) inspect(c *connection, logged bool) error {
	var running bool
	var size int64
	if err := c.row(`SELECT running, (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)
		FROM installation WHERE id = 1`, nil, &running, &size); err != nil {
		return explainDamage(fault(err))
	}
	check := ""
	switch {
	case running && !logged:
		db.log.Warn("the database was not closed and its log is missing: what was written last is lost")
		check = "PRAGMA integrity_check(1)"
	case size <= inspectAlways || running && size <= inspectUnclean:
		check = "PRAGMA quick_check(1)"
	}
	if check != "" {
		var found string
		err := c.row(check, nil, &found)
		if err != nil && !corrupt(err) {
			return fmt.Errorf("check %s: %w", databaseName, fault(err))
		}
		if err != nil || found != "ok" {
			db.log.Error("the database is damaged", "found", store.SafeString(found), "error", err, "log_missing", running && !logged)
			return fmt.Errorf("%s is damaged, or was copied without its log (%s-wal) while it was written to: %s", databaseName, databaseName, nextStep)
		}
	}
	return db.inspectEvents(c)
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
		stretch, err := db.stretchAfter(background, max(0, last-verifyStep))
		if err != nil {
			return explainDamage(err)
		}
		for _, s := range stretch.stored {
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
