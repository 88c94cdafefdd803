package control

import (
	"context"
	"errors"
	"time"

	"prax/store"
	"prax/tools"
	"prax/tools/lexicon"
	"prax/tools/runner"
)

// Draft is what the operator wants a term to mean, for everybody.
type Draft struct {
	Term       string             `json:"term"`
	Short      string             `json:"definition_short,omitzero"` // "": the aliases are added to what it means
	Context    *string            `json:"bounded_context,omitzero"`  // nil: as it was
	Refs       []string           `json:"refs,omitempty"`
	Aliases    []string           `json:"aliases,omitempty"`
	Governance lexicon.Governance `json:"governance,omitzero"` // "": as it was, or human-only
}

// Word names an entry: a user's own, or with the user "" everybody's.
type Word struct {
	Term    string `json:"term"`
	User    string `json:"user,omitzero"`
	Version int64  `json:"version,omitzero"` // of a user's entry that is accepted: the one that was looked at
}

// Term is a version of an entry, as the operator sees it.
type Term struct {
	lexicon.Hit
	Standing lexicon.Standing `json:"standing,omitzero"`
	User     string           `json:"user,omitzero"`    // whose it is; "" for everybody's
	Client   string           `json:"client,omitzero"`  // who wrote it
	Version  int64            `json:"version,omitzero"` // 0: it is not stored
	Updated  time.Time        `json:"updated,omitzero"`
	Accepted string           `json:"accepted_by,omitzero"` // who made it everybody's, or took it back
}

// Define has everybody take a term for what the draft says. What users defined for themselves stays.
func (o *Operator) Define(ctx context.Context, d Draft) (Term, error) {
	draft := lexicon.Draft{Short: d.Short, Context: d.Context, Refs: d.Refs, Aliases: d.Aliases, Governance: d.Governance}
	return o.change(ctx, "lexicon/define", Word{Term: d.Term}, func(tx store.Tx, now time.Time) (lexicon.Change, error) {
		return o.cfg.Lexicon.Publish(tx, Principal(o.uid), d.Term, draft, now)
	})
}

// Accept makes a user's entry everybody's: the very version that was looked at.
func (o *Operator) Accept(ctx context.Context, w Word) (Term, error) {
	return o.change(ctx, "lexicon/accept", w, func(tx store.Tx, now time.Time) (lexicon.Change, error) {
		return o.cfg.Lexicon.Accept(tx, Principal(o.uid), w.User, w.Term, w.Version, now)
	})
}

// Remove takes an entry away: everybody's, or a user's own.
func (o *Operator) Remove(ctx context.Context, w Word) (Term, error) {
	return o.change(ctx, "lexicon/remove", w, func(tx store.Tx, now time.Time) (lexicon.Change, error) {
		return o.cfg.Lexicon.Remove(tx, Principal(o.uid), w.User, w.Term, now)
	})
}

// change does one act on the lexicon. It and its event are one transaction.
func (o *Operator) change(ctx context.Context, name string, w Word, f func(store.Tx, time.Time) (lexicon.Change, error)) (Term, error) {
	act := o.about(o.begin(name, "", ""), w)
	var c lexicon.Change
	err := o.cfg.Audit.Update(ctx, func(tx store.Tx) (err error) {
		if c, err = f(tx, act.At); err != nil {
			return err
		}
		done := act
		done.Outcome, done.Duration = tools.OutcomeOK, o.cfg.Now().Sub(act.At)
		tx.AddEvent(done)
		return nil
	})
	if err != nil {
		o.refused(act, err)
		return Term{}, err
	}
	return Term{Hit: c.Entry.Hit(), User: w.User}, nil
}

func (o *Operator) refused(act store.Event, err error) {
	var r *lexicon.Refusal
	if errors.As(err, &r) {
		act.Code = string(r.Code)
		o.end(act, tools.OutcomeDenied, "")
		return
	}
	o.end(act, tools.OutcomeError, "")
}

// Terms are all entries that there are: of the operator's file, of everybody, of each user, and the subjects that
// have no meaning yet.
func (o *Operator) Terms(ctx context.Context) (terms []Term, err error) {
	act := o.begin("lexicon/list", "", "")
	err = o.cfg.Audit.View(ctx, func(tx store.Tx) error {
		list, err := o.cfg.Lexicon.List(tx, Principal(o.uid))
		terms = make([]Term, 0, len(list))
		for _, l := range list {
			terms = append(terms, Term{Hit: l.Hit(), Standing: l.Standing, User: l.User, Client: l.Client, Version: l.Version, Updated: l.Updated})
		}
		return err
	})
	return terms, o.ended(act, err)
}

// TermHistory are the versions of a term that were stored, oldest first, of everybody and of every user.
func (o *Operator) TermHistory(ctx context.Context, w Word) (terms []Term, err error) {
	act := o.about(o.begin("lexicon/history", "", ""), Word{Term: w.Term})
	err = o.cfg.Audit.View(ctx, func(tx store.Tx) error {
		all, err := o.cfg.Lexicon.History(tx, Principal(o.uid), w.Term)
		terms = make([]Term, 0, len(all))
		for _, t := range all {
			e, err := lexicon.NewEntry(t.Term, t.Entry)
			if err != nil {
				return err
			}
			terms = append(terms, Term{e.Hit(), lexicon.StandingOf(t), t.User, t.Client, t.Version, t.Updated, t.Accepted})
		}
		return err
	})
	return terms, o.ended(act, err)
}

func (o *Operator) ended(act store.Event, err error) error {
	switch {
	case err == nil:
		o.end(act, tools.OutcomeOK, "")
	case errors.Is(err, runner.ErrUnknownInstance), errors.Is(err, runner.ErrUnknownDefinition),
		errors.Is(err, runner.ErrUnknownApproval), errors.Is(err, runner.ErrUnknownAttempt):
		o.end(act, tools.OutcomeDenied, err.Error())
	default:
		o.end(act, tools.OutcomeError, "")
	}
	return err
}
