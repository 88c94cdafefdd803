package sqlite

import (
	"runtime"
	"testing"
	"weak"
)

// TestQueueForgets: a request that is out of the queue is not held by what still waits behind it, or before.
func TestQueueForgets(t *testing.T) {
	t.Parallel()
	q := newQueue()
	var all []weak.Pointer[request]
	for range maxQueue {
		r := &request{done: make(chan struct{})}
		all = append(all, weak.Make(r))
		if err := q.add(asker{client: "flood"}, r); err != nil {
			t.Fatal(err)
		}
	}
	q.take()
	for range 2 { // the second takes the place of the newest
		if err := q.add(asker{client: "alice"}, &request{}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	for i, r := range all {
		if out := i == 0 || i == maxQueue-1; (r.Value() == nil) != out {
			t.Errorf("request %d: is out of the queue: %t, and gone: %t", i, out, r.Value() == nil)
		}
	}
	runtime.KeepAlive(q)
}
