package main

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"prax/server/control"
)

// operationsReconcile settles what is in doubt.
func (p *program) operationsReconcile(args []string) error {
	c := p.workflowFlags("operations reconcile", "ID --applied|--not-applied [--output JSON] [--note TEXT] [--json] [flags]",
		"Settles an operation that is in doubt, by what was found out where it had its effect. --applied: it happened, and its workflow goes\n"+
			"on as if it had answered --output. --not-applied: it did not happen, and can be done again.", true)
	applied := c.Bool("applied", false, "it happened")
	not := c.Bool("not-applied", false, "it did not happen")
	output := c.String("output", "", "what came of it, as `JSON`; {} when missing")
	note := c.String("note", "", "how that was found out, a `TEXT` that is kept with it")
	positional, err := c.parse(args, 1, 1)
	if err != nil {
		return err
	}
	switch {
	case *applied == *not:
		return c.usage("say one of --applied and --not-applied: nothing was settled")
	case *not && c.said("output"):
		return c.usage("--output is what came of it: what did not happen has none")
	case *output != "" && !jsontext.Value(*output).IsValid():
		return usage(`--output is JSON, as '{"id":"T-1"}'`, "--output is no JSON")
	}
	return c.act(func(ctx context.Context, o operator) error {
		s, err := o.Reconcile(ctx, control.Discovery{
			As: *c.as, ID: positional[0], Applied: *applied, Output: jsontext.Value(*output), Note: *note,
		})
		if err != nil {
			return err
		}
		return p.printSettled(s, *c.asJSON)
	})
}

func (p *program) printSettled(s control.Settled, asJSON bool) error {
	if asJSON {
		if err := p.printJSON(s); err != nil {
			return err
		}
		if s.Refused != nil {
			return &failure{code: exitFailed, err: errShown}
		}
		return nil
	}
	if s.Refused != nil {
		return failed(s.Refused.Hint, "%s: %s", s.Refused.Code, s.Refused.Message)
	}
	if _, err := fmt.Fprintf(p.stdout, "%s is settled: %s\n", printable(s.Operation.ID), s.Operation.Status); err != nil {
		return err
	}
	if s.Workflow == nil {
		return nil
	}
	return p.printResolved(*s.Workflow, false)
}
