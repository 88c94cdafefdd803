package main

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// reply is what one of the two tools of workflows answered, as far as the commands look at it.
type reply struct {
	raw jsontext.Value

	Workflow struct {
		ID           string `json:"id"`
		DefinitionID string `json:"definitionId"`
		Definition   int64  `json:"definitionVersion"`
		State        string `json:"state"`
		Version      int64  `json:"version"`
	} `json:"workflow"`
	WorkflowID string         `json:"workflowId"` // of a cancellation
	Status     string         `json:"status"`
	Reason     string         `json:"reason"`
	Result     replyResult    `json:"result"`
	Context    jsontext.Value `json:"context"`
	Summary    string         `json:"summary"`
	Guidance   replyGuidance  `json:"guidance"`
	Links      []replyLink    `json:"links"`
	Pending    *waiting       `json:"pending_human"`
	Attempt    *replyAttempt  `json:"attempt"`
	Error      *replyError    `json:"error"`
	Waiting    []waiting      `json:"pending"` // of the list of all that waits
	Truncated  bool           `json:"truncated"`
}

type replyResult struct {
	Status string `json:"status"`
	Reason string `json:"reason"`
}

type replyGuidance struct {
	Goal         string `json:"goal"`
	Instructions string `json:"instructions"`
}

type replyError struct {
	Code    string `json:"code"` // "": it says why the workflow was cancelled
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// replyAttempt is what the workflow waits for.
type replyAttempt struct {
	ID         string `json:"id"`
	Transition string `json:"transition"`
	Kind       string `json:"kind"`
	Status     string `json:"status"`
	Since      string `json:"since"`
	Tries      int    `json:"tries"`
}

type replyBlocked struct {
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

type replyLink struct {
	Rel     string         `json:"rel"`
	Method  string         `json:"method"`
	Title   string         `json:"title"`
	Actor   string         `json:"actor"`
	Args    jsontext.Value `json:"args"`
	Schema  jsontext.Value `json:"inputSchema"`
	Blocked *replyBlocked  `json:"blocked"`
}

// linkArgs are those arguments of a link that the commands look at.
type linkArgs struct {
	Transition string         `json:"transition"`
	Version    int64          `json:"expectedVersion"`
	Arguments  jsontext.Value `json:"arguments"`
	Intent     string         `json:"intent"`
}

// waiting is something that waits for a person.
type waiting struct {
	Workflow   string      `json:"workflow_id"`
	Definition string      `json:"definition_id"`
	State      string      `json:"state"`
	Transition string      `json:"transition"`
	Prompt     string      `json:"prompt"`
	Since      string      `json:"since"`
	Approval   *waitingFor `json:"approval"`
	Also       []waiting   `json:"also"`
}

// waitingFor is an open approval.
type waitingFor struct {
	ID      string `json:"id"`
	AskedBy string `json:"asked_by"`
	Expires string `json:"expires"`
}

func readReply(raw jsontext.Value) (*reply, error) {
	r := &reply{raw: raw}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return r, nil
}

// compact is v as JSON on one line. What is wrong with an argument of the command line that it holds, as names that are
// repeated, is for the server to say.
func compact(v any) (jsontext.Value, error) {
	text, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return text, nil
}

// moves are the links that take a transition.
func (r *reply) moves() (moves []replyLink) {
	for _, l := range r.Links {
		if a := l.read(); a.Transition != "" && a.Intent == "" {
			moves = append(moves, l)
		}
	}
	return moves
}

// move is the link that takes this transition.
func (r *reply) move(transition string) (replyLink, bool) {
	moves := r.moves()
	i := slices.IndexFunc(moves, func(l replyLink) bool { return l.read().Transition == transition })
	if i < 0 {
		return replyLink{}, false
	}
	return moves[i], true
}

func (l replyLink) read() (a linkArgs) {
	_ = json.Unmarshal(l.Args, &a) // a link of another kind has none of these
	return a
}

// required are the arguments that a link cannot do without and does not bring.
func (l replyLink) required() (names []string) {
	var schema struct {
		Required []string `json:"required"`
	}
	var brought map[string]jsontext.Value
	_ = json.Unmarshal(l.Schema, &schema) // what is no such schema requires nothing by name
	_ = json.Unmarshal(l.read().Arguments, &brought)
	for _, name := range schema.Required {
		if _, has := brought[name]; !has {
			names = append(names, name)
		}
	}
	return names
}

// with is the arguments of the link, with these in place of what it brings; nil: as they are.
func (l replyLink) with(arguments jsontext.Value, summary string) (jsontext.Value, error) {
	var args map[string]jsontext.Value
	if err := json.Unmarshal(l.Args, &args); err != nil {
		return nil, fmt.Errorf("read the link %s: %w", l.Rel, err)
	}
	if arguments != nil {
		args["arguments"] = arguments
	}
	if summary != "" {
		text, err := compact(summary)
		if err != nil {
			return nil, err
		}
		args["summary"] = text
	}
	return compact(args)
}

// gates are all that waits for a person in the workflow's state.
func (r *reply) gates() []waiting {
	if r.Pending == nil {
		return nil
	}
	return append([]waiting{*r.Pending}, r.Pending.Also...)
}

// open is a gate with an open approval: it is answered by the approval, never by the way.
func (r *reply) open() *waiting {
	for _, g := range r.gates() {
		if g.Approval != nil {
			return &g
		}
	}
	return nil
}
