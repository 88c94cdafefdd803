package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// oneStop is how close together two signals to stop are one: a terminal and a wrapper as timeout(1)
// may both send what was meant once.
const oneStop = 500 * time.Millisecond

// signals are the operator's signals to a running server.
type signals struct {
	stop   context.Context // ends at the first SIGTERM or SIGINT
	atOnce <-chan struct{} // closed at another one, oneStop or more after the first
	reload <-chan struct{} // SIGHUP, one at a time
	end    func()          // stops listening and waits until nothing is left running
}

func processSignals(parent context.Context, now func() time.Time) *signals {
	stop, cancel := context.WithCancel(parent)
	atOnce, reload, done := make(chan struct{}), make(chan struct{}, 1), make(chan struct{})
	incoming := make(chan os.Signal, 4)
	signal.Notify(incoming, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	// A log whose reader has gone is no reason to stop serving: writing to it fails, and no more. The
	// signal is taken and not ignored, because children inherit what is ignored, and never given back,
	// because the last words of the command are still to come.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		defer close(done)
		passSignals(incoming, now, cancel, func() { close(atOnce) }, reload)
	}()
	return &signals{stop: stop, atOnce: atOnce, reload: reload, end: func() {
		signal.Stop(incoming)
		close(incoming)
		<-done
		cancel()
	}}
}

// passSignals hands each signal to whom it is for until incoming is closed: the first to stop calls
// stop, the first that is not the same press of a key calls atOnce.
func passSignals(incoming <-chan os.Signal, now func() time.Time, stop, atOnce func(), reload chan<- struct{}) {
	var first time.Time
	for sig := range incoming {
		switch {
		case sig == syscall.SIGHUP:
			select {
			case reload <- struct{}{}:
			default: // one is waiting already, and it will read the newest file
			}
		case first.IsZero():
			first = now()
			stop()
		case atOnce != nil && now().Sub(first) >= oneStop:
			atOnce()
			atOnce = nil
		}
	}
}
