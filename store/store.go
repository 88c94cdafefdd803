// Package store is what prax remembers: the durable nouns, the interfaces through which they are
// read and changed, and the rules that every implementation keeps. store/sqlite is the embedded
// default; store/storetest is the behaviour suite that any implementation passes.
//
// Consumers take the smallest interface that serves them ([Documents], [Events]) and get it as a
// [Tx]. Whoever reads for a caller passes that caller's auth.Scope: no method returns rows by id
// alone.
package store

import (
	"context"
	"errors"

	"prax/auth"
)

// Store is the durable state of one installation.
type Store interface {
	// View runs f on a consistent snapshot. Writing methods of its Tx return ErrReadOnly.
	View(ctx context.Context, f func(Tx) error) error

	// Update runs f in a transaction and returns nil only when it is durable: on the disk, not in
	// a buffer. Many callers share one commit. f holds versioned mutations only, has no outside
	// effect, assigns (never appends) its results, and may run more than once: when the shared
	// transaction dies it is run again in a fresh one. An error of f undoes what f did and nobody
	// else's work; so does that of a method which could not finish what it had begun, whatever f
	// returns. ctx is consulted until f starts, never after.
	//
	// Whom ctx names ([ForClient]) are served in turn; ErrBusy says that this client, of all who
	// wait, has too much waiting.
	Update(ctx context.Context, f func(Tx) error) error

	// Instance is the instance with this id, if the scope covers it: a point read that a store may serve
	// from memory. It is as new as what a View that starts now would show. Its JSON belongs to the store and is
	// not to be changed. Within a transaction the Tx reads for itself.
	Instance(ctx context.Context, s auth.Scope, id string) (Instance, error)

	// Record appends the event of a call that changed nothing. It returns at once; the event
	// reaches the chain with others in one block, 200 ms later at most, and at Close.
	Record(Event)

	// Health tells whether the store could take a write now: nil, or why not, for an operator.
	Health(ctx context.Context) error

	// Close flushes what Record took, signs the head, folds the log and releases the files.
	Close() error
}

// Tx is one transaction: every noun's methods.
type Tx interface {
	Documents
	Numbers
	Events
	Definitions
	Instances
	Approvals
	Attempts
	Terms
	Epochs
	Uses
	Notices
}

// The errors that callers branch on. Implementations wrap them with what happened.
var (
	ErrNotFound = errors.New("not found")                  // or not the caller's: the two are never told apart
	ErrConflict = errors.New("changed meanwhile")          // a compare-and-set lost
	ErrQuota    = errors.New("quota reached")              // the user has too many documents, or too large ones
	ErrReadOnly = errors.New("read-only transaction")      // a writing method within View
	ErrBusy     = errors.New("too many writes waiting")    // the writer's queue is full: try again soon
	ErrSlow     = errors.New("the read took too long")     // it was ended: a narrower one may do
	ErrFull     = errors.New("no space left for the data") // disk or page limit
	ErrNewer    = errors.New("written by a newer prax")    // the schema is ahead of this binary
	ErrLocked   = errors.New("in use by another process")  // a second process on one data directory
	ErrClosed   = errors.New("store is closed")
)
