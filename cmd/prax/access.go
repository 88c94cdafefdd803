package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"prax/server/control"
)

// access explains what a client may use, and why.
func (p *program) access(args []string) error {
	f := p.flags("access", "--as CLIENT [TOOL] [flags]",
		"Says whether a client may use a tool now, and what decides; without TOOL, which tools it may use,\nwith their arguments (those in brackets may be left out). Exit code 1: it may not.").withSettings("PRAX_DATA", "MCP_CLIENTS_PATH", "PRAX_CONFIG")
	as, asJSON := f.asClient(), f.Bool("json", false, "print JSON")
	f.meant = map[string]string{"client": "as"}
	positional, err := f.parse(args, 0, 1)
	if err != nil {
		return err
	}
	if *as == "" {
		return f.usage("--as CLIENT is missing")
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	o, end, err := p.accessJudge(s)
	if err != nil {
		return err
	}
	defer func() { _ = end() }()
	a, err := o.Access(context.Background(), *as, strings.Join(positional, ""))
	if err != nil {
		return err
	}
	if *asJSON {
		err = p.printJSON(a)
	} else {
		err = printAccess(p.stdout, a, s.catalogue())
	}
	switch {
	case err != nil || a.Allowed:
		return err
	case a.Reason == control.ErrNoClient.Error():
		fmt.Fprintln(p.stderr, "prax: hint: prax client list names the clients")
	}
	return &failure{code: exitFailed, err: errShown}
}

func printAccess(out io.Writer, a control.Access, c catalogue) error {
	verdict := "no"
	if a.Allowed {
		verdict = "yes"
	}
	fmt.Fprintf(out, "%s: %s\n", verdict, printable(a.Reason))
	w := newTable(out)
	for _, fact := range a.Facts {
		mark := "ok"
		if !fact.Holds {
			mark = "stops it"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", printable(fact.Name), printable(fact.Value), mark)
	}
	for _, name := range a.Usable {
		fmt.Fprintf(w, "  may use\t%s\t%s\n", printable(name), c.arguments(name))
	}
	return w.Flush()
}
