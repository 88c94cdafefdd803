package praxec

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools"
	"prax/tools/runner"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// instance is a workflow as callers see it.
type instance struct {
	Workflow named          `json:"workflow"`
	Result   outcome        `json:"result"`
	Context  jsontext.Value `json:"context"`
	Input    jsontext.Value `json:"input,omitzero"` // when it is read
	Links    []link         `json:"links"`
	Evidence []evidence     `json:"evidence"`
	Chain    []hop          `json:"chain,omitempty"`
	Guidance *guidance      `json:"guidance,omitzero"`
	Summary  string         `json:"summary,omitzero"`
	Delegate string         `json:"delegate,omitzero"`
	Outcomes []statement    `json:"outcomes,omitempty"`
	Pending  *pending       `json:"pending_human,omitzero"`
	Attempt  *attempt       `json:"attempt,omitzero"`
	Error    any            `json:"error,omitzero"`

	Lexicon map[string]term `json:"lexicon,omitzero"`
	self    link            // the one that reads it
	More    int             `json:"linksOmitted,omitzero"`   // links that found no room
	Without bool            `json:"contextOmitted,omitzero"` // in a text: the structured content has it
}

// lean leaves out what is large: of the text, and at last what the links say too.
func (i *instance) lean() []face {
	less, without := *i, *i
	less.Context, less.Input, less.Without = emptyObject, nil, true
	least := &instance{
		Workflow: i.Workflow, Result: i.Result, Context: emptyObject, Links: []link{i.self}, Evidence: []evidence{},
		Error: i.Error, Attempt: i.Attempt, Without: true,
	}
	without.Pending = nil
	return []face{{i, &less}, {i, least}, {&without, least}}
}

type named struct {
	ID                string `json:"id"`
	DefinitionID      string `json:"definitionId"`
	DefinitionVersion int64  `json:"definitionVersion"`
	State             string `json:"state"`
	Version           int64  `json:"version"`
}

func nameOf(i store.Instance) named {
	return named{ID: i.ID, DefinitionID: i.DefinitionID, DefinitionVersion: i.DefinitionVersion, State: i.State, Version: i.Version}
}

type evidence struct {
	Kind       string   `json:"kind"`
	ID         string   `json:"id,omitzero"`
	URI        string   `json:"uri,omitzero"`
	Summary    string   `json:"summary,omitzero"`
	Digest     string   `json:"digest,omitzero"`
	Confidence *float64 `json:"confidence,omitzero"`
}

type hop struct {
	From       string `json:"fromState"`
	Transition string `json:"transition"`
	To         string `json:"toState"`
	Version    int64  `json:"version"`
}

type statement struct {
	ID        string `json:"id"`
	Statement string `json:"statement"`
	Met       bool   `json:"met"`
}

// guidance is what a state says to do.
type guidance struct {
	Goal         string      `json:"goal,omitzero"`
	Instructions string      `json:"instructions,omitzero"`
	Refs         []reference `json:"refs,omitempty"`
}

type reference struct {
	Verb    string `json:"verb"`
	Subject string `json:"subject"`
	Hash    string `json:"hash,omitzero"`
}

// The statuses of a workflow as callers see them. Any terminal state is completed.
const (
	started   = "started"
	waiting   = "waiting_for_action"
	executed  = "executed"
	underWay  = "in_progress" // an effect is under way
	doubtful  = "unknown"     // it may have happened
	completed = "completed"
	rejected  = "rejected"
	failed    = "failed"
	timedOut  = "timed_out"
	cancelled = "cancelled"
)

// maxInput is how large an input can be and be shown again, in bytes.
const maxInput = 256 << 10

// answered is the answer to a get, for whom it was made.
type answered struct {
	to     audience
	result *tools.Result
}

// get answers with a workflow as it is. What the same audience was answered last is the answer again as long as that
// depends on nothing that has changed.
func (q *request) get(ctx context.Context, id string) (any, error) {
	if kept, caller := q.Runner.Recall(ctx, q.work(), id); kept != nil {
		if last := kept.(*answered); last.to == q.audience(caller) {
			return last.result, nil
		}
	}
	a, err := q.Runner.Get(ctx, q.work(), id)
	if err != nil {
		return nil, err
	}
	answer, skills := q.asItIs(a), skillsOf(a)
	if answer.Lexicon, err = q.terms(ctx, skills, false); err != nil {
		return nil, err
	}
	res, err := q.result(answer)
	if err == nil && len(skills) == 0 { // the lexicon is not the workflow's
		q.keep(a, res)
	}
	return res, err
}

// asItIs is a workflow as the caller sees it, with its input where that can be shown.
func (v viewer) asItIs(a *runner.Answer) *instance {
	answer := v.instance(a, waiting)
	answer.Evidence = []evidence{}
	if len(a.Stored.Input) > len(emptyObject) && len(a.Stored.Input) <= maxInput {
		answer.Input = a.Stored.Input
	}
	return answer
}

