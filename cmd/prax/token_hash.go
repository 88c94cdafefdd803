package main

import (
	"fmt"
	"strings"

	"prax/auth"
)

// tokenHash prints the token_sha256 of the token on standard input.
func (p *program) tokenHash(args []string) error {
	f := p.flags("token hash", "< FILE", "Prints the token_sha256 of the token on standard input: what belongs into clients.json.\nA token is never taken from the command line, where every user of the machine could read it.")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	token, err := p.readToken()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, auth.HashToken(token).Hex())
	return err
}

// readToken reads one token from standard input. A line break at its end is dropped, with a
// warning: hashing `echo TOKEN` with another tool hashes the line break too, and that hash
// admits nobody.
func (p *program) readToken() (string, error) {
	text, err := p.readInput()
	if err != nil {
		return "", err
	}
	token := strings.TrimRight(text, "\r\n")
	if token != text {
		fmt.Fprintln(p.stderr, "prax: warning: the line break after the token was left out; printf makes none")
	}
	if _, ok := auth.ParseBearer([]string{"Bearer " + token}); !ok || strings.TrimSpace(token) != token {
		return "", usage("printf %s \"$TOKEN\" | prax token hash", "standard input is not one token: it is empty or has blanks or line breaks inside")
	}
	return token, nil
}
