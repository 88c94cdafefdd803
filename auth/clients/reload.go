package clients

import (
	"context"
	"os"
	"runtime/debug"
	"sync"

	"prax/auth/watch"
)

// Reload reads the file and puts it in force if it reads. It is the only way in which the registry
// changes, apart from the end of a grace. A file that does not read leaves the last good snapshot for
// the grace, counted from the first failure. The reason is for the audit: one of those of
// auth/watch, or another of whoever asked.
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
	next.snapshot.inherit(old.snapshot, &r.gone)
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
	if old.snapshot.generation == 0 || old.closed && f.missing() && !old.gone {
		r.publish(reason, &view{snapshot: r.left(f), stale: true, closed: true, gone: f.missing()})
		return report
	}
	if !old.closed {
		next := *old
		next.stale = true
		r.startGrace(&next, f)
		r.current.Store(&next)
	}
	if news {
		r.tell(reason, old.snapshot, old.snapshot)
	}
	return report
}

// Run keeps the registry in step with the file until ctx ends, and waits for what it started. Once a day it
// tells the log who expires soon. An error is one that makes watching impossible.
func (r *Registry) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var reminding sync.WaitGroup
	defer reminding.Wait()
	defer cancel()
	reminding.Go(func() { r.remind(ctx) })
	if r.cfg.Path == "" {
		<-ctx.Done()
		return nil
	}
	watched := make(chan error, 1)
	go func() {
		defer cancel()
		watched <- r.watcher.Run(ctx, r.look)
	}()
	r.timeGrace(ctx)
	return <-watched
}

// large is the size of a file, in bytes, whose reading leaves enough behind to give it back at once.
const large = 4 << 20

// giveBack returns to the system what a large file took while it was read, several times its size: without
// it a server that has little to do keeps that for minutes, until its next collection.
func (r *Registry) giveBack() {
	if info, err := os.Stat(r.cfg.Path); err == nil && info.Size() > large {
		debug.FreeOSMemory()
	}
}

// Force has a running registry read the file again soon although it looks the same, as an operator asks for
// with SIGHUP, and log what came of it. It never waits; what is asked for many times at once is done once. The channel is
// closed when that is over; nil, when there is no file.
func (r *Registry) Force() (done <-chan struct{}) {
	if r.cfg.Path == "" {
		return nil
	}
	return r.watcher.Force()
}

// look is a reload by the watcher. Whoever forced it is answered also when nothing changed.
func (r *Registry) look(reason string) (read bool) {
	report := r.Reload(reason)
	if read = report.read(); read { // what cannot be read is looked at again and again
		r.giveBack()
	}
	if reason == watch.Forced {
		r.log.Info("clients file was read at "+reason, "ok", report.OK, "unchanged", report.Unchanged,
			"clients", report.Clients, "errors", report.Errors, "warnings", report.Warnings)
	}
	return read
}
