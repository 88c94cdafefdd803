package jwt

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
)

// An id is 120 random bits and 20 more that follow from them, so that a mistyped one is told from a real one
// although nobody keeps a list of those that were given out.
const (
	idBytes  = 15
	idRandom = 24 // letters of the random bits
	idLength = idRandom + 4
)

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func newID() string {
	var b [idBytes]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	text := letters.EncodeToString(b[:])
	return text + check(text)
}

func check(text string) string {
	sum := sha256.Sum256([]byte(text))
	return letters.EncodeToString(sum[:])[:idLength-idRandom]
}

// isID tells whether a text is an id as newID makes them.
func isID(text string) bool {
	return len(text) == idLength && check(text[:idRandom]) == text[idRandom:]
}
