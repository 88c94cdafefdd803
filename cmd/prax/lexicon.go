package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"prax/server/control"
	"prax/store"
	"prax/store/sqlite"
	"prax/tools/lexicon"
	"prax/tools/praxec"
)

// lexiconSettings is what the commands about the lexicon read.
var lexiconSettings = []string{"PRAX_DATA", "PRAX_CONFIG"}

// lexicon is that of the file of definitions, for a command that runs without a server.
func (s *settings) lexicon() (*lexicon.Lexicon, error) {
	set, err := s.definitionSet()
	if err != nil {
		return nil, err
	}
	l := lexicon.New(nil, nil)
	return l, praxec.Configure(l, set)
}

// lexiconCommand is one command on the lexicon: its flags, and what it needs to act.
type lexiconCommand struct {
	*flags
	writes bool
}

// act does f in the running server, or else on the files: read-only unless it writes.
func (c *lexiconCommand) act(f func(ctx context.Context, o operator) error) error {
	return c.operate(func(ctx context.Context, s *settings) (operator, func() error, error) {
		return c.p.lexicographer(ctx, s, c.writes)
	}, func(ctx context.Context, o operator) error { return explainLexicon(f(ctx, o)) })
}

func (p *program) lexicographer(ctx context.Context, s *settings, writes bool) (operator, func() error, error) {
	o, end, running, err := dial(s)
	if err != nil || running {
		return o, end, err
	}
	words, err := s.lexicon()
	if err != nil {
		return nil, nil, err
	}
	var db *sqlite.DB
	if writes {
		db, err = sqlite.Open(ctx, sqlite.Config{Dir: s.Data, Log: slog.New(slog.DiscardHandler), Now: p.now})
	} else {
		db, err = sqlite.OpenReadOnly(s.Data)
	}
	if err != nil {
		return nil, nil, explainOpen(err)
	}
	return control.NewOperator(control.Config{Audit: db, Lexicon: words, Now: p.now}, os.Getuid()), db.Close, nil
}

// explainLexicon says what may be done where the lexicon refused.
func explainLexicon(err error) error {
	var r *lexicon.Refusal
	switch {
	case errors.As(err, &r) && r.Code == lexicon.InvalidEntry:
		return failed("prax lexicon define -h explains what a term can be", "%s", r.Message)
	case r != nil && r.Code == lexicon.EntryNotFound:
		return failed(listHint, "%s", r.Message)
	case r != nil:
		return failed(r.Hint, "%s", r.Message)
	case errors.Is(err, store.ErrConflict):
		return failed(listHint, "%w", err)
	}
	return err
}

const listHint = "prax lexicon list shows whose terms there are, and their versions"

// printTerms is a table of terms, whose they are and what they mean.
func (p *program) printTerms(terms []control.Term) error {
	w := newTable(p.stdout)
	fmt.Fprintln(w, "TERM\tUSER\tSTATE\tVERSION\tBY\tACCEPTED BY\tCONTEXT\tALIASES\tMEANS")
	for _, t := range terms {
		version := "-"
		if t.Version > 0 {
			version = fmt.Sprint(t.Version)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", printable(t.Term), orDash(t.User), t.Standing, version, orDash(t.Client),
			orDash(t.Accepted), orDash(t.Context), orDash(strings.Join(t.Aliases, ",")), orDash(inOneLine(t.Short)))
	}
	return w.Flush()
}

// maxMeaning bounds what a table shows of a definition, in places of a terminal.
const maxMeaning = 72

// inOneLine is the beginning of a definition.
func inOneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if textWidth(text) <= maxMeaning {
		return text
	}
	width := 0
	for i, r := range text {
		if width += runeWidth(r); width >= maxMeaning {
			return text[:i] + "…"
		}
	}
	return text
}

func (p *program) printTermsOrJSON(terms []control.Term, asJSON bool) error {
	if asJSON {
		return p.printJSON(map[string]any{"terms": append([]control.Term{}, terms...)})
	}
	return p.printTerms(terms)
}
