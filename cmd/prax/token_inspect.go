package main

import (
	"fmt"
	"strconv"
	"strings"

	"prax/auth"
	"prax/auth/clients"
	"prax/auth/jwt"
)

// tokenInspect says which client the token on standard input belongs to, without repeating it.
func (p *program) tokenInspect(args []string) error {
	f := p.flags("token inspect", "[flags] < FILE",
		"Says which client the token on standard input belongs to, by the clients.json of these settings. Of a signed token it says what\n"+
			"stands in it, and does not verify it. The token itself is not shown.").withSettings("MCP_CLIENTS_PATH")
	token, _, err := p.readToken(f, args)
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
	if !found && jwt.Resembles(token) {
		return p.inspectSigned(token)
	}
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

// inspectSigned prints what a signed token says.
func (p *program) inspectSigned(token string) error {
	r, err := jwt.Read(token)
	if err != nil {
		return failed("prax token jwt makes one", "it has the form of a signed token, and is none of prax")
	}
	w := newTable(p.stdout)
	row := func(name, value string) { fmt.Fprintf(w, "%s\t%s\n", name, printable(value)) }
	row("client", r.Client)
	row("user", r.User)
	row("id", r.ID)
	row("issued", formatTime(r.Issued))
	row("expires", formatTime(r.Expires))
	row("for", r.Audience)
	row("epoch", strconv.FormatInt(r.Epoch, 10))
	row("key", r.Key)
	row("tools", narrowed(r.Allow))
	row("workflows", narrowed(r.Workflows))
	if err := w.Flush(); err != nil {
		return err
	}
	if !p.now().Before(r.Expires) {
		p.noteOf("it has expired")
	}
	p.noteOf("this is what the token says: neither its signature nor its client was looked at")
	return nil
}

func narrowed(n auth.Narrowing) string {
	switch {
	case !n.Given:
		return "all that the client has"
	case len(n.Names) == 0:
		return "none"
	}
	return "at most " + strings.Join(n.Names, ", ")
}
