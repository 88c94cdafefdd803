package lexicon

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"prax/auth"
	"prax/store"
)

// Change is what was done.
type Change struct {
	Term    string
	Entry   Entry    // as it is now
	Aliases []string // those that were asked for
	Facts   []Fact   // for the audit: in the same transaction
}

// Fact is one thing that the audit says of a change. Its payload has no text of a caller but names.
type Fact struct {
	Type    string
	Payload map[string]any
}

// Define has the caller's user take a term for what the draft says, instead of what it meant before. Aliases stay.
// What others see is not changed. The error is a [*Refusal], or wraps store.ErrQuota when there is no room.
//
// Within a View it ends in store.ErrReadOnly where nothing speaks against the definition: what is refused need not
// wait for a writer.
func (l *Lexicon) Define(tx store.Terms, p auth.Principal, term string, d Draft, now time.Time) (Change, error) {
	if err := d.check(term); err != nil {
		return Change{}, err
	}
	if d.Short == "" {
		return l.AddAlias(tx, p, term, d.Aliases, now)
	}
	v, err := l.own(tx, p, term)
	if err != nil {
		return Change{}, err
	}
	if err := l.may(tx, p, v, term); err != nil {
		return Change{}, err
	}
	return v.define(tx, p, term, d, now)
}

// AddAlias has the caller's user take further names for a term, which may be named by an alias itself. The errors are
// those of [Lexicon.Define].
func (l *Lexicon) AddAlias(tx store.Terms, p auth.Principal, name string, aliases []string, now time.Time) (Change, error) {
	if err := checkNames(name, "aliases_add", aliases); err != nil {
		return Change{}, err
	}
	v, err := l.own(tx, p, name)
	if err != nil {
		return Change{}, err
	}
	e, found := v.meaning(name)
	if !found {
		return Change{}, unknownTerm(name)
	}
	if err := l.may(tx, p, v, e.Term); err != nil {
		return Change{}, err
	}
	return v.alias(tx, p, e, aliases, now)
}

// own is the lexicon of the caller's user, to be changed. A caller without a user has nothing of its own.
func (l *Lexicon) own(tx store.Terms, p auth.Principal, term string) (*view, error) {
	if p.User == "" {
		return nil, operatorOnly(term)
	}
	return l.view(tx, p.Scope(), p.User)
}

// May tells whether the caller may define a term, or give it aliases: nil, or the [*Refusal] that it would get.
func (l *Lexicon) May(tx store.Terms, p auth.Principal, term string) error {
	v, err := l.own(tx, p, term)
	if err != nil {
		return err
	}
	return l.may(tx, p, v, term)
}

func (l *Lexicon) may(tx store.Terms, p auth.Principal, v *view, term string) error {
	if p.Roles.Has(auth.Human) {
		return nil
	}
	e, known := v.term(term)
	switch {
	case known && e.Proposable():
		return nil
	case known && e.resolved():
		return needsPerson(term, cmp.Or(e.Governance, HumanOnly))
	}
	waits, err := v.unresolved(tx, p, term)
	if err != nil || waits {
		return err
	}
	return needsPerson(term, HumanOnly)
}

// unresolved tells whether a workflow of the caller's waits for a subject.
func (v *view) unresolved(tx store.Terms, p auth.Principal, subject string) (bool, error) {
	if _, found := v.meaning(subject); found || !v.waits(p, subject) {
		return false, nil
	}
	given, err := givenUp(tx, p, subject)
	return !given, err
}

// define puts an entry in the place of another, or of none.
func (v *view) define(tx store.Terms, p auth.Principal, term string, d Draft, now time.Time) (Change, error) {
	was, known := v.term(term)
	if !known {
		was = Entry{} // what a removed one said does not live on
	}
	e := Entry{
		Term: term, Short: d.Short, Refs: d.Refs, Context: was.Context,
		Governance: cmp.Or(d.Governance, was.Governance, HumanOnly), Aliases: joined(was.Aliases, d.Aliases),
	}
	if d.Context != nil {
		e.Context = *d.Context
	}
	if err := v.put(tx, p, e, was, now); err != nil {
		return Change{}, err
	}
	facts := []Fact{{"lexicon.defined", map[string]any{"term": term, "bounded_context": e.Context, "by_human": p.Roles.Has(auth.Human)}}}
	return Change{term, e, d.Aliases, append(facts, aliased(p, term, d.Aliases)...)}, nil
}

