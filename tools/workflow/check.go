package workflow

import (
	"cmp"
	"slices"

	"prax/tools/schema"
)

// Finding is something that a definition gets wrong, or may.
type Finding struct {
	Code       FindingCode
	Severity   Severity
	State      string   // "" when it is about the definition as a whole
	Transition string   // "" when it is about no transition
	Path       []string // the transitions that lead there from the start, and show it; none where none do
	Text       string   // one sentence, which names what it is about
	Pointer    string   // JSON Pointer into the definition
}

// Severity says what a finding means.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"   // it cannot work as it is written
	SeverityWarning Severity = "warning" // it may be meant
)

// FindingCode names a kind of finding; it never changes. Those in capitals are praxec's.
type FindingCode string

// The codes of findings about states.
const (
	UnknownState     FindingCode = "unknown-state"     // something leads to a state that is not there
	UnreachableState FindingCode = "unreachable-state" // nothing leads there
	DeadEnd          FindingCode = "dead-end"          // not terminal, and without transitions
	CannotFinish     FindingCode = "cannot-finish"     // no way leads to a terminal state
	NoTerminal       FindingCode = "no-terminal-state" // no state is terminal
	MayStick         FindingCode = "may-stick"         // there are values with which no transition can be taken
)

// The codes of findings about transitions.
const (
	DeterministicLoop    FindingCode = "DETERMINISTIC_LOOP"          // a chain that never ends
	SwitchWithoutDefault FindingCode = "switch-without-default"      // the server may find nothing to choose
	AmbiguousSwitch      FindingCode = "ambiguous-switch"            // the server may find too much
	ShadowedTransition   FindingCode = "shadowed-transition"         // deterministic, and never taken by the server
	UnsatisfiableGuard   FindingCode = "unsatisfiable-guard"         // a guard that no value fulfils
	MisplacedHigh        FindingCode = "misplaced-high"              // a HIGH executor whose transition is not a person's
	MisplacedEffect      FindingCode = "misplaced-effect"            // it would run before the instance is there
	UnanswerableGate     FindingCode = "unanswerable-gate"           // nobody that there is can pass the gate
	NobodyMay            FindingCode = "nobody-may"                  // no client has what the guards ask for
	NoPromptSource       FindingCode = "HUMAN_GATE_NO_PROMPT_SOURCE" // a gate asks a person nothing
)

// The codes of findings about the context.
const (
	SlotNeverWritten FindingCode = "slot-never-written" // it is read where nothing can have written it
	SlotMaybeUnset   FindingCode = "slot-maybe-unset"   // it is read where some path has not written it
	UndeclaredSlot   FindingCode = "undeclared-slot"    // the blackboard does not know it
	UnreadWrite      FindingCode = "unread-write"       // it is written, and nothing reads it
	NoOutput         FindingCode = "no-output"          // an output is read where nothing gives one
)

// World is what a definition is held against: who there is.
type World struct {
	// Callers are those who may use the definition, and those who oversee their users. None at all says that it is
	// not known who there is: nothing is found then that depends on it.
	Callers []Caller
}

// MaxFindings bounds what one check reports. Whoever mends those sees the next.
const MaxFindings = 200

// Check proves what can be proven of a definition without running it: that each state can be reached and can end,
// that chains end, that guards can hold, that what is read was written, that gates can be answered by somebody. It takes
// everything to be possible that it cannot exclude, so that an error is never a guess; a warning may be.
//
// Guards are judged over the values that the definition itself names: literals, enumerations, constants and booleans of
// schemas. Of other values those count that its guards tell apart. A while is taken to end before its bound when
// something in its state writes what it reads.
//
// Findings come in the order of the states, errors and warnings together.
func (d *Definition) Check(w World) []Finding {
	c := newChecker(d, w)
	c.law()
	if !c.closed() {
		return c.sorted()
	}
	c.connect()
	c.solve()
	for _, one := range []func(){
		c.unreachable, c.unfinished, c.loops, c.switches, c.sticking, c.guards, c.outcomes,
		c.reads, c.writes, c.gates,
	} {
		one()
	}
	return c.sorted()
}

func (c *checker) add(f Finding) {
	if f.Severity == "" {
		f.Severity = SeverityWarning
	}
	list := &c.warnings
	if f.Severity == SeverityError {
		list = &c.errors
	}
	if len(*list) < MaxFindings {
		*list = append(*list, f)
	}
}

// sorted are the findings in the order of the states. Warnings never crowd out an error.
func (c *checker) sorted() []Finding {
	all := slices.Concat(c.errors, c.warnings)
	all = all[:min(len(all), MaxFindings)]
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(c.rank(a), c.rank(b)) })
	return all
}

// rank puts what is about no state first.
func (c *checker) rank(f Finding) int {
	if i, known := c.index[f.State]; known {
		return i
	}
	return -1
}

func pointer(tokens ...string) string { return schema.Pointer(tokens...) }

func (s *State) pointer(tokens ...string) string {
	return pointer("states", s.Name) + pointer(tokens...)
}

func (t *Transition) pointer(in *State, tokens ...string) string {
	return in.pointer("transitions", t.Name) + pointer(tokens...)
}
