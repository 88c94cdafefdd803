package workflow

import (
	"maps"
	"slices"

	"prax/tools/workflow/expr"
)

// stage is one step in the making. Nothing of it reaches the instance before it is committed.
type stage struct {
	m        *move
	r        Request
	kind     StepKind
	from, to *State // from is nil at the start
	t        *Transition
	context  map[string]any
	owned    bool // the context is the stage's own copy
	memo     Memo
	output   any
	delta    map[string]any
	removed  []string
	evidence []Evidence
	ran      *Executor
	facts    []Fact // they come after the record of the step
	before   []Fact // they come before it
}

// parts are what a step is made of, in order. One that halts ends the step.
var parts = []func(*stage) *halt{
	(*stage).act, (*stage).route, (*stage).stay, (*stage).leave, (*stage).enter, (*stage).measure,
}

// take makes one step, or tells why not: then nothing has changed.
func (m *move) take(r Request) *halt {
	s, refusal := m.stage(r)
	if refusal != nil {
		return &halt{refusal: refusal}
	}
	if s.t != nil && s.t.asks() && !r.Approved {
		return s.question()
	}
	for _, part := range parts {
		if h := part(s); h != nil {
			return h
		}
	}
	s.commit()
	return nil
}

func (m *move) stage(r Request) (*stage, *Refusal) {
	s := &stage{m: m, r: r, kind: r.Kind, context: m.next.Context, memo: m.next.Memo}
	switch r.Kind {
	case StepStart:
		s.to = m.d.State(m.d.Initial)
		s.context, s.owned = maps.Clone(m.d.InitialContext), true
		if s.context == nil {
			s.context = map[string]any{}
		}
		s.delta = maps.Clone(s.context)
	case StepTimeout:
		s.from, s.to = m.state(), m.d.State(m.d.OnTimeout)
		s.memo.Expired = true
	default:
		s.from = m.state()
		s.t = m.d.offer(s.from, r.Transition)
		if s.t == nil {
			return nil, refuse(InvalidTransition, "the state "+m.next.State+" has no transition "+clip(r.Transition))
		}
		s.to = m.d.State(s.t.Target)
	}
	return s, nil
}

// act runs the transition's executor and puts its output into the context.
func (s *stage) act() *halt {
	if s.t == nil {
		return nil
	}
	if !s.r.Approved { // the request counted
		s.memo = s.memo.fired(s.m.d, s.t)
	}
	return s.perform(s.t.Action, s.from, false)
}

// perform runs an action of a state.
func (s *stage) perform(a Action, in *State, onEnter bool) *halt {
	output, h := s.execute(a.Executor, in, onEnter)
	if h != nil {
		return h
	}
	if !onEnter {
		s.output = output
	}
	return s.put(a.Output, s.env(in, output), in)
}

func (s *stage) env(in *State, output any) expr.Env {
	return expr.Env{
		Context: s.context, Arguments: s.r.Arguments, Output: output, Input: s.m.next.Input,
		ID: s.m.next.ID, State: in.Name, Version: s.m.next.Version,
	}
}

// view judges guards on the context and the evidence as the stage has it.
func (s *stage) view() *view {
	i := &s.m.next
	if len(s.evidence) > 0 {
		with := *i
		with.Evidence = slices.Concat(i.Evidence, s.evidence)
		i = &with
	}
	return &view{d: s.m.d, i: i, by: s.m.by, env: s.env(s.from, s.output)}
}

// route takes the first branch whose guard holds.
func (s *stage) route() *halt {
	if s.t == nil {
		return nil
	}
	for n, b := range s.t.Branches {
		if s.view().judge(b.When).truth != yes {
			continue
		}
		s.to = s.m.d.State(b.Target)
		s.before = append(s.before, Fact{"transition.branched", map[string]any{
			"transition": s.t.Name, "branchIndex": n, "fromState": s.from.Name, "toState": b.Target,
		}})
		return nil
	}
	return nil
}

// stay keeps the state for as long as its while holds. A transition that leads to the state itself is none of its
// iterations.
func (s *stage) stay() *halt {
	if s.t == nil || s.from.While == nil || s.to == s.from || s.view().judge(s.from.While).truth != yes {
		return nil
	}
	count := s.memo.Whiles[s.from.Name] + 1
	if count > s.from.MaxWhile {
		return halted(WhileCapExceeded, counted("the state "+s.from.Name+" was kept by its while", s.from.MaxWhile, s.from.MaxWhile)+", and would be again")
	}
	s.to = s.from
	s.memo.Whiles = increased(s.memo.Whiles, s.from.Name)
	s.before = append(s.before, Fact{"workflow.state.iteration", map[string]any{
		"state": s.from.Name, "iteration": count, "max_iterations": s.from.MaxWhile,
	}})
	return nil
}

// moves tells whether the step ends one visit of a state and begins another.
func (s *stage) moves() bool { return s.from != s.to }

// leave removes what belongs to the visit that ends.
func (s *stage) leave() *halt {
	if s.to == nil {
		return halted(Corrupt, "the definition "+s.m.d.ID+" leads to a state that it does not have")
	}
	if s.from == nil || !s.moves() {
		return nil
	}
	s.memo.Fires = nil
	if s.memo.Whiles[s.from.Name] > 0 {
		s.memo.Whiles = maps.Clone(s.memo.Whiles)
		delete(s.memo.Whiles, s.from.Name)
	}
	for _, slot := range s.from.Slots {
		s.clear(slot.Name)
	}
	return nil
}

// enter runs the onEnter of the state that is entered, as part of the same step.
func (s *stage) enter() *halt {
	if !s.moves() {
		return nil
	}
	if h := s.constrain(s.to); h != nil {
		return h
	}
	if s.to.OnEnter == nil {
		return nil
	}
	return s.perform(*s.to.OnEnter, s.to, true)
}

// measure keeps the context within its bounds.
func (s *stage) measure() *halt {
	if len(s.delta) == 0 {
		return nil
	}
	switch err := weigh(s.context, MaxData); err {
	case nil:
		return nil
	case errNaN:
		return halted(SlotTypeError, "the context would hold "+err.Error())
	default:
		return halted(ContextTooLarge, "the context would be "+err.Error())
	}
}
