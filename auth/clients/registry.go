package clients

import (
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"prax/auth"
	"prax/auth/watch"
)

// Registry is who may call, kept in step with the clients file. Its methods may be called from many
// goroutines. It is an authenticator of server/edge.
type Registry struct {
	cfg       Config
	catalogue Catalogue
	log       *slog.Logger
	now       func() time.Time
	watcher   *watch.Watcher // of the file; for nobody to run when there is none

	current  atomic.Pointer[view]
	reading  atomic.Pointer[reading]
	everLive atomic.Bool
	gone     departed
	wake     chan struct{} // tells Run that a grace began

	mu         sync.Mutex // one reload at a time; guards what follows
	generation uint64     // the last one given out
	seal       string     // what of the file came into force last: digest and mode
	failing    string     // the failure that was last reported; "" while the file reads
}

// reading is what the last look at the file found. It is apart from the lock, so that a hook that takes
// its time keeps nobody from asking for the status.
type reading struct {
	report Report
	loaded time.Time // when a file last came into force
}

// view is what is in force, immutable: a snapshot, and while the file does not read, what becomes of it.
type view struct {
	snapshot *snapshot
	stale    bool          // the file does not read now
	closed   bool          // the grace is over: the snapshot is what is left without the file
	gone     bool          // what is left was judged for a file that is missing
	after    *snapshot     // takes the snapshot's place at until; nil when nothing will
	until    time.Time     // the end of the grace
	changed  chan struct{} // closed when another generation comes into force
}

// over tells whether there was a grace and it has ended.
func (v *view) over(now func() time.Time) bool { return v.after != nil && !now().Before(v.until) }

// at is the snapshot in force. The grace ends on time here, whoever has noticed it so far.
func (v *view) at(now func() time.Time) *snapshot {
	if v.over(now) {
		return v.after
	}
	return v.snapshot
}

// Open loads the registry. A broken or missing file is no error: it admits nobody until it reads, and
// the report says why. catalogue may be nil, which leaves out the warnings about tool names; log may be
// nil; now may be nil for the clock.
func Open(cfg Config, catalogue Catalogue, log *slog.Logger, now func() time.Time) (*Registry, error) {
	if cfg.OnError != Close && cfg.OnError != Keep {
		return nil, errors.New("open clients: unknown behaviour for a broken file")
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if now == nil {
		now = time.Now
	}
	r := &Registry{
		cfg: cfg, catalogue: catalogue, log: log, now: now, wake: make(chan struct{}, 1),
		watcher: watch.New(cfg.Path, watch.Options{NoEvents: cfg.NoEvents, Log: log}),
	}
	r.reading.Store(&reading{})
	r.current.Store(&view{snapshot: nobody(), changed: make(chan struct{})})
	r.Reload("start")
	return r, nil
}

// nobody is the snapshot that admits nobody, before the first load.
func nobody() *snapshot { return &snapshot{names: auth.NewNameTable()} }

// Lookup is the principal of a credential by the registry in force at this moment: one map lookup,
// nothing allocated. It is false for a credential that is unknown, refused, disabled or expired.
func (r *Registry) Lookup(c auth.Credential) (auth.Principal, bool) {
	return r.current.Load().at(r.now).lookup(c, r.now)
}

// Authenticate is the principal of the request's bearer token (RFC 6750 2.1), judged by the registry in
// force now.
func (r *Registry) Authenticate(req *http.Request) (auth.Principal, bool) {
	token, ok := auth.ParseBearer(req.Header["Authorization"])
	if !ok {
		return auth.Principal{}, false
	}
	return r.present(auth.HashToken(token))
}

// present is Lookup by somebody who has the token: it notes that it was used.
func (r *Registry) present(c auth.Credential) (auth.Principal, bool) {
	return r.current.Load().at(r.now).present(c, r.now)
}

// Again judges a principal by the registry in force now: what the same credential gives, which may be
// more, less, or another user than before, or false when it gives nothing any more.
func (r *Registry) Again(p auth.Principal) (auth.Principal, bool) { return r.present(p.Credential) }

// Changed is closed when another generation comes into force. Take it before judging, so that no change
// falls in between. The expiry of one client is no generation: whoever holds a principal looks at
// its Expires.
func (r *Registry) Changed() <-chan struct{} { return r.current.Load().changed }

// ByName is the client with this name, with exactly its rights, judged by the registry in force now.
func (r *Registry) ByName(name string) (auth.Principal, bool) {
	return r.current.Load().at(r.now).named(name, r.now)
}

// EverLive tells whether a client has been live since the process began: at a load, or because the time of a
// token came since.
func (r *Registry) EverLive() bool {
	if r.everLive.Load() {
		return true
	}
	opens := r.current.Load().at(r.now).opens
	if opens.IsZero() || r.now().Before(opens) {
		return false
	}
	r.everLive.Store(true)
	return true
}

// Status is the state of the registry, for readiness and metrics. It holds no secret.
type Status struct {
	Generation uint64    // in force now
	Digest     string    // of the file that is in force, in hex; "" when none is
	Loaded     time.Time // when a file last came into force; zero when none did
	OK         bool      // the file reads, or there is none to read
	Stale      bool      // the file does not read and the last good snapshot is still in force
	Clients    int       // admitted now
	EverLive   bool      // a client has been live since the process began
	Problems   []Problem // of the last reading
}

// Status is the state now. It walks all clients, and never waits for a reload.
func (r *Registry) Status() Status {
	v, last, now := r.current.Load(), r.reading.Load(), r.now()
	in := v.at(func() time.Time { return now })
	return Status{
		Generation: in.generation, Loaded: last.loaded, OK: !v.stale,
		Stale: v.stale && !v.closed && in == v.snapshot, Clients: in.live(now),
		EverLive: r.EverLive(), Problems: last.report.Problems, Digest: in.digest,
	}
}
