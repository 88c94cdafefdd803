package server

import (
	"net/http"
	"strings"
)

// What a page's script may send (MCP 2026-07-28, transports), and read of an answer. Wildcards do
// not cover Authorization, so names are spelled out.
const (
	corsRequestHeaders = "authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id"
	corsAnswerHeaders  = "WWW-Authenticate, X-Request-Id, Retry-After"
	corsMaxAge         = "600"
	paramPrefix        = "mcp-param-"
	maxParamHeaders    = 32
	maxParamName       = 128
)

// corsHeaders marks every answer to an admitted origin, refusals included: without them a page's
// script sees a network failure where there was a 401.
func (s *Server) corsHeaders(h http.Header, r *http.Request) {
	if !s.guard.cors {
		return
	}
	h.Add("Vary", "Origin")
	if sent := r.Header["Origin"]; len(sent) == 1 { // admitted: the guard saw it before
		h.Set("Access-Control-Allow-Origin", sent[0])
		h.Set("Access-Control-Expose-Headers", corsAnswerHeaders)
	}
}

// preflight answers OPTIONS before authentication: browsers send it without credentials.
func (s *Server) preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Allow", s.allow())
	if h.Get("Access-Control-Allow-Origin") != "" {
		h.Set("Access-Control-Allow-Methods", http.MethodPost)
		h.Set("Access-Control-Allow-Headers", corsRequestHeaders+paramHeaders(r))
		h.Set("Access-Control-Max-Age", corsMaxAge)
	}
	w.WriteHeader(http.StatusNoContent)
}

// paramHeaders repeats the parameter headers that were asked for, as far as they can be names of
// headers: a tool marks them as it likes (MCP 2026-07-28, transports: custom headers), so there is no list
// of them, and which tool the page will call is not known yet.
func paramHeaders(r *http.Request) string {
	var b strings.Builder
	n := 0
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		mark, ours := strings.CutPrefix(name, paramPrefix)
		if !ours || mark == "" || len(name) > maxParamName || strings.Trim(mark, tokenCharacters) != "" {
			continue
		}
		if n++; n > maxParamHeaders {
			break
		}
		b.WriteString(", ")
		b.WriteString(name)
	}
	return b.String()
}

// tokenCharacters are those of a header's name (RFC 9110, section 5.6.2), in lower case.
const tokenCharacters = "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~"
