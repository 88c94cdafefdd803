package sqlite

import (
	"errors"
	"fmt"
	"os"
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
	w.checkpoint(gatePatience)
}

// foldIdle does the same when nothing is going on, whatever the size, and waits for nobody.
func (w *writer) foldIdle() {
	if !w.folded {
		w.checkpoint(0)
	}
}

func (w *writer) logSize() int64 {
	info, err := os.Stat(w.db.path(databaseName + "-wal"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// checkpoint waits at most so long for the readers of an older snapshot.
func (w *writer) checkpoint(patience time.Duration) {
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
		w.log.Warn("log could not be folded into the database", "error", err)
		return
	}
	w.folded = busy == 0
	reach("after-checkpoint")
}

// finish empties the log for good and closes the connection; the last one to close removes it.
func (w *writer) finish() error {
	err := setRunning(w.c, false)
	if err != nil {
		w.log.Error("the end could not be noted in the database", "error", err)
	}
	w.checkpoint(5 * time.Second)
	return errors.Join(err, w.c.close())
}
