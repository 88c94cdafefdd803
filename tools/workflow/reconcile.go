package workflow

import (
	"errors"
	"time"
)

// The names of the two moves by which a person settles an attempt whose effect is in doubt. No transition of a
// definition can have one of them.
const (
	ReconcileApplied    = "reconcile_applied"
	ReconcileNotApplied = "reconcile_not_applied"
)

// Reconciliation is what a person found out about an effect that was in doubt.
type Reconciliation struct {
	Applied bool   // it happened
	Output  any    // what it gave, decoded; nil: an empty object
	Note    string // how the person knows: kept with the evidence
}

// Reconcile settles the attempt that an instance waits for, by what a person found out. That the effect happened is
// applied as [Definition.Apply] would have; that it did not leaves the instance as it is, and the decision is idle.
func (d *Definition) Reconcile(i *Instance, c Caller, e *Effect, q Reconciliation, now time.Time) Decision {
	return Decision{Refusal: refuse(ExecutorFailed, errors.ErrUnsupported.Error())}
}
