package store

import (
	"time"

	"prax/auth"
)

// EventKind says what an event reports.
type EventKind string

// The kinds of event that exist by now.
const (
	EventCall   EventKind = "call"   // a tool was called, or refused
	EventDenied EventKind = "denied" // a request without a known credential, or of a client beyond its limits
	EventReload EventKind = "reload" // clients.json was read: what changed
	EventServer EventKind = "server" // start, stop, head signed
	EventClient EventKind = "client" // an operator's edit of clients.json
	EventBlock  EventKind = "block"  // a block of recorded calls, or of those that shared a commit; Calls holds them

	// EventWorkflow is one call's doings in an instance, or what it was refused. Its Detail is
	// {"workflow_id", "correlation_id", "trace_id", "run_id", "events": [{"event_type", "payload"}]}: the
	// praxec events of one change, in order.
	EventWorkflow EventKind = "workflow"

	EventArchive EventKind = "archive" // the oldest events were moved to a file; Detail names it and its digest
	EventRestore EventKind = "restore" // the data was put back from a backup; Detail says from which

	// EventUnreadable stands where EventsAfter came by an event that cannot be read: Seq, At, Prev and
	// Hash are what the store has beside it, Detail says what is wrong. It is never in the chain.
	EventUnreadable EventKind = "unreadable"
)

// Event is one audit row. It has no token, no hash of one, no argument values: arguments appear as
// an HMAC under the installation key, strings of a caller as at most 128 escaped bytes
// ([SafeString]).
type Event struct {
	// Set by the store when the event joins the chain.
	Chain string // the chain's name; one by now, "main"
	Seq   int64  // 1, 2, 3 … within the chain
	Prev  string // hex hash of the event before, "" for the first
	Hash  string // hex SHA-256 over the canonical form with Prev

	At        time.Time // milliseconds
	Kind      EventKind
	RequestID string
	Client    string
	User      string
	Remote    string // address of the peer, without port

	Tool     string // for calls: the canonical name when it exists, else what was asked, escaped
	Tier     string
	Method   string // the protocol's method
	Decision string // policy.Reason
	Outcome  string // ok, error, denied, panic, timeout, cancelled
	Code     string // the stable error code, when Outcome is not ok
	Duration time.Duration
	Args     string // hex HMAC-SHA-256 of the canonical arguments
	Registry uint64 // generation of clients.json that decided

	Detail string // a JSON object for the other kinds, kept in canonical form; "" for none

	// Of a block: the calls grouped by user, each user's oldest first, then the events of workflows
	// likewise. A recorded event has no chain members of its own.
	Calls []Event
}

// All are the events that one of the chain tells of: those in a block, or itself. It lends what it returns.
func (e Event) All() []Event {
	if len(e.Calls) > 0 {
		return e.Calls
	}
	return []Event{e}
}

// Trace is one call as its own user may see it.
type Trace struct {
	Event
	Block int64 // the block's Seq, 0 when the event stands in the chain by itself
}

// MaxTraces bounds what Traces scans.
const MaxTraces = 10_000

// Events is the noun's part of a transaction.
type Events interface {
	// AddEvent buffers an event of this transaction. The writer numbers, hashes and inserts it
	// last, before the commit; it is there exactly if the change is. What many callers did at once may
	// stand in one block.
	AddEvent(Event)

	// Traces calls f with the user's own calls, newest first, at most MaxTraces of them, until f
	// returns false. Calls still on their way into a block may be missing for 200 ms.
	Traces(s auth.Scope, f func(Trace) bool) error

	// Trace is the user's own call with this request id.
	Trace(s auth.Scope, requestID string) (Trace, error)

	// Observed calls f with the events of kind EventWorkflow of the scope's user, newest first, among at most
	// MaxTraces events, until f returns false: those of changes and those that Record took.
	Observed(s auth.Scope, f func(Event) bool) error

	// EventsAfter returns up to limit events of the chain after seq, oldest first: for the
	// operator, who sees everything. One that cannot be read is there as EventUnreadable, so that
	// it does not hide those after it.
	EventsAfter(seq int64, limit int) ([]Event, error)

	// LastEvent is the newest event of the chain; ErrNotFound when there is none.
	LastEvent() (Event, error)
}
