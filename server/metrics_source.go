package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// How long a scrape waits for its sources, and how long what those said serves that cost something to ask.
const (
	sourceTimeout = 2 * time.Second
	waitingFor    = 5 * time.Second
	probeFor      = 10 * time.Second
)

// asked is a source, whatever it says.
type asked interface {
	name() string
	begin()
	write(t *text, timeUp <-chan struct{}) (up bool)
}

// fact is what a source says: it writes its series.
type fact interface{ write(*text) }

// ask adds a source, if there is one.
func ask[T fact](all []asked, name string, old time.Duration, from func(context.Context) (T, error), log *slog.Logger) []asked {
	if from == nil {
		return all
	}
	return append(all, &source[T]{label: name, ask: from, old: old, log: log})
}

// source is something that a scrape asks. Each is asked on its own, by one at a time and not again before its answer is
// old: one that fails, panics or hangs leaves its own series out, and costs nobody but a scrape the time.
type source[T fact] struct {
	label string
	ask   func(context.Context) (T, error)
	old   time.Duration
	log   *slog.Logger

	mu      sync.Mutex
	at      time.Time
	last    T
	err     error
	pending chan struct{} // closed when the answer is there; nil: nobody asks
}

func (s *source[T]) name() string { return s.label }

// begin has it asked, unless it is being asked or what it said is not old.
func (s *source[T]) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending != nil || !s.at.IsZero() && time.Since(s.at) < s.old {
		return
	}
	s.pending = make(chan struct{})
	go s.asking(s.pending)
}

func (s *source[T]) asking(done chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), sourceTimeout)
	defer cancel()
	last, err := s.safely(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && (s.err == nil || s.at.IsZero()) { // once, not at each scrape
		s.log.Warn("metrics: a source could not be asked", "source", s.label, "cause", err.Error())
	}
	s.last, s.err, s.at, s.pending = last, err, time.Now(), nil
	close(done)
}

// safely asks. A panic is a failure like another.
func (s *source[T]) safely(ctx context.Context) (last T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return s.ask(ctx)
}

// take is what the source says, if it does before the scrape's time is up.
func (s *source[T]) take(timeUp <-chan struct{}) (last T, ok bool) {
	s.mu.Lock()
	pending := s.pending
	s.mu.Unlock()
	if pending != nil {
		select {
		case <-pending:
		case <-timeUp:
			return last, false
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, s.err == nil && s.pending == nil && !s.at.IsZero()
}

// write writes the series of what the source says.
func (s *source[T]) write(t *text, timeUp <-chan struct{}) (up bool) {
	said, up := s.take(timeUp)
	if up {
		said.write(t)
	}
	return up
}
