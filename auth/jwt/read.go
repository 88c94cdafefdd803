package jwt

import (
	"time"

	"prax/auth"
)

// Reading is what a token says, to be shown to whoever holds it. Nobody has verified that it is true.
type Reading struct {
	Issued time.Time
	auth.Grant
}

// Read reads a token without verifying it. The error says that it has not the form of one of ours.
func Read(token string) (Reading, error) {
	s, err := split(token)
	if err != nil {
		return Reading{}, errNotOurs
	}
	c, err := decodeClaims(s.payload)
	if err != nil {
		return Reading{}, err
	}
	g, err := c.grant(s.KeyID)
	if err != nil {
		return Reading{}, err
	}
	return Reading{Issued: time.Unix(c.Issued, 0).UTC(), Grant: *g}, nil
}
