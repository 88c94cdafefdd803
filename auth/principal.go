package auth

import (
	"strings"
	"time"
)

// Spelling is how a caller sees tool names that have a dot in them: several model
// APIs accept only letters, digits, _ and -.
type Spelling uint8

// The spellings. Both are always callable; the spelling only decides what is shown.
const (
	Dot        Spelling = iota // praxec.query
	Underscore                 // praxec_query
)

// Of is how the name of a tool looks in this spelling: several model APIs take no dots in it.
func (s Spelling) Of(name string) string {
	if s == Underscore {
		return strings.ReplaceAll(name, ".", "_")
	}
	return name
}

// Human is the role that marks a person.
const Human = "human"

// Principal is the verified identity of one request: a value made from the registry in force when
// the request arrived. Whoever holds one for longer than a request judges it again (edge.Live).
// Only an authenticator makes one; the zero value can do nothing.
type Principal struct {
	Client      string     // the entry's name in clients.json, or operator:<uid> on the operator's socket
	User        string     // whose things it acts on
	Allow       NameSet    // tool names it was granted, as the operator spelled them
	Workflows   NameSet    // definition ids and x.* patterns it was granted
	Roles       NameSet    // for guards; Human among them marks a person
	Permissions NameSet    // for guards
	Oversees    NameSet    // users whose instances a human may see and settle
	Spelling    Spelling   // how tool names are shown to it
	Rate        Rate       // how much it may ask for, as far as its entry says
	Expires     time.Time  // when the credential lapses; zero: never
	Generation  uint64     // the registry generation that admitted it
	Credential  Credential // what it presented; prints as a placeholder
	Grant       *Grant     // of the signed token that it presented; nil: it presented its own
}

// Expired tells whether the credential has lapsed at now: exactly at its expiry it has.
func (p Principal) Expired(now time.Time) bool {
	return !p.Expires.IsZero() && !now.Before(p.Expires)
}

// Soon is how long before its expiry a credential is worth a notice, to its holder and to the operator.
const Soon = 7 * 24 * time.Hour

// ExpiresSoon tells whether the credential lapses within that time of now.
func (p Principal) ExpiresSoon(now time.Time) bool {
	return !p.Expires.IsZero() && !p.Expires.After(now.Add(Soon))
}

// Operates tells whether the principal is the operator: no client is granted every name that there is.
func (p Principal) Operates() bool {
	return p.Roles.Has(Human) && p.Allow.All() && p.Oversees.All()
}

// Scope is whose rows the principal may read.
func (p Principal) Scope() Scope {
	return Scope{user: p.User, oversees: p.Oversees, definitions: p.Workflows}
}

// Scope says whose rows a read may return. Only [Principal.Scope] makes one that can read anything,
// so a store method that takes a Scope cannot be called for somebody else by mistake. The zero
// Scope reads nothing.
type Scope struct {
	user        string
	oversees    NameSet
	definitions NameSet
}

// User is the one user whose documents and calls the scope covers; "" for the zero scope.
func (s Scope) User() string { return s.user }

// Oversees are the further users whose instances the scope covers.
func (s Scope) Oversees() NameSet { return s.oversees }

// Definitions are the definitions whose shared instances the scope covers.
func (s Scope) Definitions() NameSet { return s.definitions }
