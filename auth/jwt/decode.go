package jwt

import (
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json"

	"prax/auth"
)

// maxToken bounds a token, in bytes: nothing longer is looked at, or made.
const maxToken = 8 << 10

// segments are the three parts of a token (RFC 7515, 7.1), decoded. Nothing of them is believed yet.
type segments struct {
	header
	payload   []byte
	signature []byte
	signed    string // what the signature is of
}

// Resembles tells, at no cost, whether a text has the form of a signed token: nothing else is taken for one.
func Resembles(token string) bool {
	return len(token) <= maxToken && strings.HasPrefix(token, auth.SignedPrefix) && strings.Count(token, ".") == 2
}

// split takes a token apart.
func split(token string) (s segments, err error) {
	if !Resembles(token) {
		return s, errNotOurs
	}
	last := strings.LastIndexByte(token, '.')
	first, payload, _ := strings.Cut(token[:last], ".")
	s.signed = token[:last]
	head, err := unbase(first)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(head, &s.header, strictly); err != nil || s.Type != "JWT" || s.KeyID == "" {
		return s, errNotOurs
	}
	if s.Algorithm != algorithm {
		return s, reasonAlgorithm
	}
	if s.payload, err = unbase(payload); err != nil {
		return s, err
	}
	s.signature, err = unbase(token[last+1:])
	return s, err
}

// unbase decodes base64url without padding (RFC 7515, 2), in its one spelling: what would be encoded in another
// way, by unused bits or a line break inside, is refused.
func unbase(text string) ([]byte, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || base64.RawURLEncoding.EncodeToString(b) != text {
		return nil, errNotOurs
	}
	return b, nil
}