// alias puts further names into an entry. Those that it has cost nothing.
func (v *view) alias(tx store.Terms, p auth.Principal, was Entry, aliases []string, now time.Time) (Change, error) {
	e := was
	e.Aliases = joined(was.Aliases, aliases)
	if len(e.Aliases) > len(was.Aliases) {
		if err := v.put(tx, p, e, was, now); err != nil {
			return Change{}, err
		}
	}
	added := slices.DeleteFunc(slices.Clone(e.Aliases), was.hasAlias)
	return Change{e.Term, e, aliases, aliased(p, e.Term, added)}, nil
}

func aliased(p auth.Principal, term string, aliases []string) (facts []Fact) {
	for _, alias := range aliases {
		facts = append(facts, Fact{"lexicon.alias_added", map[string]any{"term": term, "alias": alias, "principal": p.Client}})
	}
	return facts
}

// joined is one list after another, each name once.
func joined(a, b []string) []string {
	all := slices.Clip(a)
	for _, name := range b {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// put stores an entry as the newest of the view's user.
func (v *view) put(tx store.Terms, p auth.Principal, e, was Entry, now time.Time) error {
	if len(e.Aliases) > MaxList && len(e.Aliases) > len(was.Aliases) {
		return invalid(e.Term, "aliases_add", "the term "+quoted(e.Term)+" would have more than "+strconv.Itoa(MaxList)+" aliases")
	}
	if err := v.collision(e, was); err != nil {
		return err
	}
	i, stored := v.over[e.Term]
	stored = stored && v.rows[i].stored.User == v.user
	if v.user != "" && !stored && v.count() >= MaxTerms {
		return fmt.Errorf("%w: a user has at most %d terms of its own", store.ErrQuota, MaxTerms)
	}
	var version int64
	var err error
	if stored {
		version = v.rows[i].stored.Version
	} else if version, err = v.last(tx, p, e.Term); err != nil {
		return err
	}
	return keep(tx, store.Term{Term: e.Term, User: v.user, Client: p.Client, Version: version, Updated: now}, e)
}

// last is the newest version of a term of the view's user that is not in the view any more: it was accepted, or taken
// back.
func (v *view) last(tx store.Terms, p auth.Principal, term string) (version int64, err error) {
	all, err := tx.TermHistory(p.Scope(), term)
	if err != nil {
		return 0, fmt.Errorf("read the lexicon's history: %w", err)
	}
	for _, t := range all {
		if t.User == v.user {
			version = max(version, t.Version)
		}
	}
	return version, nil
}

// keep stores a version of an entry.
func keep(tx store.Terms, t store.Term, e Entry) (err error) {
	if t.Entry, err = e.JSON(); err != nil {
		return err
	}
	if _, err = tx.PutTerm(t); err != nil {
		return fmt.Errorf("store the lexicon's entry of %s: %w", quoted(t.Term), err)
	}
	return nil
}

// CancelPending gives a subject up for the caller's user: starts no longer wait for it. The error is a [*Refusal]
// when none did.
func (l *Lexicon) CancelPending(tx store.Terms, p auth.Principal, subject string, now time.Time) (Change, error) {
	v, err := l.own(tx, p, subject)
	if err != nil {
		return Change{}, err
	}
	waits, err := v.unresolved(tx, p, subject)
	if err != nil {
		return Change{}, err
	}
	if !waits {
		return Change{}, notPending(subject)
	}
	if _, err := tx.SettleSubject(p.Scope(), subject, now); err != nil {
		return Change{}, fmt.Errorf("give up the subject %s: %w", quoted(subject), err)
	}
	return Change{Term: subject, Facts: []Fact{{"lexicon.pending_cancelled", map[string]any{"term": subject, "cancelled_by": p.Client}}}}, nil
}
