package main

import (
	"fmt"

	"prax/auth/clients"
)

// clientRevoke takes a client out of clients.json.
func (p *program) clientRevoke(args []string) error {
	f := p.flags("client revoke", "NAME [flags]",
		"Takes a client out of clients.json. Its token is unknown as soon as the file is saved, and its open streams end.").withSettings(clientSettings...)
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	if !exists(s.ClientsPath) {
		return noClientsFile(s.ClientsPath)
	}
	if err := clients.RevokeClient(s.ClientsPath, positional[0]); err != nil {
		return explainEdit(s.ClientsPath, err)
	}
	fmt.Fprintf(p.stdout, "client %s is out of %s\n", printable(positional[0]), printable(s.ClientsPath))
	p.tellServer(s, "revoked", positional[0])
	return nil
}
