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

// begin admits one more handler, or says why not.
func (r *running) begin(client string) *Error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return stopping()
	case r.strayed >= maxStrayed || r.clients[client] >= maxStrayedClient:
		return &Error{Code: CodeBusy, Message: "too many calls are still running", Hint: "try again in a few seconds"}
	}
	r.active++
	return nil
}

// handling is one run of a handler. Its ending is in end before over is set.
type handling struct {
	end   chan ending
	over  bool // guarded by running.mu, as is stray
	stray bool
}

// leave leaves the handler behind; false when it has returned, and its ending is there.
func (r *running) leave(client string, h *handling) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h.over {
		return false
	}
	h.stray = true
	r.strayed++
	if r.clients == nil {
		r.clients = map[string]int{}
	}
	r.clients[client]++
	return true
}

// returned notes that a handler did.
func (r *running) returned(client string, h *handling) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.over = true
	r.active--
	if h.stray {
		r.strayed--
		if r.clients[client]--; r.clients[client] <= 0 {
			delete(r.clients, client)
		}
	}
	if r.closed && r.active == 0 {
		close(r.idle)
	}
}

func (r *running) count() (active, strayed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active, r.strayed
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
