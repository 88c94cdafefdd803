package store

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
)

// Status says whether an instance can still move.
type Status string

// The statuses. Only open ones move.
const (
	Open      Status = "open"
	Completed Status = "completed" // in a terminal state
	Cancelled Status = "cancelled" // by a caller, an operator, or a lifetime budget; Reason says why
)

// Instance is one execution of a definition. It belongs to its starter's user.
type Instance struct {
	ID      string // wf_ and 26 characters, from 128 random bits
	User    string // whose it is
	Client  string // who started it
	Grant   string // the text of the auth.Grant that it was started with; "": the client itself
	RunID   string // the starter's own name for it, unique within user; "" for none
	TraceID string // the starter's correlation, repeated in every event; "" for none

	DefinitionID      string
	DefinitionVersion int64
	DefinitionHash    string
	Shared            bool // every client that may use the definition may see and move it

	State   string
	Version int64 // 1 at start, +1 a change: the compare-and-set value of Move
	Status  Status
	Reason  string         // why it was cancelled
	Summary string         // what the last submit that had one said of it
	Input   jsontext.Value // an object
	Context jsontext.Value // an object
	Memo    jsontext.Value // the engine's own bookkeeping, an object; never shown

	Due     time.Time // when a timer must look at it; zero: never
	Created time.Time // milliseconds, all of them
	Updated time.Time
	Ended   time.Time // zero while open; Updated when an end does not say
}

// Step is one row of an instance's history: what changed it from version Seq-1 to Seq. It holds arguments
// and outputs: read with a scope only.
type Step struct {
	Seq         int64  // the version that the step made; 1 is the start
	Kind        string // start, transition, chain, timeout, request, rejection, cancel
	Transition  string // "" where there is none
	From, To    string // states
	Actor       string // agent, human, deterministic; "" for none
	Client      string // who caused it; "" for the server itself
	User        string
	Correlation string         // one per call
	Arguments   jsontext.Value // as they passed the schema, defaults filled in; nil: none
	Output      jsontext.Value // of the executor; nil: none
	Delta       jsontext.Value // the context's changed members; null for one that was removed
	At          time.Time
}

// Evidence is one thing that happened in an instance and that a guard may count.
type Evidence struct {
	ID         string // ev_ and 26 characters
	Seq        int64  // of the step that made it
	Kind       string
	URI        string
	Summary    string
	Digest     string
	Confidence *float64 // 0 to 1; nil: none stated
	Client     string   // the principal that it is by
	User       string
	At         time.Time
}

// Acknowledgement says that a subject was described to the owner's side within an instance, in this version.
type Acknowledgement struct {
	Subject string
	Hash    string // of what was shown
	At      time.Time
}

// Move is one change of an instance: everything of it commits together, or nothing.
type Move struct {
	Next     Instance // with the version it will have; From is the one that it must still have
	From     int64
	Steps    []Step // From+1 … Next.Version, one a version
	Evidence []Evidence
	Approval *Approval // opened by this move
	Consumed string    // the id of an approval that this move uses up; it must be open and unexpired
	Rejected string    // the id of an approval that this move rejects
}

// InstanceFilter picks instances within a scope. Zero members do not restrict.
type InstanceFilter struct {
	DefinitionID string
	Status       Status
	User         string // one user of those that the scope covers
	Before       int64  // Number of the last one seen, for the next page
	Limit        int    // 1 to MaxPage; 0 is 50
}

// ListedInstance is one row of a list. Number orders instances by their start, oldest first.
type ListedInstance struct {
	Number int64
	Instance
}

// Instances is the noun's part of a transaction. A scope covers its own user's instances, those of the users
// that it oversees, and shared ones of definitions that it may use: anything else is ErrNotFound.
type Instances interface {
	// CreateInstance stores a new instance with its first step, both of version 1; further steps follow by
	// Move, in the same transaction if they belong to the start. Its definition has to be stored: ErrNotFound
	// when it is not. ErrConflict when its user has one with this RunID already, in any state.
	CreateInstance(i Instance, first Step, evidence []Evidence) error

	// Instance is the one with this id.
	Instance(s auth.Scope, id string) (Instance, error)

	// RunInstance is the scope's own user's instance with this run id.
	RunInstance(s auth.Scope, runID string) (Instance, error)

	// ListInstances returns the newest started first: as many as asked, or fewer when they are large
	// (MaxCandidateBytes), one at least. The list is at its end when there is none.
	ListInstances(s auth.Scope, f InstanceFilter) ([]ListedInstance, error)

	// Move makes a change, and voids every open approval of the instance but the one that the move opens or
	// uses up. ErrConflict when the instance moved on or has ended, when an attempt blocks it and the move does
	// not cancel it, or when its approval is not open any more or has expired at Next.Updated; ErrNotFound when there is no such instance of Next.User. What an instance
	// has from its start (client, run, definition, input …) stays as it is, whatever Next says. By whom an
	// approval was answered is the Client of the first step.
	Move(m Move) error

	// Steps returns the history after a version, oldest first: at most limit rows and MaxSteps, or fewer when
	// they are large (MaxCandidateBytes), one at least.
	Steps(s auth.Scope, id string, after int64, limit int) ([]Step, error)

	// EvidenceOf returns what an instance has, oldest first.
	EvidenceOf(s auth.Scope, id string) ([]Evidence, error)

	// Acknowledge notes that a subject was shown; the newest hash stays. It changes no version. What an
	// overseer was shown was not shown to the owner's side: it is not noted.
	Acknowledge(s auth.Scope, id string, a Acknowledgement) error

	// Acknowledgements are those of an instance.
	Acknowledgements(s auth.Scope, id string) ([]Acknowledgement, error)

	// DueInstances returns open instances whose Due is not after now and that no attempt blocks, those due first
	// first, within the bounds of a list: for the server's own timer, whoever's they are.
	DueInstances(now time.Time, limit int) ([]Instance, error)

	// NextDue is when the next timer of an open instance that no attempt blocks is due; zero: none.
	NextDue() (time.Time, error)

	// OpenDefinitions are the id and hash of every definition that an open instance has pinned.
	OpenDefinitions() ([]Definition, error)
}
