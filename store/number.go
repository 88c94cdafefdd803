package store

import "prax/auth"

// Numbers is the part of a transaction that numbers things for people to name them by.
type Numbers interface {
	// NextNumber is the next number of the scope's user for documents of a kind: 1, then one more each
	// time. One that a committed transaction took is never given again, whatever becomes of what it
	// was for; a transaction that fails takes none. It writes: within View it is ErrReadOnly.
	NextNumber(s auth.Scope, k Kind) (int64, error)
}