// skillsOf are the subjects that the state of a workflow is about.
func skillsOf(a *runner.Answer) []string {
	if s := a.Definition.State(a.Instance.State); s != nil {
		return s.Skills
	}
	return nil
}

// keep keeps the result of a get for who asks for the same again.
func (q *request) keep(a *runner.Answer, res *tools.Result) {
	bytes := len(res.Structured)
	for n := range res.Content {
		b := &res.Content[n]
		b.Quoted, _ = jsontext.AppendQuote(make(jsontext.Value, 0, quoted(b.Text)+len(`""`)), b.Text)
		bytes += len(b.Text) + len(b.Quoted)
	}
	q.Runner.Keep(a, &answered{q.audience(a.Caller).own(), res}, bytes)
}

// instance is an answer of the runner as the caller sees it. usual is the status where nothing says another.
func (v viewer) instance(a *runner.Answer, usual string) *instance {
	answer := &instance{
		Workflow: nameOf(a.Stored), Result: result(a, usual), Context: a.Stored.Context,
		Evidence: []evidence{}, Summary: a.Stored.Summary, self: v.getLink(a.Stored.ID),
	}
	answer.Links, answer.More = v.moves(a)
	if a.Change != nil {
		answer.Evidence, answer.Chain = made(a), hops(a.Change)
	}
	if s := a.Definition.State(a.Instance.State); s != nil {
		answer.Delegate, answer.Guidance = s.Delegate, told(a, s)
	}
	for _, o := range a.Definition.OutcomesMet(a.Instance) {
		answer.Outcomes = append(answer.Outcomes, statement(o))
	}
	answer.Pending, answer.Attempt = v.pending(a), attemptOf(a)
	switch {
	case a.Refusal != nil:
		answer.Error = engineRefusal(a.Refusal)
	case a.Stored.Status == store.Cancelled:
		answer.Error = ended{At: stamp(a.Stored.Ended), Reason: a.Stored.Reason}
	}
	return answer
}

// ended says when and why a workflow was cancelled.
type ended struct {
	At     string `json:"cancelled_at"`
	Reason string `json:"cancelled_reason"`
}

func result(a *runner.Answer, usual string) outcome {
	switch {
	case a.Stored.Status == store.Cancelled:
		return outcome{Status: cancelled, Reason: a.Stored.Reason}
	case a.Stored.Status == store.Completed:
		return outcome{Status: completed}
	case a.Expired:
		return outcome{Status: timedOut}
	case waitsFor(a) != "":
		return outcome{Status: waitsFor(a)}
	case a.Refusal != nil && (a.Change != nil || a.Refusal.Code == workflow.ExecutorFailed || a.Refusal.Code == workflow.ChainFailed):
		return outcome{Status: failed}
	case a.Refusal != nil:
		return outcome{Status: rejected}
	case a.Change != nil && a.Change.Ask != nil:
		return outcome{Status: waiting}
	}
	return outcome{Status: usual}
}

// made is the evidence that a change has made.
func made(a *runner.Answer) []evidence {
	fresh := make([]evidence, 0, len(a.Change.Evidence))
	for _, e := range a.Change.Evidence {
		fresh = append(fresh, evidence{Kind: e.Kind, ID: e.ID, URI: e.URI, Summary: e.Summary, Digest: e.Digest, Confidence: e.Confidence})
	}
	return fresh
}

// hops are the steps that the server took by itself.
func hops(c *workflow.Change) (chain []hop) {
	for _, s := range c.Steps {
		if s.Kind == workflow.StepChain {
			chain = append(chain, hop{From: s.From, Transition: s.Transition, To: s.To, Version: s.Seq})
		}
	}
	return chain
}

// told is the goal and the guidance of a state, and what there is to read.
func told(a *runner.Answer, s *workflow.State) *guidance {
	i := a.Instance
	env := expr.Env{Context: i.Context, Input: i.Input, ID: i.ID, State: i.State, Version: i.Version}
	g := guidance{Refs: references(a.Definition, a.Definition.Skills, s.Skills)}
	if !s.Goal.IsZero() {
		g.Goal = s.Goal.Render(env)
	}
	if !s.Guidance.IsZero() {
		g.Instructions = s.Guidance.Render(env)
	}
	if g.Goal == "" && g.Instructions == "" && g.Refs == nil {
		return nil
	}
	return &g
}

// references are subjects that can be described within the workflow, each once.
func references(d *workflow.Definition, lists ...[]string) (refs []reference) {
	seen := map[string]bool{}
	for _, list := range lists {
		for _, subject := range list {
			g := d.Library[subject]
			if g == nil || seen[subject] {
				continue
			}
			seen[subject] = true
			refs = append(refs, reference{Verb: g.Verb, Subject: subject, Hash: g.Hash})
		}
	}
	return refs
}
