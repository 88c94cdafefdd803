package edge_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"prax/server/edge"
)

// pipes is a listener whose connections are in memory, so that a bubble's clock governs them.
type pipes struct {
	incoming chan net.Conn
	closed   chan struct{}
	failure  error // of Close
}

func newPipes() *pipes { return &pipes{incoming: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.incoming:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return p.failure
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// dial connects, and says what it has to say.
func (p *pipes) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	here, there := net.Pipe()
	t.Cleanup(func() { _ = here.Close() })
	p.incoming <- there
	if _, err := io.WriteString(here, text); err != nil {
		t.Fatal(err)
	}
	return here
}

const ask = "GET / HTTP/1.1\r\nHost: prax\r\n\r\n"

// TestDrain: what may hold a drain up, and how long.
func TestDrain(t *testing.T) {
	t.Parallel()
	const grace = 8 * time.Second
	broken := errors.New("the socket cannot be removed")
	for name, tt := range map[string]struct {
		said    []string      // by the connections
		call    time.Duration // how long a request takes
		failure error
		most    time.Duration // the longest that the drain may take
		left    int64
	}{
		"nothing":                {most: 0},
		"a silent connection":    {said: []string{""}, most: time.Second},
		"half a header":          {said: []string{ask[:8]}, most: time.Second},
		"a call":                 {said: []string{ask}, call: 3 * time.Second, most: 3500 * time.Millisecond},
		"a call and silence":     {said: []string{ask, ""}, call: 3 * time.Second, most: 4500 * time.Millisecond},
		"a call without end":     {said: []string{ask}, call: time.Hour, most: grace, left: 1},
		"its listener is broken": {failure: broken, most: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var running atomic.Int64
				ln := newPipes()
				ln.failure = tt.failure
				hs := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					running.Add(1)
					defer running.Add(-1)
					select {
					case <-time.After(tt.call):
					case <-r.Context().Done():
					}
				})}
				served := make(chan error, 1)
				go func() { served <- hs.Serve(ln) }()
				for _, text := range tt.said {
					c := ln.dial(t, text)
					go func() { _, _ = io.Copy(io.Discard, c) }()
				}
				synctest.Wait()
				begun := time.Now()
				within, cancel := context.WithTimeout(t.Context(), grace)
				defer cancel()
				err := edge.Drain(within, hs, running.Load)
				if took := time.Since(begun); took > tt.most {
					t.Errorf("it took %v, want %v at most", took, tt.most)
				}
				if left := running.Load(); left != tt.left || !errors.Is(err, tt.failure) {
					t.Errorf("%d requests are left, %v; want %d, %v", left, err, tt.left, tt.failure)
				}
				_ = hs.Close()
				<-served
			})
		})
	}
}
