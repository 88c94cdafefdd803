package runner

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools/workflow"
)

// Changer reads and changes the store. A *tools.Call is one, which adds the audit event of the call to the change; so
// is a [store.Store].
type Changer interface {
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

	// Decode compiles the text of a definition as an instance has pinned it.
	Decode func(jsontext.Value) (*workflow.Definition, error)

	// Live is the client of this name as clients.json has it now; false when it is out. What a timer sets going is
	// judged by it again. nil: every client is out.
	Live func(client string) (auth.Principal, bool)

	Log        *slog.Logger
	Now        func() time.Time           // nil: time.Now
	NewID      func(prefix string) string // nil: 128 random bits
	CacheBytes int                        // of the texts of pinned definitions that are kept compiled; 0: 32 MiB
}

// Runner runs instances. Its methods may be called from many goroutines.
type Runner struct {
	config  Config
	pinned  *pinned
	waiting alarm
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
		c.CacheBytes = 32 << 20
	}
	return &Runner{config: c, pinned: newPinned(c.CacheBytes), waiting: newAlarm()}
}

// Work is who asks, and where the change goes.
type Work struct {
	Principal auth.Principal
	On        Changer // nil: the runner's store
	RequestID string
	Remote    string
}

// Answer is an instance as it is now, what became of it, and for whom that is.
type Answer struct {
	Definition *workflow.Definition // the one that the instance has pinned, with the version that the store gave it
	Instance   *workflow.Instance
	Stored     store.Instance
	Change     *workflow.Change  // what this call changed; nil: nothing
	Refusal    *workflow.Refusal // why the request was refused, or what failed although the change stands; nil: nothing
	Approvals  []store.Approval  // the open ones of this instance
	Caller     workflow.Caller
	Expired    bool // this call found that the time was over, and applied the timeout
}

// The errors that say that something is not there. They are the same, byte for byte, whether it never existed, is
// somebody else's, or is of a definition that the caller may not use.
var (
	ErrUnknownDefinition = errors.New("unknown workflow definition")
	ErrUnknownInstance   = errors.New("unknown workflow")
	ErrUnknownApproval   = errors.New("unknown approval")
)

// RunTaken says that the caller's user has an instance with this run id already.
type RunTaken struct {
	InstanceID string // "" when it is of a definition that the caller may not use
}

// Error is the same whichever instance it is.
func (*RunTaken) Error() string { return "this run id is taken" }

// ClientRevoked is the code of what is not done any more for a client that is out.
const ClientRevoked workflow.Code = "CLIENT_REVOKED"
