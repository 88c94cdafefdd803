package definition

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"prax/auth/watch"
	"prax/tools"
)

// Config says what a [Source] reads, and who is told.
type Config struct {
	Path  string
	Kinds Kinds
	Taken []string // names of tools that exist already

	// Apply puts the tools of a good file in force, in place of those before. Its error keeps those.
	Apply func([]*tools.Tool) error

	Changed  func(Status)     // told after each reading that is not the same as the one before; nil: nobody
	Log      *slog.Logger     // nil discards
	Now      func() time.Time // nil: time.Now
	NoEvents bool             // rely on looking at the file alone
}

// Status is what is in force, and what the last reading found.
type Status struct {
	Path     string    `json:"path"`
	OK       bool      `json:"ok"`     // the file as it is now is in force
	Tools    int       `json:"tools"`  // in force, of the last good file
	Digest   string    `json:"digest"` // SHA-256 of the file whose tools are in force, in hex; "" when none are
	Loaded   time.Time `json:"loaded"` // when they came into force; zero when none are
	Reason   string    `json:"reason"` // why the file was read last: start, event, poll, SIGHUP
	Problems Problems  `json:"problems"`
}

// Source keeps the tools of a file in step with it. While the file is broken the last good set stays in
// force; one that is gone takes its tools along, after the moment that a save by removal takes. Its methods
// may be called from many goroutines.
type Source struct {
	config  Config
	watcher *watch.Watcher
	current atomic.Pointer[state] // apart from the lock: a hook that takes its time keeps nobody from asking

	mu      sync.Mutex // one reading at a time
	seal    string     // of the last reading: its digest, or why there is none
	missing time.Time  // since when there is no file; zero: there is one
}

// state is what is in force, and how the last reading went. It is immutable.
type state struct {
	status Status
	tools  []*tools.Tool
}

// Open reads the file for the first time. A broken one is no error: there are no tools of it until it reads,
// and the status says why.
func Open(c Config) *Source {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Source{config: c, watcher: watch.New(c.Path, watch.Options{NoEvents: c.NoEvents, Log: c.Log})}
	s.current.Store(&state{status: Status{Path: c.Path}})
	s.Reload(watch.Start)
	return s
}

// Status is how the source is.
func (s *Source) Status() Status { return s.current.Load().status }

// Tools are those in force, in the order of the file.
func (s *Source) Tools() []*tools.Tool { return s.current.Load().tools }

// Run keeps the tools in step with the file until ctx ends. An error is one that makes watching impossible.
func (s *Source) Run(ctx context.Context) error {
	return s.watcher.Run(ctx, s.look)
}

// Force has a running source read the file again soon although it looks the same, as an operator asks for with
// SIGHUP, and log what came of it. It never waits; what is asked for many times at once is done once.
func (s *Source) Force() { s.watcher.Force() }

// look is a reload by the watcher. Whoever forced it is answered also when nothing changed.
func (s *Source) look(reason string) (read bool) {
	now := s.Reload(reason)
	if reason == watch.Forced {
		s.config.Log.Info("definitions were read at "+reason, "ok", now.OK, "tools", now.Tools, "problems", len(now.Problems))
	}
	// One that is missing is looked for again, until its tools are withdrawn.
	return !now.Problems.have(FileUnreadable) && !(now.Problems.have(FileMissing) && now.Digest != "")
}

// Reload reads the file now, and puts its tools in force if all of it is good, or withdraws them if it has
// been missing for a second. A file that is as it was at the last reading changes nothing otherwise, and is
// told to nobody.
func (s *Source) Reload(reason string) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	src, p := readSource(s.config.Path)
	seal := src.digest
	if p != nil {
		seal = string(p.Code) + p.Text
	}
	gone := s.gone(p)
	if seal == s.seal && !gone {
		return s.Status()
	}
	s.seal = seal
	next := *s.current.Load()
	next.status.Reason = reason
	switch {
	case gone:
		s.withdraw(&next, *p)
	case p != nil:
		next.status.OK, next.status.Problems = false, Problems{*p}
	default:
		s.load(src, &next)
	}
	s.current.Store(&next)
	s.tell(next.status)
	return next.status
}

// load makes the tools of a file that was read the next ones, if all of it is good.
func (s *Source) load(src source, next *state) {
	set, problems := load(src, s.config.Kinds, s.config.Taken)
	if set != nil {
		if err := s.config.Apply(set.Tools); err != nil {
			set, problems = nil, append(problems, *src.problem(Refused, err.Error()))
		}
	}
	next.status.OK, next.status.Problems = set != nil, problems
	if set != nil {
		next.tools = set.Tools
		next.status.Tools, next.status.Digest, next.status.Loaded = len(set.Tools), set.Digest, s.config.Now()
	}
}

// tell logs a reading and calls the hook.
func (s *Source) tell(now Status) {
	log, level := s.config.Log, slog.LevelError
	about := []any{"file", now.Path, "tools", now.Tools, "reason", now.Reason}
	switch {
	case now.OK:
		level = slog.LevelWarn
		log.Info("definitions are in force", about...)
	case now.Digest == "":
		log.Error("definitions cannot be used: none are in force", about...)
	default:
		log.Error("definitions cannot be used: the last good ones stay in force", about...)
	}
	for _, p := range now.Problems {
		log.Log(context.Background(), level, "definitions: "+p.String())
	}
	if s.config.Changed != nil {
		s.config.Changed(now)
	}
}
