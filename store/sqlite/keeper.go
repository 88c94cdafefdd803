package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"prax/store"
)

// keeper takes the events of calls that changed nothing and brings them into the chain in blocks.
// It also signs the head from time to time, and merges leads. Nothing is lost silently: while the store cannot
// write, events wait; when more wait than memory allows, the rest is counted, in the log and in
// the next block that gets through.
type keeper struct {
	db       *DB
	mu       sync.Mutex
	room     *sync.Cond
	blocks   []*gathering // oldest first; what comes goes into the last
	bytes    int          // of the events in blocks, and in the one on its way
	failing  error        // of the last flush
	lost     int64
	runs     atomic.Int64  // of leads that were written since some were merged
	spare    *gathering    // an empty one
	first    chan struct{} // a block was begun, and none waits before it
	full     chan struct{} // a block is full
	moved    chan struct{} // the chain has a new event
	stop     chan struct{}
	finished chan struct{}
}

// gathering is a block that takes what comes, or waits to be written.
type gathering struct {
	store.Block
	since time.Time // when it was begun
}

func (g *gathering) full() bool { return g.Len() >= blockCalls || g.Size() >= blockBytes }

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
	if e.At.IsZero() {
		e.At = db.now()
	}
	db.keeper.take(&e)
}

func (k *keeper) take(e *store.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.bytes >= maxRecordBytes {
		if k.failing != nil {
			k.lost++
			return
		}
		k.room.Wait() // the writer is only slow: callers slow down with it
	}
	g := k.last()
	before := g.Size()
	g.Add(e)
	k.bytes += g.Size() - before
	if g.full() && k.failing == nil {
		signal(k.full) // while the store cannot write, the retry's pace counts
	}
}

// last is the block for what comes.
func (k *keeper) last() *gathering {
	if n := len(k.blocks); n > 0 && !k.blocks[n-1].full() {
		return k.blocks[n-1]
	}
	g := k.spare
	if k.spare = nil; g == nil {
		g = new(gathering)
	}
	g.since = time.Now()
	k.blocks = append(k.blocks, g)
	if len(k.blocks) == 1 {
		signal(k.first)
	}
	return g
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
			k.arm(flush)
		case <-k.full:
			k.flush(flush)
		case <-flush.C:
			k.flush(flush)
		case <-k.moved:
			head.arm()
			k.merge()
		case <-head.timer.C:
			head.rang(k.db.sign())
		case <-k.stop:
			return
		}
	}
}

// retryEvery is how long a failed flush waits for its next try.
const retryEvery = time.Second

func (k *keeper) flush(timer *time.Timer) {
	if err := k.write(false); err != nil {
		k.db.log.Error("audit events could not be written, they are kept", "error", err)
		timer.Reset(retryEvery)
		return
	}
	k.arm(timer)
}

// merge merges leads, when there may be enough.
func (k *keeper) merge() {
	if k.runs.Load() < mergeRuns {
		return
	}
	k.runs.Store(0)
	if err := k.db.mergeLeads(); err != nil && !errors.Is(err, store.ErrClosed) {
		k.db.log.Warn("leads to audited calls could not be merged", "error", err)
	}
}

// arm sets the timer to when the oldest block has waited long enough.
func (k *keeper) arm(timer *time.Timer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.blocks) > 0 && k.failing == nil {
		timer.Reset(k.db.config.BlockEvery - time.Since(k.blocks[0].since))
	}
}

// write brings the blocks into the chain that are full or have waited long enough, or all. One that is
// neither goes on growing: as many calls as may share a commit.
func (k *keeper) write(all bool) error {
	for {
		g, lost := k.next(all)
		if g == nil {
			return nil
		}
		err := k.writeBlock(g, lost)
		k.settle(g, lost, err)
		if err != nil {
			return err
		}
	}
}

// next takes out the next block to be written, and tells how many events were lost.
func (k *keeper) next(all bool) (*gathering, int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.blocks) == 0 {
		if k.lost == 0 {
			return nil, 0
		}
		return new(gathering), k.lost
	}
	g := k.blocks[0]
	if !all && !g.full() && time.Since(g.since) < k.db.config.BlockEvery {
		return nil, 0
	}
	k.blocks = slices.Delete(k.blocks, 0, 1)
	return g, k.lost
}

func (k *keeper) writeBlock(g *gathering, lost int64) error {
	block := pending{Event: store.Event{Kind: store.EventBlock}, shares: g.Shares(), size: g.Size()}
	if lost > 0 {
		block.Detail = detail("lost", lost)
	}
	reach("before-block")
	err := k.db.writer.insist(func(s store.Tx) error {
		t := s.(*tx)
		block.At = t.db.now()
		t.events = append(t.events, block)
		return nil
	})
	reach("after-block")
	return err
}

// settle notes that a block was written, or keeps it for the next try.
func (k *keeper) settle(g *gathering, lost int64, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.room.Broadcast()
	if k.failing = err; err != nil {
		k.blocks = slices.Insert(k.blocks, 0, g)
		return
	}
	k.bytes -= g.Size()
	k.lost -= lost
	g.Reset()
	k.spare = g
}

// waiting is the number of events that wait.
func (k *keeper) waiting() (n int) {
	for _, g := range k.blocks {
		n += g.Len()
	}
	return n
}

// health says what keeps events from being written.
func (k *keeper) health() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failing != nil {
		return fmt.Errorf("%d audit events wait to be written, %d were lost: %w", k.waiting(), k.lost, k.failing)
	}
	return nil
}

// close writes what waits; nobody records any more.
func (k *keeper) close() error {
	close(k.stop)
	<-k.finished
	if err := k.write(true); err != nil {
		return fmt.Errorf("%d audit events could not be written: %w", k.waiting(), err)
	}
	return nil
}

// detail is a JSON object with one member.
func detail(name string, value any) string {
	text, _ := json.Marshal(map[string]any{name: value}) // numbers and valid strings
	return string(text)
}
