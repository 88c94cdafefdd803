package store

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
)

// AttemptStatus is what became of an attempt.
type AttemptStatus string

// The statuses. While one is running or unknown its instance makes no other move but to be cancelled.
const (
	AttemptRunning    AttemptStatus = "running"
	AttemptUnknown    AttemptStatus = "unknown"     // its effect may have happened: a person has to find out
	AttemptDone       AttemptStatus = "done"        // it succeeded, and what it was for was committed with that
	AttemptKept       AttemptStatus = "kept"        // it succeeded, but its output could not be used: Output has it
	AttemptFailed     AttemptStatus = "failed"      // it is known to have failed
	AttemptApplied    AttemptStatus = "applied"     // unknown, and a person found that it happened
	AttemptNotApplied AttemptStatus = "not_applied" // unknown, and a person found that it did not happen
)

// Blocks tells whether an instance waits for an attempt of this status.
func (s AttemptStatus) Blocks() bool { return s == AttemptRunning || s == AttemptUnknown }

// Attempt is one run of an executor, with its retries. It is durable before its effect begins, so that no effect is
// forgotten; and it has a key where its effect is idempotent, so that none happens twice.
type Attempt struct {
	ID     string // at_ and 26 characters
	Parent string // the attempt that this one is a part of; "": none
	Index  int    // which part

	User     string // whose it is: the instance's, or the caller's where there is none
	Client   string // as whom it runs
	Actor    string // the user of Client
	Grant    string // the text of the auth.Grant under which it runs; "": Client itself; dropped when it ends
	Instance string // "": a tool was called directly
	Version  int64  // of the instance, which stays so until the attempt is closed
	Shared   bool   // the instance's, as Definition is: a store takes both from there

	Definition string // "" where there is no instance
	State      string
	Transition string
	Tool       string // called directly; "" where there is an instance
	Kind       string // of the executor
	Tier       string
	Digest     string // hex SHA-256 of what it was resolved to do
	Key        string // the same for each of its tries; "": it must not be tried again once it may have begun
	Approval   string // used up by it; "": it needed none
	Approver   string // the client that answered that, of an attempt that is opened; "": Client. The approval keeps it

	Work   jsontext.Value // what the runner needs to go on with it after a crash; dropped when it ends
	Output jsontext.Value // of one that is kept; dropped when it is used
	Tries  int            // how often its executor has been started, from 1
	Choice int            // which executor: 0 is the first, then its fallbacks

	Worker string    // the process that runs it
	Fence  int64     // +1 each time that another worker takes it over: who closes it must know the newest
	Lease  time.Time // until when the worker is taken to be alive

	Status      AttemptStatus
	Class       string // of a failure
	Message     string // of a failure, and why it is unknown
	By          string // the client that settled an unknown one
	Note        string // and what it had to say
	Correlation string // of the call that caused it
	RequestID   string

	Created time.Time
	Updated time.Time
	Ended   time.Time // zero while it is running or unknown
}

// AttemptFilter picks attempts within a scope. Zero members do not restrict.
type AttemptFilter struct {
	Status   AttemptStatus
	Instance string
	User     string
	Direct   bool  // only those without an instance
	Before   int64 // Number of the last one seen, for the next page
	Limit    int   // 1 to MaxPage; 0 is 50
}

// ListedAttempt is one row of a list. Number orders attempts as they were opened, oldest first.
type ListedAttempt struct {
	Number int64
	Attempt
}

// Attempts is the noun's part of a transaction. A scope covers those of instances that it covers, and direct ones of
// its own user and of those that it oversees.
type Attempts interface {
	// OpenAttempt makes an attempt durable. ErrConflict when its instance has another version or has ended, when
	// another attempt blocks it, or when the approval that it uses up is not open any more, has expired at
	// a.Created, or is of another instance or version; ErrNotFound when there is no such instance of a.User. The
	// approver of the attempt is by whom the approval counts as answered. ErrQuota when its user has no room for it.
	OpenAttempt(a Attempt) error

	// RenewAttempt notes that a running attempt goes on: that its executor is started again (tries and choice), or
	// only that its worker is alive (tries is 0). ErrConflict when it does not run any more, or has another fence;
	// ErrNotFound when there is none.
	RenewAttempt(id string, fence int64, tries, choice int, lease, now time.Time) error

	// CloseAttempt ends a running one, makes it unknown, or settles one that is unknown or kept ([Closing.Follows]).
	// ErrConflict when it has ended otherwise, or has another fence; ErrNotFound when there is none. It needs no room
	// in a quota. A [Move] of its instance in the same transaction comes after it. Its work and grant are dropped when it
	// ends, its output when it is kept no more, or when its instance has moved on. Of a user's ended ones without an
	// instance the last MaxDirectAttempts stay.
	CloseAttempt(c Closing) error

	// Attempt is the one with this id.
	Attempt(s auth.Scope, id string) (Attempt, error)

	// BlockingAttempt is the one that an instance waits for; ErrNotFound when there is none.
	BlockingAttempt(s auth.Scope, instance string) (Attempt, error)

	// KeptAttempt is the newest kept one of an instance in this version that was resolved to do exactly this;
	// ErrNotFound when there is none.
	KeptAttempt(s auth.Scope, instance string, version int64, digest string) (Attempt, error)

	// ListAttempts returns the newest first: as many as asked, or fewer when they are large (MaxCandidateBytes), one
	// at least. The list is at its end when there is none.
	ListAttempts(s auth.Scope, f AttemptFilter) ([]ListedAttempt, error)

	// ClaimAttempts takes over running attempts of other workers whose lease ended before a time, whoever's they
	// are, those whose lease ended first first, within the bounds of a list: each gets this worker, the next fence
	// and the lease. For the server's own recovery.
	ClaimAttempts(worker string, before, lease, now time.Time, limit int) ([]Attempt, error)

	// CountAttempts tells how many attempts of everybody have a status, at most MaxCounted: for metrics.
	CountAttempts(status AttemptStatus) (int, error)

	// DoubtAttempts makes every running attempt unknown, with a message that says why, and tells how many there
	// were: after a restore.
	DoubtAttempts(now time.Time) (int64, error)
}

