package sqlite

import (
	"errors"
	"fmt"
	"time"
)

// fold writes the log back into the database and empties it, when it has grown beyond its limit.
// SQLite does the first by itself on commit, but cannot begin the log anew while readers come and
// go without a gap: so new ones wait for a moment.
func (w *writer) fold() {
	if w.logSize() <= w.db.config.WALLimit || time.Since(w.foldTried) < time.Second {
		return
	}
	w.foldTried = time.Now()
	gate := make(chan struct{})
	w.db.gate.Store(&gate)
	defer func() {
		w.db.gate.Store(nil)
		close(gate)
	}()
	w.tryCheckpoint(gatePatience)
}

// foldIdle does the same when nothing is going on, whatever the size, and waits for nobody.
func (w *writer) foldIdle() {
	if !w.folded {
		w.tryCheckpoint(0)
	}
}

func (w *writer) logSize() int64 { return size(w.db.path(databaseName + "-wal")) }

// tryCheckpoint is for when it can as well be done later.
func (w *writer) tryCheckpoint(patience time.Duration) {
	if err := w.checkpoint(patience); err != nil {
		w.log.Warn("log could not be folded into the database", "error", err)
	}
}

// checkpointPatience is how long a start and an end wait for readers that others have open.
const checkpointPatience = 5 * time.Second

// checkpoint waits at most so long for the readers of an older snapshot. That they did not go is no
// error.
func (w *writer) checkpoint(patience time.Duration) error {
	reach("before-checkpoint")
	var busy, size, moved int
	err := w.c.script(fmt.Sprintf("PRAGMA busy_timeout = %d", patience.Milliseconds()))
	if err == nil {
		err = w.c.row(`PRAGMA wal_checkpoint(TRUNCATE)`, nil, &busy, &size, &moved)
	}
	if again := w.c.script("PRAGMA busy_timeout = 5000"); err == nil {
		err = again
	}
	if err != nil {
		return err
	}
	w.folded = busy == 0
	reach("after-checkpoint")
	return nil
}

// finish empties the log for good and closes the connection; the last one to close removes it. It
// is in order when the head was signed over the newest event: otherwise the file goes on saying that a
// server runs.
func (w *writer) finish(inOrder bool) error {
	var err error
	if inOrder {
		if err = setRunning(w.c, false); err == nil {
			err = w.c.keepLog(false)
		}
		if err != nil {
			w.log.Error("the end could not be noted in the database", "error", err)
		}
	}
	w.folded = false
	w.tryCheckpoint(checkpointPatience)
	return errors.Join(err, w.c.close())
}
