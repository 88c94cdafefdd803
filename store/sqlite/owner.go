//go:build !mutant_owner

package sqlite

import (
	"strconv"

	"prax/auth"
	"prax/store"
)

// The owner is part of every statement that reads for a caller. A build with the tag mutant_owner
// leaves it out, and a test must notice.
const (
	ownDocument = "owner = ?"
	ownCalls    = "b.user = ?"
	ownUser     = "user = ?"

	// ownInstance leaves to covers what is shared or overseen.
	ownInstance = "(user = ? OR shared = 1 OR ? = 1)"
)

// covers tells whether a scope covers an instance.
func covers(s auth.Scope, i store.Instance) bool { return store.Covers(s, i) }

// ownerTerm starts every term of an owner's documents in the search index.
func ownerTerm(owner int64) string { return "o" + strconv.FormatInt(owner, 10) }
