package server

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"prax/auth"
	"prax/server/edge"
)

// The names of routes in access records: never the path itself, which may hold whatever a caller
// mistook for a URL.
const (
	routeMCP       = "/mcp"
	routeHealth    = "/healthz"
	routeReady     = "/readyz"
	routeWellKnown = "/.well-known/"
	routeOther     = "other"
)

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.running.Add(1)
	defer s.running.Add(-1)
	x := s.begin(w, r)
	defer s.end(x, r)
	s.route(x, r)
}

// route knows whole paths only. There is no mux, because one redirects: a redirect would carry a
// caller's token to wherever it points, and turns POST into GET. A path that is written in another way
// is another path: what stands in front and filters by path must not see less than what is served.
func (s *Server) route(x *exchange, r *http.Request) {
	switch path := r.URL.Path; {
	case r.URL.RawPath != "", // the path has escapes that it needs not,
		x.shared && r.URL.Host != "": // or is a whole URL, as in HTTP/2 none is (RFC 9113 8.3.1)
		x.route = routeOther
		x.refuse(r, http.StatusNotFound, notFound)
	case s.isMCP(path):
		x.route = routeMCP
		s.mcp(x, r)
	case s.isCard(path):
		x.route = routeCard
		s.serveCard(x, r, s.card)
	case s.isCatalog(path):
		x.route = routeWellKnown
		s.serveCard(x, r, s.catalog)
	case path == routeHealth:
		x.route = routeHealth
		s.healthz(x, r)
	case path == routeReady:
		x.route = routeReady
		s.readyz(x, r)
	case strings.HasPrefix(path, routeWellKnown):
		// A plain 404, never a challenge: clients that find one here, or metadata, start an
		// authorization flow that there is no server for.
		x.route = routeWellKnown
		x.refuse(r, http.StatusNotFound, notFound)
	default:
		x.route = routeOther
		x.refuse(r, http.StatusNotFound, notFound)
	}
}

// isMCP knows the endpoint with and without a slash at its end, and with what a proxy may leave before it.
func (s *Server) isMCP(path string) bool {
	path = strings.TrimSuffix(path, "/")
	return path == routeMCP || path == s.endpoint || anywhere && strings.HasSuffix(path, routeMCP)
}

// mcp goes from the cheapest check to the dearest, and reads nothing of the body before the caller
// is known.
func (s *Server) mcp(x *exchange, r *http.Request) {
	if s.cfg.MCP == nil || s.cfg.Enabled == nil || !s.cfg.Enabled() {
		x.refuse(r, http.StatusNotFound, notFound)
		return
	}
	preflight := r.Method == http.MethodOptions && s.guard.cors
	if r.Method != http.MethodPost && !preflight {
		x.Header().Set("Allow", s.allow())
		x.refuse(r, http.StatusMethodNotAllowed, notAllowed)
		return
	}
	if reason, sentence := s.guard.refuses(r); reason != "" {
		s.denied(x, reason)
		x.refuse(r, http.StatusForbidden, errorBody(sentence))
		return
	}
	s.corsHeaders(x.Header(), r)
	if preflight {
		s.preflight(x, r)
		return
	}
	judge, p, ok := s.authenticate(r, x)
	if !ok {
		s.refuseUnknown(x, r)
		return
	}
	x.edge = s.cfg.Edge.Exchange(judge, p, x.id[0], x.remote, x.start)
	s.serveKnown(x, r)
}

// refuseUnknown answers who has no good token, at once or, where many came without one, after a wait.
func (s *Server) refuseUnknown(x *exchange, r *http.Request) {
	s.denied(x, s.credentialReason(r))
	if !s.failures.wait(r, x.remote) {
		x.Header().Set("Connection", "close") // of many that fail at once, those beyond have to connect again, in HTTP/2 after the others' answers
	}
	x.unauthorized(r)
}

// serveKnown serves a client within its limits.
func (s *Server) serveKnown(x *exchange, r *http.Request) {
	if refused := x.edge.Begin(); refused != nil {
		s.overran(x)
		x.tooMany(r, refused)
		return
	}
	defer x.edge.End()
	defer s.reading.end(&x.body)
	s.cfg.MCP(x, x.limited(r, &s.reading, s.cfg.MaxBody), x.edge)
	if x.edge.Limited() {
		s.overran(x)
	}
	if x.edge.Out() && x.status == 0 {
		s.denied(x, s.credentialReason(r))
		x.unauthorized(r)
	}
}

// authenticate looks at headers only: a token in the query string is none.
func (s *Server) authenticate(r *http.Request, x *exchange) (edge.Authenticator, auth.Principal, bool) {
	for _, a := range s.cfg.Authenticators {
		p, ok := a.Authenticate(r)
		if ok && p.Client != "" && p.User != "" && !p.Expired(x.start) {
			return a, p, true
		}
	}
	return nil, auth.Principal{}, false
}

func (s *Server) allow() string {
	if s.guard.cors {
		return "POST, OPTIONS"
	}
	return http.MethodPost
}

// end is the one place where a request ends, panics included: it writes the access record, and an
// internal error when nothing was written yet. Whoever reads half an answer sees the connection
// break, not an answer that looks whole.
func (s *Server) end(x *exchange, r *http.Request) {
	cause := recover()
	if cause != nil && cause != http.ErrAbortHandler {
		s.cfg.Log.Error("panic while serving", slog.String("id", x.id[0]), slog.String("route", x.route),
			slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
		if x.edge != nil {
			x.edge.Access.Outcome = "panic" // whatever the adapter had noted by then
		}
		if x.status == 0 {
			x.internal(r)
			cause = nil
		}
	}
	if x.status == 0 {
		x.status = http.StatusOK // what net/http writes for a handler that wrote nothing
		if r.Context().Err() != nil {
			x.status = statusHungUp
		}
	}
	s.access.add(x, r)
	s.cfg.Metrics.answered(x)
	if x.shared && x.edge == nil {
		clear(r.Header) // it was read, and HTTP/2 keeps the request until its answer was taken
	}
	if cause != nil || x.broken {
		panic(http.ErrAbortHandler)
	}
}

// statusHungUp stands in records for a caller that left before its answer.
const statusHungUp = 499
