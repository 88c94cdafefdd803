package workflow

import (
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/tools/workflow/expr"
)

// Definition is one workflow, compiled and immutable. Nothing in it is looked up elsewhere, so that an
// instance which pinned it goes on as it started, whatever becomes of the files.
type Definition struct {
	ID      string
	Version int64          // declared; 0: the store counts
	Hash    string         // hex SHA-256 of Text
	Text    jsontext.Value // canonical JSON of the resolved definition: what is stored, and compiles to this again

	Title       string
	Description string
	Tags        []string
	Aliases     []string
	Examples    []jsontext.Value

	Input          *Schema        // of start; nil: any object
	InitialContext map[string]any // copied at start
	Initial        string         // name of the first state
	States         []*State       // in declared order
	Slots          map[string]*Schema
	SlotsDeclared  bool // the blackboard was declared: only its slots may be read and written

	Timeout   time.Duration // from the start; 0: none
	OnTimeout string        // the state it leads to; "": the timeout is only noted
	Filter    LinkFilter

	MaxChain  int           // deterministic hops in one call
	MaxHops   int           // deterministic hops in the instance's life; one more cancels it
	MaxDriven time.Duration // time spent in chains in the instance's life; 0: no bound

	Outcomes []Outcome
	Shared   bool     // visibility: shared
	Discreet bool     // a transition whose guards about who asks do not hold is none for that caller
	Grants   []string // tools that its executors may use beyond the caller's allowlist

	AskHuman    bool // every state that can move has ask_human
	MaxAskHuman int

	Skills  []string             // subjects of guidance for the whole workflow
	Library map[string]*Guidance // every skill and script that it refers to, as they were at load
	Pending []string             // subjects that have no meaning yet: a start waits for their definition

	index atomic.Pointer[index] // of many states
}

// State is one of a definition.
type State struct {
	Name        string
	Terminal    bool
	Outcome     string // of a terminal one: success, failure, or ""
	Goal        expr.Template
	Guidance    expr.Template
	Description string
	HumanState  bool // actor: human on the state itself
	Transitions []*Transition
	OnEnter     *Action
	Filter      *LinkFilter // overrides the definition's
	Skills      []string
	Delegate    string
	While       *Guard // holds after a transition: stay
	MaxWhile    int
	Slots       []StateSlot
}

// StateSlot is a context member that lives in one state: leaving it removes the member.
type StateSlot struct {
	Name  string
	Paths []string // globs that a string value, or each string of a list, must match; empty: none demanded
}

// Actor is who may take a transition.
type Actor string

// The actors.
const (
	Agent         Actor = "agent"
	Human         Actor = "human"         // a principal with the role human
	Deterministic Actor = "deterministic" // the server by itself, as part of a chain
)

// Transition is a move that a state offers.
type Transition struct {
	Name        string
	Title       string
	Description string
	Actor       Actor
	Target      string
	Input       *Schema // of arguments; nil: any object
	Guards      []*Guard
	Action      // what happens before the target is reached
	Branches    []Branch
	Prefill     []Slot // members of args.arguments of its link
	MaxFires    int    // in one visit of the state; 0: no bound
	Light       bool   // an interaction: it does not keep a chain from running
	Skills      []string
	Presents    []expr.Path // context members that a person is shown
	Choices     *Choices
	Prompt      expr.Template
}

// Action is an executor and where its output goes. The zero Action does nothing.
type Action struct {
	Executor *Executor
	Output   []Slot
}

// Slot is a context member and what is put there.
type Slot struct {
	Name  string
	Value expr.Mapping
}

// Branch leads elsewhere when its guard holds after the output is in place.
type Branch struct {
	When   *Guard
	Target string
}

// Choices says which values a person may choose from, and where they stand.
type Choices struct {
	Field string    // the argument that carries the choice
	From  expr.Path // a list in the context
	Value string    // the member of each element that is the value; "": the element itself
	Title string    // the member that is shown; "": none
}

// LinkFilter says which links a state shows.
type LinkFilter string

// The filters.
const (
	AllLinks LinkFilter = "all"
	ByGuards LinkFilter = "byGuards" // those whose guards hold for this principal, with empty arguments
)

// Outcome is a statement about the workflow that holds or not.
type Outcome struct {
	ID        string
	Statement string
	Check     *Guard
}

// GuardKind is a kind of guard.
type GuardKind string

// The kinds.
const (
	GuardPermission GuardKind = "permission"
	GuardRole       GuardKind = "role"
	GuardExpr       GuardKind = "expr"
	GuardEvidence   GuardKind = "evidence"
	GuardAllOf      GuardKind = "all_of"
	GuardAnyOf      GuardKind = "any_of"
	GuardNot        GuardKind = "not"
	GuardGuidance   GuardKind = "guidance_acknowledged"
	GuardScript     GuardKind = "script_acknowledged"
)

// Guard is a condition. Which members count depends on the kind.
type Guard struct {
	Kind     GuardKind
	Name     string // permission, role; the subject of an acknowledgement
	Expr     expr.Guard
	Requires []Requirement
	Guards   []*Guard // all_of, any_of; not has one
}

// Requirement is what an evidence guard counts.
type Requirement struct {
	Kind           string
	Count          int
	MinConfidence  *float64
	Digest         bool // only evidence that has a digest
	Distinct       bool // of each principal's user, one counts (distinct: principal)
	ExcludeStarter bool // what the starter's user made does not count, by whichever client (exclude: starter)
}

// Guidance is a skill or a script as it was at load: text for a caller, never run here.
type Guidance struct {
	Subject   string
	Script    bool
	Verb      string
	Lifecycle string
	Body      string
	Hash      string // sha256:<hex>
	Source    string
}

// Transition finds one by name; nil when there is none.
func (s *State) Transition(name string) *Transition {
	for _, t := range s.Transitions {
		if t.Name == name {
			return t
		}
	}
	return nil
}
