package main

import (
	"prax/auth"
	"prax/auth/clients"
)

// clientRotate gives a client another token and prints it, once.
func (p *program) clientRotate(args []string) error {
	f := p.flags("client rotate", "NAME [flags]",
		"Gives a client another token and prints it, this once. The old one is unknown as soon as the file is saved.").withSettings(clientSettings...)
	how := f.printing()
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
	token := auth.MintToken()
	if err := clients.RotateClient(s.ClientsPath, positional[0], auth.HashToken(token)); err != nil {
		return explainEdit(s.ClientsPath, err)
	}
	server := p.tellServer(s, "rotated", positional[0])
	return how.token(p, f, newToken{Name: positional[0], Token: token, URL: server.url, File: s.ClientsPath, start: server.start(f)}, "rotated")
}
