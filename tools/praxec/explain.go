package praxec

import (
	"context"
)

// explained is the answer to the question for one transition of a workflow.
type explained struct {
	WorkflowID    string          `json:"workflowId"`
	CurrentState  string          `json:"currentState"`
	Transition    string          `json:"transition"`
	Allowed       bool            `json:"allowedFromCurrentState"` // the state has it
	Actor         string          `json:"actor"`
	Deterministic bool            `json:"deterministic"`
	Legal         []string        `json:"legalTransitionsNow"`
	Why           []why           `json:"why,omitempty"`
	Blocked       *blocked        `json:"blocked,omitzero"` // why this caller could not take it now
	Lexicon       map[string]term `json:"lexicon,omitzero"`
	Links         []link          `json:"links"`
}

// why is what became of one guard.
type why struct {
	Guard     string         `json:"guard"`
	Passed    bool           `json:"passed"`
	Arguments bool           `json:"dependsOnArguments,omitzero"` // it was judged without any
	Value     map[string]any `json:"value,omitempty"`             // of the paths that it reads and the caller is shown
}

// maxLegal bounds how many names of transitions are listed.
const maxLegal = 2100

// explain says whether a transition can be taken from where the workflow is, what speaks against it, and what else
// there is. It shows nothing of guards but their kinds and the values that a get shows too.
func (q *request) explain(ctx context.Context, id, transition string) (any, error) {
	a, err := q.Runner.Get(ctx, q.work(), id)
	if err != nil {
		return nil, err
	}
	e := a.Definition.Explain(a.Instance, a.Caller, transition)
	answer := explained{
		WorkflowID: a.Stored.ID, CurrentState: a.Stored.State, Transition: transition, Allowed: e.Allowed, Actor: string(e.Actor),
		Deterministic: e.Deterministic, Legal: append([]string{}, e.Legal[:min(len(e.Legal), maxLegal)]...), Blocked: blockedBy(e.Blocked),
		Links: []link{},
	}
	for _, w := range e.Why {
		answer.Why = append(answer.Why, why{Guard: string(w.Guard), Passed: w.Passed, Arguments: w.Arguments, Value: w.Value})
	}
	if s := a.Definition.State(a.Instance.State); s != nil {
		if answer.Lexicon, err = q.terms(ctx, s.Skills, false); err != nil {
			return nil, err
		}
	}
	for _, l := range a.Definition.Links(a.Instance, a.Caller) {
		if l.Transition.Name == transition {
			answer.Links = append(answer.Links, q.move(a, l))
		}
	}
	answer.Links = append(answer.Links, q.getLink(id), q.homeLink())
	return answer, nil
}
