//go:build mutant_owner

package sqlite

import (
	"prax/auth"
	"prax/store"
)

// The mutant: statements and terms that do not care whose rows they are.
const (
	ownDocument = "? > 0"
	ownCalls    = "? <> ''"
	ownUser     = "? <> ''"
	ownInstance = "(? <> '' OR ? >= 0)"
)

func covers(auth.Scope, store.Instance) bool { return true }

func ownerTerm(int64) string { return "o" }
