package workflow

import (
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
)

// The kinds of executor that the engine itself knows.
const (
	KindNoop  = "noop"  // does nothing, at once
	KindHuman = "human" // asks a person
)

// EvidenceOfRequest is the kind of the evidence that a person was asked: its URI is the approval.
const EvidenceOfRequest = humanRequest

// AskHuman is the name of the transition by which a caller asks a person for help, where a definition has it in
// every state.
const AskHuman = "ask_human"

// DefaultAsks is how often a person may be asked where the definition does not say.
const DefaultAsks = 5

// DefaultQueue is asked where an executor names no queue.
const DefaultQueue = "default"

var askHumanSchema = sync.OnceValue(func() *Schema {
	s, err := NewSchema(jsontext.Value(`{"type":"object",` +
		`"required":["question","context_summary","attempted_alternatives"],` +
		`"properties":{"question":{"type":"string","minLength":1},"context_summary":{"type":"string"},` +
		`"attempted_alternatives":{"type":["array","string"],"items":{"type":"string"}}},` +
		`"additionalProperties":false}`))
	if err != nil {
		panic(err) // a constant
	}
	return s
})

// askHuman is the transition of a state that has none of this name itself.
func askHuman(s *State) *Transition {
	return &Transition{
		Name:        AskHuman,
		Title:       "Ask a person",
		Description: "Asks a person for help when none of the other transitions is right.",
		Actor:       Agent,
		Target:      s.Name,
		Input:       askHumanSchema(),
		Action:      Action{Executor: &Executor{Kind: KindHuman, Tier: auth.Low, Queue: DefaultQueue}},
		Light:       true,
	}
}

// Offered are the transitions that a state has, in declared order, and the one that asks a person when the definition
// has it everywhere. A terminal state has none.
func (d *Definition) Offered(s *State) []*Transition {
	if s == nil || s.Terminal {
		return nil
	}
	if !d.AskHuman || s.Transition(AskHuman) != nil {
		return s.Transitions
	}
	return append(s.Transitions[:len(s.Transitions):len(s.Transitions)], askHuman(s))
}

// offer finds one of them; nil when there is none.
func (d *Definition) offer(s *State, name string) *Transition {
	if s == nil || s.Terminal {
		return nil
	}
	if t := s.Transition(name); t != nil {
		return t
	}
	if d.AskHuman && name == AskHuman {
		return askHuman(s)
	}
	return nil
}

// helps tells whether a transition is the one that the definition adds to every state. What is asked by it is the
// caller's own choice, so that a yes to it approves nothing.
func (d *Definition) helps(t *Transition) bool { return d.AskHuman && t.Name == AskHuman }

// asks tells whether the transition waits for a person's yes: because it is there to ask, or because callers must not
// reach its executor.
func (t *Transition) asks() bool {
	return t.Executor != nil && (t.Executor.Kind == KindHuman || high(t.Executor))
}

// answerable tells whether there can be an approval of the transition. What the executor of a person's leads to may
// have become more dangerous than the definition says: then it asks, too.
func (t *Transition) answerable() bool { return t.asks() || t.Actor == Human && t.Executor.Effect() }

// spent says why a transition cannot be taken any more in this visit; nil: it can.
func (d *Definition) spent(i *Instance, t *Transition) *Refusal {
	if t.MaxFires > 0 && i.Memo.Fires[t.Name] >= t.MaxFires {
		return refuse(FireCapExceeded, counted("the transition "+t.Name+" was taken", i.Memo.Fires[t.Name], t.MaxFires)+" in this visit of the state")
	}
	if most := d.maxAsks(); d.helps(t) && i.Memo.Asked >= most {
		return refuse(FireCapExceeded, counted("a person was asked", i.Memo.Asked, most)+" in this workflow")
	}
	return nil
}

func (d *Definition) maxAsks() int {
	if d.MaxAskHuman > 0 {
		return d.MaxAskHuman
	}
	return DefaultAsks
}

// fired counts that a transition was taken. The maps are never changed, but replaced.
func (m Memo) fired(d *Definition, t *Transition) Memo {
	if t.MaxFires > 0 {
		m.Fires = increased(m.Fires, t.Name)
	}
	if d.helps(t) {
		m.Asked++
	}
	return m
}

// Asking is the decision to run an effect turned into one that asks a person first: what was approved is not what would
// be run any more, or it has become more dangerous than its definition says. approval is the id that the request gets.
// What would be run is to be resolved again, with the Env of the new effect: the approved run has another version.
func (d Decision) Asking(approval string) Decision {
	e := *d.Effect
	if !e.Ask {
		e.Env.Version++
	}
	e.Ask, e.Approved, e.Approval = true, false, approval
	d.Effect, d.Trail = &e, slices.DeleteFunc(slices.Clone(d.Trail), func(f Fact) bool { return f.Type == executorStarted })
	return d
}

// executorStarted is the fact that an executor is about to run.
const executorStarted = "executor.started"
