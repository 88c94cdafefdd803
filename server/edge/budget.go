package edge

import "sync"

// budget counts what each client has in hand. A client with nothing in hand has no entry, so its
// memory is bounded by what is really going on.
type budget struct {
	mu   sync.Mutex
	held map[string]int
	all  int // of all clients
}

func (b *budget) init() { b.held = make(map[string]int) }

func (b *budget) take(client string, limit int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.held[client]
	if n >= limit {
		return false
	}
	b.held[client] = n + 1
	b.all++
	return true
}

func (b *budget) give(client string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all--
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

func (b *budget) total() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all
}
