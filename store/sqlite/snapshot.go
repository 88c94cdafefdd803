package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"prax/store"
)

// snapshot writes the database as it is at one moment to an empty file: one read transaction, whatever is
// written meanwhile. ctx can end it.
func (db *DB) snapshot(ctx context.Context, path string) error {
	parameters := url.Values{"mode": {"ro"}}
	if db.lock != nil && empty(db.path(databaseName)+"-wal") {
		parameters.Set("immutable", "1") // as in startReading
	}
	// Not query_only: that would forbid the copy too.
	parameters.Set("_pragma", "busy_timeout(5000)")
	c, err := connect(source(db.path(databaseName), parameters))
	if err != nil {
		return err
	}
	defer c.close()
	if _, err := c.conn.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return fault(errors.Join(ctx.Err(), err))
	}
	return nil
}

// settle makes a snapshot a database that was closed in order: no server runs with it, and it needs no
// log. It returns its schema and its newest event.
func settle(path string) (schema int, newest link, err error) {
	c, err := connect(writing(path))
	if err != nil {
		return 0, newest, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	var mode, found string
	if err = c.row(`PRAGMA journal_mode = DELETE`, nil, &mode); err != nil {
		return 0, newest, err
	}
	if err = setRunning(c, false); err != nil {
		return 0, newest, err
	}
	if err = c.row(`PRAGMA quick_check(1)`, nil, &found); err != nil {
		return 0, newest, err
	}
	if found != "ok" {
		return 0, newest, fmt.Errorf("the copy of the database is damaged: %s", store.SafeString(found))
	}
	if schema, err = schemaVersion(c); err != nil {
		return 0, newest, err
	}
	newest, err = c.lastLink()
	return schema, newest, err
}

// laterThan says why the copied chain does not continue the one that a head vouches for, which was read before.
// A head lags behind while a server runs.
func (db *DB) laterThan(head *store.Head, copied *DB) (string, error) {
	vouched := int64(0)
	if head != nil {
		vouched = head.Count
	}
	stands, err := copied.standing(vouched)
	if err != nil {
		return "", err
	}
	if head != nil && head.Count < stands.archived {
		now, err := db.readHead()
		if err != nil || now != nil && *now != *head {
			return "", err // archived meanwhile, under a later head: it is the anchor that vouches for the copy
		}
	}
	stands.running = true
	return stands.problem(head, db.key), nil
}

// syncPath makes a file durable that another hand wrote.
func syncPath(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
