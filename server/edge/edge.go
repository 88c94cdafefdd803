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
	MaxInFlight int              // elements of one client worked on at once, unless its entry says another; 0: DefaultInFlight
	MaxStreams  int              // event streams of one client open at once; 0: DefaultStreams
	PerSecond   float64          // elements of one client a second, unless its entry says another; 0: any number
	Burst       int              // of them that may come at once; 0: what comes in a second
	Now         func() time.Time // the clock that expiry is judged by; nil: time.Now
}

// Edge is what all exchanges of a server share: the clock, how much each client has in hand, and how fast it asked lately.
// It is safe for concurrent use.
type Edge struct {
	now        func() time.Time
	usual      auth.Rate // of a client whose entry says none
	maxStreams int
	calls      budget
	streams    budget
	meter      meter
}

// New is an edge where nobody has anything in hand.
func New(c Config) *Edge {
	e := &Edge{now: c.Now}
	if e.now == nil {
		e.now = time.Now
	}
	e.usual = auth.Rate{PerSecond: c.PerSecond, Burst: cmp.Or(c.Burst, auth.UsualBurst(c.PerSecond)), InFlight: cmp.Or(c.MaxInFlight, DefaultInFlight)}
	e.maxStreams = cmp.Or(c.MaxStreams, DefaultStreams)
	e.calls.init()
	e.streams.init()
	e.meter.init(e.now())
	return e
}

// Exchange is one HTTP exchange of the principal that a has verified for it.
func (e *Edge) Exchange(a Authenticator, p auth.Principal, requestID, remote string, start time.Time) *Exchange {
	return &Exchange{
		Principal: p, RequestID: requestID, Remote: remote, Start: start,
		edge: e, judge: a, changed: a.Changed(), client: p.Client,
	}
}

// Streams is how many event streams are open, for metrics.
func (e *Edge) Streams() int { return e.streams.total() }

// Clients is how many clients have an element or a stream in hand: it shows that nothing is kept for the others.
func (e *Edge) Clients() (inFlight, streaming int) {
	return e.calls.clients(), e.streams.clients()
}
