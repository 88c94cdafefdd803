package edge

import "sync"

// budget counts what each client has in hand. A client with nothing in hand has no entry, so its
// memory is bounded by what is really going on.
type budget struct {
	limit int

	mu   sync.Mutex
	held map[string]int
}

func (b *budget) init(limit, fallback int) {
	if limit <= 0 {
		limit = fallback
	}
	b.limit, b.held = limit, make(map[string]int)
}

func (b *budget) take(client string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.held[client]
	if n >= b.limit {
		return false
	}
	b.held[client] = n + 1
	return true
}

func (b *budget) give(client string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.held[client] - 1; n > 0 {
		b.held[client] = n
		return
	}
	delete(b.held, client)
}

func (b *budget) clients() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.held)
}

// Take takes one place of the client's in-flight budget: once for each element of a batch, not once
// for each request, so that a batch is no way around the limit. When ok, release gives the place
// back and must be called exactly once; when not, the answer is "too many requests" and release is
// nil.
func (x *Exchange) Take() (release func(), ok bool) {
	return x.edge.calls.place(x.client)
}

// TakeStream takes one place among the client's open event streams, which count apart from calls:
// many idle streams never stop a client from calling. The contract is that of [Exchange.Take].
func (x *Exchange) TakeStream() (release func(), ok bool) {
	return x.edge.streams.place(x.client)
}

func (b *budget) place(client string) (release func(), ok bool) {
	if !b.take(client) {
		return nil, false
	}
	return func() { b.give(client) }, true
}
