package egress

import "fmt"

// Refused says that a target is not allowed. Nothing was sent to it. Of the target it tells what the caller knows, the
// host and the port of the URL, never the address that the host has.
type Refused struct {
	Target     string // host and port, or as much of the URL as is known to hold no secret
	Reason     string // the predicate of a sentence about it
	Redirected bool   // it was the target of a redirect; what led there was a GET or a HEAD that was sent
}

// Error is the sentence.
func (r *Refused) Error() string {
	if r.Redirected {
		return fmt.Sprintf("a redirect to %s was refused: it %s", r.Target, r.Reason)
	}
	return fmt.Sprintf("%s is refused: it %s", r.Target, r.Reason)
}

// Unreached says that there never was a connection over which the request could be sent: no address for the name, nobody
// listening, a TLS handshake that failed, or a context that ended before.
type Unreached struct {
	Target string // host and port
	Err    error
}

// Error says it.
func (u *Unreached) Error() string { return fmt.Sprintf("cannot reach %s: %v", u.Target, u.Err) }

// Unwrap is the cause.
func (u *Unreached) Unwrap() error { return u.Err }
