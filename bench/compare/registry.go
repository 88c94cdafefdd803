package main

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// registry is a clients.json and the tokens of its clients.
type registry struct {
	clients string // path of clients.json
	tokens  string // path of the tokens, one a line
	first   string // the first token
}

// writeRegistry makes a clients.json of n clients with the default set, each of a user of its own.
func writeRegistry(dir string, n int) (registry, error) {
	r := registry{clients: filepath.Join(dir, "clients.json"), tokens: filepath.Join(dir, "tokens")}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return r, err
	}
	clients, err := os.OpenFile(r.clients, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return r, err
	}
	defer clients.Close()
	tokens, err := os.OpenFile(r.tokens, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return r, err
	}
	defer tokens.Close()
	entries, lines := bufio.NewWriter(clients), bufio.NewWriter(tokens)
	fmt.Fprint(entries, `{"clients":[`)
	for i := range n {
		random := make([]byte, 20)
		rand.Read(random)
		token := "prx_" + hex.EncodeToString(random)
		if i == 0 {
			r.first = token
		} else {
			fmt.Fprint(entries, ",")
		}
		fmt.Fprintf(entries, "\n"+`{"name":"client-%06d","user_id":"user-%06d","token_sha256":"%x","allow":"default"}`,
			i, i, sha256.Sum256([]byte(token)))
		fmt.Fprintln(lines, token)
	}
	fmt.Fprintln(entries, "\n]}")
	if err := entries.Flush(); err != nil {
		return r, err
	}
	return r, lines.Flush()
}

// prax is the server of this registry.
func (r registry) prax(s settings, name string) target {
	return target{name: name, tokens: r.tokens, command: func(addr, dir string) command {
		return command{argv: []string{s.program("prax"), "serve"}, env: []string{
			"MCP_SERVER_ENABLED=true", "MCP_CLIENTS_PATH=" + r.clients,
			"PRAX_ADDR=" + addr, "PRAX_DATA=" + filepath.Join(dir, "data"), "PRAX_LOG=warn",
		}}
	}}
}

// floor is the bare server with the first token of this registry and one result for everything.
func (r registry) floor(s settings, name, result string) target {
	return target{name: name, tokens: r.tokens, command: func(addr, _ string) command {
		return command{argv: []string{s.program("floor"), "-addr", addr, "-token", r.first, "-result", result}}
	}}
}
