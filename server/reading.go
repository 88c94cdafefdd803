package server

import (
	"sync"
	"time"
)

// reading is the bodies that are on their way in. Nothing has begun for them yet, so that a drain
// need not wait.
type reading struct {
	mu      sync.Mutex
	bodies  map[*body]struct{}
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
	if g.bodies == nil {
		g.bodies = map[*body]struct{}{}
	}
	g.bodies[b] = struct{}{}
}

// end forgets a body, and tells whether it was cut.
func (g *reading) end(b *body) (cut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.bodies, b)
	return b.cut
}

// stop cuts what is under way, and what is still to come.
func (g *reading) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
	for b := range g.bodies {
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
