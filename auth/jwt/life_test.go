package jwt_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/auth/jwt"
)

// TestPrincipal: a token gives its client as it is now, until the earlier of two ends.
func TestPrincipal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.mint(jwt.Order{TTL: time.Hour})
	p, want := w.admitted(token), alice()
	if p.Client != want.Client || p.User != want.User || p.Allow.Key() != want.Allow.Key() || p.Workflows.Key() != want.Workflows.Key() ||
		!p.Roles.Has("human") || p.Generation != want.Generation || p.Credential != auth.HashToken(token) || p.Grant == nil || !p.Expires.Equal(noon.Add(time.Hour)) {
		t.Errorf("%+v", p)
	}
	lapsing := alice()
	lapsing.Expires = noon.Add(time.Minute)
	w.clients.put(lapsing)
	if p := w.admitted(token); !p.Expires.Equal(lapsing.Expires) {
		t.Errorf("lasts until %v, beyond its client", p.Expires)
	}
	w.at = lapsing.Expires
	w.refused("the client has lapsed", token)
	w.clients.put(alice())
	w.at = noon.Add(time.Hour - time.Nanosecond)
	p = w.admitted(token)
	w.at = noon.Add(time.Hour)
	w.refused("at its end", token)
	if _, ok := w.Again(p); ok {
		t.Error("who holds it goes on after its end")
	}
	if _, ok := w.Again(alice()); ok {
		t.Error("a principal without a signed token is judged")
	}
	operator := alice()
	operator.Allow = auth.Everything()
	w.clients.put(operator)
	w.at = noon
	w.refused("of somebody who may do everything", token)
}

// TestNarrowing: a token leaves of what its client has now what it names, in either spelling, and adds nothing, also when
// the client's own list changes.
func TestNarrowing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		has   []string
		names auth.Narrowing
		want  []string
	}{
		{"not narrowed", []string{"a", "b.c"}, auth.Narrowing{}, []string{"a", "b.c"}},
		{"to nothing", []string{"a", "b.c"}, names(), nil},
		{"to some", []string{"a", "b.c"}, names("a"), []string{"a"}},
		{"to what it has not", []string{"a"}, names("a", "z"), []string{"a"}},
		{"to only what it has not", []string{"a"}, names("z"), nil},
		{"a dot for an underscore", []string{"praxec_query"}, names("praxec.query"), []string{"praxec_query"}},
		{"an underscore for a dot", []string{"praxec.query"}, names("praxec_query"), []string{"praxec.query"}},
		{"half of the dots", []string{"a.b.c"}, names("a_b.c"), nil},
		{"the other half", []string{"a_b.c"}, names("a.b.c"), nil},
		{"other capitals", []string{"a"}, names("A"), nil},
		{"a star", []string{"a", "b"}, names("*"), nil},
		{"a word", clientsDefault, names("default"), nil},
		{"a client without anything", nil, names("a"), nil},
	} {
		w := newWorld(t)
		token := w.mint(jwt.Order{Allow: tt.names})
		p := alice()
		p.Allow = auth.Names(tt.has...) // edited after the token was made
		w.clients.put(p)
		if diff := cmp.Diff(tt.want, w.admitted(token).Allow.Sorted()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

var clientsDefault = []string{"memory_recall", "trace_search"}

// TestNarrowingWorkflows: of ids and patterns, what both lists stand for.
func TestNarrowingWorkflows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		has   auth.NameSet
		names auth.Narrowing
		want  []string
		all   bool
	}{
		{auth.Everything(), auth.Narrowing{}, nil, true},
		{auth.Everything(), names(), nil, false},
		{auth.Everything(), names("deploy", "ops.*"), []string{"deploy", "ops.*"}, false},
		{auth.Names("deploy"), names("deploy", "release"), []string{"deploy"}, false},
		{auth.Names("ops.*"), names("ops.db.reset", "opsx", "ops."), []string{"ops.db.reset"}, false},
		{auth.Names("ops.*"), names("ops.db.*", "o.*"), []string{"ops.db.*"}, false},
		{auth.Names("ops.db.*", "deploy"), names("ops.*"), []string{"ops.db.*"}, false},
		{auth.Names("ops.db", "ops.web"), names("ops.*"), []string{"ops.db", "ops.web"}, false},
		{auth.Names("deploy"), names("*", ".*", "d*", "deploy.*"), nil, false},
		{auth.Names("*"), names("deploy"), nil, false},
		{auth.Names(), names("deploy"), nil, false},
	} {
		w := newWorld(t)
		token := w.mint(jwt.Order{Workflows: tt.names})
		p := alice()
		p.Workflows = tt.has
		w.clients.put(p)
		got := w.admitted(token).Workflows
		if diff := cmp.Diff(tt.want, got.Sorted()); diff != "" || got.All() != tt.all {
			t.Errorf("%q to %q: all %t (-want +got):\n%s", tt.has.Sorted(), tt.names.Names, got.All(), diff)
		}
	}
}

