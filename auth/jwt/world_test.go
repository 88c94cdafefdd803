package jwt_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"prax/auth"
	"prax/auth/jwt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const audience = "https://prax.example.net"

// noon is when the tests begin.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// registry is a registry of clients that a test changes.
type registry struct {
	mu      sync.Mutex
	clients map[string]auth.Principal
	out     map[string]bool // there, and not admitted
}

func (r *registry) ByName(name string) (auth.Principal, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, known := r.clients[name]
	return p, known && !r.out[name]
}

func (r *registry) Identity(name string) ([32]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, known := r.clients[name]
	return sha256.Sum256([]byte(p.User + " " + p.Credential.Hex())), known
}

func (r *registry) put(p auth.Principal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clients[p.Client] = p
}

func (r *registry) remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.clients, name)
}

func (r *registry) disable(name string, out bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out[name] = out
}

// ledger remembers what it was told to keep.
type ledger struct {
	kept  jwt.Change
	fails error
}

func (l *ledger) Keep(_ context.Context, c jwt.Change) error {
	if l.fails != nil {
		return l.fails
	}
	l.kept.Epochs = append(l.kept.Epochs, c.Epochs...)
	l.kept.Revoked = append(l.kept.Revoked, c.Revoked...)
	return nil
}

// world is an authority with all that it works with.
type world struct {
	*jwt.Authority
	t        testing.TB
	keys     string
	clients  *registry
	ledger   *ledger
	at       time.Time
	audience string
	lent     map[string]*auth.Grant // of the tokens that were admitted, as they are kept
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, keys: t.TempDir(), ledger: &ledger{}, at: noon, audience: audience,
		clients: &registry{clients: map[string]auth.Principal{}, out: map[string]bool{}}}
	w.clients.put(alice())
	w.open()
	return w
}

// open starts the authority anew, as a process does that starts again.
func (w *world) open() {
	w.Authority = jwt.Open(jwt.Config{
		Audience: w.audience, Keys: w.keys, Clients: w.clients, Kept: w.ledger.kept, Ledger: w.ledger,
		Seal: func(id []byte) string { return hex.EncodeToString(id) }, Now: func() time.Time { return w.at },
	})
}

func alice() auth.Principal {
	return auth.Principal{
		Client: "alice", User: "u_alice", Allow: auth.Names("memory_recall", "praxec.query", "note_create"),
		Workflows: auth.Names("deploy", "ops.*"), Roles: auth.Names("human"), Credential: auth.HashToken("alice's own"), Generation: 7,
	}
}

func (w *world) mint(o jwt.Order) string {
	w.t.Helper()
	if o.Client == "" {
		o.Client = "alice"
	}
	if o.TTL == 0 {
		o.TTL = time.Hour
	}
	m, err := w.Mint(context.Background(), w.ledger, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return m.Token
}

func request(token string) *http.Request {
	return &http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}}
}

// admitted is the principal that a token gives.
func (w *world) admitted(token string) auth.Principal {
	w.t.Helper()
	p, ok := w.Authenticate(request(token))
	if !ok {
		w.t.Fatalf("the token is refused: %s", w.Why(request(token)))
	}
	if again, ok := w.Again(p); !ok || again.Allow.Key() != p.Allow.Key() || again.Grant != p.Grant {
		w.t.Fatal("the same principal is judged in another way again")
	}
	w.holdLent(token, p)
	return p
}

// holdLent holds what was set going with a token, and what is kept of it, to what the token gives.
func (w *world) holdLent(token string, p auth.Principal) {
	w.t.Helper()
	g, err := auth.ReadGrant(p.Grant.Text())
	if err != nil {
		w.t.Fatal(err)
	}
	lent, ok := w.Lent(g)
	if !ok || lent.Allow.Key() != p.Allow.Key() || lent.Workflows.Key() != p.Workflows.Key() || lent.User != p.User || !lent.Expires.Equal(p.Expires) {
		w.t.Fatalf("what goes on with it is judged in another way: %t, %+v", ok, lent)
	}
	if w.lent == nil {
		w.lent = map[string]*auth.Grant{}
	}
	w.lent[token] = g
}

// refused is that a token is, and that what was set going with it while it was good has ended too.
func (w *world) refused(what, token string) {
	w.t.Helper()
	if g := w.lent[token]; g != nil {
		if p, ok := w.Lent(g); ok || p.Client != "" {
			w.t.Errorf("%s: what was set going with it goes on as %q", what, p.Client)
		}
	}
	if p, ok := w.Authenticate(request(token)); ok || p.Client != "" || p.User != "" || p.Grant != nil {
		w.t.Errorf("%s: is admitted as %q", what, p.Client)
	}
}

func names(list ...string) auth.Narrowing { return auth.Narrowing{Given: true, Names: list} }

// forger signs whatever it is given, with the very key of the world.
type forger struct {
	t   testing.TB
	kid string
	key ed25519.PrivateKey
}

func (w *world) forger() forger {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.keys, "jwt-*.key"))
	if err != nil || len(files) != 1 {
		w.t.Fatalf("%d keys, %v", len(files), err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		w.t.Fatal(err)
	}
	_, seed, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	raw, err := hex.DecodeString(seed)
	if err != nil {
		w.t.Fatal(err)
	}
	kid := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(files[0]), "jwt-"), ".key")
	return forger{w.t, kid, ed25519.NewKeyFromSeed(raw)}
}

func (f forger) header() string { return `{"alg":"EdDSA","kid":"` + f.kid + `","typ":"JWT"}` }

func base(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

func unbase(t testing.TB, text string) string {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sign is a token with exactly this header and these claims.
func (f forger) sign(header, claims string) string {
	signed := base(header) + "." + base(claims)
	return signed + "." + base(string(ed25519.Sign(f.key, []byte(signed))))
}

// with is a token whose claims are those of another with some changed; nil takes one away.
func (f forger) with(token string, change map[string]any) string {
	f.t.Helper()
	var claims map[string]any
	if err := json.Unmarshal([]byte(unbase(f.t, strings.Split(token, ".")[1])), &claims); err != nil {
		f.t.Fatal(err)
	}
	for name, v := range change {
		if claims[name] = v; v == nil {
			delete(claims, name)
		}
	}
	text, err := json.Marshal(claims, json.Deterministic(true))
	if err != nil {
		f.t.Fatal(err)
	}
	return f.sign(f.header(), string(text))
}

var errDisk = errors.New("the disk is gone")
