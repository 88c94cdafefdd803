package praxec

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/tools/workflow"
)

// read is the answer to the reading of a definition.
type read struct {
	Resource     resource       `json:"resource"`
	Result       outcome        `json:"result"`
	DefinitionID string         `json:"definitionId"`
	Definition   jsontext.Value `json:"definition"`
	Hash         string         `json:"hash"`
	Links        []link         `json:"links"`
}

func (q *request) readDefinition(id string) (any, error) {
	d := q.definition(id)
	if d == nil {
		return q.unknownDefinition(id), nil
	}
	text, err := q.text(d)
	if err != nil {
		return nil, err
	}
	start := q.startLink(id)
	start.InputSchema = inputSchema(d.Input)
	return read{
		Resource: resource{Type: "definition", ID: id}, Result: outcome{Status: "ok"},
		DefinitionID: id, Definition: text, Hash: "sha256:" + d.Hash, Links: []link{q.homeLink(), start},
	}, nil
}

// inputSchema is a schema as it was written; any object where there is none.
func inputSchema(s *workflow.Schema) jsontext.Value {
	if s == nil {
		return jsontext.Value(`{"type":"object"}`)
	}
	return s.Raw()
}

// The parts of a definition that callers may read: nothing of executors, guards, templates and what they refer to.
type (
	readableDefinition struct {
		ID           string         `json:"id"`
		Version      int64          `json:"version,omitzero"`
		Title        string         `json:"title,omitzero"`
		Description  string         `json:"description,omitzero"`
		Tags         []string       `json:"tags,omitempty"`
		Aliases      []string       `json:"aliases,omitempty"`
		InputSchema  jsontext.Value `json:"inputSchema,omitzero"`
		InitialState string         `json:"initialState"`
		States       object         `json:"states"`
	}

	readableState struct {
		Description string `json:"description,omitzero"`
		Terminal    bool   `json:"terminal,omitzero"`
		Outcome     string `json:"outcome,omitzero"`
		Transitions object `json:"transitions,omitzero"`
	}

	readableTransition struct {
		Title       string         `json:"title,omitzero"`
		Description string         `json:"description,omitzero"`
		Actor       string         `json:"actor"`
		Target      string         `json:"target"`
		Branches    []string       `json:"branches,omitempty"` // where else it can lead
		InputSchema jsontext.Value `json:"inputSchema"`
	}
)

// text is a definition as this caller may read it.
func (q *request) text(d *known) (jsontext.Value, error) {
	if !d.Discreet {
		return d.text()
	}
	caller := q.caller()
	return readable(d.Definition, &caller)
}

// caller is who asks, as the engine judges it.
func (q *request) caller() workflow.Caller {
	return workflow.Caller{Client: q.p.Client, User: q.p.User, Roles: q.p.Roles, Permissions: q.p.Permissions}
}

// readable is a definition as a caller may read it; nil: whoever may read all of it.
func readable(d *workflow.Definition, c *workflow.Caller) (jsontext.Value, error) {
	r := readableDefinition{
		ID: d.ID, Version: d.Version, Title: d.Title, Description: d.Description, Tags: d.Tags, Aliases: d.Aliases,
		InitialState: d.Initial, States: object{},
	}
	if d.Input != nil {
		r.InputSchema = d.Input.Raw()
	}
	for _, s := range d.States {
		state := readableState{Description: s.Description, Terminal: s.Terminal, Outcome: s.Outcome}
		for _, t := range d.Offered(s) {
			if c != nil && !d.Reveals(*c, t) {
				continue
			}
			state.Transitions = append(state.Transitions, member{t.Name, readableOf(t)})
		}
		r.States = append(r.States, member{s.Name, state})
	}
	text, err := encode(r)
	if err != nil {
		return nil, fmt.Errorf("definition %s: %w", d.ID, err)
	}
	return text, nil
}

func readableOf(t *workflow.Transition) readableTransition {
	r := readableTransition{
		Title: t.Title, Description: t.Description, Actor: string(t.Actor), Target: t.Target, InputSchema: inputSchema(t.Input),
	}
	for _, b := range t.Branches {
		r.Branches = append(r.Branches, b.Target)
	}
	return r
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSONTo writes the members in order.
func (o object) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range o {
		if err := e.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(e, m.value); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}
