package jwt

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	jwtlib "github.com/golang-jwt/jwt/v5"

	"prax/auth"
)

// Clients is the registry of clients, as it is in force now.
type Clients interface {
	// ByName is the live client of this name, with its rights.
	ByName(name string) (auth.Principal, bool)

	// Identity tells one client of a name from another, live or not: it changes with its user and its tokens. It is
	// false when there is none.
	Identity(name string) (id [32]byte, known bool)
}

// Config is what an authority works with.
type Config struct {
	Audience string // the address that callers use; "": no token is accepted, and none is made
	Keys     string // the folder of the signing keys, of mode 0700
	Clients  Clients
	Kept     Change                       // what the ledger has
	Ledger   Ledger                       // for what happens by itself
	Seal     func(identity []byte) string // under the installation's key, so that what is kept of a client is of no use elsewhere
	Now      func() time.Time             // nil: time.Now
	Log      *slog.Logger                 // nil: none
}

// Authority makes signed tokens and judges them. Its methods may be called from many goroutines. It is an
// authenticator of server/edge.
type Authority struct {
	cfg  Config
	book atomic.Pointer[book]
	mu   sync.Mutex // one change at a time
}

// Open reads the keys. One that cannot be read is logged: what it has signed is unknown.
func Open(c Config) *Authority {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	keys, problems := loadKeys(c.Keys)
	if problems != nil {
		c.Log.Error("tokens that such a key has signed are unknown", slog.Any("error", problems))
	}
	a := &Authority{cfg: c}
	a.book.Store(newBook(keys, c.Kept))
	return a
}

// Authenticate is the client of the request's signed token, as it is now and with what the token leaves of it.
func (a *Authority) Authenticate(r *http.Request) (auth.Principal, bool) {
	p, err := a.authenticate(r)
	return p, err == nil
}

// Why is the reason for which Authenticate refuses the request, without anything of the caller's; "" when it has no
// signed token.
func (a *Authority) Why(r *http.Request) string {
	if token, ok := auth.ParseBearer(r.Header["Authorization"]); !ok || !Resembles(token) {
		return ""
	}
	_, err := a.authenticate(r)
	if known := reason(""); errors.As(err, &known) {
		return string(known)
	}
	return string(reasonMalformed)
}

func (a *Authority) authenticate(r *http.Request) (auth.Principal, error) {
	token, ok := auth.ParseBearer(r.Header["Authorization"])
	if !ok {
		return auth.Principal{}, errNotOurs
	}
	return a.accept(token, a.cfg.Now())
}

// accept is the principal that a token gives at now.
func (a *Authority) accept(token string, now time.Time) (auth.Principal, error) {
	g, err := a.verify(token, now)
	if err != nil {
		return auth.Principal{}, err
	}
	return a.judge(g, auth.HashToken(token), now)
}

// verify goes from the cheapest check to the dearest, and reads nothing of what a token says before its signature is ours.
func (a *Authority) verify(token string, now time.Time) (*auth.Grant, error) {
	s, err := split(token)
	if err != nil {
		return nil, err
	}
	k, found := a.book.Load().keys.find(s.KeyID, now)
	if !found {
		return nil, reasonKey
	}
	if jwtlib.SigningMethodEdDSA.Verify(s.signed, s.signature, k.private.Public()) != nil {
		return nil, reasonSignature
	}
	c, err := decodeClaims(s.payload)
	if err != nil {
		return nil, err
	}
	if err := c.judge(a.cfg.Audience, now); err != nil {
		return nil, err
	}
	return c.grant(k.id)
}

// judge is the principal that a grant gives now.
func (a *Authority) judge(g *auth.Grant, c auth.Credential, now time.Time) (auth.Principal, error) {
	b := a.book.Load()
	if _, revoked := b.revoked[g.ID]; revoked {
		return auth.Principal{}, reasonRevoked
	}
	p, live := a.cfg.Clients.ByName(g.Client)
	if !live || p.User != g.User || p.Allow.All() {
		return auth.Principal{}, reasonClient
	}
	if !a.current(b, g) {
		return auth.Principal{}, reasonEpoch
	}
	p.Allow, p.Workflows = narrowTools(p.Allow, g.Allow), narrowWorkflows(p.Workflows, g.Workflows)
	if p.Expires.IsZero() || g.Expires.Before(p.Expires) {
		p.Expires = g.Expires
	}
	if p.Expired(now) {
		return auth.Principal{}, reasonExpired
	}
	p.Credential, p.Grant = c, g
	return p, nil
}

// current tells whether a grant is of its client's epoch, and the client still the one of that.
func (a *Authority) current(b *book, g *auth.Grant) bool {
	e, known := b.epochs[g.Client]
	return epochOff || known && e.Number == g.Epoch && e.Seal != "" && e.Seal == a.seal(g.Client)
}

// seal tells who a client is now; "" when there is none of the name.
func (a *Authority) seal(client string) string {
	id, known := a.cfg.Clients.Identity(client)
	if !known {
		return ""
	}
	return a.cfg.Seal(id[:])
}

// Again judges the principal of a signed token by the clients, epochs and revoked tokens of now.
func (a *Authority) Again(p auth.Principal) (auth.Principal, bool) {
	if p.Grant == nil {
		return auth.Principal{}, false
	}
	p, err := a.judge(p.Grant, p.Credential, a.cfg.Now())
	return p, err == nil
}

// Lent is what a grant leaves of its client now, whoever asks: for what was set going under its token, and goes on when
// that is not presented any more. It is nothing once the token would be refused.
func (a *Authority) Lent(g *auth.Grant) (auth.Principal, bool) {
	now := a.cfg.Now()
	if _, known := a.book.Load().keys.find(g.Key, now); !known || a.cfg.Audience == "" || g.Audience != a.cfg.Audience {
		return auth.Principal{}, false
	}
	p, err := a.judge(g, auth.Credential{}, now)
	return p, err == nil
}

// Changed is closed when another registry of clients, an epoch, or a revoked token comes into force. Take it before
// judging, so that no change falls in between.
func (a *Authority) Changed() <-chan struct{} { return a.book.Load().changed }

// Reloaded is to be called after each change of the registry of clients, before the next. It ends the tokens of every
// client that is gone or another one by now, for good. sure is false while the file of clients does not read: then
// nobody is known to be gone.
func (a *Authority) Reloaded(ctx context.Context, sure bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var c Change
	for _, e := range a.book.Load().epochs {
		if sure && e.Seal != "" && e.Seal != a.seal(e.Client) {
			c.Epochs = append(c.Epochs, Epoch{Client: e.Client, Number: auth.NextEpoch(e.Number, a.cfg.Now())})
		}
	}
	a.change(c, nil) // first, and whatever becomes of the disk
	if c.Epochs == nil {
		return
	}
	if err := a.cfg.Ledger.Keep(ctx, c); err != nil {
		a.cfg.Log.Error("the end of a client's signed tokens was not written: it holds until the server stops", slog.Any("error", err))
	}
}

// change puts another book in force, with other keys unless they are nil, and wakes whoever waits for it.
func (a *Authority) change(c Change, keys keyring) {
	next := a.book.Load().next()
	next.apply(c)
	next.forget(a.cfg.Now())
	if keys != nil {
		next.keys = keys
	}
	close(a.book.Swap(next).changed)
}
