package clients

import (
	"context"
	"time"

	"prax/auth/watch"
)

// Run keeps the registry in step with the file until ctx ends, and waits for what it started. Without a
// file it only waits. An error is one that makes watching impossible.
func (r *Registry) Run(ctx context.Context) error {
	if r.cfg.Path == "" {
		<-ctx.Done()
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watched := make(chan error, 1)
	go func() {
		defer cancel()
		w := watch.New(r.cfg.Path, watch.Options{NoEvents: r.cfg.NoEvents, Log: r.log})
		watched <- w.Run(ctx, func(reason string) { r.Reload(reason) })
	}()
	r.timeGrace(ctx)
	return <-watched
}

// timeGrace ends each grace when its time has come, even when nobody asks and no file event happens.
func (r *Registry) timeGrace(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Stop()
		if left := r.closeGrace(); left > 0 {
			timer.Reset(left)
		}
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
		case <-timer.C:
		}
	}
}

// closeGrace ends a grace that is over, and tells how long one still lasts; zero for none.
func (r *Registry) closeGrace() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.endGrace()
}
