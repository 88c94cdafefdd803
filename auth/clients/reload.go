package clients

import "time"

// grace is how long the last good snapshot stays in force once the file does not read: an editor that
// truncates and writes, or removes and renames, is done by then.
const grace = time.Second

// Reload reads the file and puts it in force if it reads. It is the only way in which the registry
// changes, apart from the end of a grace. A file that does not read leaves the last good snapshot for
// the grace, counted from the first failure. The reason is for the audit: start, event, poll, SIGHUP.
func (r *Registry) Reload(reason string) Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endGrace()
	if r.cfg.Path == "" {
		return r.load(reason, nil)
	}
	src, f := readSource(r.cfg.Path)
	if f != nil {
		return r.fail(reason, f, src.digest, failed(&r.cfg, r.catalogue, r.now(), src, f))
	}
	return r.load(reason, &src)
}

// load puts a file that was read in force, unless it is in force.
func (r *Registry) load(reason string, src *source) Report {
	old, seal := r.current.Load(), sealOf(src)
	if !old.stale && r.seal == seal {
		report := r.reading.Load().report
		report.Unchanged = true
		return report
	}
	s, report, f := assemble(&r.cfg, r.catalogue, r.now(), src)
	if f != nil {
		return r.fail(reason, f, src.digest, report)
	}
	back := old.stale && !old.closed && r.seal == seal
	r.seal, r.failing = seal, ""
	r.reading.Store(&reading{report, r.now()})
	if back {
		// The same file again within the grace: nobody saw another generation, and there is none.
		r.current.Store(&view{snapshot: old.snapshot, changed: old.changed})
		r.tell(reason, old.snapshot, old.snapshot)
		return report
	}
	r.publish(reason, &view{snapshot: s})
	return report
}

// sealOf tells one file from another, its mode included because that is warned about. It is never empty.
func sealOf(src *source) string {
	switch {
	case src == nil:
		return "no file"
	case src.loose:
		return src.digest + " loose"
	}
	return src.digest
}

// publish puts another generation in force, and then tells everybody.
func (r *Registry) publish(reason string, next *view) {
	if next.snapshot.generation == 0 {
		next.snapshot.generation = r.nextGeneration()
	}
	next.changed = make(chan struct{})
	old := r.current.Swap(next)
	if next.snapshot.live(r.now()) > 0 {
		r.everLive.Store(true)
	}
	close(old.changed)
	r.tell(reason, old.snapshot, next.snapshot)
}

func (r *Registry) nextGeneration() uint64 {
	r.generation++
	return r.generation
}

// fail notes that the file does not read. The first failure starts the grace; no later one moves its end.
func (r *Registry) fail(reason string, f *failure, digest string, report Report) Report {
	r.reading.Store(&reading{report, r.reading.Load().loaded})
	failing := string(f.code) + digest
	news := r.failing != failing
	r.failing = failing
	old := r.current.Load()
	switch next := *old; {
	case old.snapshot.generation == 0, old.closed && f.missing() && !old.gone:
		r.publish(reason, &view{snapshot: r.left(f), stale: true, closed: true, gone: f.missing()})
		return report
	case old.closed:
	default:
		next.stale = true
		r.startGrace(&next, f)
		r.current.Store(&next)
	}
	if news {
		r.tell(reason, old.snapshot, old.snapshot)
	}
	return report
}

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
