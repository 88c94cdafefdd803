package sqlite

import (
	"errors"
	"time"

	"prax/auth"
	"prax/store"
)

var errAttempts = errors.New("attempts are not kept")

// OpenAttempt implements [store.Attempts].
func (t *tx) OpenAttempt(store.Attempt) error { return errAttempts }

// RenewAttempt implements [store.Attempts].
func (t *tx) RenewAttempt(string, int64, int, int, time.Time, time.Time) error { return errAttempts }

// CloseAttempt implements [store.Attempts].
func (t *tx) CloseAttempt(store.Closing) error { return errAttempts }

// Attempt implements [store.Attempts].
func (t *tx) Attempt(auth.Scope, string) (store.Attempt, error) { return store.Attempt{}, errAttempts }

// BlockingAttempt implements [store.Attempts].
func (t *tx) BlockingAttempt(auth.Scope, string) (store.Attempt, error) {
	return store.Attempt{}, errAttempts
}

// KeptAttempt implements [store.Attempts].
func (t *tx) KeptAttempt(auth.Scope, string, int64, string) (store.Attempt, error) {
	return store.Attempt{}, errAttempts
}

// ListAttempts implements [store.Attempts].
func (t *tx) ListAttempts(auth.Scope, store.AttemptFilter) ([]store.ListedAttempt, error) {
	return nil, errAttempts
}

// ClaimAttempts implements [store.Attempts].
func (t *tx) ClaimAttempts(string, time.Time, time.Time, time.Time, int) ([]store.Attempt, error) {
	return nil, errAttempts
}

// DoubtAttempts implements [store.Attempts].
func (t *tx) DoubtAttempts(time.Time) (int64, error) { return 0, errAttempts }
