package watch

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"
)

// Options say how a file is watched. The zero value is what a server wants.
type Options struct {
	Poll     time.Duration // between two looks without a hint; zero is 500 ms
	Gap      time.Duration // at least this long between two calls; zero is 200 ms
	NoEvents bool          // rely on looking alone
	Log      *slog.Logger  // nil discards
}

const (
	defaultPoll = 500 * time.Millisecond
	defaultGap  = 200 * time.Millisecond

	// quiet is how long a first hint waits for the save to be complete. Later hints do not prolong it.
	quiet = 40 * time.Millisecond
)

// The reasons that a call is given.
const (
	Start  = "start"  // the watch begins
	Event  = "event"  // a directory event led to a look
	Poll   = "poll"   // a look without one
	Forced = "SIGHUP" // the operator asked
)

// Watcher watches one file.
type Watcher struct {
	path   string
	opts   Options
	forced chan struct{}

	mu   sync.Mutex
	done chan struct{} // closed when the next forced call is over; nil: none was asked for
}

// New makes a watcher of the file behind path, which need not exist. Nothing happens before [Watcher.Run].
func New(path string, opts Options) *Watcher {
	if opts.Poll <= 0 {
		opts.Poll = defaultPoll
	}
	if opts.Gap <= 0 {
		opts.Gap = defaultGap
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &Watcher{path: path, opts: opts, forced: make(chan struct{}, 1)}
}

// Force makes the watcher call back soon even though nothing changed, as an operator asks for with
// SIGHUP. It never waits; calls that come together count as one. The channel is closed when a call that began after
// this is over.
func (w *Watcher) Force() (done <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done == nil {
		w.done = make(chan struct{})
	}
	select {
	case w.forced <- struct{}{}:
	default:
	}
	return w.done
}

// forcing takes over to tell those who asked until now.
func (w *Watcher) forcing() (tell func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	done := w.done
	w.done = nil
	return func() {
		if done != nil {
			close(done)
		}
	}
}

// Run calls changed once at the start and then after each change of the file, one call at a time, with
// the reason, until ctx ends. A change while changed runs leads to another call. So does a changed that
// returns false: it could not read the file now, for want of descriptors or memory, and has to see it
// although it stays the same. Run leaves no goroutine behind. The error says that the path has no
// absolute form; the end of ctx is none.
func (w *Watcher) Run(ctx context.Context, changed func(reason string) (read bool)) error {
	path, err := filepath.Abs(w.path)
	if err != nil {
		return fmt.Errorf("watch %s: %w", w.path, err)
	}
	h := &hints{log: w.opts.Log}
	if !w.opts.NoEvents {
		h = openHints(w.opts.Log)
	}
	defer h.close()
	s := &session{path: path, gap: w.opts.Gap, hints: h, changed: changed, forcing: w.forcing, timer: time.NewTimer(time.Hour)}
	s.timer.Stop()
	defer s.timer.Stop()
	s.call(Start)
	s.run(ctx, w.opts.Poll, w.forced)
	return nil
}

// session is one run of a watcher; it belongs to the goroutine that runs.
type session struct {
	path    string
	gap     time.Duration
	hints   *hints
	changed func(reason string) (read bool)
	forcing func() (tell func())

	seen  fingerprint // as the last call found the file, taken before it
	sure  bool        // it was read then, and another change would have left another fingerprint
	last  time.Time   // the end of the last call
	timer *time.Timer
	due   string // the reason of the look that the timer will take; "" for none
}

func (s *session) run(ctx context.Context, poll time.Duration, forced <-chan struct{}) {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-forced:
			s.plan(Forced)
		case <-s.hints.C():
			s.plan(Event)
		case <-s.hints.Errors():
			s.plan(Event) // events were lost
		case <-ticker.C:
			s.hints.follow(trail(s.path))
			if s.due == "" && !s.same() {
				s.plan(Poll)
			}
		case <-s.timer.C:
			s.look(ctx)
		}
	}
}

// plan sets the timer for a look. One that is planned already keeps its time, so that a file that changes
// without end is read all the same; being forced outlasts any other reason.
func (s *session) plan(reason string) {
	switch {
	case s.due == "":
		s.timer.Reset(max(quiet, s.gap-time.Since(s.last)))
		s.due = reason
	case reason == Forced:
		s.due = Forced
	}
}

// look calls if the file is, or may be, another one than at the last call.
func (s *session) look(ctx context.Context) {
	reason := s.due
	s.due = ""
	if ctx.Err() != nil {
		return
	}
	if reason == Forced {
		defer s.forcing()()
	} else if s.same() {
		return
	}
	s.call(reason)
}

func (s *session) same() bool { return s.sure && look(s.path) == s.seen }

// call takes the fingerprint first: what changes during the call is seen at the next look.
func (s *session) call(reason string) {
	s.hints.follow(trail(s.path))
	s.seen = look(s.path)
	fresh := s.seen.fresh(time.Now())
	s.sure = s.changed(reason) && !fresh
	s.last = time.Now()
}
