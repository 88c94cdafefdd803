package runner

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"prax/store"
	"prax/tools/workflow"
)

// How many executors run at once, where [Config] does not say.
const (
	defaultRunning  = 256 // each takes a process or a connection
	defaultOfClient = 64
)

// ErrBusy says that nothing was begun, as too much runs already for the client.
var ErrBusy = fmt.Errorf("as much runs for this client as may: %w", store.ErrBusy)

// capacity bounds how many executors run at once, for all clients and for one. What was asked for by a request is refused
// when its client has no room; what goes on by itself, as after a timeout or a crash, waits. Of those who wait, the
// client for which the least runs is the next, and of one client the oldest.
type capacity struct {
	most, each int

	mu      sync.Mutex
	running int
	clients map[string]*load
	waiting []*turn
}

// load is what one client has.
type load struct{ running, waiting int }

// turn is an executor that waits for room.
type turn struct {
	client string
	come   chan struct{} // closed when it may run
}

func newCapacity(most, each int) *capacity {
	if most <= 0 {
		most = defaultRunning
	}
	if each <= 0 {
		each = defaultOfClient
	}
	return &capacity{most: most, each: min(each, most), clients: map[string]*load{}}
}

// full tells whether nothing more may be begun for a client.
func (c *capacity) full(client string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.clients[client]
	return l != nil && l.running+l.waiting >= c.each
}

// take takes room for one executor, which give gives back. It waits as long as ctx lets it, and tells whether it had to,
// and whether there is room in the end.
func (c *capacity) take(ctx context.Context, client string) (waited, ok bool) {
	t := c.line(client)
	select {
	case <-t.come:
		return false, true
	default:
	}
	select {
	case <-t.come:
	case <-ctx.Done():
		if c.forsake(t) {
			return true, false
		}
	}
	if ctx.Err() != nil { // its turn came as the room of others did who were ended with it
		c.give(client)
		return true, false
	}
	return true, true
}

// line puts a client at the end of the line.
func (c *capacity) line(client string) *turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.clients[client]
	if l == nil {
		l = &load{}
		c.clients[client] = l
	}
	l.waiting++
	t := &turn{client, make(chan struct{})}
	c.waiting = append(c.waiting, t)
	c.admit()
	return t
}

// forsake leaves the line; false when the turn has come meanwhile.
func (c *capacity) forsake(t *turn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := slices.Index(c.waiting, t)
	if n < 0 {
		return false
	}
	c.waiting = slices.Delete(c.waiting, n, n+1)
	c.clients[t.client].waiting--
	c.forget(t.client)
	return true
}

// give gives room back.
func (c *capacity) give(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	c.clients[client].running--
	c.forget(client)
	c.admit()
}

// admit lets in whoever may run.
func (c *capacity) admit() {
	for c.running < c.most {
		n := c.next()
		if n < 0 {
			return
		}
		t := c.waiting[n]
		c.waiting = slices.Delete(c.waiting, n, n+1)
		l := c.clients[t.client]
		l.waiting, l.running, c.running = l.waiting-1, l.running+1, c.running+1
		close(t.come)
	}
}

// next is whose turn it is; -1: nobody's.
func (c *capacity) next() int {
	found, least := -1, c.each
	for n, t := range c.waiting {
		if running := c.clients[t.client].running; running < least {
			found, least = n, running
		}
	}
	return found
}

// forget drops the load of a client that has none.
func (c *capacity) forget(client string) {
	if l := c.clients[client]; l.running+l.waiting == 0 {
		delete(c.clients, client)
	}
}

// kindTool is the kind of executor that has another one run, or a tool of the server: it takes no room of its own, as
// those that it waits for may need it.
const kindTool = "tool"

// roomFor refuses what a request would begin when there is no room for it.
func (r *Runner) roomFor(c *call, p *plan) error {
	if !c.server && p.executor.Kind != kindTool && r.capacity.full(p.principal.Client) {
		return ErrBusy
	}
	return nil
}

// room takes room for a try. One that had to wait for it is judged again: much may have changed. leave is nil when the
// failure is not.
func (t *trying) room(ctx context.Context, n int) (leave func(), failure *workflow.Failure) {
	r, client := t.v.r, t.a.stored.Client
	if t.a.plan.choices[n].Kind == kindTool {
		return func() {}, nil
	}
	waited, ok := r.capacity.take(ctx, client)
	if ok && r.drives.base.Err() != nil { // who was ended before it made room, and its own end is on the way
		r.capacity.give(client)
		ok = false
	}
	if !ok {
		return nil, notBegun(workflow.ClassTransient, "it was ended before its turn had come")
	}
	leave = func() { r.capacity.give(client) }
	if waited && !t.started && !t.a.revived { // else it is judged again anyway
		failure = r.rejudge(ctx, t.a, n)
	}
	if failure != nil {
		leave()
		return nil, failure
	}
	return leave, nil
}
