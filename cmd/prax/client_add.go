package main

import (
	"flag"
	"fmt"

	"prax/auth"
	"prax/auth/clients"
)

// meantToAdd are flags that people try, and a restriction that was mistyped must not be dropped.
var meantToAdd = map[string]string{
	"allowlist": "allow", "allowed": "allow", "tool-allowlist": "allow", "tools": "allow", "tool": "allow",
	"expires-at": "expires", "expire": "expires", "expiry": "expires", "exp": "expires", "token-expiry": "expires", "valid-until": "expires", "ttl": "expires",
	"user-id": "user", "role": "human", "roles": "human", "file": "clients", "path": "clients", "clients-path": "clients",
}

// clientAdd adds a client to clients.json and prints its token, once.
func (p *program) clientAdd(args []string) error {
	f := p.flags("client add", "NAME [--user ID] [--allow TOOLS] [--expires SPAN] [--human] [flags]",
		"Adds a client to clients.json, leaving the rest of the file as it is, and prints its new token: this once, and only its hash is kept.\n"+
			"--allow takes names of tools with commas, and the words default, low, medium and praxec for whole sets.").withSettings(grantSettings...)
	user := f.String("user", "", "the `USER` whom the client acts as; NAME when missing")
	allow := f.String("allow", "default", "the `TOOLS` that it may use")
	expires := f.String("expires", "", "when its token lapses: a `SPAN` as 90d or 12h, or a moment as 2027-01-31T00:00:00Z")
	human := f.Bool("human", false, "the client is a person's own")
	how := f.printing()
	f.meant = meantToAdd
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	f.Visit(func(fl *flag.Flag) { // "$UNSET" is no user, and no time either
		if (fl.Name == "user" || fl.Name == "expires") && fl.Value.String() == "" {
			err = f.usage("--%s is empty: leave it out, or say what it is", fl.Name)
		}
	})
	if err != nil {
		return err
	}
	at, err := parseExpiry(*expires, p.now())
	if err != nil {
		return f.usage("--expires: %w", err)
	}
	e := clients.Entry{Name: positional[0], UserID: *user, Expires: at}
	if e.UserID == "" {
		e.UserID = e.Name
	}
	if *human {
		e.Roles = []string{auth.Human}
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	if s.BearerToken != "" && e.Name == clients.SingleName {
		return failed("give it another name", "%q is the name of the client of MCP_BEARER_TOKEN: with two of that name, both would be out", e.Name)
	}
	if e.Allow, err = p.granted(*allow, s.catalogue()); err != nil {
		return err
	}
	token := auth.MintToken()
	e.Hash = auth.HashToken(token)
	if err := clients.AddClient(s.ClientsPath, e); err != nil {
		return explainEdit(s.ClientsPath, err)
	}
	server := p.tellServer(s, "added", e.Name)
	shown := newToken{Name: e.Name, UserID: e.UserID, Token: token, Allow: e.Allow, URL: server.url, File: s.ClientsPath, start: server.start(f)}
	if !at.IsZero() {
		shown.Expires = formatTime(at)
	}
	return how.token(p, f, shown, "added")
}

// granted expands --allow, warning of names that no tool has now: a word of a later version is kept,
// a mistyped one would grant nothing.
func (p *program) granted(text string, c catalogue) ([]string, error) {
	names, unknown, err := c.grant(text)
	if err != nil {
		return nil, failed("--allow takes default, low, medium, praxec, and the names of tools that are LOW or MEDIUM", "--allow: %w", err)
	}
	for _, name := range unknown {
		near := ""
		if tool := c.near(name); tool != "" {
			near = "did you mean " + tool + "? "
		}
		fmt.Fprintf(p.stderr, "prax: warning: no tool is called %q now: %sthe grant waits for one\n", name, near)
	}
	if names == nil {
		names = []string{}
	}
	return names, nil
}
