package sqlite

import (
	"database/sql"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
)

// moment is a time as the tables keep it.
func moment(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// later is a time that may be missing.
func later(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return moment(ms.Int64)
}

// millis is a time that may be missing, for a statement.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// stamped is a time, or now when there is none.
func stamped(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t
}

// optional is a JSON text that may be missing, for a statement.
func optional(v jsontext.Value) any {
	if v == nil {
		return nil
	}
	return string(v)
}

// missing names a row that is not there as callers know it.
func missing(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return store.ErrNotFound
	}
	return err
}
