package main

import (
	"errors"
	"fmt"

	"prax/auth"
	"prax/auth/clients"
)

// tokenFile is how a client's new token and how to use it are shown.
type tokenFile struct {
	Name    string   `json:"name"`
	UserID  string   `json:"user_id,omitzero"`
	Token   string   `json:"token"`
	Allow   []string `json:"allow,omitempty"`
	Expires string   `json:"expires_at,omitzero"`
	URL     string   `json:"url"`
	File    string   `json:"file"`
}

// clientAdd adds a client to clients.json and prints its token, once.
func (p *program) clientAdd(args []string) error {
	f := p.flags("client add", "NAME [--user ID] [--allow TOOLS] [--expires SPAN] [--human] [flags]",
		"Adds a client to clients.json, leaving the rest of the file as it is, and prints its new token: this once, and only its hash is kept.\n"+
			"--allow takes names of tools with commas, and the words default, low, medium and praxec for whole sets.").withSettings()
	user := f.String("user", "", "the `USER` whom the client acts as; NAME when missing")
	allow := f.String("allow", "default", "the `TOOLS` that it may use")
	expires := f.String("expires", "", "when its token lapses: a `SPAN` as 90d or 12h, or a moment as 2027-01-31T00:00:00Z")
	human := f.Bool("human", false, "the client is a person's own")
	print := f.printing()
	positional, err := f.parse(args, 1, 1)
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
		e.Roles = []string{"human"}
	}
	if e.Allow, err = p.granted(*allow); err != nil {
		return err
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	token := auth.MintToken()
	e.Hash = auth.HashToken(token)
	if err := clients.AddClient(s.ClientsPath, e); err != nil {
		return explainEdit(err)
	}
	shown := tokenFile{Name: e.Name, UserID: e.UserID, Token: token, Allow: e.Allow, URL: s.endpoint(s.Addr), File: s.ClientsPath}
	if !at.IsZero() {
		shown.Expires = formatTime(at)
	}
	return print.token(p, shown, "added")
}

// granted expands --allow, warning of names that no tool has now: a word of a later version is kept,
// a mistyped one would grant nothing.
func (p *program) granted(text string) ([]string, error) {
	names, unknown, err := readCatalogue().grant(text)
	if err != nil {
		return nil, failed("leave it out of --allow", "--allow: %w", err)
	}
	for _, name := range unknown {
		fmt.Fprintf(p.stderr, "prax: warning: no tool is called %q now: the grant waits for one\n", name)
	}
	if names == nil {
		names = []string{}
	}
	return names, nil
}

// clientRotate gives a client another token and prints it, once.
func (p *program) clientRotate(args []string) error {
	f := p.flags("client rotate", "NAME [flags]",
		"Gives a client another token and prints it, this once. The old one is unknown as soon as the file is saved.").withSettings()
	print := f.printing()
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	token := auth.MintToken()
	if err := clients.RotateClient(s.ClientsPath, positional[0], auth.HashToken(token)); err != nil {
		return explainEdit(err)
	}
	return print.token(p, tokenFile{Name: positional[0], Token: token, URL: s.endpoint(s.Addr), File: s.ClientsPath}, "rotated")
}

// clientRevoke takes a client out of clients.json.
func (p *program) clientRevoke(args []string) error {
	f := p.flags("client revoke", "NAME [flags]",
		"Takes a client out of clients.json. Its token is unknown as soon as the file is saved, and its open streams end.").withSettings()
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	if err := clients.RevokeClient(s.ClientsPath, positional[0]); err != nil {
		return explainEdit(err)
	}
	fmt.Fprintf(p.stdout, "client %s is out of %s\n", printable(positional[0]), printable(s.ClientsPath))
	return nil
}

// explainEdit says what may be done when the file was left as it is.
func explainEdit(err error) error {
	for cause, hint := range map[error]string{
		clients.ErrExists:   "prax client rotate gives it another token, prax client revoke takes it out",
		clients.ErrNoClient: "prax client list names them",
		clients.ErrChanged:  "look at the file, and try again",
		clients.ErrBusy:     "try again",
		clients.ErrDoubt:    "prax check names what is wrong with the file",
	} {
		if errors.Is(err, cause) {
			return failed(hint, "%w", err)
		}
	}
	return failed("prax check names what is wrong with the file", "%w", err)
}
