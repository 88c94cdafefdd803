package praxec

import (
	"context"
	"errors"
	"strings"

	"prax/store"
	"prax/tools"
	"prax/tools/lexicon"
	"prax/tools/workflow"
)

// term is what an answer says of a term beside its own matter.
type term struct {
	Short  string `json:"definition_short,omitzero"`
	Hash   string `json:"hash,omitzero"`
	Lookup *link  `json:"lookup_link,omitzero"`
}

// terms are those that subjects are about; nil when there is none.
func (q *request) terms(ctx context.Context, subjects []string, refs bool) (map[string]term, error) {
	if len(subjects) == 0 {
		return nil, nil
	}
	var embedded map[string]lexicon.Embedded
	err := q.call.View(ctx, func(tx store.Tx) (err error) {
		embedded, err = q.Lexicon.Embed(tx, q.p, subjects, refs)
		return err
	})
	if err != nil || len(embedded) == 0 {
		return nil, err
	}
	all := make(map[string]term, len(embedded))
	for name, e := range embedded {
		t := term{Short: e.Short, Hash: e.Hash}
		if e.Hash != "" {
			l := q.lookupLink(name)
			t.Lookup = &l
		}
		all[name] = t
	}
	return all, nil
}

// looked is the answer to a lookup; Entry is nil when the term means nothing.
type looked struct {
	Term  string         `json:"term"`
	Entry *lexicon.Entry `json:"entry"`
	Links []link         `json:"links"`
}

// lookup finds what a term means, by the term or by one of its aliases.
func (q *request) lookup(ctx context.Context, name string) (any, error) {
	if strings.TrimSpace(name) == "" {
		r := reader{}
		r.wrong("subject", "must name a term after "+lexiconPrefix)
		return refused{Error: r.invalid(), Links: []link{q.lexiconLink(), q.homeLink()}}, nil
	}
	answer := looked{Term: name, Links: []link{q.homeLink(), q.lexiconLink()}}
	err := q.call.View(ctx, func(tx store.Tx) error {
		e, known, err := q.Lexicon.Lookup(tx, q.p, name)
		answer.Term, answer.Entry = name, nil
		if known {
			answer.Term, answer.Entry = e.Term, &e
		}
		return err
	})
	return answer, err
}

func (q *request) lexiconLink() link {
	return q.toQuery("search_lexicon", searching("", kindLexicon))
}

// hits is the answer to a search of the lexicon.
type hits struct {
	Hits  []lexicon.Hit `json:"hits"`
	Links []link        `json:"links"`
}

func (q *request) searchLexicon(ctx context.Context, a *asked) (any, error) {
	answer := hits{Hits: []lexicon.Hit{}, Links: []link{q.homeLink()}}
	var found []lexicon.Entry
	err := q.call.View(ctx, func(tx store.Tx) (err error) {
		found, err = q.Lexicon.Search(tx, q.p, lexicon.Query{
			Text: or(a.query, ""), Context: or(a.context, ""), Limit: a.page(lexicon.DefaultHits, lexicon.MaxHits),
		})
		return err
	})
	for _, e := range found {
		answer.Hits = append(answer.Hits, e.Hit())
	}
	return answer, err
}

// defined is the answer to a definition.
type defined struct {
	Term        string        `json:"term"`
	Entry       lexicon.Entry `json:"entry"`
	PersistedTo string        `json:"persisted_to"`
	Links       []link        `json:"links"`
}

// aliased is the answer to further names of a term.
type aliased struct {
	Term        string   `json:"term"`
	Aliases     []string `json:"aliases"` // those that were asked for
	PersistedTo string   `json:"persisted_to"`
	Links       []link   `json:"links"`
}

// overlay is where what is defined at run time is kept, as praxec names it.
const overlay = "overlay"

// define has the caller's user take a term for something, or gives it further names.
func (q *request) define(ctx context.Context, o *ordered) (any, error) {
	name, is := strings.CutPrefix(*o.subject, lexiconPrefix)
	if !is {
		return q.ambiguousCommand(), nil
	}
	draft, err := lexicon.ParseDraft(name, o.definition)
	if err != nil {
		return nil, err
	}
	c, err := q.change(ctx, func(tx store.Tx) (lexicon.Change, error) { return q.Lexicon.Define(tx, q.p, name, draft, q.now) })
	if err != nil {
		return nil, err
	}
	links := []link{q.lookupLink(c.Term), q.homeLink()}
	if draft.Short == "" {
		return aliased{Term: c.Term, Aliases: c.Aliases, PersistedTo: overlay, Links: links}, nil
	}
	return defined{Term: c.Term, Entry: c.Entry, PersistedTo: overlay, Links: links}, nil
}

// cancelledSubject is the answer to the giving up of a subject.
type cancelledSubject struct {
	Cancelled   string `json:"cancelled"`
	PersistedTo string `json:"persisted_to"`
	Links       []link `json:"links"`
}

func (q *request) cancelSubject(ctx context.Context, o *ordered) (any, error) {
	c, err := q.change(ctx, func(tx store.Tx) (lexicon.Change, error) { return q.Lexicon.CancelPending(tx, q.p, *o.unknown, q.now) })
	if err != nil {
		return nil, err
	}
	return cancelledSubject{Cancelled: c.Term, PersistedTo: "pending_subjects", Links: []link{q.lookupLink(c.Term), q.homeLink()}}, nil
}

// change changes the lexicon, together with what the audit says of it. What is refused does not wait for the writer.
func (q *request) change(ctx context.Context, do func(store.Tx) (lexicon.Change, error)) (c lexicon.Change, err error) {
	err = q.call.View(ctx, func(tx store.Tx) error {
		_, err := do(tx)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrReadOnly) {
		return c, err
	}
	err = q.call.Update(ctx, func(tx store.Tx) (err error) {
		if c, err = do(tx); err != nil || len(c.Facts) == 0 {
			return err
		}
		facts := make([]workflow.Fact, len(c.Facts))
		for n, f := range c.Facts {
			facts[n] = workflow.Fact(f)
		}
		tx.AddEvent(q.event("", "", facts...))
		return nil
	})
	return c, err
}

// lexiconRefused is the answer to what the lexicon refuses.
func (q *request) lexiconRefused(r *lexicon.Refusal) refused {
	answer := q.refuse(string(r.Code), r.Message, r.Hint, q.lookupOf(r.Term), q.homeLink())
	if r.Code == lexicon.InvalidEntry && r.Key != "" {
		answer.Error.Violations = []tools.Violation{{Path: "/definition/" + r.Key, Message: r.Message}}
	}
	return answer
}

// writesOff is the answer where callers may not change the lexicon.
func (q *request) writesOff(name string) refused {
	operator := link{Rel: "operator_path", Method: "cli", Args: args{Command: operatorCommand}}
	return q.refuse(codeWritesOff, "This runtime does not accept lexicon define commands.",
		"Operators add lexicon terms via the `prax lexicon define` CLI subcommand.", operator, q.lookupOf(store.SafeString(name)))
}

// lookupOf is the link that looks a term up, or where that is none, searches.
func (q *request) lookupOf(name string) link {
	if strings.TrimSpace(name) == "" {
		return q.lexiconLink()
	}
	return q.lookupLink(name)
}

const operatorCommand = "prax lexicon define <term> <definition>"
