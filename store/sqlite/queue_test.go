package sqlite_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"prax/store"
	"prax/store/sqlite"
)

// flood is what many updates of one client at once come to.
type flood struct {
	served, busy int
}

// heldUp is a store whose writer stands still until the test lets it go.
type heldUp struct {
	*sqlite.DB
	*testing.T
	group   sync.WaitGroup
	hold    chan struct{}
	mu      sync.Mutex
	clients map[string]*flood
	order   []string // whose functions ran
}

func holdUp(t *testing.T) *heldUp {
	h := &heldUp{DB: opened(t, sqlite.Config{}), T: t, hold: make(chan struct{}), clients: map[string]*flood{}}
	held := make(chan struct{})
	once := sync.OnceFunc(func() { close(held) })
	h.group.Go(func() {
		if err := h.Update(context.Background(), func(store.Tx) error { once(); <-h.hold; return nil }); err != nil {
			t.Errorf("holding: %v", err)
		}
	})
	<-held
	return h
}

// ask sends n updates of a client.
func (h *heldUp) ask(client string, n int) {
	h.mu.Lock()
	h.clients[client] = &flood{}
	h.mu.Unlock()
	ctx := store.ForClient(context.Background(), client)
	for range n {
		h.group.Go(func() {
			err := h.Update(ctx, func(store.Tx) error {
				h.order = append(h.order, client) // one runs at a time
				return nil
			})
			h.answered(client, err)
		})
	}
}

func (h *heldUp) answered(client string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err == nil:
		h.clients[client].served++
	case errors.Is(err, store.ErrBusy):
		h.clients[client].busy++
	default:
		h.Errorf("%s: %v", client, err)
	}
}

// refused waits until a client was told so often that too much of it waits.
func (h *heldUp) refused(client string, n int) {
	eventually(h.T, client+" is refused", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.clients[client].busy == n
	})
}

func (h *heldUp) letGo() {
	close(h.hold)
	h.group.Wait()
}

// TestFloodDelaysNobodyElse: while ten thousand updates of one client are on their way, what others ask for is
// done by the next batch, and only the one who asks for too much is told to come again.
func TestFloodDelaysNobodyElse(t *testing.T) {
	t.Parallel()
	h := holdUp(t)
	const updates = 10_000
	h.ask("flood", updates)
	h.refused("flood", updates-sqlite.MaxQueue)
	others := []string{"alice", "bob", "carol", ""}
	for n, other := range others {
		h.ask(other, 1)
		h.refused("flood", updates-sqlite.MaxQueue+n+1)
	}
	h.letGo()
	for _, other := range others {
		if got := *h.clients[other]; got != (flood{served: 1}) {
			t.Errorf("%q: %+v", other, got)
		}
	}
	if got := h.clients["flood"]; got.served != sqlite.MaxQueue-len(others) {
		t.Errorf("of the flood %d were served, want what there was room for", got.served)
	}
	seen := map[string]int{}
	for _, client := range h.order[:1+len(others)] {
		seen[client]++
	}
	for _, client := range append(others, "flood") {
		if seen[client] != 1 {
			t.Errorf("in the first round %q had %d turns", client, seen[client])
		}
	}
}

// TestFullQueueIsShared: who comes later gets as much of a full queue as who filled it, and no more.
func TestFullQueueIsShared(t *testing.T) {
	t.Parallel()
	h := holdUp(t)
	const updates = 2 * sqlite.MaxQueue
	h.ask("early", updates)
	h.refused("early", updates-sqlite.MaxQueue)
	h.ask("late", updates)
	h.refused("late", updates-sqlite.MaxQueue/2)
	h.letGo()
	for client, got := range h.clients {
		if got.served != sqlite.MaxQueue/2 {
			t.Errorf("%s: %+v, want half of the queue", client, *got)
		}
	}
}

// TestStoreIsNeverBusy: what the store itself has to write finds its place in a full queue.
func TestStoreIsNeverBusy(t *testing.T) {
	t.Parallel()
	h := holdUp(t)
	h.ask("flood", 2*sqlite.MaxQueue)
	h.refused("flood", sqlite.MaxQueue)
	limited := make(chan error)
	go func() { limited <- h.SetMaxPages(1 << 20) }()
	eventually(t, "it waits with the others", func() bool { return h.Queued() == sqlite.MaxQueue+1 })
	h.letGo()
	if err := <-limited; err != nil {
		t.Error(err)
	}
}

// TestGivingWayAfterLeaving: a caller whose context ends while its place is taken by another has one answer.
func TestGivingWayAfterLeaving(t *testing.T) {
	t.Parallel()
	h := holdUp(t)
	ctx, leave := context.WithCancel(store.ForClient(context.Background(), "flood"))
	errs := make(chan error, sqlite.MaxQueue)
	for range sqlite.MaxQueue {
		go func() { errs <- h.Update(ctx, func(store.Tx) error { return nil }) }()
	}
	eventually(t, "the queue is full", func() bool { return h.Queued() == sqlite.MaxQueue })
	h.group.Go(leave)
	h.ask("alice", sqlite.MaxQueue/2)
	for range sqlite.MaxQueue {
		if err := <-errs; !errors.Is(err, context.Canceled) && !errors.Is(err, store.ErrBusy) {
			t.Errorf("one who left, or gave way: %v", err)
		}
	}
	h.letGo()
	if got := h.clients["alice"].served; got != sqlite.MaxQueue/2 {
		t.Errorf("%d of who came later were served", got)
	}
}
