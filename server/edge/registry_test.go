package edge_test

import (
	"net/http"
	"sync"
	"time"

	"prax/auth"
)

// registry is an authenticator whose clients a test changes: what auth/clients is in the program.
type registry struct {
	now func() time.Time

	mu         sync.Mutex
	clients    map[auth.Credential]auth.Principal
	generation uint64
	changed    chan struct{}
}

func newRegistry(now func() time.Time, clients ...auth.Principal) *registry {
	r := &registry{now: now, changed: make(chan struct{})}
	r.set(clients...)
	return r
}

func (r *registry) set(clients ...auth.Principal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.generation++
	r.clients = map[auth.Credential]auth.Principal{}
	for _, p := range clients {
		p.Generation = r.generation
		r.clients[p.Credential] = p
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *registry) Authenticate(*http.Request) (auth.Principal, bool) { return auth.Principal{}, false }

func (r *registry) Again(p auth.Principal) (auth.Principal, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, ok := r.clients[p.Credential]
	if !ok || now.Expired(r.now()) {
		return auth.Principal{}, false
	}
	return now, true
}

func (r *registry) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

func alice(change func(*auth.Principal)) auth.Principal {
	p := auth.Principal{Client: "alice", User: "u_alice", Allow: auth.Names("a", "b"), Credential: auth.HashToken("alice")}
	if change != nil {
		change(&p)
	}
	return p
}
