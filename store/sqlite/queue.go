package sqlite

import (
	"sync"

	"prax/store"
)

// queue is what waits for the writer. Clients are served in turn: however much one asks for, what another
// asks for is in the next batch. When it is full, who has most in it is the one who is told to try again.
type queue struct {
	mu    sync.Mutex
	lines map[asker]*line // of those who wait
	turns []*line         // the same, in the order in which they are served
	n     int
	busy  uint64        // requests that were refused
	some  chan struct{} // something may wait
}

// asker is whose turn it is.
type asker struct {
	client string // "" is the server
	own    bool   // the store itself, of which there is little, and which cannot be refused
}

// line is what one asker waits for, oldest first. It is never empty.
type line struct {
	asker
	requests []*request
}

func newQueue() *queue {
	return &queue{lines: map[asker]*line{}, some: make(chan struct{}, 1)}
}

// add queues a request, or says that its asker has too many waiting.
func (q *queue) add(who asker, r *request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[who]
	if q.n >= maxQueue && !who.own && !q.shed(l) {
		q.busy++
		return store.ErrBusy
	}
	if l == nil {
		l = &line{asker: who}
		q.lines[who] = l
		q.turns = append(q.turns, l)
	}
	l.requests = append(l.requests, r)
	q.n++
	signal(q.some)
	return nil
}

// shed makes room in a full queue for one more of a line, nil for a new one: the longest line loses its newest, if it
// is still no shorter than the other then.
func (q *queue) shed(l *line) bool {
	most := 1
	if l != nil {
		most = len(l.requests) + 1
	}
	var longest *line
	for _, other := range q.turns {
		if n := len(other.requests); n > most && !other.own {
			longest, most = other, n
		}
	}
	if longest == nil {
		return false
	}
	last := longest.requests[most-1]
	longest.requests[most-1] = nil
	longest.requests = longest.requests[:most-1]
	q.n--
	if last.state.CompareAndSwap(waiting, abandoned) {
		last.err = store.ErrBusy
		q.busy++
		close(last.done)
	}
	return true
}

// take takes out the request whose turn it is; nil when none waits.
func (q *queue) take() *request {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == 0 {
		return nil
	}
	l := q.turns[0]
	q.turns = q.turns[1:]
	r := l.requests[0]
	l.requests[0] = nil // what a function holds may be large, and the line long
	l.requests = l.requests[1:]
	q.n--
	if len(l.requests) > 0 {
		q.turns = append(q.turns, l)
	} else {
		delete(q.lines, l.asker)
	}
	return r
}
