package workflow

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/tools/workflow/expr"
)

// Decision is what a request means. At most one of Refusal, Change and Effect is there; none, when there is nothing
// to do. Trail is what happened on the way, in order, for the audit: also of a refusal.
type Decision struct {
	Refusal *Refusal // nothing changes
	Change  *Change  // commit this
	Effect  *Effect  // run this executor, then call Apply
	Trail   []Fact
}

// Idle tells whether there is nothing to do.
func (d Decision) Idle() bool { return d.Refusal == nil && d.Change == nil && d.Effect == nil }

// Fact is one event of an instance for the audit. It holds names, codes, versions and keys, never the value of an
// argument or of the context.
type Fact struct {
	Type    string         `json:"event_type"`
	Payload map[string]any `json:"payload"`
}

// Change is what must be committed together, or not at all. Next is the instance as it will be; the version that it
// must still have is that of the instance that was decided on. Values are shared with that instance and must not be
// changed.
type Change struct {
	Next     Instance
	Steps    []Step     // one a version
	Evidence []Evidence // what is new, with the Seq of the step that made it; the ids are given by who stores it
	Ask      *Ask       // a question to a person, to be opened together with the change
	Failure  *Refusal   // the change stands, but the answer carries this error
	Then     *Effect    // after the commit: run this executor and call Apply; the chain goes on from there
	Consumed string     // the id of the approval that the change uses up
	Rejected string     // the id of the approval that the change rejects
}

// StepKind is what made a step.
type StepKind string

// The kinds.
const (
	StepStart      StepKind = "start"
	StepTransition StepKind = "transition"
	StepChain      StepKind = "chain"     // a deterministic hop
	StepTimeout    StepKind = "timeout"   // the time was over
	StepRequest    StepKind = "request"   // a person was asked
	StepRejection  StepKind = "rejection" // and said no
	StepCancel     StepKind = "cancel"
)

// Step is one row of the history: what made the version Seq of the one before.
type Step struct {
	Seq        int64
	Kind       StepKind
	Transition string // "" where there is none
	From, To   string
	Actor      Actor  // "" where nobody acts: a timeout
	Client     string // who caused it; "" for the server itself
	User       string
	Arguments  map[string]any // as they passed the schema; nil: none
	Output     any            // of the executor; nil: none
	Delta      map[string]any // the members of the context that were set; all of them at the start
	Removed    []string       // the members that were removed
	Evidence   []Evidence
	Light      bool // an interaction
}

// Ask is a question to a person about one move with exactly these arguments.
type Ask struct {
	Transition *Transition
	Arguments  map[string]any
	Queue      string
	Tier       auth.Tier      // the highest that anything on the way to the effect says by now
	Material   map[string]any // what the person is shown, with everything that the answer binds
}

// Submit is a request to take a transition.
type Submit struct {
	Transition      string
	ExpectedVersion int64
	Arguments       jsontext.Value // nil or null: none
	Summary         string         // "": keep the old one
	Approval        string         // the id that an approval would get, should one be opened: for the audit
}

// MaxSummary bounds a summary, the reason of a cancellation and the note of an answer, in bytes.
const MaxSummary = 16 << 10

// Answer is a person's answer to an approval.
type Answer struct {
	Approval string // its id
	Digest   string // of the material that the person was shown
	Approve  bool   // false: rejected
	Note     string // kept with the evidence
}

// Request is a move that has been judged and is under way. It can be stored with an attempt.
type Request struct {
	Kind       StepKind
	Transition string
	Version    int64 // of the instance
	Arguments  map[string]any
	Summary    string
	Approval   string // the one that is used up; for a move that could open one, the id that it would get
	Approved   bool   // a person said yes
	Digest     string // of the material that the person said yes to, also where that does not hold any more
	Client     string // who said yes
	User       string
	Note       string
	Depth      int // hops of this call so far
}

// Effect is an executor that must run before its move can be decided. [Definition.Apply] takes its result. One that
// only asks is to be resolved, not run: the result has the Material that a person is shown before it may run.
type Effect struct {
	Request
	Executor *Executor
	State    string   // whose executor it is: the state that is left, or entered
	OnEnter  bool     // it is the state's onEnter
	Ask      bool     // a person has to approve exactly this run first
	Results  []Result // of the executors of the same step that ran before
	Env      expr.Env // what its paths lead into: what the step has put into the context so far is there
}

// Result is what an executor did.
type Result struct {
	Output   any // decoded JSON
	Evidence []Evidence
	Took     time.Duration
	Failure  *Failure       // it did not succeed
	Material map[string]any // of an effect that asks: what would be run, secrets by name
	Tier     auth.Tier      // of an effect that asks: the highest that anything says that has a say
}

// Failure is why an executor did not succeed.
type Failure struct {
	Class   string // one of [Classes]
	Message string // for the caller
	Begun   Begun
	Cause   error `json:"-"` // for the log only; nil: the message says all
}

// Begun is what is known of the effect of an executor that failed.
type Begun uint8

// What is known. The zero value assumes the worst.
const (
	Doubtful Begun = iota // it may have happened
	Answered              // it began, and who was asked says that it failed
	NotBegun              // nothing has happened
)

// Link is a move that an instance offers.
type Link struct {
	Transition *Transition
	Arguments  map[string]any // to be sent; nil: the caller's own
	Blocked    *Refusal       // why this caller could not take it now; nil: it can
	Recovery   bool           // a deterministic transition that the server could not take by itself
	Approves   string         // the id of the approval that taking it with these arguments would use up
	Fixed      bool           // no other arguments are taken: this caller can only approve
}

// Explanation is what can be said about a transition of an instance.
type Explanation struct {
	Allowed       bool // the state has it
	Actor         Actor
	Deterministic bool
	Legal         []string // what the state has, in declared order
	Blocked       *Refusal // why this caller could not take it now
	Why           []Why    // of each guard, in order
}

// Why is what became of one guard. Value has the paths that it reads and the caller is shown, with their values.
type Why struct {
	Guard     GuardKind
	Passed    bool
	Arguments bool // it depends on the arguments, and was judged without any
	Value     map[string]any
}

// HumanGate is a transition of the current state that waits for a person.
type HumanGate struct {
	Transition *Transition
	Prompt     string
	Presented  map[string]any // by the name of the context's member; nil: nothing
	Choices    *Options       // nil: none
	Defect     string         // why the material cannot be shown; "": it can
	Parked     *Parked        // the open approval; nil: the gate is answered by taking the transition
}

// Options are what a person may choose from.
type Options struct {
	Field   string // the argument that carries the choice
	Options []Option
}

// Option is one of them.
type Option struct {
	Value any
	Title string // "": none
}

// OutcomeState is an outcome of a definition, and whether it holds.
type OutcomeState struct {
	ID        string
	Statement string
	Met       bool
}
