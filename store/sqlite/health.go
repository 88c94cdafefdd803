package sqlite

import (
	"context"
	"time"

	"prax/store"
)

// freshEnough is how long a successful commit vouches for the next.
const freshEnough = time.Second

// probeBytes is what the probe writes: a few pages, so that it fails where an ordinary write would.
const probeBytes = 16 << 10

// Health implements [store.Store]. When nothing was written lately it writes, and takes back, a few
// pages; asked more often than once a second it answers what it found last.
func (db *DB) Health(ctx context.Context) error {
	if db.writer == nil {
		return store.ErrReadOnly
	}
	select {
	case db.prober <- struct{}{}:
		defer func() { <-db.prober }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if damage := db.damage.Load(); damage != nil {
		return explainDamage(*damage) // until it is started on sound files
	}
	if err := db.keeper.health(); err != nil {
		return err
	}
	trouble := db.trouble.Load()
	if trouble == nil && time.Since(db.born)-time.Duration(db.lastCommit.Load()) < freshEnough {
		return db.open()
	}
	if trouble != nil && time.Since(db.probed) < freshEnough {
		return *trouble
	}
	db.probed = time.Now()
	return db.Update(ctx, db.probe)
}

func (db *DB) open() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return store.ErrClosed
	}
	return nil
}

func (db *DB) probe(s store.Tx) error {
	t, ours := s.(*tx)
	if !ours {
		return errNotOurs
	}
	at := db.now().UnixMilli()
	if _, err := t.exec(`UPDATE installation SET at = ?, filler = zeroblob(?) WHERE id = 1`, at, probeBytes); err != nil {
		return err
	}
	_, err := t.exec(`UPDATE installation SET filler = x'' WHERE id = 1`)
	return err
}
