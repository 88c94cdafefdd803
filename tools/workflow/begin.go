package workflow

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Begin starts an instance under this id: the input with its defaults filled in, the first state's onEnter, and the
// chain from there. A refusal is [InvalidInput], or what the onEnter ran into; there is no instance then.
func (d *Definition) Begin(id string, c Caller, input jsontext.Value, now time.Time) Decision {
	if d.State(d.Initial) == nil {
		return Decision{Refusal: refuse(Corrupt, "the definition "+d.ID+" has no state "+clip(d.Initial))}
	}
	value, violations := d.Input.object(input)
	if len(violations) > 0 {
		r := refuse(InvalidInput, "the input does not fit: "+sentence(violations))
		r.Violations = violations
		return Decision{Refusal: r}
	}
	seed := &Instance{
		ID: id, User: c.User, Client: c.Client, State: d.Initial, Open: true,
		Input: value, Context: map[string]any{}, Created: now,
	}
	return d.move(seed, c, now).run(Request{Kind: StepStart}, nil)
}
