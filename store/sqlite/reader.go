package sqlite

import (
	"context"
	"runtime"
	"time"

	"prax/store"
)

// readers are the connections of Views: some for point reads, and fewer for long ones, so that a
// search never takes the last connection from a lookup, nor the last core from the writer.
type readers struct {
	dsn   string
	short chan *connection // nil stands for one that is not open yet
	long  chan *connection
	turns store.Turns // of users at long reads
	lent  bool        // the connection is not ours to open anew
}

func newReaders(dsn string) *readers {
	cores := runtime.GOMAXPROCS(0)
	r := &readers{
		dsn:   dsn,
		short: make(chan *connection, max(2, cores)),
		long:  make(chan *connection, max(1, cores-1)),
	}
	for range cap(r.short) {
		r.short <- nil
	}
	for range cap(r.long) {
		r.long <- nil
	}
	return r
}

// lent has the store itself look by a connection that nobody else uses: that of its writer, before there is one. There is
// one place: no look may begin within another.
func lent(c *connection) *readers {
	place := make(chan *connection, 1)
	place <- c
	return &readers{short: place, long: place, lent: true}
}

// close closes the connections; all leases are over.
func (r *readers) close() {
	for _, places := range []chan *connection{r.short, r.long} {
		for range cap(places) {
			if c := <-places; c != nil {
				_ = c.close()
			}
		}
	}
}

// lease is what a View holds: a connection with a snapshot, and the right to a long read.
type lease struct {
	readers *readers
	c       *connection
	from    chan *connection // where c goes back
	right   chan *connection // where the place goes back that a later long read took
	held    *connection      // what stood in that place
	give    func()           // ends the user's turn
}

// turn makes sure that this is the user's only long read: a place for one goes to who asked first,
// so whoever may ask for many at once would take it from everybody. It comes before the first read,
// so that who waits holds no connection. What is read from then on has so long: a place is taken from
// others, and the log cannot be folded beyond a snapshot.
func (t *tx) turn(user string) error {
	if t.over || t.writable() || t.lease.give != nil {
		return nil
	}
	give, err := t.lease.readers.turns.Take(t.ctx, user)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(t.ctx, t.db.config.ReadLimit, store.ErrSlow)
	t.ctx, t.lease.give = ctx, func() {
		cancel()
		give()
	}
	return nil
}

// take makes sure that there is a snapshot, and a place for a long read.
func (l *lease) take(ctx context.Context, long bool) error {
	if l.c == nil {
		places := l.readers.short
		if long {
			places = l.readers.long
		}
		return l.open(ctx, places)
	}
	if !long || l.from == l.readers.long || l.right != nil {
		return nil
	}
	select {
	case l.held = <-l.readers.long:
		l.right = l.readers.long
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *lease) open(ctx context.Context, places chan *connection) error {
	var c *connection
	select {
	case c = <-places:
	case <-ctx.Done():
		return ctx.Err()
	}
	if c == nil {
		var err error
		if c, err = connect(l.readers.dsn); err != nil {
			places <- nil
			return fault(err)
		}
	}
	if _, err := c.exec("BEGIN"); err != nil {
		_ = c.close()
		places <- nil
		return fault(err)
	}
	l.c, l.from = c, places
	return nil
}

// end lets the snapshot go: to others first, then to the user's next. The error is why a connection that was lent is lost.
func (l *lease) end() (lost error) {
	if l.give != nil {
		defer l.give()
	}
	if l.right != nil {
		l.right <- l.held
	}
	if l.c == nil {
		return nil
	}
	if _, err := l.c.exec("ROLLBACK"); err != nil {
		_ = l.c.close()
		l.c = nil // opened anew by the next
		if l.readers.lent {
			lost = fault(err)
		}
	}
	l.from <- l.c
	return lost
}

// View implements [store.Store].
func (db *DB) View(ctx context.Context, f func(store.Tx) error) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.active.Done()
	if err := db.passGate(ctx); err != nil {
		return err
	}
	return db.look(ctx, f)
}

// look is a View of the store itself, which may look while it is being closed.
func (db *DB) look(ctx context.Context, f func(store.Tx) error) (err error) {
	l := &lease{readers: db.readers}
	t := &tx{db: db, ctx: ctx, lease: l}
	defer func() {
		t.over = true
		if lost := l.end(); err == nil {
			err = lost
		}
	}()
	if err := f(t); err != nil {
		return err
	}
	return t.misuse
}

// gatePatience is how long new Views wait for a log that is being folded back.
const gatePatience = 300 * time.Millisecond

// passGate holds new snapshots back while the log is folded into the database.
func (db *DB) passGate(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	gate := db.gate.Load()
	if gate == nil {
		return nil
	}
	timer := time.NewTimer(gatePatience)
	defer timer.Stop()
	select {
	case <-*gate:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
