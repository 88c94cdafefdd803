package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"prax/store"
)

// coded is what an error of the driver is, and no other that passes here.
type coded interface {
	error
	Code() int
}

// code is SQLite's primary result code; 0 when the error is none of SQLite's.
func code(err error) int {
	if e, ok := errors.AsType[coded](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// unique tells whether a statement failed because a value is taken.
func unique(err error) bool {
	e, ok := errors.AsType[coded](err)
	return ok && (e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// fault names what a caller or an operator can act on.
func fault(err error) error {
	switch code(err) {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("the file is not a database: %w", err)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("the database is damaged: %w", err)
	default:
		return err
	}
}

// deadly tells whether an error may have ended the whole transaction, not only its statement:
// SQLite rolls back by itself when the disk is full, when it cannot read or write, when it runs
// out of memory and when it is interrupted. Whatever is unknown counts as deadly.
func deadly(err error) bool {
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	switch code(err) {
	case 0: // not of SQLite: a conversion, for instance
		return false
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_RANGE, sqlite3.SQLITE_TOOBIG:
		return false
	default:
		return true
	}
}
