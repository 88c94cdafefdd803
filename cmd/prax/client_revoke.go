package main

import (
	"errors"
	"fmt"

	"prax/auth/clients"
)

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
