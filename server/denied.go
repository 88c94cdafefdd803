package server

import (
	"cmp"
	"net/http"
	"time"

	"prax/auth"
)

// Reason says why a caller was refused before its message was read: for the operator's records,
// never for the caller.
type Reason string

// The reasons; an authenticator may have further ones. An expired token of clients.json is an unknown one here: only the
// registry could tell them apart.
const (
	DeniedNoToken      Reason = "no token"
	DeniedMalformed    Reason = "malformed authorization"
	DeniedUnknownToken Reason = "unknown token"
	DeniedHost         Reason = "host not admitted"
	DeniedOrigin       Reason = "origin not admitted"
	DeniedTooMany      Reason = "too many requests" // of a client that is known
	DeniedMore         Reason = "more refusals"     // Denial.Count of them, not recorded one by one
)

// Denial is a refused caller. It holds nothing that the caller sent.
type Denial struct {
	At        time.Time
	RequestID string // "" of DeniedMore
	Remote    string // "" of DeniedMore
	Client    string // "" of whoever is not known, and of DeniedMore
	User      string // whom the client acts for
	Reason    Reason
	Count     int // 1, or of DeniedMore how many in the minute before At
}

// Recorded one by one in each minute. A flood of bad tokens costs the audit a count a minute, not
// the disk.
const (
	denialsAMinute = 60
	denialsARemote = 10 // or of a client that is known
)

// reasoner is an authenticator that knows why it refuses a request: one of a few fixed texts, "" when the credential is
// none of its kind.
type reasoner interface {
	Why(r *http.Request) string
}

func (s *Server) credentialReason(r *http.Request) Reason {
	sent := r.Header["Authorization"]
	if len(sent) == 0 {
		return DeniedNoToken
	}
	if _, ok := auth.ParseBearer(sent); !ok {
		return DeniedMalformed
	}
	for _, a := range s.cfg.Authenticators {
		if knows, able := a.(reasoner); able {
			if why := knows.Why(r); why != "" {
				return Reason(why)
			}
		}
	}
	return DeniedUnknownToken
}

func (s *Server) denied(x *exchange, reason Reason) {
	x.denied = reason
	s.cfg.Metrics.denied(reason)
	s.denials.add(Denial{At: x.start, RequestID: x.id[0], Remote: x.remote, Reason: reason, Count: 1})
}

// overran notes that a limit refused something of a known client. It is counted apart: neither a flood of bad tokens nor one of a
// client's own hides the other.
func (s *Server) overran(x *exchange) {
	x.denied = DeniedTooMany
	p := &x.edge.Principal
	s.overruns.add(Denial{At: x.start, RequestID: x.id[0], Remote: x.remote, Client: p.Client, User: p.User, Reason: DeniedTooMany, Count: 1})
}

// denials passes refusals on, within the limits of a minute.
type denials struct {
	report func(Denial)
	*sample
}

func newDenials(report func(Denial)) *denials {
	return &denials{report: report, sample: newSample(denialsAMinute, denialsARemote)}
}

func (d *denials) add(one Denial) {
	if d.report == nil {
		return
	}
	d.flush(one.At, false)
	if d.admit(cmp.Or(one.Client, network(one.Remote))) {
		d.report(one)
	}
}

// flush reports what a minute that is over left out, see turn.
func (d *denials) flush(now time.Time, early bool) {
	if d.report == nil {
		return
	}
	if more := d.turn(now, early); more > 0 {
		d.report(Denial{At: now, Reason: DeniedMore, Count: more})
	}
}
