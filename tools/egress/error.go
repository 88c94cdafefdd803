package egress

import (
	"fmt"
	"net/netip"
)

// Refused says that a target is not allowed. Nothing was sent to it. It tells what the caller knows: neither the address
// that a host has, nor where a redirect leads, which the other side chose and may have put a secret into.
type Refused struct {
	Target     string // host and port of the request; of a URL that has none, the part that is wrong, quoted
	Reason     string // the predicate of a sentence about it, or about what it redirects to
	Redirected bool   // a redirect of it was refused; what led there was a GET or a HEAD that was sent

	address netip.Addr // for the log
}

// Error is the sentence.
func (r *Refused) Error() string {
	if r.Redirected {
		return fmt.Sprintf("a redirect of %s was refused: its target %s", r.Target, r.Reason)
	}
	return fmt.Sprintf("%s is refused: it %s", r.Target, r.Reason)
}

// Unreached says that there never was a connection over which the request could be sent: no address for the name, nobody
// listening, a TLS handshake that failed, or a context that ended before.
type Unreached struct {
	Target     string // host and port of the request
	Redirected bool   // what it redirects to is not reached
	Err        error
}

// Error says it.
func (u *Unreached) Error() string {
	if u.Redirected {
		return fmt.Sprintf("cannot reach what %s redirects to: %v", u.Target, u.Err)
	}
	return fmt.Sprintf("cannot reach %s: %v", u.Target, u.Err)
}

// Unwrap is the cause.
func (u *Unreached) Unwrap() error { return u.Err }
