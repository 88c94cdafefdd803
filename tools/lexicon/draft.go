package lexicon

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of what callers may write down.
const (
	MaxName  = 128     // bytes of a term, an alias, a reference, a bounded context
	MaxShort = 2 << 10 // bytes of a definition
	MaxList  = 32      // aliases or references of one term
	MaxTerms = 1000    // of one user
)

// Draft is what somebody wants a term to mean.
type Draft struct {
	Short      string     // "": only aliases are added
	Context    *string    // nil: as it was
	Refs       []string   // other terms that it refers to
	Governance Governance // "": as it was, or human-only
	Aliases    []string   // further names; those that it has it keeps
}

// ParseDraft reads the definition that a caller sends: definition_short, boundedContext, refs and governance, or
// aliases_add. Other members are not looked at, null is as absent. The error is a [*Refusal].
func ParseDraft(term string, text jsontext.Value) (Draft, error) {
	var members map[string]jsontext.Value
	if text.Kind() != '{' || json.Unmarshal(text, &members) != nil {
		return Draft{}, invalid(term, "definition", "the definition of "+quoted(term)+" is no object")
	}
	context := "boundedContext"
	if members[context] == nil {
		context = "bounded_context" // as an answer spells it
	}
	var d Draft
	for _, m := range []struct {
		name, what string
		into       any
	}{
		{"definition_short", "text", &d.Short},
		{context, "text", &d.Context},
		{"refs", "a list of texts", &d.Refs},
		{"governance", "text", &d.Governance},
		{"aliases_add", "a list of texts", &d.Aliases},
	} {
		if members[m.name] == nil || members[m.name].Kind() == 'n' {
			continue
		}
		if json.Unmarshal(members[m.name], m.into) != nil {
			return Draft{}, invalid(term, m.name, m.name+" must be "+m.what)
		}
	}
	if d.Aliases != nil {
		d = Draft{Short: d.Short, Aliases: d.Aliases}
		if d.Short != "" {
			return Draft{}, invalid(term, "aliases_add", "a definition has either definition_short or aliases_add")
		}
		if len(d.Aliases) == 0 {
			return Draft{}, invalid(term, "aliases_add", "aliases_add must name at least one alias")
		}
	}
	return d, d.check(term)
}

// says tells whether a draft has a definition, or else nothing but aliases.
func (d Draft) says() bool {
	if d.Short == "" {
		return len(d.Aliases) > 0 && d.Context == nil && d.Refs == nil && d.Governance == ""
	}
	return strings.TrimSpace(d.Short) != ""
}

// check keeps a draft within its bounds.
func (d Draft) check(term string) error {
	if !isName(term) {
		return invalid(term, "term", "the term "+quoted(term)+" must be "+nameForm)
	}
	switch {
	case !d.says():
		return invalid(term, "definition_short", "definition_short must say something")
	case len(d.Short) > MaxShort:
		return invalid(term, "definition_short", "definition_short must have at most "+strconv.Itoa(MaxShort)+" bytes")
	case !isText(d.Short):
		return invalid(term, "definition_short", "definition_short must be printable text")
	case d.Context != nil && *d.Context != "" && !isName(*d.Context):
		return invalid(term, "boundedContext", "boundedContext must be "+nameForm)
	case d.Governance != "" && d.Governance != HumanOnly && d.Governance != AgentMayPropose:
		return invalid(term, "governance", "governance must be human-only or agent-may-propose, not "+quoted(string(d.Governance)))
	}
	if err := checkNames(term, "refs", d.Refs); err != nil {
		return err
	}
	return checkNames(term, "aliases_add", d.Aliases)
}

func checkNames(term, member string, names []string) error {
	if len(names) > MaxList {
		return invalid(term, member, member+" must name at most "+strconv.Itoa(MaxList))
	}
	for _, name := range names {
		if !isName(name) {
			return invalid(term, member, quoted(name)+" in "+member+" must be "+nameForm)
		}
	}
	return nil
}

const nameForm = "1 to 128 bytes of printable text, without blanks at its ends"

// isName tells whether a text can be a term or an alias. What cannot be seen, or turns the direction of the text
// around it, cannot.
func isName(text string) bool {
	return text != "" && len(text) <= MaxName && strings.TrimSpace(text) == text && printable(text, unicode.IsPrint)
}

// isText tells whether a text can be a definition: as a name, but in lines.
func isText(text string) bool {
	return printable(text, func(r rune) bool { return unicode.IsPrint(r) || r == '\n' || r == '\t' })
}

func printable(text string, is func(rune) bool) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !is(r) }) < 0
}
