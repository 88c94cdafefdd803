package main

import (
	"fmt"
	"sync"
	"time"
)

const (
	patientFor  = time.Second // what takes no longer is not told of
	redrawEvery = 200 * time.Millisecond
)

// progress tells on a terminal that something goes on that may take long; elsewhere it says nothing.
type progress struct {
	screen *screen // nil: nothing is told
	begun  time.Time
	stop   chan struct{}
	over   sync.WaitGroup

	mu   sync.Mutex
	what string
}

// progress begins to tell of something, until end.
func (p *program) progress(what string) *progress {
	at := &progress{what: what, begun: time.Now(), stop: make(chan struct{})}
	s, ok := p.stderr.(*screen)
	if !ok || !p.obeys(s) {
		return at
	}
	at.screen = s
	at.over.Go(at.run)
	return at
}

// progressBeside is progress of a command that prints all the while: where its lines go to the terminal too, they are
// the progress.
func (p *program) progressBeside(what string) *progress {
	if isTerminal(p.stdout) {
		return &progress{}
	}
	return p.progress(what)
}

// say is what is done now.
func (at *progress) say(what string) {
	at.mu.Lock()
	defer at.mu.Unlock()
	at.what = what
}

// end takes the line away. It may be called more than once.
func (at *progress) end() {
	if at.screen == nil {
		return
	}
	at.mu.Lock()
	select {
	case <-at.stop:
	default:
		close(at.stop)
	}
	at.mu.Unlock()
	at.over.Wait()
}

func (at *progress) run() {
	defer at.screen.show("")
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	for {
		select {
		case <-at.stop:
			return
		case <-tick.C:
		}
		if took := time.Since(at.begun); took >= patientFor {
			at.screen.show(at.line(took))
		}
	}
}

func (at *progress) line(took time.Duration) string {
	at.mu.Lock()
	defer at.mu.Unlock()
	return fmt.Sprintf("%s … %s", printable(at.what), took.Truncate(time.Second))
}
