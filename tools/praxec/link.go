package praxec

import (
	"github.com/go-json-experiment/json/jsontext"
)

// link is a call that can be sent as it stands, as callers see it.
type link struct {
	Rel         string         `json:"rel"`
	Title       string         `json:"title,omitzero"`
	Description jsontext.Value `json:"description,omitzero"` // a string, or null
	Method      string         `json:"method"`
	Actor       string         `json:"actor,omitzero"`
	Args        args           `json:"args"`
	InputSchema jsontext.Value `json:"inputSchema,omitzero"`
	ItemSchema  jsontext.Value `json:"input_schema,omitzero"` // in items it is spelled like this
	Guidance    *guidance      `json:"guidance,omitzero"`
	Hint        string         `json:"hint,omitzero"`
	Blocked     *blocked       `json:"blocked,omitzero"`
}

// args are the arguments of a link: those that are there.
type args struct {
	DefinitionID    string         `json:"definitionId,omitzero"`
	Query           *string        `json:"query,omitzero"`
	Kind            string         `json:"kind,omitzero"`
	Limit           int64          `json:"limit,omitzero"`
	Before          int64          `json:"before,omitzero"`
	WorkflowID      string         `json:"workflowId,omitzero"`
	ExpectedVersion *int64         `json:"expectedVersion,omitzero"`
	Transition      string         `json:"transition,omitzero"`
	Input           jsontext.Value `json:"input,omitzero"`
	Arguments       jsontext.Value `json:"arguments,omitzero"`
	Digest          string         `json:"digest,omitzero"` // of what an answer approves, or rejects
	Subject         string         `json:"subject,omitzero"`
	Definition      any            `json:"definition,omitzero"`
	Intent          string         `json:"intent,omitzero"`
	UnknownSubject  string         `json:"unknown_subject,omitzero"`
	Observe         bool           `json:"observe,omitzero"`
	Since           string         `json:"since,omitzero"`
	Command         string         `json:"command,omitzero"` // of an operator
}

// blocked says why the caller could not follow a link now.
type blocked struct {
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

// What is empty, and always there.
var (
	emptyObject = jsontext.Value(`{}`)
	emptyList   = jsontext.Value(`[]`)
)

// toQuery is a link that reads.
func (v viewer) toQuery(rel string, a args) link {
	return link{Rel: rel, Method: v.spelled(queryTarget), Args: a, Blocked: v.queries}
}

// toCommand is a link that changes.
func (v viewer) toCommand(rel string, a args) link {
	return link{Rel: rel, Method: v.spelled(commandTarget), Args: a, Blocked: v.commands}
}

// searching is the arguments of a search.
func searching(text, kind string) args { return args{Query: &text, Kind: kind} }

func (v viewer) homeLink() link   { return v.toQuery("home", args{}) }
func (v viewer) searchLink() link { return v.toQuery("search", searching("", "")) }

func (v viewer) getLink(workflow string) link { return v.toQuery("get", args{WorkflowID: workflow}) }

func (v viewer) lookupLink(term string) link {
	return v.toQuery("lookup", args{Subject: lexiconPrefix + term})
}

// startLink starts a definition with an empty input, which the caller fills in.
func (v viewer) startLink(definition string) link {
	return v.toCommand("start", args{DefinitionID: definition, Input: emptyObject})
}

// because is a link that its caller cannot follow for this reason; nil: it can, if it may use the tool.
func (l link) because(b *blocked) link {
	if l.Blocked == nil {
		l.Blocked = b
	}
	return l
}

func (l link) titled(title string) link {
	l.Title = title
	return l
}

func (l link) hinted(hint string) link {
	l.Hint = hint
	return l
}
