package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"prax/auth"
	"prax/auth/clients"
	"prax/auth/jwt"
	"prax/server/control"
	"prax/server/edge"
	"prax/store"
)

// openTokens opens what makes and judges signed tokens. An app that may write nothing has none.
func (a *app) openTokens(ctx context.Context) error {
	if a.mac == nil {
		return nil
	}
	var kept jwt.Change
	err := a.db.View(ctx, func(tx store.Tx) (err error) {
		kept, err = control.KeptTokens(tx, a.now())
		return err
	})
	if err != nil {
		return err
	}
	c := jwt.Config{
		Keys: filepath.Join(a.settings.Data, "keys"), Clients: a.clients, Kept: kept, Ledger: tokensEnding{a},
		Seal: a.mac, Now: a.now, Log: a.out.log,
	}
	if a.settings.PublicURL != nil {
		c.Audience = a.settings.PublicURL.String()
	}
	a.tokens = jwt.Open(c)
	if first := a.first.Load(); first != nil && !a.quiet {
		a.judgeTokens(first.OK)
	}
	return nil
}

// authenticators are asked in this order. Without a public URL a signed token could not say whom it is for, and none is
// taken.
func (a *app) authenticators() []edge.Authenticator {
	if a.tokens == nil || a.settings.PublicURL == nil {
		return []edge.Authenticator{a.clients}
	}
	return []edge.Authenticator{a.clients, signed{a.tokens, a.clients}}
}

// signed judges signed tokens, and notes whose they are: the registry notes its own by itself.
type signed struct {
	*jwt.Authority
	clients *clients.Registry
}

// Authenticate implements [edge.Authenticator].
func (s signed) Authenticate(r *http.Request) (auth.Principal, bool) {
	p, ok := s.Authority.Authenticate(r)
	return s.noted(p, ok)
}

// Again implements [edge.Authenticator].
func (s signed) Again(p auth.Principal) (auth.Principal, bool) {
	p, ok := s.Authority.Again(p)
	return s.noted(p, ok)
}

func (s signed) noted(p auth.Principal, ok bool) (auth.Principal, bool) {
	if ok {
		s.clients.NoteUse(p.Client)
	}
	return p, ok
}

// judgeTokens has signed tokens judged by the clients in force now. sure is false while clients.json does not read.
func (a *app) judgeTokens(sure bool) {
	if a.tokens == nil { // the first reading, before there are any
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), eventPatience)
	defer cancel()
	a.tokens.Reloaded(ctx, sure)
}

// tokensEnding keeps whose signed tokens ended by an edit of clients.json, and tells the chain.
type tokensEnding struct{ a *app }

// Keep implements [jwt.Ledger].
func (l tokensEnding) Keep(ctx context.Context, c jwt.Change) error {
	at := l.a.now()
	events := make([]store.Event, 0, len(c.Epochs))
	for _, e := range c.Epochs {
		detail, err := json.Marshal(tokensEnded{"signed tokens ended", e.Client}, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("event of the end of signed tokens: %w", err)
		}
		events = append(events, store.Event{At: at, Kind: store.EventClient, Outcome: "ok", Detail: string(detail)})
	}
	return l.a.insist(ctx, func(tx store.Tx) error {
		for _, e := range events {
			tx.AddEvent(e)
		}
		return control.KeepTokens(tx, c, at)
	})
}

// tokensEnded is the detail of the event that tells of a client whose signed tokens are none any more.
type tokensEnded struct {
	Act  string `json:"act"`
	Name string `json:"name"`
}
