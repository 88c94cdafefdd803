package main

import (
	"context"
	"fmt"
	"strings"

	"prax/server/control"
	"prax/tools/lexicon"
)

// lexiconDefine defines a term for everybody, or gives it aliases.
func (p *program) lexiconDefine(args []string) error {
	f := p.flags("lexicon define", "TERM [DEFINITION] [--aliases LIST] [--context NAME] [--refs LIST] [--governance WORD] [flags]",
		"Has everybody take a term for what DEFINITION says, until it is defined again; without DEFINITION, adds aliases to the term.\n"+
			"It lies over what the file of definitions says. What users' own clients defined for themselves stays theirs.").withSettings(lexiconSettings...)
	aliases := f.String("aliases", "", "further `NAMES` of the term, with commas; it keeps those that it has")
	refs := f.String("refs", "", "`TERMS` that the definition refers to, with commas")
	bounded := f.String("context", "", "the bounded context, by `NAME`; empty: none; as it was when missing")
	governance := f.String("governance", "", "human-only, or agent-may-propose: who may define it for their own user, a `WORD`; as it was when missing")
	f.meant = map[string]string{"alias": "aliases", "ref": "refs", "bounded-context": "context"}
	positional, err := f.parse(args, 1, 2)
	if err != nil {
		return err
	}
	d := control.Draft{Term: positional[0], Short: strings.Join(positional[1:], ""), Aliases: list(*aliases), Refs: list(*refs), Governance: lexicon.Governance(*governance)}
	if f.said("context") {
		d.Context = bounded
	}
	if len(positional) == 1 && len(d.Aliases) == 0 {
		return f.usage("DEFINITION or --aliases is missing")
	}
	c := lexiconCommand{flags: f, writes: true}
	return c.act(func(ctx context.Context, o operator) error {
		t, err := o.Define(ctx, d)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.stdout, "%s means to everybody: %s\n", withAliases(t), printable(t.Short))
		return err
	})
}

// withAliases is a term with its aliases.
func withAliases(t control.Term) string {
	if len(t.Aliases) == 0 {
		return printable(t.Term)
	}
	return printable(t.Term + " (also " + strings.Join(t.Aliases, ", ") + ")")
}
