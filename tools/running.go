package tools

import (
	"context"
	"fmt"
	"sync"
)

// How many handlers may run on after their callers were answered at the deadline: a tool that hangs
// must not pile up goroutines until the process dies.
const (
	maxStrayed       = 1024 // in all
	maxStrayedClient = 16   // of one client
)

// running counts handlers, so that Close can wait for them and strays stay bounded.
type running struct {
	mu      sync.Mutex
	active  int
	strayed int
	clients map[string]int // strayed, by client; no zeros
	closed  bool
	idle    chan struct{} // made by close; closed when active reaches 0
}

// begin admits one more handler. No means: the registry is closed, or too many strayed.
func (r *running) begin(client string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.strayed >= maxStrayed || r.clients[client] >= maxStrayedClient {
		return false
	}
	r.active++
	return true
}

// flight is one run of a handler. Its end is in done before landed is set.
type flight struct {
	done   chan ending
	landed bool // guarded by running.mu, as is stray
	stray  bool
}

// leave leaves the handler behind; false when it has landed, and its end is in done.
func (r *running) leave(client string, f *flight) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.landed {
		return false
	}
	f.stray = true
	r.strayed++
	if r.clients == nil {
		r.clients = map[string]int{}
	}
	r.clients[client]++
	return true
}

// end notes that a handler returned.
func (r *running) end(client string, f *flight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.landed = true
	r.active--
	if f.stray {
		r.strayed--
		if r.clients[client]--; r.clients[client] <= 0 {
			delete(r.clients, client)
		}
	}
	if r.closed && r.active == 0 {
		close(r.idle)
	}
}

func (r *running) close(ctx context.Context) error {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		r.idle = make(chan struct{})
		if r.active == 0 {
			close(r.idle)
		}
	}
	r.mu.Unlock()
	select {
	case <-r.idle:
		return nil
	case <-ctx.Done():
		r.mu.Lock()
		defer r.mu.Unlock()
		return fmt.Errorf("%d tool calls still running: %w", r.active, ctx.Err())
	}
}
