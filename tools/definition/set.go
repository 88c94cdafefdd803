package definition

import (
	"github.com/go-json-experiment/json/jsontext"

	"prax/tools"
	"prax/tools/lexicon"
	"prax/tools/workflow"
)

// Set is what a configuration defines. It is immutable.
type Set struct {
	Tools       []*tools.Tool // capabilities with `expose: tool` that have no effect, in the order of the files
	Connections map[string]*workflow.Connection
	Definitions []*workflow.Definition // in the order of the files; then [ProxyID], when something is exposed
	Items       []Item                 // what can be found: workflows, capabilities, skills, scripts, each by id
	Lexicon     []Term                 // by term
	Settings    Settings

	// Capabilities with `expose: tool` and an effect, in the order of the files: whoever runs them makes them tools.
	Capabilities []*workflow.Capability

	Digest string   // hex SHA-256: of the one file, or of the digests of all of them in the order of reading
	Files  []string // every file that was read, in that order

	forms map[string]*stored // where the definitions came from, by id
}

// ProxyID is the id of the definition that is made of `proxy.expose`: one state, a transition for each exposure.
// The member `capability` of its input, a string, leaves the one transition of that name.
const ProxyID = "proxy_default"

// Definition finds one by id; nil when there is none.
func (s *Set) Definition(id string) *workflow.Definition {
	for _, d := range s.Definitions {
		if d.ID == id {
			return d
		}
	}
	return nil
}

// Place is where something stands.
type Place struct {
	File         string
	Line, Column int    // from 1; 0 where it has none
	Path         string // JSON Pointer into the configuration
}

// Place finds where what a JSON Pointer into a definition leads to was written, or the nearest thing above it. Of what
// came from elsewhere, as the executor of a capability, it is that place. The zero Place says that there is no such
// definition.
func (s *Set) Place(id, pointer string) Place {
	f := s.forms[id]
	if f == nil {
		return Place{}
	}
	at := f.root.at(pointer)
	p := Place{File: f.file, Line: at.line, Column: at.column, Path: f.full(pointer)}
	if at.file != nil {
		p.File = *at.file
	}
	return p
}

// Item is one thing that callers can find. Members that say nothing are empty.
type Item struct {
	ID          string
	Kind        ItemKind
	Title       string // the id where nobody gave one
	Description string
	Tags        []string
	Examples    []jsontext.Value
	Aliases     []string
	Text        string         // further words that it can be found by
	InputSchema jsontext.Value // of starting the workflow, or of the capability's transition; nil: any object

	// Of a skill or a script.
	Verb      string
	Lifecycle string // of a workflow too
	Body      string
	Hash      string // sha256:<hex>
	Source    string
}

// ItemKind is what an item is, as callers see it.
type ItemKind string

// The kinds.
const (
	Workflow   ItemKind = "workflow"
	Capability ItemKind = "capability" // one that [ProxyID] offers
	Skill      ItemKind = "guidance"
	Script     ItemKind = "script"
)

// Term is an entry of the lexicon that the operator wrote down.
type Term struct {
	Term       string
	Short      string // one sentence
	Long       string
	Aliases    []string
	Context    string // the bounded context; "": none
	Refs       []string
	Governance lexicon.Governance // human-only where nothing is said
	Entry      jsontext.Value     // all of it but the term, as it was written
}

// Settings are what the configuration says about the two tools themselves.
type Settings struct {
	LexiconWrites bool // the lexicon may be changed by callers
	SkillsSearch  bool // skills can be listed
	ScriptsSearch bool
	Strict        bool // what check warns about is an error
}
