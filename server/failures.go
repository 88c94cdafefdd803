package server

import (
	"context"
	"hash/maphash"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// What one network may fail at without a wait: so many times at once, then one each failuresEvery. A caller that fails more
// often waits for its answer, which is the same as ever; one with a good token waits for nothing, wherever it calls from.
const (
	failuresAtOnce = 60
	failuresEvery  = time.Second
	failureWait    = time.Second
)

// mostWaiting bounds how many answers wait: a proxy in front, and this server, have connections for others too.
const mostWaiting = 256

// failures counts the calls without a good token, by the network that they come from. The table is of a fixed size. Networks may
// share a cell: all that it can cost somebody is to be told a second later that a token is not good.
type failures struct {
	begun   time.Time
	seed    maphash.Seed
	most    int64
	waiting atomic.Int64
	stop    context.Context // ends every wait
	end     context.CancelFunc

	mu    sync.Mutex
	clear [4096]time.Duration // since begun: when all failures of the cell are forgiven
}

func newFailures(maxConns int) *failures {
	f := &failures{begun: time.Now(), seed: maphash.MakeSeed(), most: int64(max(1, min(mostWaiting, maxConns/4)))}
	f.stop, f.end = context.WithCancel(context.Background())
	return f
}

// wait counts one failure, and makes a caller that fails often wait for its answer: a flood that waits for each answer is as slow
// as its answers. It is false for one more than may wait.
func (f *failures) wait(r *http.Request, remote string) bool {
	if failuresOpen || !f.often(remote, time.Now()) {
		return true
	}
	defer f.waiting.Add(-1)
	if f.waiting.Add(1) > f.most {
		return false
	}
	timer := time.NewTimer(failureWait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	case <-f.stop.Done():
	}
	return true
}

// often tells whether the network failed more often than it may. What comes too often counts no more: who stops for a minute
// begins anew.
func (f *failures) often(remote string, at time.Time) bool {
	now := at.Sub(f.begun)
	f.mu.Lock()
	defer f.mu.Unlock()
	cell := &f.clear[f.cellOf(remote)]
	next := max(*cell, now) + failuresEvery
	if next > now+failuresAtOnce*failuresEvery {
		return true
	}
	*cell = next
	return false
}

// cellOf is where failures of an address are counted: with those of its network.
func (f *failures) cellOf(remote string) uint64 {
	first, known := networkOf(remote)
	if !known {
		return maphash.String(f.seed, remote) % uint64(len(f.clear))
	}
	b := first.As16()
	return maphash.Bytes(f.seed, b[:]) % uint64(len(f.clear))
}
