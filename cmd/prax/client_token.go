package main

import (
	"bytes"
	"fmt"
	"strings"
)

// newToken is how a client's new token and how to use it are shown.
type newToken struct {
	Name    string   `json:"name"`
	UserID  string   `json:"user_id,omitzero"`
	Token   string   `json:"token"`
	Allow   []string `json:"allow,omitempty"`
	Expires string   `json:"expires_at,omitzero"`

	// OldUntil is when the tokens end that the client had before; "" when they have.
	OldUntil string `json:"old_until,omitzero"`

	URL  string `json:"url"`
	File string `json:"file"`

	start string // the command that starts the server; "" when one answers
}

// printing is how a command that makes a token prints it.
type printing struct{ json, quiet *bool }

func (f *flags) printing() printing {
	return printing{
		json:  f.Bool("json", false, "print JSON"),
		quiet: f.Bool("quiet", false, "print the token and nothing else"),
	}
}

// token prints a new token, once, and how to use it: all of it or, as far as we can tell, nothing. A token
// that nobody has seen is in force all the same, and only another one helps.
func (how printing) token(p *program, f *flags, t newToken, done string) error {
	text, err := how.text(t, done)
	if err == nil {
		_, err = p.stdout.Write(text)
	}
	if err != nil {
		return failed("prax client rotate "+shellWord(t.Name)+f.again()+" makes another token",
			"client %q is %s in %s, and its token is lost: %w", t.Name, done, t.File, err)
	}
	return nil
}

func (how printing) text(t newToken, done string) ([]byte, error) {
	switch {
	case *how.json:
		return indented(t)
	case *how.quiet:
		return []byte(t.Token + "\n"), nil
	}
	w := &bytes.Buffer{}
	fmt.Fprintf(w, "client %s %s in %s\n", printable(t.Name), done, printable(t.File))
	if t.UserID != "" {
		fmt.Fprintf(w, "acts as user %s, may use %s, %s\n", printable(t.UserID), granting(t.Allow), expiring(t.Expires))
	}
	if t.OldUntil != "" {
		fmt.Fprintf(w, "the old token goes on until %s at the latest\n", t.OldUntil)
	}
	fmt.Fprintf(w, "\nits token, which is shown this once:\nexport PRAX_TOKEN=%s\n\n", t.Token)
	if t.start != "" {
		fmt.Fprintf(w, "nothing listens there yet; start it: %s\n\n", printable(t.start))
	}
	printSnippets(w, t.URL)
	return w.Bytes(), nil
}

func granting(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return printable(strings.Join(names, ", "))
}

func expiring(at string) string {
	if at == "" {
		return "never expires"
	}
	return "expires " + at
}
