package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"prax/store"
)

var (
	errOver    = errors.New("transaction is over")
	errNotOurs = errors.New("not a transaction of this store")
)

// tx is one transaction as a function of a caller sees it: within Update the writer's connection,
// behind a savepoint that the first change opens; within View a reader's, taken at the first read.
type tx struct {
	db    *DB
	ctx   context.Context // ends the long reads of a View; the background one in an Update
	c     *connection
	lease *lease // of a View
	// events and changes begin with those of the functions before this one.
	events  []pending
	changes []change
	notes   *notes // of an Update
	mark    int    // of the moves in notes, how many are of the functions before this one
	others  bool   // the transaction died of those
	saved   bool   // the savepoint is open
	broken  error  // the whole transaction may be gone
	misuse  error  // the answer when the function reports nothing: it must not succeed
	over    bool
}

func (t *tx) writable() bool { return t.lease == nil }

// reader is the connection to read from. A long read waits for one of the few places there are.
func (t *tx) reader(long bool) (*connection, error) {
	if t.over {
		return nil, errOver
	}
	if t.writable() {
		if err := t.settle(); err != nil {
			return nil, err
		}
		return t.c, t.broken
	}
	if err := t.lease.take(t.ctx, long); err != nil {
		return nil, t.ended(err)
	}
	return t.lease.c, nil
}

// writer is the connection to change things with.
func (t *tx) writer() (*connection, error) {
	switch {
	case t.over:
		return nil, errOver
	case !t.writable():
		return nil, store.ErrReadOnly
	case t.broken != nil:
		return nil, t.broken
	}
	if err := t.settle(); err != nil {
		return nil, err
	}
	return t.c, t.save()
}

// save opens the savepoint.
func (t *tx) save() error {
	if t.saved {
		return nil
	}
	if _, err := t.c.exec("SAVEPOINT f"); err != nil {
		return t.failed(err)
	}
	t.saved = true
	reach("after-savepoint")
	return nil
}

// failed remembers when an error may have ended the transaction, so that a function which ignores
// it cannot go on as if nothing had happened, and names the error for the caller.
func (t *tx) failed(err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	err = fault(err)
	t.db.suspect(err)
	if t.writable() && deadly(err) && t.broken == nil {
		t.broken = err
	}
	return fmt.Errorf("store: %w", err)
}

// suspect remembers an error that tells of a damage, and logs the first.
func (db *DB) suspect(err error) {
	if corrupt(err) && db.damage.CompareAndSwap(nil, &err) {
		db.log.Error("the database is damaged: "+nextStep, "error", err)
	}
}

func (t *tx) row(text string, args []any, into ...any) error {
	c, err := t.reader(false)
	if err != nil {
		return err
	}
	return t.failed(c.row(text, args, into...))
}

// list is a long read.
func (t *tx) list(scan func(*sql.Rows) error, text string, args ...any) error {
	c, err := t.reader(true)
	if err != nil {
		return err
	}
	err = c.rows(t.ctx, scan, text, args...)
	if errors.Is(err, errEnough) {
		return nil
	}
	return t.failed(t.ended(err))
}

// ended names the end of a read whose time was over.
func (t *tx) ended(err error) error {
	if err != nil && errors.Is(context.Cause(t.ctx), store.ErrSlow) {
		return store.ErrSlow
	}
	return err
}

// few is a short read of more than one row, where there never are many: it needs no place for a long one.
func (t *tx) few(scan func(*sql.Rows) error, text string, args ...any) error {
	c, err := t.reader(false)
	if err != nil {
		return err
	}
	return t.failed(c.rows(background, scan, text, args...))
}

// errEnough ends a list early.
var errEnough = errors.New("enough")

func (t *tx) exec(text string, args ...any) (int64, error) {
	c, err := t.writer()
	if err != nil {
		return 0, err
	}
	n, err := c.exec(text, args...)
	if err != nil && unique(err) {
		return 0, err // for the caller to name
	}
	return n, t.failed(err)
}

// AddEvent implements [store.Events].
func (t *tx) AddEvent(e store.Event) {
	switch {
	case t.over:
	case !t.writable():
		t.misuse = store.ErrReadOnly
	default:
		t.events = append(t.events, pending{Event: stamp(e, t.db.now())})
	}
}
