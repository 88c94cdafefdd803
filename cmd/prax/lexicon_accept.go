package main

import (
	"context"
	"fmt"

	"prax/server/control"
)

// lexiconAccept makes a user's own term everybody's.
func (p *program) lexiconAccept(args []string) error {
	f := p.flags("lexicon accept", "TERM --user USER --version NUMBER [flags]",
		"Makes everybody's what a user's clients defined for that user alone: exactly the version that prax lexicon list shows, so that\n"+
			"nothing is accepted which nobody looked at.").withSettings(lexiconSettings...)
	user := f.String("user", "", "the `USER` whose term it is; required")
	version := f.Int64("version", 0, "the `NUMBER` of the version that was looked at; required")
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	if *user == "" || *version < 1 {
		return f.usage("--user USER and --version NUMBER say what was looked at: prax lexicon list shows them")
	}
	c := lexiconCommand{flags: f, writes: true}
	return c.act(func(ctx context.Context, o operator) error {
		t, err := o.Accept(ctx, control.Word{Term: positional[0], User: *user, Version: *version})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.stdout, "%s means to everybody: %s\n", withAliases(t), printable(t.Short))
		return err
	})
}
