package clients

import (
	"context"
	"time"
)

// grace is how long the last good snapshot stays in force once the file does not read: an editor that
// truncates and writes, or removes and renames, is done by then.
const grace = time.Second

// startGrace gives a view whose file does not read its end, unless it has one or is to be kept.
func (r *Registry) startGrace(v *view, f *failure) {
	if v.after == nil && r.cfg.OnError == Keep && !f.missing() {
		return
	}
	begins := v.after == nil
	if begins || f.missing() && !v.gone {
		v.after, v.gone = r.left(f), f.missing()
		v.after.generation = r.nextGeneration()
	}
	if begins {
		v.until = r.now().Add(grace)
		r.rouse()
	}
}

// left is what stays in force without the file: the single-token client. One that the last good file
// had put out, by sharing its name or token, stays out when the file merely does not read: breaking
// a file must not let anybody in. A file that was taken away has nothing to say any more.
func (r *Registry) left(f *failure) *snapshot {
	last := r.current.Load().snapshot
	if f.missing() || last.generation == 0 {
		s, _, _ := assemble(&r.cfg, r.catalogue, r.now(), nil)
		return s
	}
	return last.only(func(w *row) bool { return w.flags.has(single) && !w.flags.has(out) })
}

// endGrace puts what is left in force when a grace is over, and tells how long there still is one; zero
// for none.
func (r *Registry) endGrace() time.Duration {
	v := r.current.Load()
	switch {
	case v.after == nil:
		return 0
	case !v.over(r.now):
		return max(v.until.Sub(r.now()), time.Millisecond)
	}
	r.publish("grace over", &view{snapshot: v.after, stale: true, closed: true, gone: v.gone})
	return 0
}

// rouse tells Run that a grace began.
func (r *Registry) rouse() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
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
