package server

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// defaultConns leaves half of the descriptors to the store and the files: who only opens connections
// must not keep prax from reading clients.json.
func defaultConns() int { return max(16, min(DefaultMaxConns, descriptors()/2)) }

// listener accepts only as many connections as may be open at once. One more waits in the system's
// queue, and those that are idle make room: who opens many and says nothing keeps nobody out.
type listener struct {
	net.Listener
	places   chan struct{}
	closed   chan struct{}
	close    sync.Once
	dropIdle func() // nil: nobody makes room
}

// roomEvery is how often idle connections are looked for while there is no place.
const roomEvery = time.Second

func limit(ln net.Listener, most int) *listener {
	return &listener{Listener: ln, places: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept waits for a place, then for a connection. http.Server tells by ended when the place is free.
func (l *listener) Accept() (net.Conn, error) {
	if !l.place() {
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
	}
	return c, err
}

// place takes a place; false when the listener was closed.
func (l *listener) place() bool {
	for {
		select {
		case l.places <- struct{}{}:
			return true
		case <-l.closed:
			return false
		default:
		}
		if l.dropIdle != nil {
			l.dropIdle()
		}
		select {
		case l.places <- struct{}{}:
			return true
		case <-l.closed:
			return false
		case <-time.After(roomEvery):
		}
	}
}

// serves has the idle connections of a server make room; it is the one that answers on the listener.
func (l *listener) serves(hs *http.Server) {
	hs.ConnState = l.ended
	l.dropIdle = func() {
		hs.SetKeepAlivesEnabled(false) // closes those that are idle, and those that have sent nothing for five seconds
		hs.SetKeepAlivesEnabled(true)
	}
}

// ended is an http.Server's ConnState. Connections are not wrapped: net/http closes the one half of
// those that it knows, so that a refused caller can read its answer.
func (l *listener) ended(_ net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		<-l.places
	}
}

// Close ends an Accept that waits, too.
func (l *listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}
