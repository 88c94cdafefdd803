package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"prax/auth"
	"prax/auth/jwt"
	"prax/store"
	"prax/tools"
)

// ErrNoTokens says that nobody here makes signed tokens.
var ErrNoTokens = errors.New("signed tokens are not made here")

// TokenOrder is a signed token that the operator wants. A list that is there narrows the client's own.
type TokenOrder struct {
	As        string    `json:"as"`
	Seconds   int64     `json:"seconds"` // that it lasts
	Allow     *[]string `json:"allow,omitzero"`
	Workflows *[]string `json:"workflows,omitzero"`
	NewKey    bool      `json:"new_key,omitzero"`
}

// Token is a signed token that was made: the only place where it stands.
type Token struct {
	Token     string    `json:"token"`
	ID        string    `json:"id"`
	Client    string    `json:"client"`
	User      string    `json:"user_id"`
	Expires   time.Time `json:"expires_at"`
	Ends      time.Time `json:"ends_at"` // when it is of no use any more: its client may lapse before
	Allow     []string  `json:"allow"`   // what it may use now
	Workflows *[]string `json:"workflows,omitzero"`
}

// TokenID names a signed token.
type TokenID struct {
	ID string `json:"id"`
}

// RevokedToken is a signed token that is none any more.
type RevokedToken struct {
	ID    string    `json:"id"`
	Until time.Time `json:"until"` // it has lapsed anyway by then
}

// MakeToken makes a signed token for a client. What it depends on, and its event, are on disk before anybody has it.
func (o *Operator) MakeToken(ctx context.Context, order TokenOrder) (Token, error) {
	act := o.begin("token/jwt", order.As, "")
	if o.cfg.Tokens == nil {
		return Token{}, o.failedToken(act, ErrNoTokens)
	}
	m, err := o.cfg.Tokens.Mint(ctx, &tokenLedger{o, act, order.As}, jwt.Order{
		Client: order.As, TTL: seconds(order.Seconds), Allow: narrowing(order.Allow), Workflows: narrowing(order.Workflows), NewKey: order.NewKey,
	})
	if err != nil {
		return Token{}, o.failedToken(act, err)
	}
	t := Token{
		Token: m.Token, ID: m.Has.Grant.ID, Client: m.Has.Client, User: m.Has.User, Expires: m.Has.Grant.Expires, Ends: m.Has.Expires,
		Allow: append([]string{}, m.Has.Allow.Sorted()...),
	}
	if !m.Has.Workflows.All() {
		list := append([]string{}, m.Has.Workflows.Sorted()...)
		t.Workflows = &list
	}
	return t, nil
}

// seconds is a span; one that is too long to be one is longer than any token may last.
func seconds(n int64) time.Duration {
	const most = int64(jwt.MaxTTL/time.Second) + 1
	return time.Duration(max(min(n, most), -most)) * time.Second
}

func narrowing(list *[]string) auth.Narrowing {
	if list == nil {
		return auth.Narrowing{}
	}
	return auth.Narrowing{Given: true, Names: *list}
}

// RevokeToken ends one signed token, and the streams that are open with it.
func (o *Operator) RevokeToken(ctx context.Context, t TokenID) (RevokedToken, error) {
	act := o.begin("token/revoke", "", "")
	if o.cfg.Tokens == nil {
		return RevokedToken{}, o.failedToken(act, ErrNoTokens)
	}
	until, err := o.cfg.Tokens.Revoke(ctx, &tokenLedger{o, act, ""}, t.ID)
	if err != nil {
		return RevokedToken{}, o.failedToken(act, err)
	}
	return RevokedToken{t.ID, until}, nil
}

// failedToken ends an act that came to nothing. What was given for an id is not recorded: it may be a token.
func (o *Operator) failedToken(act store.Event, err error) error {
	for _, refusal := range []error{ErrNoTokens, jwt.ErrNoAudience, jwt.ErrNoClient, jwt.ErrTTL, jwt.ErrLists, jwt.ErrNoID} {
		if errors.Is(err, refusal) {
			o.end(act, tools.OutcomeDenied, refusal.Error())
			if refusal == jwt.ErrNoClient {
				return ErrNoClient
			}
			return err
		}
	}
	o.end(act, tools.OutcomeError, "")
	return err
}

// tokenLedger keeps what an act changes and its event in one transaction.
type tokenLedger struct {
	o   *Operator
	act store.Event
	as  string
}

// Keep implements [jwt.Ledger].
func (l *tokenLedger) Keep(ctx context.Context, c jwt.Change) error {
	done := l.o.on(l.act, detail{As: l.as, Token: c.Token})
	done.Outcome, done.Duration = tools.OutcomeOK, l.o.cfg.Now().Sub(l.act.At)
	return l.o.cfg.Audit.Update(ctx, func(tx store.Tx) error {
		tx.AddEvent(done)
		return KeepTokens(tx, c, l.act.At)
	})
}

// KeepTokens stores a change of which signed tokens are good.
func KeepTokens(tx store.Tx, c jwt.Change, now time.Time) error {
	for _, e := range c.Epochs {
		if err := tx.PutEpoch(store.Epoch(e)); err != nil {
			return fmt.Errorf("keep the epoch of a client: %w", err)
		}
	}
	for _, r := range c.Revoked {
		if err := tx.RevokeToken(store.RevokedToken(r), now); err != nil {
			return fmt.Errorf("keep a revoked token: %w", err)
		}
	}
	return nil
}

// KeptTokens is all that is stored of which signed tokens are good.
func KeptTokens(tx store.Tx, now time.Time) (c jwt.Change, err error) {
	epochs, err := tx.Epochs()
	if err != nil {
		return c, fmt.Errorf("read the epochs of clients: %w", err)
	}
	revoked, err := tx.RevokedTokens(now)
	if err != nil {
		return c, fmt.Errorf("read the revoked tokens: %w", err)
	}
	for _, e := range epochs {
		c.Epochs = append(c.Epochs, jwt.Epoch(e))
	}
	for _, r := range revoked {
		c.Revoked = append(c.Revoked, jwt.Revoked(r))
	}
	return c, nil
}
