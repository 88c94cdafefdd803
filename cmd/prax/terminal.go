package main

import (
	"io"
	"os"
	"sync"
)

// screen is standard error on a terminal: below what is printed there may be one line that tells how far something is. It
// is taken away before anything else is printed.
type screen struct {
	to io.Writer

	mu    sync.Mutex
	shown bool
}

// clearLine takes the line that the cursor is on away (ECMA-48, CR and EL).
const clearLine = "\r\x1b[K"

// Write prints what stays.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	return s.to.Write(text)
}

// show puts a line below what is printed, in the place of the one before; "" takes that away.
func (s *screen) show(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	if line != "" {
		_, err := io.WriteString(s.to, line)
		s.shown = err == nil
	}
}

func (s *screen) clear() {
	if s.shown {
		_, _ = io.WriteString(s.to, clearLine)
		s.shown = false
	}
}

// isTerminal tells whether a stream of the process is one.
func isTerminal(stream any) bool {
	switch s := stream.(type) {
	case *screen:
		return true
	case *stdout:
		return isTerminal(s.to)
	case *os.File:
		info, err := s.Stat()
		if err != nil || info.Mode()&os.ModeCharDevice == 0 {
			return false
		}
		null, err := os.Stat(os.DevNull)
		return err != nil || !os.SameFile(info, null)
	}
	return false
}

// obeys tells whether a stream is a terminal that can do more than print lines.
func (p *program) obeys(stream any) bool {
	term := p.variable("TERM")
	return isTerminal(stream) && term != "" && term != "dumb"
}

// variable is one of the environment.
func (p *program) variable(name string) string { return environment(p.environ)[name] }

// The colours (ECMA-48, SGR).
const (
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// coloured is text in a colour where the stream shows colours and nobody asked for none (https://no-color.org).
func (p *program) coloured(stream any, colour, text string) string {
	if !p.obeys(stream) || p.variable("NO_COLOR") != "" {
		return text
	}
	return colour + text + plain
}
