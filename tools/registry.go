package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"prax/auth"
	"prax/auth/policy"
	"prax/store"
)

// DefaultTimeout is how long a call may take when neither its tool nor [Config] says otherwise.
const DefaultTimeout = 60 * time.Second

// Config is what a [Registry] stands on.
type Config struct {
	Store      store.Store
	Log        *slog.Logger
	Now        func() time.Time    // nil: time.Now
	Timeout    time.Duration       // of a call; 0: DefaultTimeout
	HMAC       func([]byte) string // hex, under the installation key: all that the audit keeps of arguments; nil: nothing
	AuditReads bool                // whether calls of LOW tools that went well are recorded; all others always are
	Observe    Observer            // nil: nobody
}

// Registry is the tools that exist now, and the one way to call them.
type Registry struct {
	config  Config
	current atomic.Pointer[catalogue]
	running running
	denials denials
	unknown told // calls of what is no tool

	mu      sync.Mutex // held while a generation is made
	changed chan struct{}
}

// NewRegistry is an empty registry. It panics without a store: no call goes unrecorded.
func NewRegistry(c Config) *Registry {
	if c.Store == nil {
		panic("tools: a registry needs a store")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	r := &Registry{config: c, changed: make(chan struct{}), unknown: c.tell("")}
	r.denials = denials{record: c.Store.Record, now: c.Now, clients: map[string]*denied{}}
	r.current.Store(&catalogue{byName: map[string]*entry{}})
	return r
}

// Set makes list the tools of source, in place of those it had: all at once, as a new generation. A
// tool without a tier, a handler or a good name, one whose schema clients would refuse, and a name that
// cannot be told from another (of any source) are errors; then nothing changes. HIGH tools are kept
// and never exposed.
func (r *Registry) Set(source string, list []*Tool) error {
	var entries []*entry
	var problems []error
	for _, t := range list {
		e, err := compile(t)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		e.told = r.config.tell(t.Name)
		entries = append(entries, e)
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("tools of %s: %w", source, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	next, err := r.current.Load().with(source, entries)
	if err != nil {
		return fmt.Errorf("tools of %s: %w", source, err)
	}
	r.current.Store(next)
	close(r.changed)
	r.changed = make(chan struct{})
	return nil
}

// Find is the tool of this name, in either spelling, whoever may use it: for operators and wiring,
// never for a caller.
func (r *Registry) Find(name string) (*Tool, bool) {
	e, _ := r.current.Load().find(name)
	if e == nil {
		return nil, false
	}
	return e.tool, true
}

// Tier is the tier of the tool of this name, in either spelling.
func (r *Registry) Tier(name string) (auth.Tier, bool) {
	t, ok := r.Find(name)
	if !ok {
		return auth.TierUnknown, false
	}
	return t.Tier, true
}

// List is the tools that p may call now, sorted by name. Never nil.
func (r *Registry) List(p auth.Principal) []*Tool {
	now := r.config.Now()
	list := []*Tool{}
	for _, e := range r.current.Load().sorted {
		if policy.Decide(p, e.target(), now).OK {
			list = append(list, e.tool)
		}
	}
	return list
}

// Decide says whether p may call the tool of this name now, and why: for operators.
func (r *Registry) Decide(p auth.Principal, name string) policy.Decision {
	_, target := r.current.Load().find(name)
	return policy.Decide(p, target, r.config.Now())
}

// Generation counts the catalogues: 0 before the first Set.
func (r *Registry) Generation() uint64 { return r.current.Load().generation }

// Changed is closed when another generation is in force. Take it before reading what may change.
func (r *Registry) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// Running is how many handlers run now, and how many of them go on after their callers were answered.
func (r *Registry) Running() (active, strayed int) { return r.running.count() }

// Close refuses further calls and waits until every handler has returned, those included whose
// callers were answered at the deadline. The error says how many had not when ctx ended.
func (r *Registry) Close(ctx context.Context) error {
	defer r.denials.close()
	return r.running.close(ctx)
}
