package runner

import (
	"context"
	"sync"
	"time"
)

// drives are those that run.
type drives struct {
	mu      sync.Mutex
	running map[string]*drive // by the id of their instance, or of the attempt where there is none
	work    sync.WaitGroup
	stopped bool
	base    context.Context // ends what runs
	end     context.CancelCauseFunc
}

func newDrives() *drives {
	d := &drives{running: map[string]*drive{}}
	d.base, d.end = context.WithCancelCause(context.Background())
	return d
}

// permit lets something go on until it is given back: a server that stops waits for that. None is given by one that
// stops already.
type permit struct {
	of   *drives
	held bool
}

// enter gives a permit. What makes an attempt durable holds one from before it is known whether it will, so that a
// server that stops does not leave the attempt behind.
func (d *drives) enter() *permit {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return &permit{of: d}
	}
	d.work.Add(1)
	return &permit{of: d, held: true}
}

// leave gives the permit back, unless something took it over.
func (p *permit) leave() {
	if p.take() {
		p.of.work.Done()
	}
}

// take takes the permit over, if there is one: who took it calls work.Done.
func (p *permit) take() bool {
	held := p.held
	p.held = false
	return held
}

func (d *drives) add(v *drive) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running[v.id] = v
}

func (d *drives) remove(v *drive) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running[v.id] == v {
		delete(d.running, v.id)
	}
}

// interrupt ends what runs for an instance that was cancelled.
func (d *drives) interrupt(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if v := d.running[id]; v != nil {
		v.cancel(errCancelled)
	}
}

// stopping tells whether no further attempts begin.
func (d *drives) stopping() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopped
}

func (d *drives) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = true
}

// Stop begins no further attempts, and waits for those that run until ctx ends; then it ends them, and waits until that
// is written down. What can be taken up again is left for the next start; what cannot is unknown. It always returns nil.
func (r *Runner) Stop(ctx context.Context) error {
	r.drives.stop()
	done := make(chan struct{})
	go func() { r.drives.work.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		r.drives.end(errStopping)
		<-done
	}
	return nil
}

// insist writes down what became of an attempt, ever more seldom while the store cannot take it: what happened outside
// must not be forgotten. Only a server that stops gives up.
func (r *Runner) insist(attempt string, write func() error) error {
	for pause := firstRetry; ; pause = min(2*pause, longestSleep) {
		err := write()
		if !passing(err) {
			return err
		}
		r.config.Log.Error("the end of an attempt cannot be written down", "attempt", attempt, "cause", err, "again_in", pause.String())
		if !sleep(r.drives.base, pause) {
			return err
		}
	}
}

// sleep waits, and tells whether ctx let it.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
