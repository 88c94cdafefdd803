package lexicon

import (
	"strconv"

	"prax/store"
)

// Code is the stable name of a refusal.
type Code string

// The codes.
const (
	DefineRequiresHuman Code = "LEXICON_DEFINE_REQUIRES_HUMAN" // only a person may define the term
	InvalidEntry        Code = "INVALID_LEXICON_ENTRY"         // the entry lacks something, or has what it may not have
	AliasCollision      Code = "LEXICON_ALIAS_COLLISION"       // the name means another term already
	EntryNotFound       Code = "LEXICON_ENTRY_NOT_FOUND"       // the lexicon has no such term
	InvalidResolution   Code = "INVALID_RESOLUTION"            // the subject waits for no definition
)

// Refusal is why nothing was changed, for the caller. It has no text of a caller that is longer than 128 bytes.
type Refusal struct {
	Code       Code
	Message    string
	Hint       string
	Term       string     // the term or subject that it is about
	Key        string     // the name that is taken, or the member that is wrong
	Context    string     // the bounded context of the name that is taken
	Governance Governance // of the term, where that is why
}

// Error is the message with its code.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Message }

// Is tells whether another refusal has this code: for errors.Is.
func (r *Refusal) Is(target error) bool {
	other, ok := target.(*Refusal)
	return ok && other.Code == r.Code
}

// quoted is a caller's text in a message.
func quoted(text string) string { return strconv.Quote(store.SafeString(text)) }

func invalid(term, member, message string) *Refusal {
	return &Refusal{
		Code: InvalidEntry, Term: store.SafeString(term), Key: member, Message: message,
		Hint: "give definition_short, and optionally boundedContext, refs and governance; or aliases_add alone",
	}
}

func unknownTerm(term string) *Refusal {
	return &Refusal{
		Code: EntryNotFound, Term: store.SafeString(term), Message: "the lexicon has no term " + quoted(term),
		Hint: "define the term first, with a definition_short",
	}
}

func taken(term, name, by, context string) *Refusal {
	where := ""
	if context != "" {
		where = " in the bounded context " + quoted(context)
	}
	return &Refusal{
		Code: AliasCollision, Term: store.SafeString(term), Key: store.SafeString(name), Context: store.SafeString(context),
		Message: quoted(name) + " is a name of the term " + quoted(by) + " already" + where,
		Hint:    "look up what that term means: use it, or choose another name",
	}
}

func needsPerson(term string, g Governance) *Refusal {
	return &Refusal{
		Code: DefineRequiresHuman, Term: store.SafeString(term), Governance: g,
		Message: "the term " + quoted(term) + " is " + string(g) + ": only a person may define it",
		Hint:    "ask a person, who may define it with a client of its own, or the operator, who may with prax lexicon define",
	}
}

func notPending(subject string) *Refusal {
	return &Refusal{
		Code: InvalidResolution, Term: store.SafeString(subject), Message: "the subject " + quoted(subject) + " waits for no definition",
		Hint: "it was defined or given up already, or it never was asked for: send the original command again",
	}
}

func operatorOnly(term string) *Refusal {
	return &Refusal{
		Code: DefineRequiresHuman, Term: store.SafeString(term), Governance: HumanOnly,
		Message: "only the operator may change what the lexicon says to everybody", Hint: "ask the operator, who has prax lexicon accept",
	}
}
