package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"prax/auth"
	"prax/server/edge"
)

func TestDenialsAreReported(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	g.ask("POST", "/mcp")
	g.ask("POST", "/mcp", "Authorization: Basic canary")
	g.ask("POST", "/mcp", "Authorization: Bearer canary")
	g.ask("POST", "/mcp", "Authorization: Bearer lapsed")
	g.ask("POST", "/mcp", good, good)
	g.ask("POST", "/mcp", good, "Host: evil.example")
	last := g.ask("POST", "/mcp", good, "Origin: https://evil.example")
	g.ask("POST", "/mcp", good)
	g.ask("GET", "/mcp")
	got := g.denials()
	var want []Denial
	for _, reason := range []Reason{DeniedNoToken, DeniedMalformed, DeniedUnknownToken, DeniedUnknownToken, DeniedMalformed, DeniedHost, DeniedOrigin} {
		want = append(want, Denial{Remote: "127.0.0.1", Reason: reason, Count: 1})
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(Denial{}, "At", "RequestID")); d != "" {
		t.Error(d)
	}
	if got[len(got)-1].RequestID != last.header.Get("X-Request-Id") {
		t.Errorf("request id %q is not the caller's", got[len(got)-1].RequestID)
	}
	if strings.Contains(fmt.Sprint(got), "canary") {
		t.Errorf("a token in %v", got)
	}
}

// reasoned is an authenticator that knows of two tokens why they are none.
type reasoned struct{ registry }

func (reasoned) Why(r *http.Request) string {
	switch r.Header.Get("Authorization") {
	case "Bearer ended":
		return "ended yesterday"
	case "Bearer lent":
		return "signed token: revoked"
	}
	return ""
}

// TestDenialsSayWhy: the reason that an authenticator has is in the records, and the caller gets the bytes of an unknown token.
func TestDenialsSayWhy(t *testing.T) {
	t.Parallel()
	g := start(t, func(c *Config) { c.Authenticators = append(c.Authenticators, reasoned{registry{}}) })
	unknown, ended := g.ask("POST", "/mcp", "Authorization: Bearer unknown"), g.ask("POST", "/mcp", "Authorization: Bearer ended")
	for _, header := range []string{"X-Request-Id", "Date"} {
		unknown.header.Del(header)
		ended.header.Del(header)
	}
	if d := cmp.Diff(fmt.Sprint(unknown), fmt.Sprint(ended)); d != "" || ended.status != http.StatusUnauthorized {
		t.Errorf("another answer, of status %d (-unknown +ended):\n%s", ended.status, d)
	}
	got := g.denials()
	if len(got) != 2 || got[0].Reason != DeniedUnknownToken || got[1].Reason != "ended yesterday" {
		t.Errorf("%+v", got)
	}
}

func TestDenialsAreBounded(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var got []Denial
	d := newDenials(func(one Denial) { got = append(got, one) })
	one := func(remote string) Denial {
		return Denial{At: at, Remote: remote, Reason: DeniedUnknownToken, Count: 1}
	}
	for range 1000 {
		d.add(one("192.0.2.1"))
	}
	if len(got) != denialsARemote {
		t.Errorf("%d recorded of one remote's 1,000", len(got))
	}
	for i := range 1000 { // one host has a whole /64
		d.add(one(fmt.Sprintf("2001:db8::%x", i)))
	}
	if len(got) != 2*denialsARemote {
		t.Errorf("%d recorded after a /64's 1,000", len(got))
	}
	for i := range 5000 {
		d.add(one(fmt.Sprintf("198.51.%d.%d", i/250, i%250)))
	}
	if len(got) != denialsAMinute || len(d.callers) > denialsAMinute {
		t.Errorf("%d recorded, %d remotes remembered", len(got), len(d.callers))
	}
	at = at.Add(59 * time.Second)
	d.flush(at, false)
	if len(got) != denialsAMinute {
		t.Errorf("%d recorded within the minute", len(got))
	}
	at = at.Add(time.Second)
	d.flush(at, false)
	want := Denial{At: at, Reason: DeniedMore, Count: 7000 - denialsAMinute}
	if last := got[len(got)-1]; last != want {
		t.Errorf("%+v, want %+v", last, want)
	}
	d.add(one("192.0.2.1"))
	if last := got[len(got)-1]; last.Reason != DeniedUnknownToken {
		t.Errorf("the next minute begins with %+v", last)
	}
	at = at.Add(time.Hour)
	n := len(got)
	if d.flush(at, false); len(got) != n {
		t.Errorf("a quiet minute reports %+v", got[n:])
	}
}

// A server that stops tells of the refusals that its last minute left out.
func TestDenialsAtTheEnd(t *testing.T) {
	t.Parallel()
	g := start(t, nil)
	const n = denialsARemote + 7
	for range n {
		g.ask("POST", "/mcp")
	}
	if err := g.finish(); err != nil {
		t.Fatal(err)
	}
	got := 0
	for _, d := range g.denials() {
		got += d.Count
	}
	if got != n {
		t.Errorf("%d of %d refusals are told", got, n)
	}
}

func TestDenialsToNobody(t *testing.T) {
	t.Parallel()
	d := newDenials(nil)
	d.add(Denial{At: time.Now(), Remote: "192.0.2.1"})
	d.flush(time.Now(), true)
	if len(d.callers) != 0 {
		t.Error("remembers what nobody asks for")
	}
}

// What a client sends beyond its limits is told as its own, bounded for each client, and apart from what unknown callers send: no
// flood hides the other.
func TestOverrunsAreBounded(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var got []Denial
	s := New(Config{Denied: func(one Denial) { got = append(got, one) }})
	overrun := func(client string) {
		x := &exchange{start: at, remote: "192.0.2.1"}
		x.edge = &edge.Exchange{Principal: auth.Principal{Client: client, User: "u_" + client}}
		s.overran(x)
	}
	for range 1000 {
		s.denied(&exchange{start: at, remote: "192.0.2.1"}, DeniedUnknownToken)
		overrun("alice")
	}
	overrun("bob")
	if len(got) != 2*denialsARemote+1 {
		t.Errorf("%d are told of 2,001", len(got))
	}
	want := Denial{At: at, Remote: "192.0.2.1", Client: "bob", User: "u_bob", Reason: DeniedTooMany, Count: 1}
	if last := got[len(got)-1]; last != want {
		t.Errorf("%+v, want %+v", last, want)
	}
	for i := range 1000 {
		overrun(fmt.Sprint("client ", i))
	}
	if n := len(got) - denialsARemote; n != denialsAMinute || len(s.overruns.callers) > denialsAMinute {
		t.Errorf("%d are told of 2,001 of clients, and %d remembered", n, len(s.overruns.callers))
	}
}
