package main

import (
	"context"
)

// lexiconList prints every term that there is, whosever.
func (p *program) lexiconList(args []string) error {
	f := p.flags("lexicon list", "[--json] [flags]",
		"Prints the terms: those of the file of definitions (declared), everybody's (common), users' own (proposed), those taken away (removed),\n"+
			"and the subjects that workflows wait for (pending).").withSettings(lexiconSettings...)
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	c := lexiconCommand{flags: f}
	return c.act(func(ctx context.Context, o operator) error {
		terms, err := o.Terms(ctx)
		if err != nil {
			return err
		}
		return p.printTermsOrJSON(terms, *asJSON)
	})
}
