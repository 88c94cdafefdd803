package workflow

import (
	"time"

	"prax/auth"
)

// Instance is one execution as the engine sees it: decoded. The engine never changes one that it is given.
type Instance struct {
	ID      string
	User    string // whose it is
	Client  string // who started it
	State   string
	Version int64
	Open    bool
	Reason  string // why it was cancelled; "" when it was not
	Summary string
	Input   map[string]any
	Context map[string]any
	Memo    Memo
	Created time.Time
	Due     time.Time // when a timer must look at it; zero: never

	Evidence []Evidence
	Shown    map[string]string // subjects that were described within the instance, and the hash of what was shown
	Parked   *Parked           // the approval that is open and not expired; nil: none
	Busy     *Busy             // the attempt that it waits for; nil: none
}

// Busy is an attempt that runs, or whose effect is in doubt. Until it is settled the instance can only be cancelled.
type Busy struct {
	Attempt    string // its id
	Transition string
	Kind       string // of the executor
	Unknown    bool   // the effect may have happened: a person has to find out
	Since      time.Time
}

// Parked is an open approval as the engine sees it.
type Parked struct {
	Approval   string // its id
	Transition string
	Arguments  map[string]any // those that it is about
	Digest     string         // of the material
	Client     string         // who asked
	Expires    time.Time
}

// Memo is the engine's own bookkeeping about an instance: never shown, and never in the context.
type Memo struct {
	Fires   map[string]int // transitions taken in this visit of the state
	Whiles  map[string]int // how often a state's while kept it
	Asked   int            // uses of ask_human
	Hops    int            // deterministic hops so far
	Driven  time.Duration  // spent in chains so far
	Expired bool           // the timeout has been applied, or noted
}

// Evidence is one thing that happened and that guards count.
type Evidence struct {
	ID         string
	Seq        int64 // of the step that made it
	Kind       string
	URI        string
	Summary    string
	Digest     string
	Confidence *float64
	Client     string
	User       string
}

// Caller is what the engine knows about who asks. The zero Caller is the server itself: a timer, a chain.
type Caller struct {
	Client      string
	User        string
	Roles       auth.NameSet
	Permissions auth.NameSet
	Overseer    bool // not the owner: it may answer human gates, cancel and reconcile, nothing else
	Out         bool // its client has been withdrawn: what it began is finished, and nothing new begins
}

// Human tells whether the caller is a person.
func (c Caller) Human() bool { return c.Roles.Has(auth.Human) }
