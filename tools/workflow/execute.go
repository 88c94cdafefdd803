package workflow

import (
	"slices"
	"time"
)

// execute runs an executor: at once, from what it did already, or by halting for it.
func (s *stage) execute(e *Executor, in *State, onEnter bool) (any, *halt) {
	if e == nil {
		return nil, nil
	}
	if !e.within(s.t, onEnter || s.kind == StepChain) {
		return nil, &halt{refusal: forbidden()}
	}
	if !onEnter {
		s.ran = e
	}
	if !onEnter && s.r.Approved && e.Kind != KindHuman {
		s.witness()
	}
	switch e.Kind {
	case KindNoop:
		s.instant(e)
		return map[string]any{}, nil
	case KindHuman:
		return s.approved(e, onEnter)
	}
	if s.m.used < len(s.m.results) {
		return s.took(e)
	}
	return nil, s.await(e, in, onEnter)
}

// await halts for an executor with an effect, where that can begin.
func (s *stage) await(e *Executor, in *State, onEnter bool) *halt {
	switch {
	case s.kind == StepStart:
		h := halted(ExecutorFailed, "the state "+in.Name+" is where this workflow begins, and its onEnter reaches outside: there is nothing yet that could remember it")
		h.refusal.Class, h.refusal.Hint = ClassPermanent, "the operator must move the executor to a transition"
		return h
	case s.m.by.Out:
		return &halt{refusal: out()}
	}
	s.executorFact(executorStarted, e, nil)
	return &halt{effect: s.effect(e, in, onEnter)}
}

func (s *stage) effect(e *Executor, in *State, onEnter bool) *Effect {
	r := s.r
	r.Version = s.m.next.Version
	return &Effect{Request: r, Executor: e, State: in.Name, OnEnter: onEnter, Results: s.m.results, Env: s.env(in, nil)}
}

// within tells whether an executor may run where it stands: one that callers must not reach stands on a person's own
// transition only. Whoever loads definitions sees to that; here it is made sure of.
func (e *Executor) within(t *Transition, byItself bool) bool {
	return e == nil || !high(e) || t != nil && t.Actor == Human && !byItself
}

// high tells whether callers must not reach an executor: it, or one of those that would run in its place.
func high(e *Executor) bool {
	return e != nil && (!e.Tier.Exposable() || slices.ContainsFunc(e.Reliability.Fallback, high))
}

func forbidden() *Refusal {
	return refuse(ActorMismatch, "an executor of this risk may run in a transition that is a person's only")
}

// instant notes an executor that runs within the engine, unless that was noted when the step was first tried.
func (s *stage) instant(e *Executor) {
	if s.m.used < len(s.m.results) {
		return
	}
	s.executorFact(executorStarted, e, nil)
	s.executorFact("executor.succeeded", e, nil)
}

// took takes the next result.
func (s *stage) took(e *Executor) (any, *halt) {
	r := s.m.results[s.m.used]
	s.m.used++
	last := s.m.used == len(s.m.results)
	if r.Failure != nil {
		s.executorFact("executor.failed", e, map[string]any{"errorClass": clip(r.Failure.Class)})
		h := halted(ExecutorFailed, r.Failure.Message)
		h.refusal.Class = r.Failure.Class
		return nil, h
	}
	if last {
		s.executorFact("executor.succeeded", e, nil)
	}
	return r.Output, s.gather(r.Evidence)
}

// gather adds what an executor found to the step's evidence.
func (s *stage) gather(found []Evidence) *halt {
	for _, e := range found {
		if e.Kind == humanRequest || e.Kind == humanApproval || e.Kind == humanAnswer {
			return halted(ExecutorFailed, "the executor gave evidence of the kind "+e.Kind+", which only a person's answer is")
		}
		if e.Confidence != nil && !(*e.Confidence >= 0 && *e.Confidence <= 1) {
			return halted(InvalidConfidence, "the executor stated a confidence that is not between 0 and 1")
		}
		if e.Client == "" && e.User == "" {
			e.Client, e.User = s.m.by.Client, s.m.by.User
		}
		s.evidence = append(s.evidence, e)
	}
	return nil
}

func (s *stage) executorFact(kind string, e *Executor, more map[string]any) {
	payload := map[string]any{"transition": s.r.Transition, "kind": e.Kind}
	for key, value := range more {
		payload[key] = value
	}
	s.m.fact(kind, payload)
}

// Apply goes on after the executor of an effect ran, with its result. i is the instance as it is now; it does not
// matter for an effect of a start. A failed executor refuses the move with [ExecutorFailed]; in a chain it makes a
// change whose answer carries [ChainFailed], where there is something to change, and a refusal otherwise.
//
// Of an effect that asks, r has the material of what would be run: the move parks on an approval of exactly that.
func (d *Definition) Apply(i *Instance, e *Effect, r Result, c Caller, now time.Time) Decision {
	m := d.move(i, c, now)
	if refusal := m.current(e); refusal != nil {
		return Decision{Refusal: refusal.of(e.Transition)}
	}
	if e.Ask {
		return m.propose(e, r)
	}
	if e.Kind != StepTimeout {
		return m.resume(e, r)
	}
	m.next.Busy = nil
	decision := m.late(e.with(r))
	if c.Client != "" {
		return m.overtook(decision, "")
	}
	return decision
}

// resume makes the step of an effect, with its result.
func (m *move) resume(e *Effect, r Result) Decision {
	m.next.Busy = nil // the attempt ends with the step
	if e.Kind == StepChain {
		m.next.Memo.Hops++
		m.next.Memo.Driven += max(r.Took, 0) // a clock that was set back adds nothing
	}
	return m.run(e.Request, e.with(r))
}

func (e *Effect) with(r Result) []Result { return append(e.Results[:len(e.Results):len(e.Results)], r) }

// current refuses an effect whose instance went on without it.
func (m *move) current(e *Effect) *Refusal {
	if r := m.ended(); r != nil {
		return r
	}
	if m.next.Version != e.Version {
		return refuse(StaleVersion, "the workflow moved on while the executor ran")
	}
	return nil
}
