package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/server/mcp"
)

// cardAs is the whole answer to who asks for the card with these headers.
func (l *lawApp) cardAs(path string, header ...string) string {
	l.t.Helper()
	req, err := http.NewRequest(http.MethodGet, l.web.URL+path, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	code, got, text, err := fetch(req)
	if err != nil {
		l.t.Fatal(err)
	}
	got.Del("X-Request-Id")
	got.Del("Date")
	return fmt.Sprint(code, got, string(text))
}

// Laws 1, 4, 9 and 10: the card, and the catalog that leads to it, are the same bytes whoever asks, whatever the file grants, and says nothing of tools,
// clients, users and hosts.
func TestLaw9TheCardIsOne(t *testing.T) {
	t.Parallel()
	with, without := newLawApp(t, true), newLawApp(t, false)
	card := with.theCardIsOne(without, "/mcp/server-card", lawPrefix+"/mcp/server-card")
	catalog := with.theCardIsOne(without, "/.well-known/ai-catalog.json", "/.well-known/ard.json")
	with.write(narrow)
	for path, want := range map[string]string{"/mcp/server-card": card, "/.well-known/ard.json": catalog} {
		if diff := cmp.Diff(want, with.cardAs(path, "Authorization", "Bearer "+granted.token)); diff != "" {
			t.Errorf("%s once the client is revoked (-before +after):\n%s", path, diff)
		}
	}
	for _, revision := range mcp.Revisions() {
		if !strings.Contains(card, revision) {
			t.Errorf("the card does not say %s", revision)
		}
	}
}

// theCardIsOne is what is answered at these paths, to everybody, by both.
func (l *lawApp) theCardIsOne(without *lawApp, paths ...string) string {
	t, with := l.t, l
	t.Helper()
	want := with.cardAs(paths[0])
	if !strings.HasPrefix(want, "200 ") {
		t.Fatal(want)
	}
	for _, path := range paths {
		for _, c := range []lawClient{granted, narrow, nothing, nobody} {
			for _, l := range []*lawApp{with, without} {
				got := l.cardAs(path, "Authorization", "Bearer "+c.token, "Origin", "https://evil.example", "X-Forwarded-Host", "evil.example", "Tailscale-User-Login", c.name)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s as %s (-nobody +it):\n%s", path, c.name, diff)
				}
			}
		}
	}
	for _, secret := range []string{"law", "u_granted", "granted", "127.0.0.1", "localhost", "memory", "praxec", "evil", with.app.settings.Data} {
		if strings.Contains(strings.ReplaceAll(want, lawPrefix, ""), secret) {
			t.Errorf("%s says %q: %s", paths[0], secret, want)
		}
	}
	return want
}
