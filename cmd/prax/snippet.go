package main

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"unicode"

	"prax/server"
)

// shellWord is text as one word of a shell's line.
func shellWord(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/.:_-,@%+=", r)
	}) {
		return text
	}
	return "'" + strings.ReplaceAll(text, `'`, `'\''`) + "'"
}

// listCall is the first request anybody sends: what may I do here?
const listCall = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// endpoint is where callers reach /mcp: PRAX_PUBLIC_URL if there is one, else the address we listen
// on, as seen from this machine.
func (s *settings) endpoint(addr string) string {
	if s.PublicURL == nil {
		base, _ := s.localURL(addr)
		return base + "/mcp"
	}
	at, _ := server.Endpoint(s.PublicURL) // it was read
	return s.PublicURL.ResolveReference(&url.URL{Path: at}).String()
}

// curlLine is a line for a shell that sends body with the token. The token may be a shell variable,
// so it stands in double quotes.
func curlLine(url, token, body string) string {
	return fmt.Sprintf(`curl -sS %s -H "Authorization: Bearer %s" -H 'Content-Type: application/json' -d '%s'`,
		url, token, strings.ReplaceAll(body, `'`, `'\''`))
}

// claudeLine is the command that makes the server known to Claude Code. In single quotes ${PRAX_TOKEN} stays
// what it is until Claude Code connects, and its configuration has no token.
func claudeLine(url, token string) string {
	return fmt.Sprintf(`claude mcp add --transport http prax %s --header 'Authorization: Bearer %s'`, url, token)
}

// printSnippets shows how a client with the token in $PRAX_TOKEN connects.
func printSnippets(w io.Writer, url string) {
	fmt.Fprintf(w, `try it:
%s

Claude Code:
%s

Python:
import json, os, urllib.request
request = urllib.request.Request("%s", json.dumps(%s).encode(), {
    "Authorization": "Bearer " + os.environ["PRAX_TOKEN"], "Content-Type": "application/json"})
print(urllib.request.urlopen(request).read().decode())
`, curlLine(url, "$PRAX_TOKEN", listCall), claudeLine(url, "${PRAX_TOKEN}"), url, listCall)
}
