package runner

import (
	"container/list"
	"sync"
)

// recent are the values that were used last, by a key: as many as fit a number of bytes, and one at least.
type recent[V any] struct {
	mu      sync.Mutex
	room    int
	used    int
	entries map[string]*list.Element
	order   list.List // of *weighed[V], those used last first
}

// weighed is a value and what it counts.
type weighed[V any] struct {
	key   string
	value V
	bytes int
}

func newRecent[V any](room int) *recent[V] {
	return &recent[V]{room: room, entries: map[string]*list.Element{}}
}

// get is the value of a key, if it is there.
func (r *recent[V]) get(key string) (value V, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w := r.touch(key); w != nil {
		return w.value, true
	}
	return value, false
}

func (r *recent[V]) touch(key string) *weighed[V] {
	at := r.entries[key]
	if at == nil {
		return nil
	}
	r.order.MoveToFront(at)
	return at.Value.(*weighed[V])
}

// join keeps a value where there is none yet, and is the one that is kept: whoever was first wins.
func (r *recent[V]) join(key string, value V, bytes int) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first := r.touch(key); first != nil {
		return first.value
	}
	r.add(&weighed[V]{key, value, bytes})
	return value
}

// put keeps a value in place of the one that was there.
func (r *recent[V]) put(key string, value V, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.entries[key]; at != nil {
		r.drop(at)
	}
	r.add(&weighed[V]{key, value, bytes})
}

// add keeps a value, and forgets those that were not used for the longest.
func (r *recent[V]) add(w *weighed[V]) {
	r.entries[w.key] = r.order.PushFront(w)
	r.used += w.bytes
	for r.used > r.room && r.order.Len() > 1 {
		r.drop(r.order.Back())
	}
}

func (r *recent[V]) drop(at *list.Element) {
	w := r.order.Remove(at).(*weighed[V])
	delete(r.entries, w.key)
	r.used -= w.bytes
}
