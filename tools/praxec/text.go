package praxec

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// text is JSON in the making, byte for byte as [json.Marshal] would have it. Most answers are a workflow with its links:
// to write those by reflection took longer than to find out what they say. What is rare in them is left to the library.
type text struct {
	json []byte
	err  error // the first
}

// encode is a workflow as JSON.
func (i *instance) encode() (jsontext.Value, error) {
	t := &text{json: make([]byte, 0, i.size())}
	t.instance(i)
	return t.json, t.err
}

// size is about how long the JSON of a workflow is.
func (i *instance) size() int {
	const around = 512
	size := around + len(i.Context) + len(i.Input)
	for _, l := range i.Links {
		size += linkSize(l)
	}
	return size
}

func (t *text) instance(i *instance) {
	t.open('{')
	t.named(i.Workflow)
	t.outcome(i.Result)
	t.raw("context", i.Context)
	if i.Input != nil {
		t.raw("input", i.Input)
	}
	t.links(i.Links)
	if len(i.Evidence) == 0 {
		t.raw("evidence", emptyList)
	} else {
		t.any("evidence", i.Evidence)
	}
	t.anyIf(len(i.Chain) > 0, "chain", i.Chain)
	t.guidance(i.Guidance)
	t.stringIf("summary", i.Summary)
	t.stringIf("delegate", i.Delegate)
	t.anyIf(len(i.Outcomes) > 0, "outcomes", i.Outcomes)
	t.anyIf(i.Pending != nil, "pending_human", i.Pending)
	t.anyIf(i.Attempt != nil, "attempt", i.Attempt)
	t.anyIf(i.Error != nil, "error", i.Error)
	t.anyIf(i.Lexicon != nil, "lexicon", i.Lexicon)
	t.numberIf("linksOmitted", int64(i.More))
	t.trueIf(i.Without, "contextOmitted")
	t.close('}')
}

func (t *text) named(n named) {
	t.name("workflow")
	t.open('{')
	t.string("id", n.ID)
	t.string("definitionId", n.DefinitionID)
	t.number("definitionVersion", n.DefinitionVersion)
	t.string("state", n.State)
	t.number("version", n.Version)
	t.close('}')
}

func (t *text) outcome(o outcome) {
	t.name("result")
	t.open('{')
	t.string("status", o.Status)
	t.stringIf("reason", o.Reason)
	t.stringIf("message", o.Message)
	t.close('}')
}

func (t *text) guidance(g *guidance) {
	if g == nil {
		return
	}
	t.name("guidance")
	t.open('{')
	t.stringIf("goal", g.Goal)
	t.stringIf("instructions", g.Instructions)
	t.anyIf(len(g.Refs) > 0, "refs", g.Refs)
	t.close('}')
}

func (t *text) links(all []link) {
	t.name("links")
	t.open('[')
	for n, l := range all {
		if n > 0 {
			t.json = append(t.json, ',')
		}
		t.link(l)
	}
	t.close(']')
}

func (t *text) link(l link) {
	t.open('{')
	t.string("rel", l.Rel)
	t.stringIf("title", l.Title)
	t.rawIf("description", l.Description)
	t.string("method", l.Method)
	t.stringIf("actor", l.Actor)
	t.name("args")
	t.args(l.Args)
	t.rawIf("inputSchema", l.InputSchema)
	t.rawIf("input_schema", l.ItemSchema)
	t.guidance(l.Guidance)
	t.stringIf("hint", l.Hint)
	t.anyIf(l.Blocked != nil, "blocked", l.Blocked)
	t.close('}')
}

func (t *text) args(a args) {
	t.open('{')
	t.stringIf("definitionId", a.DefinitionID)
	if a.Query != nil {
		t.string("query", *a.Query)
	}
	t.stringIf("kind", a.Kind)
	t.numberIf("limit", a.Limit)
	t.numberIf("before", a.Before)
	t.stringIf("workflowId", a.WorkflowID)
	if a.ExpectedVersion != nil {
		t.number("expectedVersion", *a.ExpectedVersion)
	}
	t.stringIf("transition", a.Transition)
	t.rawIf("input", a.Input)
	t.rawIf("arguments", a.Arguments)
	t.stringIf("digest", a.Digest)
	t.stringIf("subject", a.Subject)
	t.anyIf(a.Definition != nil, "definition", a.Definition)
	t.stringIf("intent", a.Intent)
	t.stringIf("unknown_subject", a.UnknownSubject)
	t.trueIf(a.Observe, "observe")
	t.stringIf("since", a.Since)
	t.stringIf("command", a.Command)
	t.close('}')
}

func (t *text) open(c byte)  { t.json = append(t.json, c) }
func (t *text) close(c byte) { t.json = append(t.json, c) }

// name begins a member.
func (t *text) name(name string) {
	if t.json[len(t.json)-1] != '{' {
		t.json = append(t.json, ',')
	}
	t.json = append(t.json, '"')
	t.json = append(t.json, name...)
	t.json = append(t.json, '"', ':')
}

func (t *text) string(name, value string) {
	t.name(name)
	var err error
	t.json, err = jsontext.AppendQuote(t.json, value)
	t.fail(err)
}

func (t *text) stringIf(name, value string) {
	if value != "" {
		t.string(name, value)
	}
}

func (t *text) number(name string, value int64) {
	t.name(name)
	t.json = strconv.AppendInt(t.json, value, 10)
}

func (t *text) numberIf(name string, value int64) {
	if value != 0 {
		t.number(name, value)
	}
}

// raw writes JSON as it is: what is stored is canonical, and what is compiled was written by the library.
func (t *text) raw(name string, value jsontext.Value) {
	t.name(name)
	if value == nil {
		value = jsontext.Value("null")
	}
	t.json = append(t.json, value...)
}

func (t *text) rawIf(name string, value jsontext.Value) {
	if value != nil {
		t.raw(name, value)
	}
}

func (t *text) trueIf(is bool, name string) {
	if is {
		t.raw(name, jsontext.Value("true"))
	}
}

func (t *text) any(name string, value any) {
	t.name(name)
	raw, err := json.Marshal(value, json.Deterministic(true))
	t.fail(err)
	t.json = append(t.json, raw...)
}

func (t *text) anyIf(is bool, name string, value any) {
	if is {
		t.any(name, value)
	}
}

func (t *text) fail(err error) {
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("encode the answer: %w", err)
	}
}
