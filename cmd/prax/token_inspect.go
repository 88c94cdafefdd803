package main

import (
	"fmt"

	"prax/auth"
	"prax/auth/clients"
)

// tokenInspect says which client the token on standard input belongs to, without repeating it.
func (p *program) tokenInspect(args []string) error {
	f := p.flags("token inspect", "[flags] < FILE",
		"Says which client the token on standard input belongs to, by the clients.json of these settings.").withSettings("MCP_CLIENTS_PATH")
	token, err := p.readToken(f, args)
	if err != nil {
		return err
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	registry, err := clients.Open(s.clientsConfig(nil), nil, nil, p.now)
	if err != nil {
		return err
	}
	who, found := registry.Lookup(auth.HashToken(token))
	if !found {
		return p.explainToken(registry, token)
	}
	fmt.Fprintf(p.stdout, "client %s, user %s, %s\n", printable(who.Client), printable(who.User), expiryText(who))
	return nil
}

// explainToken says what may be wrong with a token that nobody has.
func (p *program) explainToken(registry *clients.Registry, token string) error {
	if who, found := registry.Lookup(auth.HashToken(token + "\n")); found {
		return failed("prax token hash makes the right one", "the token_sha256 of client %q was made of this token and a line break: it admits nobody who sends the token", who.Client)
	}
	return failed("prax check names the clients that are out, and why", "no live client has this token")
}

func expiryText(who auth.Principal) string {
	if who.Expires.IsZero() {
		return "never expires"
	}
	return "expires " + formatTime(who.Expires)
}
