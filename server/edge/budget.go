package edge

import "sync"

// budget counts what each client has in hand. A client with nothing in hand has no entry, so its
// memory is bounded by what is really going on.
type budget struct {
	limit int

	mu   sync.Mutex
	held map[string]int
}

func (b *budget) init(limit int) {
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

// TooMany is what a client is told whose budget is spent, with 429 (RFC 6585, section 4): the same
// sentence before its body was read and after.
const TooMany = "too many requests of this client at once: wait for an answer, then try again"

// Begin takes the exchange's own place of the client's in-flight budget, before the body is read: what
// a client makes the server hold is bounded from then on. When it returns false, the answer is "too
// many requests". The place is kept until [Exchange.End], or until the exchange becomes a stream.
func (x *Exchange) Begin() bool {
	x.own = x.edge.calls.take(x.client)
	return x.own
}

// End gives the exchange's own place back. The answer has been written by then.
func (x *Exchange) End() {
	if x.own {
		x.own = false
		x.edge.calls.give(x.client)
	}
}

// Take takes the place that one element is worked on in: once for each element of a batch, so that a
// batch is no way around the limit. The exchange's own place serves one element at a time, so that
// elements one after the other need no other. When ok, the place must be released exactly once; when not,
// the answer is "too many requests".
func (x *Exchange) Take() (p Place, ok bool) {
	if x.own && !x.used {
		x.used = true
		return Place{x: x}, true
	}
	return Place{x, &x.edge.calls}, x.edge.calls.take(x.client)
}

// TakeStream takes one place among the client's open event streams, and gives the exchange's own
// back: they count apart, many idle streams never stop a client from calling. When ok, the place must be
// released exactly once.
func (x *Exchange) TakeStream() (p Place, ok bool) {
	if !x.edge.streams.take(x.client) {
		return p, false
	}
	x.End()
	return Place{x, &x.edge.streams}, true
}

// Place is one of a client's budget that was taken.
type Place struct {
	x  *Exchange
	of *budget // nil: the exchange's own
}

// Release gives the place back.
func (p Place) Release() {
	if p.of == nil {
		p.x.used = false
		return
	}
	p.of.give(p.x.client)
}
