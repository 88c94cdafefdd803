package server

import (
	"sync"
	"time"
)

// reading is the bodies that are on their way in. Nothing has begun for them yet, so that a drain
// need not wait.
type reading struct {
	mu      sync.Mutex
	bodies  body // the list's ends
	stopped bool
}

// begin notes a body. One that comes once the server stops is refused like those that were under way.
func (g *reading) begin(b *body) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		b.stop()
		return
	}
	b.prev, b.next = &g.bodies, g.bodies.next
	if b.next != nil {
		b.next.prev = b
	}
	g.bodies.next = b
}

// end forgets a body, and tells whether it was cut.
func (g *reading) end(b *body) (cut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if b.prev != nil {
		b.prev.next = b.next
		if b.next != nil {
			b.next.prev = b.prev
		}
		b.prev, b.next = nil, nil
	}
	return b.cut
}

// stop cuts what is under way, and what is still to come.
func (g *reading) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
	for b := g.bodies.next; b != nil; b = b.next {
		b.stop()
	}
}

// stop has the lock of reading.
func (b *body) stop() {
	b.cut = true
	if b.conn != nil {
		_ = b.conn.SetReadDeadline(time.Unix(1, 0))
	}
}
