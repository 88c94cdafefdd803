package store

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
)

// ApprovalStatus is what became of an approval.
type ApprovalStatus string

// The statuses. Only an open, unexpired one can be used, once.
const (
	ApprovalOpen     ApprovalStatus = "open"
	ApprovalConsumed ApprovalStatus = "consumed"
	ApprovalRejected ApprovalStatus = "rejected"
	ApprovalVoid     ApprovalStatus = "void" // the instance changed, or the store was restored
)

// ApprovalLife is how long an approval can be used.
const ApprovalLife = 24 * time.Hour

// Approval is a question to a person about exactly one move of one instance, bound to everything that the
// answer is about. Any change voids it.
type Approval struct {
	ID         string // ap_ and 26 characters
	User       string // the instance's
	Instance   string
	Version    int64 // of the instance when it was opened
	Definition string
	Hash       string // of the definition
	Transition string
	Arguments  jsontext.Value // the exact bytes
	Material   jsontext.Value // what a person is shown: canonical JSON, with everything that the answer binds
	Digest     string         // hex SHA-256 of Material: what an answer names
	Tier       string
	Queue      string // the audience
	Client     string // who asked
	Grant      string // the text of the auth.Grant that it asked with; "": the client itself
	Status     ApprovalStatus
	By         string // who answered
	Created    time.Time
	Expires    time.Time
	Resolved   time.Time
}

// Approvals is the noun's part of a transaction. They are opened, used and voided by Move.
type Approvals interface {
	// Approval is the one with this id, of an instance that the scope covers.
	Approval(s auth.Scope, id string) (Approval, error)

	// OpenApprovals are those of covered instances that are open and unexpired at now, oldest first, within
	// the bounds of a list; of one instance when its id is given, ErrNotFound when that is not covered.
	OpenApprovals(s auth.Scope, instance string, now time.Time, limit int) ([]Approval, error)

	// CountApprovals tells how many of everybody are open and unexpired at now, at most MaxCounted, and when the
	// oldest of those was opened: for metrics.
	CountApprovals(now time.Time) (n int, oldest time.Time, err error)

	// VoidApprovals voids every open one and tells how many there were: after a restore.
	VoidApprovals(now time.Time) (int64, error)
}
