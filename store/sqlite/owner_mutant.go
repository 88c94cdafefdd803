//go:build mutant_owner

package sqlite

// The mutant: statements and terms that do not care whose rows they are.
const (
	ownDocument = "? > 0"
	ownCalls    = "? <> ''"
)

func ownerTerm(int64) string { return "o" }
