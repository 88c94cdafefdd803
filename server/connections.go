package server

import (
	"net"
	"net/http"
	"sync"
)

// defaultConns leaves half of the descriptors to the store and the files: who only opens connections
// must not keep prax from reading clients.json.
func defaultConns() int { return max(16, min(DefaultMaxConns, descriptors()/2)) }

// listener accepts only as many connections as may be open at once. One more waits in the system's
// queue.
type listener struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	close  sync.Once
}

func limit(ln net.Listener, most int) *listener {
	return &listener{Listener: ln, places: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept waits for a place, then for a connection. http.Server tells by ended when the place is free.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
	}
	return c, err
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
