package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"
)

// metricsHandler answers GET and HEAD of /metrics, and nothing else.
func (s *Server) metricsHandler(addr string, from Sources) http.Handler {
	if s.cfg.Metrics == nil {
		panic("server: nothing is counted")
	}
	return &scraper{
		s: s, m: s.cfg.Metrics, guard: newLocalGuard(addr, s.cfg.AllowedHosts), sources: from, asked: from.asked(s.cfg.Log),
	}
}

// What the metrics' listener allows. Who scrapes is one, or a few.
const (
	metricsConns   = 16
	metricsTimeout = 10 * time.Second
	metricsGrace   = time.Second
)

// ServeMetrics answers scrapes on open until ctx ends. The error says why listening failed. It panics without a Metrics in
// the server's Config.
func (s *Server) ServeMetrics(ctx context.Context, open net.Listener, from Sources) error {
	ln := limit(open, metricsConns)
	hs := &http.Server{
		Handler:                      s.metricsHandler(open.Addr().String(), from),
		DisableGeneralOptionsHandler: true,
		ReadTimeout:                  metricsTimeout,
		WriteTimeout:                 metricsTimeout,
		IdleTimeout:                  s.cfg.IdleTimeout,
		MaxHeaderBytes:               8 << 10,
		ErrorLog:                     slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelWarn),
	}
	ln.serves(hs)
	served := make(chan error, 1)
	go func() { served <- hs.Serve(ln) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve metrics at %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), metricsGrace)
	defer cancel()
	if err := hs.Shutdown(grace); err != nil && !errors.Is(err, net.ErrClosed) {
		_ = hs.Close()
	}
	<-served
	return nil
}

const metricsPath = "/metrics"

// ServeHTTP implements [http.Handler]. Whose name was made to resolve to this machine (DNS rebinding) is refused by its Host.
func (c *scraper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if name, ok := hostname(r.Host); !anyHost && (!ok || !c.guard.admits(name, r)) {
		sayJSON(w, r, http.StatusForbidden, foreignHost)
		return
	}
	if r.Header["Origin"] != nil {
		sayJSON(w, r, http.StatusForbidden, webPage)
		return
	}
	if r.URL.Path != metricsPath || r.URL.RawPath != "" {
		sayJSON(w, r, http.StatusNotFound, notFound)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		sayJSON(w, r, http.StatusMethodNotAllowed, onlyRead)
		return
	}
	w.Header()["Content-Type"] = metricsType
	say(w, r, http.StatusOK, c.scrape())
}

var (
	foreignHost = errorBody("this Host is not admitted: name it in PRAX_ALLOWED_HOSTS")
	webPage     = errorBody("metrics are not for web pages: the request has an Origin")
)

var metricsType = []string{"text/plain; version=0.0.4; charset=utf-8"}

func sayJSON(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header()["Content-Type"] = jsonType
	say(w, r, status, body)
}

// say is a whole answer. A body that came with the request is nobody's: its connection ends.
func say(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h["X-Content-Type-Options"] = noSniff
	h["Cache-Control"] = noStore
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	if r.ContentLength != 0 {
		h.Set("Connection", "close")
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // who is gone needs no answer
	}
}