// TestClientOut: a client that is out takes its tokens along at once, before anybody is told of a reload; one that was
// only switched off has them back, one that is another by now never.
func TestClientOut(t *testing.T) {
	t.Parallel()
	otherUser, otherToken := alice(), alice()
	otherUser.User = "u_mallory"
	otherToken.Credential = auth.HashToken("rotated")
	ctx := context.Background()
	for what, tt := range map[string]struct {
		change func(*registry)
		back   bool
	}{
		"removed":      {func(r *registry) { r.remove("alice") }, false},
		"another user": {func(r *registry) { r.put(otherUser) }, false},
		"rotated":      {func(r *registry) { r.put(otherToken) }, false},
		"switched off": {func(r *registry) { r.disable("alice", true) }, true},
	} {
		w := newWorld(t)
		token := w.mint(jwt.Order{})
		p, changed := w.admitted(token), w.Changed()
		tt.change(w.clients)
		w.refused(what, token)
		if _, ok := w.Again(p); ok {
			t.Errorf("%s: who holds it goes on", what)
		}
		w.Reloaded(ctx, true)
		select {
		case <-changed:
		default:
			t.Errorf("%s: nobody was woken", what)
		}
		w.clients.put(alice()) // the very same entry as before
		w.clients.disable("alice", false)
		w.Reloaded(ctx, true)
		if _, ok := w.Authenticate(request(token)); ok != tt.back {
			t.Errorf("%s, and then as before: admitted %t, want %t", what, ok, tt.back)
		}
		w.admitted(w.mint(jwt.Order{}))
		w.open() // another process knows the same
		if _, ok := w.Authenticate(request(token)); ok != tt.back {
			t.Errorf("%s, and then as before, after a restart: admitted %t, want %t", what, ok, tt.back)
		}
	}
}

// TestUnsure: a file of clients that does not read ends nobody's tokens for good; they are out while nobody is in.
func TestUnsure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.mint(jwt.Order{})
	w.clients.remove("alice")
	w.Reloaded(context.Background(), false)
	w.refused("while the file does not read", token)
	w.clients.put(alice())
	w.Reloaded(context.Background(), true)
	w.admitted(token)
}

// TestChangedWhileNobodyLooked: what was changed while no process ran is noticed by the next, and by the next token.
func TestChangedWhileNobodyLooked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.mint(jwt.Order{})
	other := alice()
	other.Credential = auth.HashToken("rotated")
	w.clients.put(other)
	w.open()
	w.refused("after a restart", token)
	next := w.mint(jwt.Order{})
	w.admitted(next)
	w.clients.put(alice()) // back to what the first token was made for
	w.refused("the entry of before", token)
	w.refused("the token between", next)
}

// TestFullDisk: what could not be kept is no token; what ended has ended all the same.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.mint(jwt.Order{})
	id := w.admitted(token).Grant.ID
	w.ledger.fails = errDisk
	if _, err := w.Mint(context.Background(), w.ledger, jwt.Order{Client: "alice", TTL: time.Hour}); !errors.Is(err, errDisk) {
		t.Errorf("mint: %v", err)
	}
	if _, err := w.Revoke(context.Background(), w.ledger, id); !errors.Is(err, errDisk) {
		t.Errorf("revoke: %v", err)
	}
	w.admitted(token) // as the operator was told: it was not revoked
	w.clients.remove("alice")
	w.Reloaded(context.Background(), true)
	w.clients.put(alice())
	w.refused("its client was gone", token)
}