// Check tells whether a store may open the attempt; what is too large is an ErrQuota that names the limit.
func (a Attempt) Check() error {
	err := checkNamed(text{"id of the attempt", a.ID, MaxIDBytes}, text{"user of the attempt", a.User, MaxFieldBytes}, text{"client", a.Client, MaxFieldBytes},
		text{"kind of the executor", a.Kind, MaxFieldBytes}, text{"digest of the attempt", a.Digest, MaxIDBytes}, text{"worker", a.Worker, MaxFieldBytes})
	if err != nil {
		return err
	}
	err = checkTexts(text{"parent", a.Parent, MaxIDBytes}, text{"actor", a.Actor, MaxFieldBytes}, text{"grant", a.Grant, auth.MaxGrant}, text{"instance", a.Instance, MaxIDBytes},
		text{"state", a.State, MaxFieldBytes}, text{"transition", a.Transition, MaxFieldBytes}, text{"tool", a.Tool, MaxFieldBytes},
		text{"tier", a.Tier, MaxFieldBytes}, text{"key", a.Key, MaxFieldBytes}, text{"approval", a.Approval, MaxIDBytes}, text{"approver", a.Approver, MaxFieldBytes},
		text{"correlation", a.Correlation, MaxIDBytes}, text{"request id", a.RequestID, MaxFieldBytes})
	if err != nil {
		return err
	}
	if err := a.checkSubject(); err != nil {
		return err
	}
	return a.checkOpening()
}

// checkSubject: an attempt is of an instance in one version, or of a tool.
func (a Attempt) checkSubject() error {
	switch {
	case (a.Instance == "") == (a.Tool == ""):
		return errors.New("an attempt is of an instance, or of a tool that was called directly")
	case a.Instance != "" && a.Version < 1:
		return errors.New("an attempt of an instance is made in a version from 1")
	case a.Instance == "" && (a.Version != 0 || a.Shared || a.Definition+a.State+a.Transition+a.Approval != ""):
		return errors.New("an attempt without an instance has nothing of one")
	}
	return nil
}

// checkOpening: an attempt begins to run, and nothing is known of it yet.
func (a Attempt) checkOpening() error {
	if a.Status != AttemptRunning || !a.Ended.IsZero() || a.Output != nil || a.Class+a.Message+a.By+a.Note != "" {
		return errors.New("an attempt is opened running, and has no outcome")
	}
	if a.Tries < 1 || a.Choice < 0 || a.Index < 0 || a.Fence < 0 {
		return errors.New("an attempt has tries from 1, and no negative number")
	}
	if a.Created.IsZero() || a.Lease.IsZero() {
		return errors.New("an attempt needs the time when it was opened, and a lease")
	}
	return checkSizes(value{"work", a.Work, MaxWorkBytes})
}

// Bytes is what the attempt counts against its user's quota of instances.
func (a Attempt) Bytes() int64 {
	return 3*fixedBytes + int64(len(a.Work)+len(a.Output)+len(a.Message)+len(a.Note)+len(a.Grant))
}

// Normal is the attempt as a store keeps it: times in milliseconds and UTC, updated when it was opened where that is
// not said.
func (a Attempt) Normal() Attempt {
	if a.Updated.IsZero() {
		a.Updated = a.Created
	}
	for _, t := range []*time.Time{&a.Lease, &a.Created, &a.Updated, &a.Ended} {
		*t = Milliseconds(*t)
	}
	return a
}
