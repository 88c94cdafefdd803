package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"prax/auth"
	"prax/auth/clients"
	"prax/store"
)

// devDir is where serve --dev keeps everything: nothing else is read or written.
const devDir = "prax-dev"

// The one user of the trial server, and its two clients.
const (
	devUser  = "you"
	devAgent = "dev"
	devHuman = "you"
)

// devCall is a call that finds something among the samples.
const devCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_recall","arguments":{"query":"coffee"}}}`

// useDev makes the trial server of these settings: enabled, with its own clients and no other.
func (s *settings) useDev() {
	s.Enabled = true
	s.ClientsPath = filepath.Join(s.Data, "clients.json")
	s.BearerToken = ""
}

// devTokens are the new tokens of the trial server's clients.
type devTokens struct{ agent, human string }

func (t devTokens) print(w io.Writer, url string) {
	fmt.Fprintf(w, "token of the agent %q: %s\n", devAgent, t.agent)
	fmt.Fprintf(w, "token of the person %q: %s\n", devHuman, t.human)
	fmt.Fprintf(w, "try it:\n%s\n", curlLine(url, t.agent, devCall))
}

// prepareDev gives the trial server its sample data, once, and its two clients new tokens, each time.
func (h *house) prepareDev(ctx context.Context) (devTokens, error) {
	if err := h.addSamples(ctx); err != nil {
		return devTokens{}, fmt.Errorf("sample data: %w", err)
	}
	t := devTokens{auth.MintToken(), auth.MintToken()}
	allow := append(clients.DefaultTools(), "memory_remember")
	agent := clients.Entry{Name: devAgent, Hash: auth.HashToken(t.agent), UserID: devUser, Allow: allow}
	human := clients.Entry{Name: devHuman, Hash: auth.HashToken(t.human), UserID: devUser, Allow: allow, Roles: []string{"human"}}
	for _, e := range []clients.Entry{agent, human} {
		if err := renew(h.settings.ClientsPath, e); err != nil {
			return devTokens{}, fmt.Errorf("clients of the trial server: %w", err)
		}
	}
	return t, nil
}

// renew gives a client another token, or adds it.
func renew(path string, e clients.Entry) error {
	if !exists(path) {
		return clients.AddClient(path, e)
	}
	err := clients.RotateClient(path, e.Name, e.Hash)
	if errors.Is(err, clients.ErrNoClient) {
		return clients.AddClient(path, e)
	}
	return err
}

func (h *house) addSamples(ctx context.Context) error {
	owner := auth.Principal{User: devUser}.Scope()
	return h.db.Update(ctx, func(tx store.Tx) error {
		kept, err := tx.ListDocuments(owner, store.Filter{Limit: 1})
		if err != nil || len(kept) > 0 {
			return err
		}
		for _, d := range samples() {
			if _, err := tx.PutDocument(d); err != nil {
				return err
			}
		}
		return nil
	})
}

// samples are something to find for each of the tools that look.
func samples() []store.Document {
	return []store.Document{
		{User: devUser, Kind: store.Memory, Source: "sample", Importance: 0.8, Tags: []string{"taste"}, Body: "Takes coffee black, without sugar."},
		{User: devUser, Kind: store.Memory, Source: "sample", Importance: 0.6, Tags: []string{"travel"}, Body: "Prefers the night train to flying."},
		{User: devUser, Kind: store.Memory, Source: "sample", Importance: 0.3, Body: "The good coffee grinder is in the upper cupboard."},
		{User: devUser, Kind: store.Concept, Namespace: "general", Key: "espresso", Title: "Espresso", SourceType: "sample", Importance: 0.5,
			Body: "Coffee made by pressing hot water through finely ground beans."},
		{User: devUser, Kind: store.Concept, Namespace: "security", Key: "least privilege", Title: "Least privilege", SourceType: "sample", Importance: 0.9,
			Body: "Whoever acts for others gets the rights that the work needs, and no more."},
		{User: devUser, Kind: store.Conversation, Key: "user", Source: "sample", Body: "Which train gets me to Vienna by nine?"},
		{User: devUser, Kind: store.Conversation, Key: "assistant", Source: "sample", Body: "The night train of 21:40 arrives in Vienna at 07:55."},
	}
}
