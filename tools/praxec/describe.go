package praxec

import (
	"context"

	"prax/store"
	"prax/tools/definition"
	"prax/tools/workflow"
)

// described is the answer to a describe of a workflow or a capability; Item is nil when there is none.
type described struct {
	ID        string `json:"id"`
	Item      *item  `json:"item"`
	Links     []link `json:"links"`
	Lifecycle string `json:"lifecycle,omitzero"`
}

// shown is a skill or a script: text for a caller, never run here.
type shown struct {
	Kind      string          `json:"kind"`
	Subject   string          `json:"subject"`
	Verb      string          `json:"verb"`
	Body      string          `json:"body"`
	Lifecycle string          `json:"lifecycle,omitzero"`
	Hash      string          `json:"hash,omitzero"`
	Links     []link          `json:"links"`
	Lexicon   map[string]term `json:"lexicon,omitzero"`
}

// describe answers what is known of a subject. That there is nothing is no error.
func (q *request) describe(ctx context.Context, subject string) (any, error) {
	e := q.entry(subject)
	if e != nil && (e.Kind == definition.Skill || e.Kind == definition.Script) {
		q.noteDescribed(subject, e.Verb, "", "")
		return q.fragment(ctx, e)
	}
	q.noteDescribed(subject, "", "", of(e))
	return q.described(subject, e), nil
}

func (q *request) described(subject string, e *entry) described {
	answer := described{ID: subject, Links: []link{q.homeLink(), q.searchLink()}}
	if e == nil {
		return answer
	}
	answer.Item, answer.Lifecycle = q.item(e), e.Lifecycle
	answer.Item.Lifecycle = ""
	if e.Kind == definition.Workflow {
		answer.Links = append(answer.Links, q.toQuery("read_definition", args{DefinitionID: e.ID}))
	}
	return answer
}

// fragment shows a skill or a script as it is in force.
func (q *request) fragment(ctx context.Context, e *entry) (any, error) {
	terms, err := q.terms(ctx, []string{e.ID}, true)
	if err != nil {
		return nil, err
	}
	return shown{
		Kind: string(e.Kind), Subject: e.ID, Verb: e.Verb, Body: e.Body, Lifecycle: e.Lifecycle, Hash: e.Hash,
		Links: []link{q.homeLink(), q.searchLink()}, Lexicon: terms,
	}, nil
}

// describeWithin shows a skill or a script as an instance has pinned it, and notes that it was shown: guards can demand
// that. Any other subject is described as ever.
func (q *request) describeWithin(ctx context.Context, subject, id string) (any, error) {
	a, err := q.Runner.Get(ctx, q.work(), id)
	if err != nil {
		return nil, err
	}
	g := a.Definition.Library[subject]
	if g == nil {
		q.noteDescribed(subject, "", id, a.Stored.DefinitionID)
		answer := q.described(subject, q.itemWithin(subject))
		answer.Links = append(answer.Links, q.getLink(id))
		return answer, nil
	}
	if err := q.Runner.Acknowledge(ctx, q.work(), id, subject, g.Hash); err != nil {
		return nil, err
	}
	q.noteDescribed(subject, g.Verb, id, a.Stored.DefinitionID)
	terms, err := q.terms(ctx, []string{subject}, true)
	if err != nil {
		return nil, err
	}
	return shown{
		Kind: kindOf(g), Subject: subject, Verb: g.Verb, Body: g.Body, Lifecycle: g.Lifecycle, Hash: g.Hash,
		Links: []link{q.homeLink(), q.getLink(id)}, Lexicon: terms,
	}, nil
}

// itemWithin is a workflow or a capability that is asked for within an instance.
func (q *request) itemWithin(subject string) *entry {
	e := q.entry(subject)
	if e == nil || e.definition == "" {
		return nil
	}
	return e
}

func kindOf(g *workflow.Guidance) string {
	if g.Script {
		return string(definition.Script)
	}
	return string(definition.Skill)
}

// of is the definition that an entry comes with; "" for none.
func of(e *entry) string {
	if e == nil {
		return ""
	}
	return e.definition
}

// noteDescribed tells the audit that a subject was described, within an instance or not.
func (q *request) noteDescribed(subject, verb, id, definition string) {
	payload := map[string]any{"subject": store.SafeString(subject), "verb": nil, "workflowId": nil, "outcome": "ok", "errorCode": nil}
	if verb != "" {
		payload["verb"] = verb
	}
	if id != "" {
		payload["workflowId"] = id
	}
	q.Store.Record(q.event(id, definition, workflow.Fact{Type: "guidance.describe_requested", Payload: payload}))
}

// guidanceItem is one of a list of skills or scripts, which never has bodies.
type guidanceItem struct {
	Verb    string `json:"verb"`
	Subject string `json:"subject"`
	Title   string `json:"title"`
	Source  string `json:"source"`
}

type guidanceList struct {
	Items []guidanceItem `json:"items"`
	Links []link         `json:"links"`
}

// usualGuidance is how many skills or scripts a list has that says no limit.
const usualGuidance = 50

// listGuidance lists the skills, or the scripts: best matches first where there are words to search for.
func (q *request) listGuidance(a *asked) (any, error) {
	kind := string(definition.Skill)
	if *a.kind == kindScript {
		kind = string(definition.Script)
	}
	answer := guidanceList{Items: []guidanceItem{}, Links: []link{q.homeLink(), q.searchLink()}}
	for _, r := range q.ranked(or(a.query, ""), kind, a.page(usualGuidance, maxHits)) {
		answer.Items = append(answer.Items, guidanceItem{Verb: r.Verb, Subject: r.ID, Title: r.Title, Source: r.Source})
	}
	return answer, nil
}
