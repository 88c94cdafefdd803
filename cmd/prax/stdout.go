package main

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// stdout is standard output that remembers whether it took everything: a command whose answer went
// nowhere has not succeeded, whichever of its lines it was.
type stdout struct {
	to io.Writer

	mu  sync.Mutex
	err error // the first
}

// Write passes on, until something could not be passed on.
func (s *stdout) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.to.Write(text)
	s.err = err
	return n, err
}

// verdict is how a command ended that ended with err: what was not printed fails it too.
func (s *stdout) verdict(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err == nil || errors.Is(err, s.err):
		return err
	case err == nil || errors.Is(err, errHelp) || errors.Is(err, errShown):
		return failed("", "standard output: %w", s.err)
	}
	return errors.Join(err, fmt.Errorf("standard output: %w", s.err))
}
