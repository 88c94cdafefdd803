package jwt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	jwtlib "github.com/golang-jwt/jwt/v5"

	"prax/auth"
)

// What making or revoking a token can fail for.
var (
	ErrNoAudience = errors.New("there is no public URL that tokens could be made for")
	ErrNoClient   = errors.New("no live client of that name")
	ErrTTL        = errors.New("a signed token lasts a second or more, and 24 hours at most")
	ErrLists      = errors.New("the lists of the token are too long, or have an empty name")
	ErrNoID       = errors.New("no token has such an id")
)

// Order is a token to make.
type Order struct {
	Client    string
	TTL       time.Duration
	Allow     auth.Narrowing
	Workflows auth.Narrowing
	NewKey    bool // sign with a new key, and from now on
}

// Minted is a token that was made.
type Minted struct {
	Token string
	Has   auth.Principal // what the token gives now; its Grant is what the token says
}

// Mint makes a token for a live client. It is good once this returns.
func (a *Authority) Mint(ctx context.Context, l Ledger, o Order) (Minted, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.cfg.Now()
	change := Change{Token: newID()}
	c, err := a.claim(o, change.Token, now)
	if err != nil {
		return Minted{}, err
	}
	seal, e := a.seal(o.Client), a.book.Load().epochs[o.Client]
	if seal == "" {
		return Minted{}, ErrNoClient
	}
	if e.Seal != seal {
		e = Epoch{Client: o.Client, Number: auth.NextEpoch(e.Number, now), Seal: seal}
		change.Epochs = []Epoch{e}
	}
	c["epoch"] = e.Number
	k, keys, err := a.signingKey(o.NewKey, now)
	if err != nil {
		return Minted{}, err
	}
	token, err := sign(k, c)
	if err != nil {
		return Minted{}, err
	}
	if err := l.Keep(ctx, change); err != nil {
		return Minted{}, err
	}
	a.change(change, keys)
	return a.minted(token, now)
}

// claim is what the token will say, but for the epoch.
func (a *Authority) claim(o Order, id string, now time.Time) (jwtlib.MapClaims, error) {
	p, live := a.cfg.Clients.ByName(o.Client)
	switch {
	case a.cfg.Audience == "":
		return nil, ErrNoAudience
	case !live:
		return nil, ErrNoClient
	case o.TTL < time.Second || o.TTL > MaxTTL:
		return nil, ErrTTL
	case slices.Contains(o.Allow.Names, ""), slices.Contains(o.Workflows.Names, ""):
		return nil, ErrLists
	}
	c := jwtlib.MapClaims{
		"iss": issuer, "sub": p.Client, "aud": a.cfg.Audience, "iat": now.Unix(), "exp": now.Add(o.TTL).Unix(),
		"jti": id, "user_id": p.User,
	}
	for name, list := range map[string]auth.Narrowing{"allow": o.Allow, "workflows": o.Workflows} {
		if list.Given {
			c[name] = append([]string{}, list.Names...)
		}
	}
	return c, nil
}

// signingKey is the key to sign with, and all keys when there is another than before.
func (a *Authority) signingKey(another bool, now time.Time) (key, keyring, error) {
	keys := a.book.Load().keys
	if k, ok := keys.newest(); ok && !another {
		return k, nil, nil
	}
	keys, err := keys.renewed(a.cfg.Keys, now)
	k, _ := keys.newest()
	return k, keys, err
}

// minted holds a new token to what a request with it would be.
func (a *Authority) minted(token string, now time.Time) (Minted, error) {
	p, err := a.accept(token, now)
	if err != nil {
		return Minted{}, fmt.Errorf("the new token is not good: %w", err)
	}
	return Minted{Token: token, Has: p}, nil
}

func sign(k key, c jwtlib.MapClaims) (string, error) {
	t := jwtlib.NewWithClaims(jwtlib.SigningMethodEdDSA, c)
	t.Header["kid"] = k.id
	token, err := t.SignedString(k.private)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	if len(token) > maxToken {
		return "", ErrLists
	}
	return token, nil
}

// Revoke ends one token. It holds once this returns, for open streams too, and for as long as the token could last,
// which is returned.
func (a *Authority) Revoke(ctx context.Context, l Ledger, id string) (until time.Time, err error) {
	if !isID(id) {
		return until, ErrNoID
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	until = a.cfg.Now().Add(retired).UTC().Truncate(time.Second).Add(time.Second)
	c := Change{Token: id, Revoked: []Revoked{{ID: id, Until: until}}}
	if err := l.Keep(ctx, c); err != nil {
		return until, err
	}
	a.change(c, nil)
	return until, nil
}