// TestRevoke: one token is out, for who holds it too, others of the client are not; an id that was mistyped is told
// from a real one; nothing is remembered for ever.
func TestRevoke(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := w.mint(jwt.Order{TTL: jwt.MaxTTL}), w.mint(jwt.Order{})
	p, changed := w.admitted(one), w.Changed()
	id := p.Grant.ID
	for _, wrong := range []string{"", "x", id + "a", id[1:], strings.ToUpper(id), "a" + id[1:], id[:27] + "!", strings.Repeat("a", 1<<20), one} {
		if wrong == id {
			continue
		}
		if _, err := w.Revoke(context.Background(), w.ledger, wrong); !errors.Is(err, jwt.ErrNoID) {
			t.Errorf("%.40q is an id: %v", wrong, err)
		}
	}
	until, err := w.Revoke(context.Background(), w.ledger, id)
	if err != nil || until.Before(p.Expires) {
		t.Fatalf("revoked until %v, before its end at %v; %v", until, p.Expires, err)
	}
	if _, ok := w.Again(p); ok {
		t.Error("who holds it goes on")
	}
	select {
	case <-changed:
	default:
		t.Error("nobody was woken")
	}
	w.refused("revoked", one)
	w.admitted(two)
	w.open()
	w.refused("revoked, after a restart", one)
	w.at = p.Expires.Add(-time.Second)
	w.Reloaded(context.Background(), true)
	w.refused("revoked, until its end", one)
	w.at = until
	w.Reloaded(context.Background(), true)
	w.refused("after its end", one)
}

