package sqlite

import (
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"prax/store"
)

// keeper takes the events of calls that changed nothing and brings them into the chain in blocks.
// It also signs the head from time to time. Nothing is lost silently: while the store cannot
// write, events wait; when more wait than memory allows, the rest is counted, in the log and in
// the next block that gets through.
type keeper struct {
	db       *DB
	mu       sync.Mutex
	room     *sync.Cond
	events   []store.Event
	bytes    int
	failing  error // of the last flush
	lost     int64
	first    chan struct{} // an event waits
	full     chan struct{} // enough events wait
	moved    chan struct{} // the chain has a new event
	stop     chan struct{}
	finished chan struct{}
}

func newKeeper(db *DB) *keeper {
	k := &keeper{
		db:       db,
		first:    make(chan struct{}, 1),
		full:     make(chan struct{}, 1),
		moved:    make(chan struct{}, 1),
		stop:     make(chan struct{}),
		finished: make(chan struct{}),
	}
	k.room = sync.NewCond(&k.mu)
	return k
}

// Record implements [store.Store].
func (db *DB) Record(e store.Event) {
	if db.keeper == nil {
		return
	}
	if err := db.enter(); err != nil {
		db.log.Error("event recorded after the store was closed", "kind", e.Kind, "request_id", store.SafeString(e.RequestID))
		return
	}
	defer db.active.Done()
	db.keeper.take(stamp(e, db.now()))
}

func (k *keeper) take(e store.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.bytes >= maxRecordBytes {
		if k.failing != nil {
			k.lost++
			return
		}
		k.room.Wait() // the writer is only slow: callers slow down with it
	}
	k.events = append(k.events, e)
	k.bytes += size(e)
	if len(k.events) == 1 {
		signal(k.first)
	}
	if k.failing == nil && (k.bytes >= blockBytes || len(k.events) >= blockCalls) {
		signal(k.full) // while the store cannot write, the retry's pace counts
	}
}

// size is about what an event needs in memory.
func size(e store.Event) int {
	const fixed = 256
	return fixed + len(e.RequestID) + len(e.Client) + len(e.User) + len(e.Remote) + len(e.Tool) + len(e.Method) +
		len(e.Decision) + len(e.Outcome) + len(e.Code) + len(e.Args) + len(e.Detail)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (k *keeper) run() {
	defer close(k.finished)
	flush := time.NewTimer(time.Hour)
	flush.Stop()
	defer flush.Stop()
	head := newHeadTimer(k.db.config.HeadEvery)
	defer head.timer.Stop()
	for {
		select {
		case <-k.first:
			flush.Reset(k.db.config.BlockEvery)
		case <-k.full:
			k.flush(flush)
		case <-flush.C:
			k.flush(flush)
		case <-k.moved:
			head.arm()
		case <-head.timer.C:
			head.rang(k.db.sign())
		case <-k.stop:
			return
		}
	}
}

// retryEvery is how long a failed flush waits for its next try.
const retryEvery = time.Second

func (k *keeper) flush(again *time.Timer) {
	if err := k.write(); err != nil {
		k.db.log.Error("audit events could not be written, they are kept", "error", err)
		again.Reset(retryEvery)
	}
}

// write brings what waits into the chain.
func (k *keeper) write() error {
	for {
		k.mu.Lock()
		n := min(len(k.events), blockCalls)
		calls := k.events[:n:n]
		lost := k.lost
		k.mu.Unlock()
		if n == 0 && lost == 0 {
			return nil
		}
		err := k.writeBlock(calls, lost)
		k.settle(n, lost, err)
		if err != nil {
			return err
		}
	}
}

func (k *keeper) writeBlock(calls []store.Event, lost int64) error {
	block := store.Event{Kind: store.EventBlock, Calls: calls}
	if lost > 0 {
		block.Detail = detail("lost", lost)
	}
	reach("before-block")
	err := k.db.writer.insist(func(t store.Tx) error {
		t.AddEvent(block)
		return nil
	})
	reach("after-block")
	return err
}

// settle takes out what was written.
func (k *keeper) settle(n int, lost int64, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.room.Broadcast()
	k.failing = err
	if err != nil {
		return
	}
	for _, e := range k.events[:n] {
		k.bytes -= size(e)
	}
	k.events = k.events[n:]
	k.lost -= lost
	if len(k.events) == 0 {
		k.events = nil
	}
}

// health says what keeps events from being written.
func (k *keeper) health() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failing != nil {
		return fmt.Errorf("%d audit events wait to be written, %d were lost: %w", len(k.events), k.lost, k.failing)
	}
	return nil
}

// close writes what waits; nobody records any more.
func (k *keeper) close() error {
	close(k.stop)
	<-k.finished
	if err := k.write(); err != nil {
		return fmt.Errorf("%d audit events could not be written: %w", len(k.events), err)
	}
	return nil
}

// detail is a JSON object with one member.
func detail(name string, value any) string {
	text, _ := json.Marshal(map[string]any{name: value}) // numbers and valid strings
	return string(text)
}
