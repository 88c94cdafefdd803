package main

import (
	"context"
	"fmt"

	"prax/server/control"
)

// lexiconRemove takes a term away.
func (p *program) lexiconRemove(args []string) error {
	f := p.flags("lexicon remove", "TERM [--user USER] [flags]",
		"Takes a term away from everybody, also one of the file of definitions, until it is defined again; users keep what their own\n"+
			"clients defined. With --user, takes that user's own definition away: what everybody has counts again.").withSettings(lexiconSettings...)
	user := f.String("user", "", "the `USER` whose own term it is; everybody's when missing")
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	if *user == "" && f.said("user") { // "$UNSET" does not mean everybody
		return f.usage("--user is empty: leave it out, or say whose")
	}
	c := lexiconCommand{flags: f, writes: true}
	return c.act(func(ctx context.Context, o operator) error {
		t, err := o.Remove(ctx, control.Word{Term: positional[0], User: *user})
		if err != nil {
			return err
		}
		whose := "everybody"
		if *user != "" {
			whose = printable(*user)
		}
		_, err = fmt.Fprintf(p.stdout, "removed %s of %s\n", printable(t.Term), whose)
		return err
	})
}
