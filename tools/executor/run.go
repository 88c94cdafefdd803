package executor

import (
	"context"

	"prax/auth"
	"prax/tools"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// Kind runs the executors of one kind that have an effect. Its methods may be called from many goroutines.
type Kind interface {
	// Prepare resolves what a run would do, and does nothing yet: what the caller has a say in is in place, the
	// connection is the one in force, secrets are known by name only. It is called again before each try. A failure
	// is always one whose effect has not begun.
	Prepare(ctx context.Context, q Request) (*Run, *workflow.Failure)
}

// Kinds are the kinds that there are, by name.
type Kinds map[string]Kind

// Request is what an executor is to be run for.
type Request struct {
	Executor   *workflow.Executor
	Connection func(name string) (*workflow.Connection, bool) // those in force
	Env        expr.Env                                       // what paths lead into
	Key        string                                         // idempotency key; "": none
	Principal  auth.Principal                                 // as whom it runs, as clients.json has it now
	Attempt    string                                         // its id
	Admit      func(tool string) tools.Admission              // to one tool, for this attempt
	Transition string                                         // or the name of the tool that was called
	RequestID  string
}

// Run is an executor that can be run.
type Run struct {
	// Material is what would be done, for a person to approve and for comparing two runs: argv, method and URL, the
	// tool and its arguments, the digest of the connection. Secrets stand in it as they are written, by name.
	Material map[string]any

	// Tier is the highest of everything that has a say: the executor's own, the connection's, the tool's.
	Tier auth.Tier

	// Repeatable: doing it again does no more than once, with or without a key, as reading does.
	Repeatable bool

	// Do does it, once. It returns when ctx ends, and says in its failure what is known of the effect then. Neither
	// the output nor the evidence nor the failure has a secret in it.
	Do func(ctx context.Context) workflow.Result
}

// specOf is the spec of a kind, as the executor has it; nil when it was made for another.
func specOf[S any](e *workflow.Executor) *S {
	s, _ := e.Spec.(*S)
	return s
}
