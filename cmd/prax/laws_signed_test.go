package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/auth/jwt"
	"prax/server/control"
)

// signedTokens are the signed tokens that the clients of a lawApp were given.
type signedTokens struct {
	mu       sync.Mutex
	byClient map[string]string
}

// viaSigned is a route whose callers present a signed token of their client instead of its own.
func viaSigned(r lawRoute) lawRoute {
	via := lawRoute{name: "signed token, " + r.name, call: func(l *lawApp, c lawClient, tool, arguments string) string {
		return r.call(l, l.withSigned(c), tool, arguments)
	}}
	if r.list != nil {
		via.list = func(l *lawApp, c lawClient) []string { return r.list(l, l.withSigned(c)) }
	}
	return via
}

// withSigned is a client with a signed token in place of its own: a new one while its own is good, and when that is not,
// the last that it was given. Who never was a client has one that somebody else has signed.
func (l *lawApp) withSigned(c lawClient) lawClient {
	l.t.Helper()
	l.signed.mu.Lock()
	defer l.signed.mu.Unlock()
	if _, live := l.app.clients.Lookup(auth.HashToken(c.token)); live {
		if l.signed.byClient == nil {
			l.signed.byClient = map[string]string{}
		}
		l.signed.byClient[c.name] = l.makeSigned(control.TokenOrder{As: c.name, Seconds: 3600})
	}
	if c.token = l.signed.byClient[c.name]; c.token == "" {
		c.token = strangersToken(c.name)
	}
	return c
}

func (l *lawApp) makeSigned(order control.TokenOrder) string {
	l.t.Helper()
	t, err := l.operator().MakeToken(l.t.Context(), order)
	if err != nil {
		l.t.Fatal(err)
	}
	return t.Token
}

// strangersToken has every claim that one of ours has, and the signature of a key that is not ours.
func strangersToken(client string) string {
	_, key, _ := ed25519.GenerateKey(nil)
	now := time.Now().Unix()
	encode := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	signed := encode(`{"alg":"EdDSA","kid":"0123456789abcdef","typ":"JWT"}`) + "." + encode(fmt.Sprintf(
		`{"aud":"https://prax.example.net%s","epoch":1,"exp":%d,"iat":%d,"iss":"prax","jti":"id2efhuyweyqqaap347je3wyrtdo","sub":%q,"user_id":%q}`,
		lawPrefix, now+3600, now, client, "u_"+client))
	return signed + "." + encode(string(ed25519.Sign(key, []byte(signed))))
}

// Law 1, of signed tokens: of what its client has, a token leaves what it names, in either spelling, and never more,
// whatever the file says later; the rest answers as if it did not exist. An empty list leaves nothing.
func TestLaw1SignedTokensNarrow(t *testing.T) {
	t.Parallel()
	with, without := newLawApp(t, true), newLawApp(t, false)
	for _, tt := range []struct {
		name  string
		allow []string
		may   []string
	}{
		{"to one", []string{"law.low"}, []string{"law.low"}},
		{"in the other spelling", []string{"law_low", "law.medium"}, []string{"law.low", "law.medium"}},
		{"to nothing", []string{}, []string{}},
		{"to what is HIGH", []string{"law.high", "memory_forget"}, []string{}},
		{"to what the client has not", []string{"note_create", "get_current_datetime", "law.low"}, []string{"law.low"}},
	} {
		c := granted
		c.token = with.makeSigned(control.TokenOrder{As: granted.name, Seconds: 3600, Allow: &tt.allow})
		for _, r := range []lawRoute{lawRoutes()[2], lawRoutes()[4]} {
			for _, wider := range []bool{false, true} {
				with.write(granted, narrow, nothing)
				if wider { // the client is given more after the token was made
					more := granted
					more.allow = append(slices.Clone(granted.allow), "get_current_datetime", "law.medium")
					with.write(more)
				}
				want := tt.may
				if wider && slices.Contains(tt.allow, "get_current_datetime") {
					want = append(slices.Clone(want), "get_current_datetime")
				}
				got := r.list(with, c)
				slices.Sort(got)
				slices.Sort(want)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, %s, client wider %t: list (-want +got):\n%s", r.name, tt.name, wider, diff)
				}
				for _, tool := range []string{"law.low", "law.medium", "law.high"} {
					for _, name := range spellings(tool) {
						before := with.counts[tool].Load()
						answer := r.call(with, c, name, `{}`)
						if may := slices.Contains(tt.may, tool); (with.counts[tool].Load() > before) != may {
							t.Errorf("%s, %s, client wider %t: %s runs %t, want %t", r.name, tt.name, wider, name, !may, may)
						} else if diff := cmp.Diff(r.call(without, granted, name, `{}`), answer); !may && diff != "" {
							t.Errorf("%s, %s: %s is not the answer for what does not exist (-missing +left out):\n%s", r.name, tt.name, name, diff)
						}
					}
				}
			}
		}
	}
}

// Law 3, midway, of signed tokens: a stream that was opened with one ends like any other whose client is out, when the
// token lapses, when it or its client's epoch ends, and when the client is out.
func TestLaw3SignedStreamsAreJudgedMidway(t *testing.T) {
	t.Parallel()
	disabled, rotated, another, narrowed := granted, granted, granted, granted
	disabled.extra = `,"disabled":true`
	rotated.token = "law-token-another-0123456789"
	another.user = "u_another"
	narrowed.allow = []string{"memory_recall"}
	for _, s := range lawStreams() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			bearer := s.midway(newLawApp(t, true), func(l *lawApp) { l.write(narrow) })
			for what, tt := range map[string]struct {
				seconds int64
				take    func(*lawApp)
			}{
				"revoked":        {3600, func(l *lawApp) { l.revokeSigned() }},
				"client revoked": {3600, func(l *lawApp) { l.write(narrow) }},
				"disabled":       {3600, func(l *lawApp) { l.write(disabled) }},
				"rotated":        {3600, func(l *lawApp) { l.write(l.withWait(rotated)) }},
				"another user":   {3600, func(l *lawApp) { l.write(l.withWait(another)) }},
				"narrowed":       {3600, func(l *lawApp) { l.write(narrowed) }},
				"lapsed":         {2, func(*lawApp) {}}, // the rest is up to the timer
			} {
				if what == "narrowed" && !s.ofTool {
					continue // it stays open, and is told that its list changed
				}
				signed := s
				signed.seconds = tt.seconds
				if diff := cmp.Diff(bearer, signed.midway(newLawApp(t, true), tt.take)); diff != "" {
					t.Errorf("%s: another ending than that of a client that is revoked (-client +signed):\n%s", what, diff)
				}
			}
		})
	}
}

// withWait is a client with the waiting tool too.
func (l *lawApp) withWait(c lawClient) lawClient {
	c.allow = append(slices.Clone(c.allow), "law.wait")
	return c
}

// revokeSigned ends the signed token that the granted client was last given.
func (l *lawApp) revokeSigned() {
	l.t.Helper()
	r, err := jwt.Read(l.signed.byClient[granted.name])
	if err != nil {
		l.t.Fatal(err)
	}
	if _, err := l.operator().RevokeToken(l.t.Context(), control.TokenID{ID: r.ID}); err != nil {
		l.t.Fatal(err)
	}
}
