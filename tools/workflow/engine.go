package workflow

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Begin starts an instance under this id: its input with the defaults filled in, its first state's onEnter, and the
// chain from there.
func (d *Definition) Begin(id string, c Caller, input jsontext.Value, now time.Time) Decision {
	return Decision{}
}

// Plan decides a submit.
func (d *Definition) Plan(i *Instance, c Caller, s Submit, now time.Time) Decision { return Decision{} }

// Apply goes on after an executor ran. i is the instance as it is now; nil for an effect of a start.
func (d *Definition) Apply(i *Instance, e *Effect, r Result, c Caller, now time.Time) Decision {
	return Decision{}
}

// Resolve approves or rejects the open approval.
func (d *Definition) Resolve(i *Instance, c Caller, a Answer, now time.Time) Decision {
	return Decision{}
}

// Cancel ends an instance where it is. Idle when it is cancelled already.
func (d *Definition) Cancel(i *Instance, c Caller, reason string, now time.Time) Decision {
	return Decision{}
}

// Expire applies the timeout when its time has come. Idle when nothing is due.
func (d *Definition) Expire(i *Instance, c Caller, now time.Time) Decision { return Decision{} }

// Links are the moves that an instance offers to a caller.
func (d *Definition) Links(i *Instance, c Caller) []Link { return nil }

// Explain says of a transition what this caller may know.
func (d *Definition) Explain(i *Instance, c Caller, transition string) Explanation {
	return Explanation{}
}

// PendingHuman are the gates of the current state.
func (d *Definition) PendingHuman(i *Instance) []HumanGate { return nil }

// OutcomesMet says which outcomes hold.
func (d *Definition) OutcomesMet(i *Instance) []OutcomeState { return nil }
