package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"prax/auth"
)

// tokenHash prints the token_sha256 of the token on standard input.
func (p *program) tokenHash(args []string) error {
	f := p.flags("token hash", "< FILE", "Prints the token_sha256 of the token on standard input: what belongs into clients.json.\nA token is never taken from the command line, where every user of the machine could read it.")
	token, broken, err := p.readToken(f, args)
	if err != nil {
		return err
	}
	if broken {
		fmt.Fprintln(p.stderr, "prax: warning: the line break after the token was left out; printf makes none")
	}
	_, err = fmt.Fprintln(p.stdout, auth.HashToken(token).Hex())
	return err
}

// readToken reads one token from standard input. A line break at its end is dropped; broken says that there was one which
// nobody typed: hashing `echo TOKEN` with another tool hashes the line break too, and that hash admits nobody. A token
// given as an argument is refused and not repeated.
func (p *program) readToken(f *flags, args []string) (token string, broken bool, err error) {
	if positional, err := f.parse(args, 0, -1); err != nil {
		return "", false, err
	} else if len(positional) > 0 {
		return "", false, f.usage("a token is read from standard input, never from the command line")
	}
	typed := isTerminal(p.stdin)
	text, err := p.tokenText(typed)
	if err != nil {
		return "", false, err
	}
	token = strings.TrimRight(text, "\r\n")
	if _, ok := auth.ParseBearer([]string{"Bearer " + token}); !ok || strings.TrimSpace(token) != token {
		return "", false, usage("printf %s \"$TOKEN\" | prax token hash", "standard input is not one token: it is empty or has blanks or line breaks inside")
	}
	return token, token != text && !typed, nil
}

// tokenText is all of standard input, or the one line that is typed on a terminal.
func (p *program) tokenText(typed bool) (string, error) {
	if !typed {
		return p.readInput()
	}
	fmt.Fprint(p.stderr, "the token, and Enter (the terminal shows it): ")
	line, err := bufio.NewReader(io.LimitReader(p.stdin, maxInput)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	return line, nil
}
