package runner

import (
	"context"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools/executor"
	"prax/tools/workflow"
)

// Changer reads and changes the store. A *tools.Call is one, which adds the audit event of the call to the change; so
// is a [store.Store].
type Changer interface {
	Instance(ctx context.Context, s auth.Scope, id string) (store.Instance, error)
	View(ctx context.Context, f func(store.Tx) error) error
	Update(ctx context.Context, f func(store.Tx) error) error
}

// Catalog has the definitions in force.
type Catalog interface {
	// Definition is the one with this id, for whoever may use it; false when there is none.
	Definition(id string) (*workflow.Definition, bool)
}

// Config is what a runner works with. Store, Catalog and Decode are needed.
type Config struct {
	Store   store.Store
	Catalog Catalog

	// Decode compiles the text of a definition as an instance has pinned it. What it gives is the runner's own.
	Decode func(jsontext.Value) (*workflow.Definition, error)

	// Live is the client of this name as clients.json has it now; false when it is out. What a timer sets going is
	// judged by it again. nil: every client is out.
	Live func(client string) (auth.Principal, bool)

	// Lent is what a grant leaves of its client now; false when its token would be refused. What was set going under a
	// signed token is judged by it again, in place of Live. nil: every such token is out.
	Lent func(*auth.Grant) (auth.Principal, bool)

	// Executors are the kinds of executor that have an effect. Connection is one of those in force; nil: there are none.
	Executors  executor.Kinds
	Connection func(name string) (*workflow.Connection, bool)

	// Capability is the one of this name that is a tool of its own; nil: there are none.
	Capability func(name string) (*workflow.Capability, bool)

	// Running is how many executors run at once, and OfClient how many of them for one client; 0: 256, and 64. What a
	// request would begin beyond the latter is refused with ErrBusy; everything else waits.
	Running, OfClient int

	// Hook tells the operator what waits for a person; nil: nothing is written down for it.
	Hook Hook

	// Worker names this process, unlike any that wrote to the store before. "": a random name.
	Worker string

	Observe Observer // nil: nobody

	Log        *slog.Logger
	Now        func() time.Time           // nil: time.Now
	NewID      func(prefix string) string // nil: 128 random bits
	CacheBytes int                        // of the texts of pinned definitions that are kept compiled; 0: 16 MiB
}

// Runner runs instances. Its methods may be called from many goroutines.
type Runner struct {
	config   Config
	pinned   *pinned
	forms    *recent[*form] // by the id of the instance
	timers   *timers
	drives   *drives
	outbox   *outbox
	capacity *capacity

	recovered chan struct{} // closed by Run
}

// New makes a runner.
func New(c Config) *Runner {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = func(prefix string) string { return prefix + store.NewID() }
	}
	if c.CacheBytes <= 0 {
		c.CacheBytes = 16 << 20
	}
	if c.Observe == nil {
		c.Observe = unobserved{}
	}
	if c.Worker == "" {
		c.Worker = store.NewID()
	}
	if c.Connection == nil {
		c.Connection = func(string) (*workflow.Connection, bool) { return nil, false }
	}
	if c.Capability == nil {
		c.Capability = func(string) (*workflow.Capability, bool) { return nil, false }
	}
	return &Runner{
		config: c, pinned: newPinned(c.CacheBytes), forms: newRecent[*form](formBytes), timers: newTimers(), drives: newDrives(),
		outbox: newOutbox(), capacity: newCapacity(c.Running, c.OfClient),
		recovered: make(chan struct{}),
	}
}

// Recovered is closed once Run has taken over what an earlier start left behind.
func (r *Runner) Recovered() <-chan struct{} { return r.recovered }
