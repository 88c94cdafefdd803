package tools

import (
	"context"
	"sync"
	"time"
)

// deadline is the context of a call, as context.WithTimeout would give one. Its timer is made for who asks for Done: most
// handlers are done before they would wait for anything.
type deadline struct {
	context.Context // the caller's
	at              time.Time

	mu     sync.Mutex
	over   bool
	armed  context.Context    // nil: nobody has asked yet, and there was nothing to tell
	cancel context.CancelFunc // of armed
}

func newDeadline(caller context.Context, after time.Duration) *deadline {
	d := &deadline{Context: caller, at: time.Now().Add(after)}
	if earlier, ok := caller.Deadline(); ok && earlier.Before(d.at) {
		d.at = earlier
	}
	return d
}

// end ends the context, as a CancelFunc does.
func (d *deadline) end() {
	d.mu.Lock()
	d.over = true
	cancel := d.cancel
	d.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// arm makes the context that has a timer. The lock is held.
func (d *deadline) arm() context.Context {
	if d.armed == nil {
		d.armed, d.cancel = context.WithDeadline(d.Context, d.at)
		if d.over {
			d.cancel()
		}
	}
	return d.armed
}

func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

func (d *deadline) Done() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.arm().Done()
}

// Err never takes back what it has said: an end that it finds is told by the armed context from then on.
func (d *deadline) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.armed == nil && !d.over && d.Context.Err() == nil && time.Now().Before(d.at) {
		return nil
	}
	return d.arm().Err()
}

// Value asks the armed context once there is one: by it the package context finds what it can end without a goroutine.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	within := d.armed
	d.mu.Unlock()
	if within == nil {
		within = d.Context
	}
	return within.Value(key)
}
