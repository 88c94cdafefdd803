package server

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"prax/server/edge"
)

// Server is one listening prax. Build it with [New]; it is safe for concurrent use.
type Server struct {
	cfg      Config
	guard    *guard
	endpoint string // where callers reach /mcp below the public URL: /mcp, or /prefix/mcp
	card     *card  // nil: none is published
	catalog  *card  // leads to it
	proxies  proxies
	access   *accessLog
	denials  *denials // of callers that are not known
	overruns *denials // of clients beyond their limits
	errors   *errorLog
	failures *failures
	ready    readyCache
	draining atomic.Bool
	running  atomic.Int64 // requests within a handler
	reading  reading
}

// New is a server that is not listening yet.
func New(c Config) *Server {
	c = c.withDefaults()
	itself, leading := publish(c)
	return &Server{
		cfg:      c,
		guard:    newGuard(c),
		endpoint: c.endpoint(),
		card:     itself,
		catalog:  leading,
		proxies:  c.TrustedProxies,
		access:   newAccessLog(c.Access, c.AccessText),
		denials:  newDenials(c.Denied),
		overruns: newDenials(c.Denied),
		errors:   newErrorLog(c.Log),
		failures: newFailures(c.MaxConns),
	}
}

// Handler answers requests as Serve does, without the limits of a connection and without the
// flushing of access records ([Server.Flush]): for tests.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// Serve answers on open until ctx ends, then drains: it stops accepting, cuts requests whose body has not
// come in, runs the Drain hooks so that streams end, lets running calls finish for the grace, writes what is
// buffered, and returns. The error is nil when every call had its answer; otherwise it says how many were
// cut off, or why listening failed.
func (s *Server) Serve(ctx context.Context, open net.Listener) error {
	ln := limit(open, s.cfg.MaxConns)
	// Calls outlive ctx by the grace, so they hang on a context of their own.
	calls, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	hs := s.httpServer(calls)
	ln.serves(hs)
	flushed := s.flushUntil(calls)
	served := make(chan error, 1)
	go func() { served <- s.answer(hs, ln) }()

	var err error
	select {
	case err = <-served:
		_ = hs.Close()
		err = fmt.Errorf("serve %s: %w", ln.Addr(), err)
	case <-ctx.Done():
		err = s.drain(hs, ln, cut)
		<-served
	}
	cut()
	<-flushed
	return err
}

// answer serves over TLS if there is a certificate: HTTP/1.1, and HTTP/2 to whom asks for it.
func (s *Server) answer(hs *http.Server, ln net.Listener) error {
	if s.cfg.Certificate == nil {
		return hs.Serve(ln)
	}
	return hs.ServeTLS(ln, "", "") // the certificate comes from the configuration
}

func (s *Server) httpServer(calls context.Context) *http.Server {
	hs := &http.Server{
		Handler:                      s.Handler(),
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            s.cfg.HeaderTimeout,
		ReadTimeout:                  s.cfg.BodyTimeout,  // until the body is read, see body
		WriteTimeout:                 s.cfg.WriteTimeout, // until exchange sets another; net/http's own words have it too
		IdleTimeout:                  s.cfg.IdleTimeout,
		MaxHeaderBytes:               s.cfg.MaxHeaderBytes,
		HTTP2:                        &http.HTTP2Config{MaxConcurrentStreams: maxStreams, WriteByteTimeout: s.cfg.WriteTimeout},
		ErrorLog:                     log.New(s.errors, "", 0),
		BaseContext:                  func(net.Listener) context.Context { return calls },
	}
	if s.cfg.Certificate != nil {
		hs.TLSConfig = s.cfg.Certificate.config()
	}
	return hs
}

// drain ends what runs: politely for the grace, then by cancelling the calls' context.
func (s *Server) drain(hs *http.Server, ln net.Listener, cut context.CancelFunc) error {
	begun := time.Now()
	s.draining.Store(true)
	_ = ln.Close() // before the hooks: no caller comes after them
	s.reading.stop()
	s.failures.end()
	grace, cancel := context.WithTimeout(context.Background(), s.cfg.Grace)
	defer cancel()
	for _, f := range s.cfg.Drain {
		f()
	}
	err := edge.Drain(grace, hs, s.running.Load)
	left := s.running.Load()
	cut()
	_ = hs.Close()
	switch {
	case left > 0:
		return fmt.Errorf("drain: %d requests cut off after %s", left, time.Since(begun).Round(time.Millisecond))
	case err != nil && !errors.Is(err, net.ErrClosed): // ln was closed above
		return fmt.Errorf("drain: %w", err)
	}
	return nil // only connections without a request may have been left
}

// Draining tells whether the drain has begun.
func (s *Server) Draining() bool { return s.draining.Load() }

// Flush writes the buffered access records, and how many refusals of a minute that is over were not
// recorded one by one, there and among the denials. Serve does so each second, and at its end for the
// minute that is not over too.
func (s *Server) Flush() { s.flush(false) }

func (s *Server) flush(last bool) {
	s.access.turn(time.Now(), last)
	if err := s.access.flush(); err != nil {
		s.cfg.Log.Error("write access records", slog.Any("error", err))
	}
	s.denials.flush(time.Now(), last)
	s.overruns.flush(time.Now(), last)
	s.errors.flush(time.Now(), last)
}

func (s *Server) flushUntil(ctx context.Context) (done <-chan struct{}) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(flushEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-s.access.full:
			case <-ctx.Done():
				s.flush(true)
				return
			}
			s.Flush()
		}
	}()
	return ended
}
