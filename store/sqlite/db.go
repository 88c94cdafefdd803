package sqlite

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"prax/store"
	"prax/store/digest"
)

// DB is a [store.Store] in one data directory. It is safe for use by many goroutines.
type DB struct {
	dir    string
	log    *slog.Logger
	now    func() time.Time
	quota  store.Quota
	key    *digest.Key // nil when it is only read and the key is not readable
	lock   *os.File
	config Config
	born   time.Time // carries the clock that nobody sets

	readers *readers
	writer  *writer       // nil when it is only read
	keeper  *keeper       // nil when it is only read
	memory  *memory       // of instances; nil when it is only read: others write then
	prober  chan struct{} // held by the one Health that looks
	mover   chan struct{} // held by the one Archive that runs
	probed  time.Time     // when it last wrote; the prober's

	signing sync.Mutex // of the head

	mu     sync.Mutex
	closed bool
	active sync.WaitGroup // Views and Updates

	gate       atomic.Pointer[chan struct{}] // set while the log is folded
	committed  atomic.Pointer[link]          // head of the chain
	trouble    atomic.Pointer[error]         // what the last transaction failed with
	damage     atomic.Pointer[error]         // the first that told of a damaged file
	lastCommit atomic.Int64                  // nanoseconds after born
	maxPages   atomic.Int64
}

var _ store.Store = (*DB)(nil)

func (db *DB) path(name string) string { return filepath.Join(db.dir, name) }

// Key is the installation key: for the MAC of arguments. It is nil when the store is open for
// reading only and the key is not readable.
func (db *DB) Key() *digest.Key { return db.key }

// enter counts a View or Update in, unless the store is closed.
func (db *DB) enter() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return store.ErrClosed
	}
	db.active.Add(1)
	return nil
}

// Close implements [store.Store]. It waits for the Views and Updates that are under way.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return store.ErrClosed
	}
	db.closed = true
	db.mu.Unlock()
	db.active.Wait()
	var err error
	if db.writer != nil {
		err = db.end()
	} else {
		db.readers.close()
	}
	if db.lock != nil {
		err = errors.Join(err, db.lock.Close())
	}
	return err
}

// end is the end of a store that wrote.
func (db *DB) end() error {
	err := db.stopWriter()
	unsigned := db.signHead()
	db.readers.close()
	err = errors.Join(err, unsigned, db.writer.finish(unsigned == nil))
	if err == nil && db.writer.folded && db.damage.Load() == nil {
		db.seal()
	}
	return err
}

// stopWriter flushes and stops the goroutines.
func (db *DB) stopWriter() error {
	err := db.keeper.close()
	close(db.writer.stop)
	<-db.writer.finished
	return err
}
