package main

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// registry is a clients.json and the tokens of its clients.
type registry struct {
	clients string // path of clients.json
	tokens  string // path of the tokens, one a line
	eight   string // path of the first eight of them
	one     string // path of the first
	first   string // the first itself
}

// What clients may use: the one tool that the servers of the libraries have, or also what moves workflows, whose
// descriptions make tools/list ten times as long.
const (
	oneTool   = `"echo"`
	workflows = oneTool + `,"praxec.query","praxec.command"`
)

// writeRegistry makes a clients.json of n clients, each of a user of its own.
func writeRegistry(dir string, n int, allow string) (r registry, err error) {
	r = registry{clients: filepath.Join(dir, "clients.json"), tokens: filepath.Join(dir, "tokens"),
		eight: filepath.Join(dir, "eight"), one: filepath.Join(dir, "one")}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return r, err
	}
	tokens := make([]string, n)
	for i := range tokens {
		random := make([]byte, 20)
		rand.Read(random)
		tokens[i] = "prx_" + hex.EncodeToString(random)
	}
	r.first = tokens[0]
	err = writeClients(r.clients, tokens, allow, "")
	return r, errors.Join(err, writeLines(r.tokens, tokens), writeLines(r.eight, tokens[:min(8, n)]), writeLines(r.one, tokens[:1]))
}

// writeClients replaces a clients.json as an editor does. A last client of no use, if it has a name, makes it another file
// than the one before.
func writeClients(path string, tokens []string, allow, last string) error {
	file, err := os.OpenFile(path+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	fmt.Fprint(w, `{"clients":[`)
	entry := func(i int, token, allow string) {
		fmt.Fprintf(w, "\n"+`{"name":"client-%06d","user_id":"user-%06d","token_sha256":"%x","allow":[%s]}`, i, i, sha256.Sum256([]byte(token)), allow)
	}
	for i, token := range tokens {
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		entry(i, token, allow)
	}
	if last != "" {
		fmt.Fprint(w, ",")
		entry(len(tokens), last, "")
	}
	fmt.Fprintln(w, "\n]}")
	if err := w.Flush(); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func writeLines(path string, lines []string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}
