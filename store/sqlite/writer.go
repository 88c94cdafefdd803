package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"prax/store"
)

// request is one caller's function on its way to the disk.
type request struct {
	ctx   context.Context // consulted until the function starts
	f     func(store.Tx) error
	state atomic.Int32
	err   error
	done  chan struct{} // closed when err is the answer
}

const (
	waiting int32 = iota
	started
	abandoned
)

// writer is the goroutine that owns the one writing connection.
type writer struct {
	dsn      string
	c        *connection
	db       *DB
	log      *slog.Logger
	queue    *queue
	stop     chan struct{}
	finished chan struct{}

	head    link       // of the chain, committed
	batch   []*request // taken from the queue and not answered
	current *request   // whose function is running
	again   []*request // to be served anew: the batch of a function that ended the goroutine
	events  []pending
	block   gathering // of gathered; empty between two commits
	changes []change  // of instances, in the open transaction
	notes   *notes
	dirty   bool // the open transaction has changes
	idle    *time.Timer

	folded    bool // the log is empty
	foldTried time.Time

	failures   int // of transactions since the last line about one
	complaint  int // SQLite's code in that line
	complained time.Time
}

// Update implements [store.Store].
func (db *DB) Update(ctx context.Context, f func(store.Tx) error) error {
	if db.writer == nil {
		return store.ErrReadOnly
	}
	if err := db.enter(); err != nil {
		return err
	}
	defer db.active.Done()
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{ctx: ctx, f: f, done: make(chan struct{})}
	if err := db.writer.queue.add(asker{client: store.Client(ctx)}, r); err != nil {
		return err
	}
	return r.wait()
}

// wait waits for the answer, or leaves before the function has started.
func (r *request) wait() error {
	select {
	case <-r.done:
		return r.err
	case <-r.ctx.Done():
		if r.state.CompareAndSwap(waiting, abandoned) {
			return r.ctx.Err()
		}
		<-r.done
		return r.err
	}
}

// starts tells whether the function is to be run: its caller has not left.
func (r *request) starts() bool {
	if r.state.Load() == started {
		return true // in an earlier transaction, which died
	}
	if err := r.ctx.Err(); err != nil {
		r.err = err
		return false
	}
	return r.state.CompareAndSwap(waiting, started)
}

// insist runs a function of the store itself.
func (w *writer) insist(f func(store.Tx) error) error {
	r := &request{ctx: background, f: f, done: make(chan struct{})}
	if err := w.queue.add(asker{own: true}, r); err != nil {
		return err
	}
	return r.wait()
}

// run serves requests until stop is closed and the queue is empty.
func (w *writer) run() {
	defer func() {
		if w.current == nil {
			close(w.finished)
			return
		}
		w.survive()
		go w.run()
	}()
	for {
		first := w.next()
		if first == nil {
			return
		}
		w.serve(first)
		w.fold()
	}
}

// survive cleans up after a function that ended the writer's goroutine (runtime.Goexit).
func (w *writer) survive() {
	w.rollback()
	culprit := w.current
	culprit.err = errors.New("update function ended its goroutine")
	w.current = nil
	for _, r := range w.batch {
		if r != culprit {
			w.again = append(w.again, r)
		}
	}
	close(culprit.done)
}

// next waits for a request; nil means stop.
func (w *writer) next() *request {
	if n := len(w.again); n > 0 {
		r := w.again[n-1]
		w.again = w.again[:n-1]
		return r
	}
	for {
		if r := w.queue.take(); r != nil {
			return r
		}
		w.idle.Reset(idleAfter)
		select {
		case <-w.queue.some:
		case <-w.idle.C:
			w.foldIdle()
		case <-w.stop:
			return w.queue.take()
		}
	}
}

// queued yields first and whatever waits, up to a batch, and keeps account of it. Before it gives up it lets the callers
// that were just answered, or are about to ask, have the processor: a lone caller loses nothing
// by that, and many share one commit.
func (w *writer) queued(first *request) func() *request {
	w.batch = nil
	take := func(r *request) *request {
		w.batch = append(w.batch, r)
		return r
	}
	yields := 0
	return func() *request {
		switch len(w.batch) {
		case 0:
			return take(first)
		case maxBatch:
			return nil
		}
		for {
			if r := w.queue.take(); r != nil {
				return take(r)
			}
			if yields == maxYield {
				return nil
			}
			yields++
			runtime.Gosched()
		}
	}
}

// listed yields the requests of a list.
func listed(requests []*request) func() *request {
	return func() *request {
		if len(requests) == 0 {
			return nil
		}
		r := requests[0]
		requests = requests[1:]
		return r
	}
}

// serve runs one batch and answers it. When its transaction dies, the request that it died of is
// answered with that, and the others are run again together; when that fails too, one by one.
func (w *writer) serve(first *request) {
	culprit, err := w.together(w.queued(first))
	if err != nil {
		w.complain(err)
	}
	rest := blame(w.batch, culprit, err)
	if err != nil && culprit != nil && len(rest) > 1 {
		culprit, err = w.together(listed(rest))
		rest = blame(rest, culprit, err)
	}
	if err != nil {
		for _, r := range rest {
			if _, err := w.together(listed([]*request{r})); err != nil {
				r.err = err
			}
		}
	}
	reach("before-answer")
	for _, r := range w.batch {
		close(r.done)
	}
	w.batch = nil
}

// complainEvery is how often one kind of failure is logged: a full disk fails every request there is.
const complainEvery = time.Second

// complain logs that a batch failed.
func (w *writer) complain(err error) {
	w.failures++
	if code(err) == w.complaint && time.Since(w.complained) < complainEvery {
		return
	}
	w.log.Error("transaction failed", "failures_since_last_line", w.failures, "error", err)
	w.failures, w.complaint, w.complained = 0, code(err), time.Now()
}

// blame answers the one that a transaction died of, and returns the others.
func blame(batch []*request, culprit *request, err error) []*request {
	if culprit == nil {
		return batch
	}
	culprit.err = err
	rest := make([]*request, 0, len(batch))
	for _, r := range batch {
		if r != culprit {
			rest = append(rest, r)
		}
	}
	return rest
}

// call runs a caller's function. A panic fails that caller only.
func (w *writer) call(r *request, t *tx) (err error) {
	defer func() {
		if v := recover(); v != nil {
			w.log.Error("update function panicked", "panic", v, "stack", string(debug.Stack()))
			err = fmt.Errorf("update function panicked: %v", v)
		}
	}()
	return r.f(t)
}
