package workflow

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/tools/workflow/expr"
)

// Links are the moves that an instance offers to a caller, in declared order: each transition that is not the
// server's own, as the state's filter has it; then, where the server's own could not be taken, those, so that they can
// be tried again by hand. An instance that has ended offers none, and neither does one that waits for an executor; one
// whose effect is in doubt offers to settle that, which [Definition.Reconcile] does.
//
// A link that is not blocked is not refused to this caller for who it is, for the state or for the version, when it is
// sent at once with arguments that fit. What depends on the arguments, or on what comes of them, is not foretold.
func (d *Definition) Links(i *Instance, c Caller) []Link {
	if i.Busy != nil {
		return i.settling(c)
	}
	state := d.State(i.State)
	if !i.Open || state == nil || state.Terminal {
		return nil
	}
	links := make([]Link, 0, len(state.Transitions))
	filtered := d.filter(state) == ByGuards
	for _, t := range d.Offered(state) {
		if t.Actor == Deterministic || !d.Reveals(c, t) || filtered && !d.shown(i, c, t) {
			continue
		}
		links = append(links, d.link(i, c, t))
	}
	for _, t := range d.automatic(state) {
		recovery := d.link(i, c, t)
		recovery.Recovery = true
		links = append(links, recovery)
	}
	return links
}

func (d *Definition) filter(s *State) LinkFilter {
	if s.Filter != nil {
		return *s.Filter
	}
	return d.Filter
}

// shown tells whether a transition's guards hold with no arguments.
func (d *Definition) shown(i *Instance, c Caller, t *Transition) bool {
	return d.view(i, c, map[string]any{}).all(t.Guards).truth == yes
}

func (d *Definition) link(i *Instance, c Caller, t *Transition) Link {
	l := Link{Transition: t, Arguments: prefill(i, t), Blocked: d.blocked(i, c, t)}
	if answers(i, c, t) {
		l.Arguments, l.Approves = i.Parked.Arguments, i.Parked.Approval
		l.Fixed = allowed(c, t, false) != nil || d.spent(i, t) != nil
	}
	return l
}

// Schema is what the arguments of the link have to fit: any object, where the transition does not say.
func (l Link) Schema() jsontext.Value {
	if l.Fixed {
		arguments := l.Arguments
		if arguments == nil {
			arguments = map[string]any{}
		}
		only, err := json.Marshal(map[string]any{"type": "object", "const": arguments}, json.Deterministic(true))
		if err == nil {
			return only
		}
	}
	if l.Transition.Input == nil {
		return anyObject
	}
	return l.Transition.Input.Raw()
}

var anyObject = jsontext.Value(`{"type":"object"}`)

// prefill is what a link proposes as arguments: what leads nowhere is null.
func prefill(i *Instance, t *Transition) map[string]any {
	if len(t.Prefill) == 0 {
		return nil
	}
	env := i.env(nil)
	arguments := make(map[string]any, len(t.Prefill))
	for _, slot := range t.Prefill {
		value, err := slot.Value.Eval(env)
		if err != nil {
			value = nil
		}
		arguments[slot.Name] = value
	}
	if weigh(arguments, MaxData) != nil {
		return nil
	}
	return arguments
}

// blocked says why a caller could not take a transition whatever the arguments; nil: it can.
func (d *Definition) blocked(i *Instance, c Caller, t *Transition) *Refusal {
	if i.Busy != nil {
		return i.heldUp(c, t)
	}
	parked := answers(i, c, t)
	if r := allowed(c, t, parked); r != nil {
		return r.of(t.Name)
	}
	if t.Choices != nil {
		if _, defect := choices(i, t.Choices); defect != "" {
			return refuse(ChoiceMismatch, "the gate has no options: "+defect).of(t.Name)
		}
	}
	if r := d.spent(i, t); r != nil && !parked {
		return r.of(t.Name)
	}
	v := d.view(i, c, nil)
	v.blind = true
	if result := v.all(t.Guards); result.truth == no {
		return result.refusal().of(t.Name)
	}
	return d.kept(i, c, t)
}

// kept says that the state's while would keep the state once too often, where that is known before the arguments are.
func (d *Definition) kept(i *Instance, c Caller, t *Transition) *Refusal {
	state := d.State(i.State)
	if state.While == nil || i.Memo.Whiles[state.Name] < state.MaxWhile || t.asks() || !t.foreseeable(state) {
		return nil
	}
	m := d.move(i, c, i.Created)
	s, refusal := m.stage(Request{Kind: StepTransition, Transition: t.Name})
	if refusal != nil {
		return refusal
	}
	for _, part := range []func(*stage) *halt{(*stage).act, (*stage).route, (*stage).stay} {
		if h := part(s); h != nil && h.refusal.Code == WhileCapExceeded {
			return h.refusal.of(t.Name)
		}
	}
	return nil
}

// foreseeable tells whether where a transition leads does not depend on arguments, or on an effect.
func (t *Transition) foreseeable(in *State) bool {
	if t.Executor != nil && t.Executor.Kind != KindNoop || readsArguments(in.While) {
		return false
	}
	for _, b := range t.Branches {
		if readsArguments(b.When) {
			return false
		}
	}
	for _, slot := range t.Output {
		for _, p := range slot.Value.Paths() {
			if p.Root() == expr.Arguments {
				return false
			}
		}
	}
	return true
}
