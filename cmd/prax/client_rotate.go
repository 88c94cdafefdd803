package main

import (
	"time"

	"prax/auth"
	"prax/auth/clients"
)

// clientRotate gives a client another token and prints it, once.
func (p *program) clientRotate(args []string) error {
	f := p.flags("client rotate", "NAME [--overlap SPAN] [flags]",
		"Gives a client another token and prints it, this once. The old one is unknown as soon as the file is saved or, with --overlap, when that\n"+
			"time is over: until then both are good, and prax client list tells when each was used last.").withSettings(clientSettings...)
	overlap := f.String("overlap", "", "how long the old token goes on: a `SPAN` as 24h or 7d; of several, none goes on for longer than it would have")
	how := f.printing()
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	until, err := p.overlapEnd(f, *overlap)
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
	to := clients.Rotation{Hash: auth.HashToken(token), Now: p.now(), Until: until}
	if err := clients.RotateClient(s.ClientsPath, positional[0], to); err != nil {
		return explainEdit(s.ClientsPath, err)
	}
	server := p.tellServer(s, "rotated", positional[0])
	shown := newToken{Name: positional[0], Token: token, URL: server.url, File: s.ClientsPath, start: server.start(f)}
	if !until.IsZero() {
		shown.OldUntil = formatTime(until)
	}
	return how.token(p, f, shown, "rotated")
}

// overlapEnd is when the old token ends; zero without an overlap. An empty value is no overlap that anybody
// meant: "$UNSET" would end the old token at once.
func (p *program) overlapEnd(f *flags, span string) (time.Time, error) {
	switch {
	case !f.said("overlap"):
		return time.Time{}, nil
	case span == "":
		return time.Time{}, f.usage("--overlap is empty: leave it out, or say how long")
	}
	until, err := parseExpiry(span, p.now())
	if err != nil {
		return time.Time{}, f.usage("--overlap: %w", err)
	}
	return until, nil
}
