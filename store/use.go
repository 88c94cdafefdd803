package store

import (
	"errors"
	"time"
)

// maxMarkBytes bounds the mark of a token.
const maxMarkBytes = 64

// KeptUses is how many tokens of a client are remembered, those that were used last: each rotation makes another one.
const KeptUses = 16

// Use says when a client last used one of its tokens. It outlives both.
type Use struct {
	Client string
	Token  string // its mark: a keyed digest, which nobody comes from to the token or its hash
	At     time.Time
}

// Check tells what is wrong with a use.
func (u Use) Check() error {
	if u.At.IsZero() {
		return errors.New("a use has a time")
	}
	return checkNamed(text{"client of the use", u.Client, MaxFieldBytes}, text{"mark of the token", u.Token, maxMarkBytes})
}

// Uses is the part of a transaction that remembers when tokens were used last. It is the operator's: no caller reads
// it.
type Uses interface {
	// NoteUse remembers a use, unless a later one of the token is known. Of a client's tokens beyond KeptUses it
	// forgets those that were used longest ago.
	NoteUse(u Use) error

	// Uses are all that are remembered, by client, the last one first.
	Uses() ([]Use, error)
}
