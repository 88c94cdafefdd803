//go:build !mutant_owner

package sqlite

import "strconv"

// The owner is part of every statement that reads for a caller. A build with the tag mutant_owner
// leaves it out, and a test must notice.
const (
	ownDocument = "owner = ?"
	ownCalls    = "b.user = ?"
)

// ownerTerm starts every term of an owner's documents in the search index.
func ownerTerm(owner int64) string { return "o" + strconv.FormatInt(owner, 10) }
