package store

import (
	"crypto/rand"
	"encoding/base32"
)

var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewID is a fresh identifier: 26 lower-case letters and digits from 128 random bits. It cannot be
// guessed, and says nothing about when or for whom it was made.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return idEncoding.EncodeToString(b[:])
}
