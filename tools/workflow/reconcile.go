package workflow

import (
	"time"

	"github.com/go-json-experiment/json"
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

func (q Reconciliation) name() string {
	if q.Applied {
		return ReconcileApplied
	}
	return ReconcileNotApplied
}

// reconciliation is the kind of the evidence that a person found out about an effect.
const reconciliation = "reconciliation"

// Reconcile settles the attempt that an instance waits for, by what a person found out. That the effect happened is
// applied as [Definition.Apply] would have, as a step of that person; when it is refused, the attempt stays as it is.
// That it did not happen leaves the instance as it is, and the decision is idle; so is any about an instance that was
// cancelled meanwhile.
func (d *Definition) Reconcile(i *Instance, c Caller, e *Effect, q Reconciliation, now time.Time) Decision {
	m := d.move(i, c, now)
	if r := m.unsettled(q); r != nil {
		return m.reject(r.of(q.name()))
	}
	settled := Fact{"executor.reconciled", map[string]any{
		"transition": clip(i.Busy.Transition), "kind": clip(i.Busy.Kind), "applied": q.Applied,
	}}
	if !q.Applied || !i.Open {
		return Decision{Trail: []Fact{settled}}
	}
	if r := m.current(e); r != nil {
		return m.reject(r.of(q.name()))
	}
	decision := m.resume(e, q.result(i.Busy.Attempt, c))
	if decision.Refusal != nil {
		decision.Trail = decision.Trail[len(decision.Trail)-1:] // nothing is settled
		return decision
	}
	decision.Trail = append([]Fact{settled}, decision.Trail...)
	return decision
}

// unsettled says why a person's finding cannot be taken.
func (m *move) unsettled(q Reconciliation) *Refusal {
	switch busy := m.next.Busy; {
	case !m.by.Human():
		return notAPersons()
	case busy == nil:
		return refuse(InvalidTransition, "no effect of this workflow is in doubt")
	case !busy.Unknown:
		return m.next.waits()
	case weigh(q.Output, MaxData) != nil:
		r := refuse(InputViolation, "the output cannot be kept: it must be at most 1 MiB of JSON")
		r.Violations = append(r.Violations, violation("/output", "must be at most 1 MiB of JSON, nested at most 64 deep"))
		return r
	}
	return nil
}

func notAPersons() *Refusal {
	return refuse(ActorMismatch, "only a person can settle what is in doubt: it needs a client of the role human")
}

// result is what the executor is taken to have done.
func (q Reconciliation) result(attempt string, by Caller) Result {
	output := q.Output
	if output == nil {
		output = map[string]any{}
	}
	return Result{Output: output, Evidence: []Evidence{{
		Kind: reconciliation, URI: attempt, Summary: clipTo(q.Note, MaxSummary), Client: by.Client, User: by.User,
	}}}
}

// waits says what an instance waits for before it can make another move; nil: nothing.
func (i *Instance) waits() *Refusal {
	switch {
	case i.Busy == nil:
		return nil
	case i.Busy.Unknown:
		return refuse(EffectUnknown, "the effect of an executor of this workflow may have happened, or not")
	}
	return refuse(InProgress, "an executor of this workflow is at work")
}

// settling are the moves by which a caller could settle what an instance waits for.
func (i *Instance) settling(c Caller) []Link {
	if i.Busy == nil || !i.Busy.Unknown {
		return nil
	}
	var links []Link
	for _, t := range i.settlements() {
		l := Link{Transition: t, Arguments: map[string]any{"attempt": i.Busy.Attempt}}
		if !c.Human() {
			l.Blocked = notAPersons().of(t.Name)
		}
		links = append(links, l)
	}
	return links
}

// settlements are those moves as transitions.
func (i *Instance) settlements() []*Transition {
	if i.Busy == nil || !i.Busy.Unknown {
		return nil
	}
	note := map[string]any{"type": "string", "description": "how it was found out"}
	output := map[string]any{"description": "what the executor would have given; left out: an empty object"}
	return []*Transition{
		{
			Name: ReconcileApplied, Actor: Human, Target: i.State, Title: "It happened",
			Description: "Says that the effect happened: the workflow goes on as if its executor had given the output.",
			Input:       i.settlement(map[string]any{"output": output, "note": note}),
		},
		{
			Name: ReconcileNotApplied, Actor: Human, Target: i.State, Title: "It did not happen",
			Description: "Says that the effect did not happen: the workflow can take the transition again.",
			Input:       i.settlement(map[string]any{"note": note}),
		},
	}
}

// settlement is the schema of the arguments that name the attempt.
func (i *Instance) settlement(properties map[string]any) *Schema {
	properties["attempt"] = map[string]any{"const": i.Busy.Attempt}
	text, err := json.Marshal(map[string]any{
		"type": "object", "required": []any{"attempt"}, "properties": properties, "additionalProperties": false,
	}, json.Deterministic(true))
	if err != nil {
		return nil
	}
	s, err := NewSchema(text)
	if err != nil {
		return nil
	}
	return s
}

// heldUp says why a caller cannot take a transition of an instance that waits.
func (i *Instance) heldUp(c Caller, t *Transition) *Refusal {
	for _, l := range i.settling(c) {
		if l.Transition.Name == t.Name {
			return l.Blocked
		}
	}
	return i.waits().of(t.Name)
}
