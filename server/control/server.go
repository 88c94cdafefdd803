package control

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"prax/server/edge"
)

// Server serves the operator's socket.
type Server struct {
	cfg  Config
	own  int // the uid that the server runs as
	peer func(*net.UnixConn) (int, error)

	running atomic.Int64 // requests within a handler
}

// New is a server that is not listening yet.
func New(c Config) *Server {
	return &Server{cfg: c.withDefaults(), own: os.Geteuid(), peer: peerUID}
}

// The limits of a connection. The peer is the operator; they are there for mistakes.
const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = 30 * time.Second
	idleTimeout   = 120 * time.Second
	maxHeader     = 16 << 10
	maxBody       = 1 << 20
	grace         = 8 * time.Second // below the ten seconds after which containers are killed
)

// Serve answers on ln until ctx ends; then streams end, requests whose body has not come in are cut,
// running calls have the grace, and the socket is gone when it returns. The error is nil when every
// request had its answer.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	calls, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	hs := &http.Server{
		Handler:           s.counted(s.routes(ctx)),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		BaseContext:       func(net.Listener) context.Context { return calls },
		ConnContext:       s.identify,
		ErrorLog:          slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- hs.Serve(ln) }()
	select {
	case err := <-served:
		_ = hs.Close()
		return fmt.Errorf("serve the operator's socket: %w", err)
	case <-ctx.Done():
	}
	polite, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := edge.Drain(polite, hs, s.running.Load)
	left := s.running.Load()
	cut()
	_ = hs.Close()
	<-served
	if left > 0 {
		return fmt.Errorf("serve the operator's socket: %d calls cut off after %s", left, grace)
	}
	return err
}

// counted counts the requests that are within a handler.
func (s *Server) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.running.Add(1)
		defer s.running.Add(-1)
		h.ServeHTTP(w, r)
	})
}

type uidKey struct{}

// uidOf is who connected; the zero value is nobody.
type uidOf struct {
	uid   int
	known bool
}

// identify notes who connected, once a connection. The file's mode keeps others out already; this
// holds where a mode was changed, or a descriptor handed on.
func (s *Server) identify(ctx context.Context, c net.Conn) context.Context {
	var who uidOf
	if uc, ok := c.(*net.UnixConn); ok {
		uid, err := s.peer(uc)
		if err != nil {
			s.cfg.Log.Warn("operator's socket: peer unknown", slog.Any("error", err))
		}
		who = uidOf{uid, err == nil}
	}
	return context.WithValue(ctx, uidKey{}, who)
}

// mayOperate: the server's own user, and root.
func mayOperate(who uidOf, own int) bool { return who.known && (who.uid == own || who.uid == 0) }
