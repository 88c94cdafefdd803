package main

import (
	"context"

	"prax/server/control"
)

// lexiconHistory prints what was stored of a term.
func (p *program) lexiconHistory(args []string) error {
	f := p.flags("lexicon history", "TERM [--json] [flags]",
		"Prints every version of a term that was defined at run time, oldest first, of everybody and of each user.").withSettings(lexiconSettings...)
	asJSON := f.Bool("json", false, "print JSON")
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	c := lexiconCommand{flags: f}
	return c.act(func(ctx context.Context, o operator) error {
		terms, err := o.TermHistory(ctx, control.Word{Term: positional[0]})
		if err != nil {
			return err
		}
		if len(terms) == 0 && !*asJSON {
			return failed("prax lexicon list names the terms", "%q was not defined at run time", positional[0])
		}
		return p.printTermsOrJSON(terms, *asJSON)
	})
}
