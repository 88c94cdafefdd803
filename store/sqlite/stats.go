package sqlite

import "os"

// Stats is how the store is doing, for metrics.
type Stats struct {
	Queue    int    // functions that wait for the writer now
	Busy     uint64 // functions that were refused since the start because too many waited
	Database int64  // bytes of the database
	WAL      int64  // bytes of the log beside it
}

// Stats looks at the queue and at the files. It reads nothing of the database.
func (db *DB) Stats() Stats {
	s := Stats{Database: size(db.path(databaseName)), WAL: size(db.path(databaseName + "-wal"))}
	if db.writer != nil {
		s.Queue, s.Busy = db.writer.queue.length()
	}
	return s
}

// length is how many requests wait, and how many were refused so far.
func (q *queue) length() (waiting int, busy uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n, q.busy
}

// size is that of a file; 0 when there is none.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
