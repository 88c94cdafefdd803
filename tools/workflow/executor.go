package workflow

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
)

// Executor is a side effect of one kind, configured. Its targets are literals.
type Executor struct {
	Kind   string
	Tier   auth.Tier      // the highest that anything on the way to it says; what it leads to may be higher by the time
	Queue  string         // human: who is asked
	Config jsontext.Value // what the kind was given, without what stands in the members above and below
	Spec   any            // what the kind's own package made of Config; nil for the kinds that the engine knows

	Idempotent  bool   // idempotencyKey was given: doing it again with the same key does no more than once
	KeyText     string // of the key, with {workflowId}, {transition} and {correlationId}; "": the attempt's own id
	Reliability Reliability
}

// Effect tells whether the executor reaches outside: then it runs in an attempt.
func (e *Executor) Effect() bool {
	return e != nil && e.Kind != KindNoop && e.Kind != KindHuman
}

// Reliability says how an executor is tried.
type Reliability struct {
	Timeout  time.Duration // of one try; 0: DefaultTryTimeout
	Tries    int           // of each executor, at least 1
	Backoff  Backoff
	First    time.Duration // the delay before the second try
	Longest  time.Duration // no delay is longer; 0: DefaultLongestDelay
	RetryOn  []string      // classes of failures; nil: timeout, transient_error, rate_limited
	Fallback []*Executor   // tried in order when the one before failed for good
}

// The bounds of tries where a definition does not say.
const (
	DefaultTryTimeout   = 2 * time.Minute
	DefaultLongestDelay = time.Minute
)

// Backoff is how delays between tries grow.
type Backoff string

// The backoffs. The delay of an exponential one is drawn from zero to First doubled with each try.
const (
	BackoffNone        Backoff = "none"
	BackoffFixed       Backoff = "fixed"
	BackoffExponential Backoff = "exponential"
)

// The classes of failures: errorClass on the wire.
const (
	ClassTimeout     = "timeout"
	ClassRateLimited = "rate_limited"
	ClassAuth        = "auth_error"
	ClassConnection  = "connection_error"
	ClassTransient   = "transient_error"
	ClassPermanent   = "permanent_error"
)

// Classes are all of them.
func Classes() []string {
	return []string{ClassTimeout, ClassRateLimited, ClassAuth, ClassConnection, ClassTransient, ClassPermanent}
}

// Connection is where executors lead to, as the operator has it now. It is no part of a definition: an instance that
// pinned its definition reaches what the connection of this name says by then, or nothing when there is none.
type Connection struct {
	Name   string
	Kind   string // cli, rest
	Tier   auth.Tier
	Config jsontext.Value // canonical JSON, with secrets by name
	Digest string         // hex SHA-256 of Kind, Tier, Config and the folder that relative directories start in
	Spec   any            // what the kind's own package made of Config
}

// Capability is an executor that is a tool of its own: `expose: tool`.
type Capability struct {
	Name        string
	Title       string
	Description string
	Tier        auth.Tier
	Input       jsontext.Value // JSON Schema
	Output      jsontext.Value // nil: none promised
	Executor    *Executor
	Grants      []string // none: a caller's own allowlist decides what it reaches
	Digest      string   // of what it is made of, with the connections that it leads to
}
