package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// Credential is the SHA-256 of a bearer token: what the registry is indexed by. Client tokens are
// random, so a plain hash is right for them; an attacker does not control a digest's prefix, so a
// map lookup needs no constant-time comparison after it.
//
// It prints as a placeholder whatever the verb, so that a principal may be logged whole. (fmt cannot
// call methods on unexported fields: a type that keeps one in such a field must not be printed.)
type Credential [sha256.Size]byte

const redacted = "[credential]"

// String hides the value.
func (c Credential) String() string {
	if revealing {
		return c.Hex()
	}
	return redacted
}

// Format hides the value from every fmt verb.
func (c Credential) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(c.String())) }

// MarshalText hides the value from JSON and friends.
func (c Credential) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// LogValue hides the value from log/slog.
func (c Credential) LogValue() slog.Value { return slog.StringValue(c.String()) }

// HashToken is the credential of a token.
func HashToken(token string) Credential {
	// A stack copy: sha256.Sum256([]byte(token)) allocates for tokens over 32 bytes.
	var buf [256]byte
	if len(token) <= len(buf) {
		return sha256.Sum256(buf[:copy(buf[:], token)])
	}
	return sha256.Sum256([]byte(token))
}

// ParseCredential reads the 64 hex digits of a token_sha256, in either case.
func ParseCredential[Text ~string | ~[]byte](s Text) (Credential, error) {
	var c Credential
	if len(s) != hex.EncodedLen(len(c)) {
		return c, fmt.Errorf("a SHA-256 is %d hex digits, not %d bytes", hex.EncodedLen(len(c)), len(s))
	}
	if _, err := hex.Decode(c[:], []byte(s)); err != nil {
		return Credential{}, errors.New("not hex digits")
	}
	return c, nil
}

// Hex is the 64 lower-case hex digits that go into a token_sha256: for the one who edits
// clients.json, never for a log.
func (c Credential) Hex() string { return hex.EncodeToString(c[:]) }

// TokenPrefix starts every token that prax mints, so that secret scanners recognise one.
const TokenPrefix = "prx_"

// SignedPrefix starts every signed token: the beginning of a JSON object, encoded (RFC 7515, 3.1).
const SignedPrefix = "eyJ"

const tokenBytes = 20

var tokenEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// MintToken makes a token of 160 random bits. Show it once and store only its hash.
func MintToken() string {
	var b [tokenBytes]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return TokenPrefix + tokenEncoding.EncodeToString(b[:])
}

// ParseBearer reads the token out of the values of the Authorization header (RFC 6750 2.1).
// There must be exactly one value; the scheme is compared without case; one or more blanks may
// stand before the token and after it, none inside. Anything else is no token.
func ParseBearer(values []string) (token string, ok bool) {
	if len(values) != 1 {
		return "", false
	}
	scheme, rest, found := strings.Cut(values[0], " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	token = strings.Trim(rest, " \t")
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", false
	}
	return token, true
}
