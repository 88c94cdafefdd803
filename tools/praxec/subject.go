package praxec

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools/lexicon"
	"prax/tools/workflow"
)

// interrupted is the answer to a command that waits for a subject to be given a meaning.
type interrupted struct {
	Interaction interaction `json:"interaction"`
	Queued      queued      `json:"queued_command"`
	Links       []link      `json:"links"`
}

type interaction struct {
	Kind       string              `json:"kind"`
	Subject    string              `json:"unknown_subject"`
	Context    encountered         `json:"context"`
	Candidates []lexicon.Candidate `json:"candidates"`
}

type encountered struct {
	In      string `json:"encountered_in"`
	Bounded string `json:"bounded_context,omitzero"`
}

// queued is the command as it came, to be sent again.
type queued struct {
	Method string         `json:"method"`
	Args   jsontext.Value `json:"args"`
}

// needsSubject answers a start whose definition refers to a subject that means nothing to the caller yet; nil when
// there is none.
func (q *request) needsSubject(ctx context.Context, d *workflow.Definition) (any, error) {
	if len(d.Pending) == 0 {
		return nil, nil
	}
	var unknown doubt
	err := q.call.View(ctx, func(tx store.Tx) (err error) {
		unknown, err = q.doubt(tx, d)
		return err
	})
	if err != nil || unknown.subject == "" {
		return nil, err
	}
	return q.interrupted(d, unknown), nil
}

// doubt is a subject without a meaning, what it could be, and why the caller could not settle it.
type doubt struct {
	subject    string
	context    string
	candidates []lexicon.Candidate
	alias      error // why the best candidate can be given no alias
	define     error // why the subject cannot be defined
}

func (q *request) doubt(tx store.Tx, d *workflow.Definition) (u doubt, err error) {
	subject, found, err := q.Lexicon.Pending(tx, q.p, d.Pending)
	if err != nil || !found {
		return doubt{}, err
	}
	u.subject = subject
	if u.candidates, err = q.Lexicon.Candidates(tx, q.p, subject, ""); err != nil {
		return doubt{}, err
	}
	u.define = q.Lexicon.May(tx, q.p, subject)
	if len(u.candidates) > 0 {
		best := u.candidates[0].Term
		u.alias = q.Lexicon.May(tx, q.p, best)
		e, _, err := q.Lexicon.Lookup(tx, q.p, best)
		if err != nil {
			return doubt{}, err
		}
		u.context = e.Context
	}
	return u, nil
}

func (q *request) interrupted(d *workflow.Definition, u doubt) interrupted {
	answer := interrupted{
		Interaction: interaction{
			Kind: codeNeedsSubject, Subject: u.subject, Candidates: u.candidates,
			Context: encountered{In: "workflow:" + d.ID + " state:" + d.Initial, Bounded: u.context},
		},
		Queued: queued{Method: q.spelled(commandTarget), Args: q.call.Arguments},
	}
	if len(u.candidates) > 0 {
		best := u.candidates[0].Term
		answer.Links = append(answer.Links, q.toCommand("link_as_alias", args{
			Subject: lexiconPrefix + best, Definition: map[string][]string{"aliases_add": {u.subject}},
		}).hinted("Use this if '"+u.subject+"' is a synonym for '"+best+"'.").because(q.lexical(u.alias)))
	}
	draft := map[string]string{"definition_short": "<fill in>"}
	if u.context != "" {
		draft["boundedContext"] = u.context
	}
	answer.Links = append(answer.Links,
		q.toCommand("define_new", args{Subject: lexiconPrefix + u.subject, Definition: draft}).
			hinted("Use this if '"+u.subject+"' is a genuinely new concept.").because(q.lexical(u.define)),
		q.toCommand("cancel", args{Intent: intentCancelSubject, UnknownSubject: u.subject}).
			hinted("Abandon the original command — the subject was a mistake."))
	return answer
}

// lexical is why the caller cannot change the lexicon so; nil: it can.
func (q *request) lexical(err error) *blocked {
	if !q.settings.LexiconWrites {
		return &blocked{Code: codeWritesOff, Reason: "This runtime does not accept lexicon define commands."}
	}
	if err == nil {
		return nil
	}
	b := &blocked{Code: string(lexicon.DefineRequiresHuman), Reason: "only a person may define this term"}
	var r *lexicon.Refusal
	if errors.As(err, &r) {
		b.Code, b.Reason = string(r.Code), r.Message
	}
	return b
}
