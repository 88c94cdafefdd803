package main

import (
	"context"
	"fmt"

	"prax/server/control"
)

// workflowHistory prints every step of an instance.
func (p *program) workflowHistory(args []string) error {
	c := p.workflowFlags("workflow history", "ID [--after VERSION] [--json] [flags]",
		"Prints every step of a workflow: one for each version. --json has the arguments, the outputs and what changed in the context, too.", false)
	after := c.Int64("after", 0, "only what came after this `VERSION`")
	positional, err := c.parse(args, 1, 1)
	if err != nil {
		return err
	}
	return c.act(func(ctx context.Context, o operator) error {
		steps, err := allSteps(ctx, o, control.Past{As: *c.as, ID: positional[0], After: *after})
		if err != nil {
			return err
		}
		if *c.asJSON {
			return p.printJSON(map[string]any{"steps": steps})
		}
		return p.printSteps(steps)
	})
}

// allSteps reads pages until there are no more.
func allSteps(ctx context.Context, o operator, past control.Past) ([]control.Step, error) {
	all := []control.Step{}
	for {
		steps, err := o.History(ctx, past)
		if err != nil || len(steps) == 0 {
			return all, err
		}
		all = append(all, steps...)
		past.After = steps[len(steps)-1].Version
	}
}

func (p *program) printSteps(steps []control.Step) error {
	w := newTable(p.stdout)
	fmt.Fprintln(w, "VERSION\tAT\tKIND\tTRANSITION\tFROM\tTO\tACTOR\tCLIENT")
	for _, s := range steps {
		client := s.Client
		if client == "" {
			client = "the server"
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Version, formatTime(s.At), orDash(s.Kind), orDash(s.Transition), orDash(s.From),
			orDash(s.To), orDash(s.Actor), printable(client))
	}
	return w.Flush()
}
