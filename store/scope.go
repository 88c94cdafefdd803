package store

import (
	"prax/auth"
)

// Covers tells whether a scope covers an instance: one of its own user or of a user that it oversees, or a
// shared one of a definition that it may use. It reads User, Shared and DefinitionID. A scope without a
// user covers nothing.
func Covers(s auth.Scope, i Instance) bool {
	return Owns(s, i) || s.User() != "" && s.Oversees().Has(i.User)
}

// Owns tells whether a scope stands on the owner's side of an instance, rather than overseeing it: the
// instance is its own user's, or is shared with it.
func Owns(s auth.Scope, i Instance) bool {
	return s.User() != "" && (i.User == s.User() || i.Shared && Granted(s.Definitions(), i.DefinitionID))
}

// Granted tells whether a set of definition ids and patterns has this one. The pattern "x.*" stands for
// every id that begins with "x."; no other spelling is a pattern.
func Granted(definitions auth.NameSet, id string) bool {
	if id == "" {
		return false
	}
	if definitions.Has(id) {
		return true
	}
	for i, c := range id {
		if c == '.' && i > 0 && i < len(id)-1 && definitions.Has(id[:i+1]+"*") {
			return true
		}
	}
	return false
}
