package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// Readiness is what /readyz shows: no names of clients, no paths, no secrets, as it needs no token.
type Readiness struct {
	Registry RegistryState
	Problems []Problem // none: ready
	Warnings []Problem // what an operator should see to, though the server is ready
}

// RegistryState is the state of clients.json.
type RegistryState struct {
	Generation uint64
	Age        time.Duration // since that generation came into force
	Stale      bool          // the file changed, or is gone, and could not be read
}

// CheckStore is the Check of a store that cannot take a write.
const CheckStore = "store"

// Problem is a check that failed, and why in words for an operator.
type Problem struct {
	Check  string `json:"check"` // registry, store …
	Reason string `json:"reason"`
}

// How long one look at the store serves everybody, and how long it may take. The probe writes; who
// polls without a token must not make it a load.
const (
	readyFor     = time.Second
	readyTimeout = 2 * time.Second
)

type readyCache struct {
	mu     sync.Mutex
	at     time.Time
	status int
	body   []byte
}

// healthz says that the process answers, and nothing else.
func (s *Server) healthz(x *exchange, r *http.Request) {
	if x.onlyReads(r) {
		x.refuse(r, http.StatusOK, []byte(`{"status":"ok"}`+"\n"))
	}
}

func (s *Server) readyz(x *exchange, r *http.Request) {
	if !x.onlyReads(r) {
		return
	}
	if s.Draining() {
		x.refuse(r, http.StatusServiceUnavailable, []byte(`{"status":"draining"}`+"\n"))
		return
	}
	status, body := s.readiness()
	x.refuse(r, status, body)
}

func (x *exchange) onlyReads(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	x.Header().Set("Allow", "GET, HEAD")
	x.refuse(r, http.StatusMethodNotAllowed, onlyRead)
	return false
}

func (s *Server) readiness() (status int, body []byte) {
	c := &s.ready
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.body != nil && time.Since(c.at) < readyFor {
		return c.status, c.body
	}
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	defer cancel()
	c.status, c.body = s.look(ctx)
	c.at = time.Now()
	return c.status, c.body
}

func (s *Server) look(ctx context.Context) (status int, body []byte) {
	state := Readiness{Problems: []Problem{{Check: "server", Reason: "no readiness check is set"}}}
	if s.cfg.Ready != nil {
		state = s.cfg.Ready(ctx)
	}
	shown := readyBody{Status: "ready", Problems: state.Problems, Warnings: state.Warnings}
	shown.Registry.Generation = state.Registry.Generation
	shown.Registry.AgeSeconds = state.Registry.Age.Round(time.Second).Seconds()
	shown.Registry.Stale = state.Registry.Stale
	shown.Store = "ok"
	for _, p := range state.Problems {
		if p.Check == CheckStore {
			shown.Store = "failing"
		}
	}
	status = http.StatusOK
	if len(state.Problems) > 0 {
		shown.Status, status = "not ready", http.StatusServiceUnavailable
	}
	body, err := json.Marshal(shown)
	if err != nil {
		return http.StatusServiceUnavailable, errorBody("not ready")
	}
	return status, append(body, '\n')
}

type readyBody struct {
	Status   string `json:"status"`
	Registry struct {
		Generation uint64  `json:"generation"`
		AgeSeconds float64 `json:"age_seconds"`
		Stale      bool    `json:"stale"`
	} `json:"registry"`
	Store    string    `json:"store"`
	Problems []Problem `json:"problems,omitempty"`
	Warnings []Problem `json:"warnings,omitempty"`
}
