package edge

import (
	"cmp"
	"time"

	"prax/auth"
)

// The budgets of a client when a [Config] does not say otherwise.
const (
	DefaultInFlight = 64
	DefaultStreams  = 256
)

// Config is what an [Edge] is made from. The zero value serves.
type Config struct {
	MaxInFlight int              // elements of one client worked on at once; 0: DefaultInFlight
	MaxStreams  int              // event streams of one client open at once; 0: DefaultStreams
	Now         func() time.Time // the clock that expiry is judged by; nil: time.Now
}

// Edge is what all exchanges of a server share: the clock, and how much each client has in hand.
// It is safe for concurrent use.
type Edge struct {
	now     func() time.Time
	calls   budget
	streams budget
}

// New is an edge where nobody has anything in hand.
func New(c Config) *Edge {
	e := &Edge{now: c.Now}
	if e.now == nil {
		e.now = time.Now
	}
	e.calls.init(cmp.Or(c.MaxInFlight, DefaultInFlight))
	e.streams.init(cmp.Or(c.MaxStreams, DefaultStreams))
	return e
}

// Exchange is one HTTP exchange of the principal that a has verified for it.
func (e *Edge) Exchange(a Authenticator, p auth.Principal, requestID, remote string, start time.Time) *Exchange {
	return &Exchange{
		Principal: p, RequestID: requestID, Remote: remote, Start: start,
		edge: e, judge: a, changed: a.Changed(), client: p.Client,
	}
}

// Clients is how many clients have an element or a stream in hand: for metrics, and to show that
// nothing is kept for the others.
func (e *Edge) Clients() (inFlight, streaming int) {
	return e.calls.clients(), e.streams.clients()
}
