package workflow

import "time"

// Again gives the effect of a move anew, on the instance as it is: after a crash, or to resolve its executor once more.
// e needs its Request and its Results only. A refusal says that the move cannot be made any more.
func (d *Definition) Again(i *Instance, e *Effect, c Caller, now time.Time) Decision {
	m := d.move(i, c, now)
	if refusal := m.current(e); refusal != nil {
		return Decision{Refusal: refusal.of(e.Transition)}
	}
	return m.run(e.Request, e.Results)
}
