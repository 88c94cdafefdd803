package store

import (
	"errors"
	"time"
)

// The bounds of what is kept about signed tokens, in bytes.
const (
	maxSealBytes    = 128
	maxTokenIDBytes = 128
)

// Epoch says which signed tokens of a client are good: those of this number, for as long as the client is the
// one of the seal. Only a client that had such a token has one.
type Epoch struct {
	Client string
	Number int64  // 1 or more; a token of any other number is none
	Seal   string // of the user and credentials that it was begun for; "": no token is good
}

// RevokedToken is a signed token that is none any more, by its id.
type RevokedToken struct {
	ID    string
	Until time.Time // from when on it has lapsed anyway, and nobody need remember it
}

// Check tells what is wrong with an epoch.
func (e Epoch) Check() error {
	if e.Number < 1 {
		return errors.New("an epoch has a number of 1 or more")
	}
	if err := checkNamed(text{"client of the epoch", e.Client, MaxFieldBytes}); err != nil {
		return err
	}
	return checkTexts(text{"seal of the epoch", e.Seal, maxSealBytes})
}

// Check tells what is wrong with a revoked token.
func (r RevokedToken) Check() error {
	if r.Until.IsZero() {
		return errors.New("a revoked token has a time until which it is remembered")
	}
	return checkNamed(text{"id of the token", r.ID, maxTokenIDBytes})
}

// Epochs is the part of a transaction that remembers which signed tokens are good. It is the installation's
// own: no caller reads it.
type Epochs interface {
	// Epochs are those of all clients that have one, by client.
	Epochs() ([]Epoch, error)

	// PutEpoch stores an epoch. A number never falls: ErrConflict when the client's is higher already.
	PutEpoch(e Epoch) error

	// RaiseEpochs ends the tokens of this client, or of all with "": each epoch gets a number that is higher
	// than before, and than any that was given out until now, also to a copy of this store; and no seal. It
	// returns how many there were.
	RaiseEpochs(client string, now time.Time) (int64, error)

	// RevokeToken remembers a token as revoked, and forgets those whose time is over.
	RevokeToken(r RevokedToken, now time.Time) error

	// RevokedTokens are those whose time is not over, by id.
	RevokedTokens(now time.Time) ([]RevokedToken, error)
}
