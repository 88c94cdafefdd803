package main

import (
	"fmt"
	"io"
	"strings"
)

// listCall is the first request anybody sends: what may I do here?
const listCall = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// endpoint is where callers reach /mcp: PRAX_PUBLIC_URL if there is one, else the address we listen
// on, as seen from this machine.
func (s *settings) endpoint(addr string) string {
	if s.PublicURL != nil {
		return s.PublicURL.JoinPath("mcp").String()
	}
	base, _ := localURL(addr)
	return base + "/mcp"
}

// curlLine is a line for a shell that sends body with the token. The token may be a shell variable,
// so it stands in double quotes.
func curlLine(url, token, body string) string {
	return fmt.Sprintf(`curl -sS %s -H "Authorization: Bearer %s" -H 'Content-Type: application/json' -d '%s'`,
		url, token, strings.ReplaceAll(body, `'`, `'\''`))
}

// printSnippets shows how a client with the token in $PRAX_TOKEN connects.
func printSnippets(w io.Writer, url string) {
	fmt.Fprintf(w, `try it:
%s

Claude Code:
claude mcp add --transport http prax %s --header "Authorization: Bearer $PRAX_TOKEN"

Python:
import json, os, urllib.request
request = urllib.request.Request("%s", json.dumps(%s).encode(), {
    "Authorization": "Bearer " + os.environ["PRAX_TOKEN"], "Content-Type": "application/json"})
print(urllib.request.urlopen(request).read().decode())
`, curlLine(url, "$PRAX_TOKEN", listCall), url, url, listCall)
}
