package lexicon

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Governance says who may change a term.
type Governance string

// The governances. An entry that has none is human-only.
const (
	HumanOnly       Governance = "human-only"
	AgentMayPropose Governance = "agent-may-propose"
)

// PendingDefinition is the State of a subject that has no meaning yet.
const PendingDefinition = "PENDING_DEFINITION"

// Entry is what the lexicon says of a term. Its JSON is what callers see, without the term, and what is stored;
// members that say nothing are absent. It is shared: nobody changes one.
type Entry struct {
	Term       string                    `json:"-"`
	Short      string                    `json:"definition_short,omitzero"`
	Long       string                    `json:"definition_long,omitzero"`
	Context    string                    `json:"bounded_context,omitzero"` // where the term means this; "": anywhere
	Refs       []string                  `json:"refs,omitempty"`
	Aliases    []string                  `json:"aliases,omitempty"` // other names of the term
	Governance Governance                `json:"governance,omitzero"`
	State      string                    `json:"state,omitzero"`
	Extra      map[string]jsontext.Value `json:",embed"` // whatever else was written down
}

// Hit is an entry with its term, as a search answers it.
type Hit struct {
	Term string `json:"term"`
	Entry
}

// NewEntry reads an entry of this term from its JSON.
func NewEntry(term string, text jsontext.Value) (Entry, error) {
	e := Entry{}
	if err := json.Unmarshal(text, &e); err != nil {
		return Entry{}, fmt.Errorf("read the lexicon's entry of %s: %w", quoted(term), err)
	}
	e.Term = term
	delete(e.Extra, "term") // it would stand twice in a hit
	return e, nil
}

// JSON is the entry in canonical order.
func (e Entry) JSON() (jsontext.Value, error) {
	text, err := json.Marshal(e, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("write the lexicon's entry of %s: %w", quoted(e.Term), err)
	}
	return text, nil
}

// Hit is the entry with its term.
func (e Entry) Hit() Hit { return Hit{e.Term, e} }

// Proposable tells whether an agent may change the entry.
func (e Entry) Proposable() bool { return e.Governance == AgentMayPropose }

// resolved tells whether the entry means something.
func (e Entry) resolved() bool { return e.State != PendingDefinition }

// hasAlias tells whether the entry has this very alias.
func (e Entry) hasAlias(name string) bool { return slices.Contains(e.Aliases, name) }

// called tells whether the entry goes by a name that is folded already.
func (e Entry) called(folded string) bool {
	return fold(e.Term) == folded || slices.ContainsFunc(e.Aliases, func(a string) bool { return fold(a) == folded })
}

// fold makes names equal that differ in case alone.
func fold(name string) string { return strings.ToLower(name) }

// TermOf is the term that a subject is about: what comes after its first dot, or all of it.
func TermOf(subject string) string {
	if _, after, found := strings.Cut(subject, "."); found {
		return after
	}
	return subject
}
