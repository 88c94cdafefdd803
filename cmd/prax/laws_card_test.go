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

// Laws 1, 4, 9 and 10: the card is the same bytes whoever asks, whatever the file grants, and says nothing of tools,
// clients, users and hosts.
func TestLaw9TheCardIsOne(t *testing.T) {
	t.Parallel()
	with, without := newLawApp(t, true), newLawApp(t, false)
	want := with.cardAs("/mcp/server-card")
	if !strings.HasPrefix(want, "200 ") {
		t.Fatal(want)
	}
	for _, path := range []string{"/mcp/server-card", lawPrefix + "/mcp/server-card"} {
		for _, c := range []lawClient{granted, narrow, nothing, nobody} {
			for _, l := range []*lawApp{with, without} {
				got := l.cardAs(path, "Authorization", "Bearer "+c.token, "Origin", "https://evil.example", "X-Forwarded-Host", "evil.example", "Tailscale-User-Login", c.name)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s as %s (-nobody +it):\n%s", path, c.name, diff)
				}
			}
		}
	}
	with.write(narrow)
	if diff := cmp.Diff(want, with.cardAs("/mcp/server-card", "Authorization", "Bearer "+granted.token)); diff != "" {
		t.Errorf("once the client is revoked (-before +after):\n%s", diff)
	}
	for _, secret := range []string{"law", "u_granted", "granted", "127.0.0.1", "localhost", "memory", "praxec", "evil", with.app.settings.Data} {
		if strings.Contains(strings.ReplaceAll(want, lawPrefix, ""), secret) {
			t.Errorf("the card says %q: %s", secret, want)
		}
	}
	for _, revision := range mcp.Revisions() {
		if !strings.Contains(want, revision) {
			t.Errorf("the card does not say %s", revision)
		}
	}
}
