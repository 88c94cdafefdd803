package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// program is one run of prax: everything it takes from the process, so that nothing below reads a
// global. The working directory is the process's.
type program struct {
	environ []string
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	now     func() time.Time
	signals func(context.Context) *signals
}

func newProgram() *program {
	return &program{
		environ: os.Environ(),
		stdin:   os.Stdin,
		stdout:  os.Stdout,
		stderr:  os.Stderr,
		now:     time.Now,
		signals: processSignals,
	}
}

// run runs the command that args name and returns the exit code.
func (p *program) run(args []string) int {
	// Whatever the umask of the caller: what prax creates is the operator's alone.
	syscall.Umask(0o077)
	return p.report(dispatch(p, "prax", commands(), args))
}

// signals are the operator's signals to a running server.
type signals struct {
	stop   context.Context // ends at the first SIGTERM or SIGINT
	now    <-chan struct{} // closed at the second
	reload <-chan struct{} // SIGHUP, one at a time
	end    func()          // stops listening and waits until nothing is left running
}

func processSignals(parent context.Context) *signals {
	stop, cancel := context.WithCancel(parent)
	now, reload, done := make(chan struct{}), make(chan struct{}, 1), make(chan struct{})
	incoming := make(chan os.Signal, 4)
	signal.Notify(incoming, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		defer close(done)
		sort(incoming, cancel, now, reload)
	}()
	return &signals{stop: stop, now: now, reload: reload, end: func() {
		signal.Stop(incoming)
		close(incoming)
		<-done
		cancel()
	}}
}

// sort hands each signal to whom it is for until incoming is closed.
func sort(incoming <-chan os.Signal, cancel func(), now chan<- struct{}, reload chan<- struct{}) {
	stops := 0
	for sig := range incoming {
		if sig == syscall.SIGHUP {
			select {
			case reload <- struct{}{}:
			default: // one is waiting already, and it will read the newest file
			}
			continue
		}
		switch stops++; stops {
		case 1:
			cancel()
		case 2:
			close(now)
		}
	}
}
