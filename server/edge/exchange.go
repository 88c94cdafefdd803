// Package edge is one HTTP exchange as an adapter sees it: [Exchange], with the principal that was
// verified, the request id, the access record to fill in, the caller's rate and in-flight budget
// ([Exchange.Begin], and [Exchange.Take] once for each element of a batch) and [Exchange.Live], which
// judges a stream again for as long as it is open. [Drain] ends what serves them.
//
// server makes exchanges and calls an adapter's [Handler]; the adapters (server/mcp and its
// siblings) translate and never look at tokens.
package edge

import (
	"errors"
	"net/http"
	"time"

	"prax/auth"
)

// Handler answers one exchange of a caller that is known. One that finds the caller out once the body
// has arrived ([Exchange.Refresh]) writes nothing and returns: server answers it as an unknown caller.
type Handler func(w http.ResponseWriter, r *http.Request, x *Exchange)

// ErrStopping is what reading a body gives that had not come in when the server began to stop.
var ErrStopping = errors.New("the server is stopping")

// Authenticator turns a request's credential into a principal. clients.Registry is one.
type Authenticator interface {
	// Authenticate judges the credential of r by the registry in force now.
	Authenticate(r *http.Request) (auth.Principal, bool)

	// Again judges a principal by the registry in force now: the one that the same credential
	// gives, or false when it gives none any more.
	Again(auth.Principal) (auth.Principal, bool)

	// Changed is closed when another registry generation comes into force, and is the same channel
	// until then.
	Changed() <-chan struct{}
}

// Exchange is one HTTP exchange. It belongs to the goroutine that serves it. [Edge.Exchange] makes
// one.
type Exchange struct {
	Principal auth.Principal // who calls; of a stream, as it was last judged
	RequestID string         // ours, in the log and in errors
	Remote    string         // address of the peer, without port
	Start     time.Time      // when the request arrived
	Access    Access         // for the adapter to fill in

	edge    *Edge
	judge   Authenticator
	changed <-chan struct{} // of the generation that Refresh last saw
	client  string          // whose budgets it draws on: the name of the principal that it began with
	own     bool            // it holds a place of its own
	used    bool            // an element is being worked on in that place
	counted bool            // the next element was counted with the exchange
	limited bool            // something was refused by a limit of the client's
	out     bool            // Refresh found the client out
}

// Access is what the adapter knows for the access record.
type Access struct {
	Method  string // of the protocol
	Tool    string
	Outcome string // ok, error, denied …
	Code    string // of the error; "" for none
}