// TestKeys: the newest key signs; one that was replaced verifies what it has signed until all of that has lapsed, also for
// another process; a file that is not as it should be is no key, and touches no other.
func TestKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files := func() []string {
		list, err := filepath.Glob(filepath.Join(w.keys, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if len(files()) != 0 {
		t.Error("there is a key before the first token")
	}
	old := w.mint(jwt.Order{TTL: jwt.MaxTTL})
	f := w.forger()
	info, err := os.Stat(files()[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if len(files()) != 1 || w.mint(jwt.Order{}) == "" || len(files()) != 1 {
		t.Errorf("%q: one key serves", files())
	}
	w.at = noon.Add(time.Hour)
	next := w.mint(jwt.Order{NewKey: true, TTL: jwt.MaxTTL})
	if strings.Split(next, ".")[0] == strings.Split(old, ".")[0] || len(files()) != 2 {
		t.Error("it is not signed with another key")
	}
	w.at = noon.Add(-time.Hour) // a clock that goes back makes no older key sign
	newest := w.mint(jwt.Order{NewKey: true})
	if again := w.mint(jwt.Order{}); strings.Split(again, ".")[0] != strings.Split(newest, ".")[0] {
		t.Error("the newest key does not sign")
	}
	w.open()
	if again := w.mint(jwt.Order{}); strings.Split(again, ".")[0] != strings.Split(newest, ".")[0] {
		t.Error("the newest key does not sign after a restart")
	}
	for name, text := range map[string]string{
		"jwt-0123456789abcdef.key": "2026-05-01T12:00:00Z " + strings.Repeat("ab", 32) + "\n", "jwt-.key": "", "jwt-x.key": "2026-05-01T12:00:00Z zz\n", "jwt-y.key": strings.Repeat("a", 9<<10),
	} {
		if err := os.WriteFile(filepath.Join(w.keys, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/dev/zero", filepath.Join(w.keys, "jwt-z.key")); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.at = noon.Add(jwt.MaxTTL - time.Second)
	w.admitted(old)
	w.admitted(next)
	// One who has the old key goes on to sign with it, as if it were still the one.
	late := f.with(old, map[string]any{"iat": noon.Add(25*time.Hour + 29*time.Second).Unix(), "exp": noon.Add(30 * time.Hour).Unix()})
	w.at = noon.Add(25*time.Hour + 29*time.Second)
	w.admitted(late)
	w.at = noon.Add(25*time.Hour + 30*time.Second) // a day, and the skew, after it was replaced
	w.refused("signed by a key of before", late)
	w.mint(jwt.Order{NewKey: true})
	if left := files(); slices.ContainsFunc(left, func(name string) bool { return strings.Contains(name, f.kid) }) {
		t.Errorf("the old key is still there: %q", left)
	}
}

// TestKeyTakenAway: what a key has signed is nothing without it, and so is what was set going with that.
func TestKeyTakenAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.mint(jwt.Order{})
	w.admitted(token)
	keys, err := filepath.Glob(filepath.Join(w.keys, "jwt-*.key"))
	if err != nil || len(keys) != 1 {
		t.Fatalf("the keys: %q, %v", keys, err)
	}
	if err := os.Remove(keys[0]); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.refused("signed by a key that was taken away", token)
	w.mint(jwt.Order{})
	w.refused("signed by a key that was taken away, while there is another", token)
}

// TestMintRefuses: what could not be a good token is not made.
func TestMintRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	many := make([]string, 2000)
	for i := range many {
		many[i] = "a_tool"
	}
	for what, tt := range map[string]struct {
		order jwt.Order
		want  error
	}{
		"no client": {jwt.Order{TTL: time.Hour}, jwt.ErrNoClient}, "an unknown one": {jwt.Order{Client: "bob", TTL: time.Hour}, jwt.ErrNoClient},
		"an operator": {jwt.Order{Client: "operator:0", TTL: time.Hour}, jwt.ErrNoClient},
		"no time":     {jwt.Order{Client: "alice"}, jwt.ErrTTL}, "less than a second": {jwt.Order{Client: "alice", TTL: time.Second - 1}, jwt.ErrTTL},
		"a negative time": {jwt.Order{Client: "alice", TTL: -time.Hour}, jwt.ErrTTL}, "more than a day": {jwt.Order{Client: "alice", TTL: jwt.MaxTTL + 1}, jwt.ErrTTL},
		"an overflow": {jwt.Order{Client: "alice", TTL: 1<<63 - 1}, jwt.ErrTTL}, "an empty name": {jwt.Order{Client: "alice", TTL: time.Hour, Allow: names("a", "")}, jwt.ErrLists},
		"an empty workflow": {jwt.Order{Client: "alice", TTL: time.Hour, Workflows: names("")}, jwt.ErrLists}, "too many names": {jwt.Order{Client: "alice", TTL: time.Hour, Allow: names(many...)}, jwt.ErrLists},
	} {
		if m, err := w.Mint(context.Background(), w.ledger, tt.order); !errors.Is(err, tt.want) || m.Token != "" {
			t.Errorf("%s: %v, want %v", what, err, tt.want)
		}
	}
	token := w.mint(jwt.Order{})
	w.admitted(token)
	w.audience = ""
	w.open()
	w.refused("without a public URL", token)
	if _, err := w.Mint(context.Background(), w.ledger, jwt.Order{Client: "alice", TTL: time.Hour}); !errors.Is(err, jwt.ErrNoAudience) {
		t.Errorf("without a public URL: %v", err)
	}
	w.audience = audience + "/elsewhere"
	w.open()
	w.refused("of another public URL", token)
}

// TestWhy: each cause has its reason, which says nothing of the token; what has no signed token has none.
func TestWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.mint(jwt.Order{})
	f := w.forger()
	id := w.admitted(token).Grant.ID
	unknownKey := f
	unknownKey.kid = "0123456789abcdef"
	why := func(want, token string) {
		t.Helper()
		if got := w.Why(request(token)); got != want || strings.Contains(got, id) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	why("", "prx_abcdefghijklmnop")
	why("", "")
	why("signed token: malformed", base(`{"a":1}`)+".x.y")
	why("signed token: another algorithm", f.sign(`{"alg":"none","kid":"`+f.kid+`","typ":"JWT"}`, "{}"))
	why("signed token: unknown key", f.sign(unknownKey.header(), "{}"))
	why("signed token: bad signature", token[:len(token)-4]+"AAAA")
	why("signed token: another audience", f.with(token, map[string]any{"aud": "x"}))
	why("signed token: lasts too long", f.with(token, map[string]any{"exp": noon.Add(25 * time.Hour).Unix()}))
	why("signed token: issued in the future", f.with(token, map[string]any{"iat": noon.Add(time.Minute).Unix()}))
	why("signed token: its client was changed since", f.with(token, map[string]any{"epoch": 1}))
	w.at = noon.Add(time.Hour)
	why("signed token: expired", token)
	w.at = noon
	w.clients.remove("alice")
	why("signed token: its client is out", token)
	w.clients.put(alice())
	if _, err := w.Revoke(context.Background(), w.ledger, id); err != nil {
		t.Fatal(err)
	}
	why("signed token: revoked", token)
}
