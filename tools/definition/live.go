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
	Own   []*tools.Tool // that exist already

	// Apply puts a good set in force, in place of the one before. Its error keeps that one.
	Apply func(*Set) error

	Changed  func(Status)     // told after each reading that is not the same as the one before; nil: nobody
	Log      *slog.Logger     // nil discards
	Now      func() time.Time // nil: time.Now
	NoEvents bool             // rely on looking at the file alone
}

// Status is what is in force, and what the last reading found.
type Status struct {
	Path        string    `json:"path"`
	OK          bool      `json:"ok"`          // the files as they are now are in force
	Tools       int       `json:"tools"`       // in force, of the last good reading
	Definitions int       `json:"definitions"` // as well
	Digest      string    `json:"digest"`      // of the set in force; "" when there is none
	Loaded      time.Time `json:"loaded"`      // when it came into force; zero when there is none
	Reason      string    `json:"reason"`      // why the files were read last: start, event, poll, SIGHUP
	Problems    Problems  `json:"problems"`
}

// Source keeps a set in step with its files. While one of them is broken the last good set stays in force; when the file,
// or the folder, that everything begins with is gone, the set goes along, after the moment that a save by removal takes.
// Its methods may be called from many goroutines.
type Source struct {
	config  Config
	watcher *watch.Watcher
	current atomic.Pointer[state] // apart from the lock: a hook that takes its time keeps nobody from asking

	mu      sync.Mutex // one reading at a time
	seal    string     // of the last reading: its digests, or why there are none
	seen    sight      // what there was to read, as it looked before
	missing time.Time  // since when there is nothing at the path; zero: there is something
}

// state is what is in force, and how the last reading went. It is immutable.
type state struct {
	status Status
	set    *Set // nil: none yet
}

// Open reads the files for the first time. Broken ones are no error: nothing of them is there until they read, and the
// status says why.
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

// Set is what is in force: never nil, and empty before there was a good reading.
func (s *Source) Set() *Set {
	if set := s.current.Load().set; set != nil {
		return set
	}
	return &Set{}
}

// Tools are those in force, in the order of the files.
func (s *Source) Tools() []*tools.Tool { return s.Set().Tools }

// Run keeps the set in step with the files until ctx ends. An error is one that makes watching impossible.
func (s *Source) Run(ctx context.Context) error {
	var beside sync.WaitGroup
	defer beside.Wait()
	ctx, end := context.WithCancel(ctx)
	defer end()
	beside.Go(func() { s.poll(ctx) })
	return s.watcher.Run(ctx, s.again)
}

// Force has a running source read the files again soon although they look the same, as an operator asks for with
// SIGHUP, and log what came of it. It never waits; what is asked for many times at once is done once. The channel is closed
// when that is over.
func (s *Source) Force() (done <-chan struct{}) { return s.watcher.Force() }

// again is a reload by the watcher. Whoever forced it is answered also when nothing changed.
func (s *Source) again(reason string) (read bool) {
	now := s.Reload(reason)
	if reason == watch.Forced {
		s.config.Log.Info("definitions were read at "+reason, "ok", now.OK, "tools", now.Tools, "workflows", now.Definitions, "problems", len(now.Problems))
	}
	// One that is missing is looked for again, until its set is withdrawn.
	return !now.Problems.have(FileUnreadable) && !(now.Problems.have(FileMissing) && now.Digest != "")
}

// Reload reads the files now, and puts what they define in force if all of it is good, or withdraws it if there has
// been nothing to read for a second. Files that are as they were at the last reading change nothing otherwise, and are
// told to nobody.
func (s *Source) Reload(reason string) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	begin := time.Now()
	r := readAll(s.config.Path)
	s.seen = look(r.tried, begin)
	seal, gone := r.seal(), s.gone(r)
	if seal == s.seal && !gone {
		return s.Status()
	}
	s.seal = seal
	next := *s.current.Load()
	next.status.Reason = reason
	if gone {
		s.withdraw(&next, r)
	} else {
		s.load(r, &next)
	}
	s.current.Store(&next)
	s.tell(next.status)
	return next.status
}

// load makes what was read the next set, if all of it is good.
func (s *Source) load(r *reading, next *state) {
	set, problems := compile(r, s.config.Kinds, s.config.Own)
	if set != nil {
		if err := s.config.Apply(set); err != nil {
			set, problems = nil, append(problems, Problem{Code: Refused, File: r.path, Text: err.Error()})
		}
	}
	next.status.OK, next.status.Problems = set != nil, problems
	if set != nil {
		next.set = set
		next.status.Tools, next.status.Definitions = len(set.Tools)+len(set.Capabilities), len(set.Definitions)
		next.status.Digest, next.status.Loaded = set.Digest, s.config.Now()
	}
}

// tell logs a reading and calls the hook.
func (s *Source) tell(now Status) {
	log, level := s.config.Log, slog.LevelError
	about := []any{"file", now.Path, "tools", now.Tools, "workflows", now.Definitions, "reason", now.Reason}
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
