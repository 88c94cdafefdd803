package main

import (
	"context"
	"fmt"
)

// workflowCancel ends an instance where it is.
func (p *program) workflowCancel(args []string) error {
	c := p.workflowFlags("workflow cancel", "ID [--reason TEXT] [flags]",
		"Ends a workflow where it is. One that was cancelled already stays as it is.", true)
	reason := c.String("reason", "", "why, a `TEXT` that its history keeps")
	positional, err := c.parse(args, 1, 1)
	if err != nil {
		return err
	}
	return c.act(func(ctx context.Context, o operator) error {
		asked := map[string]any{"workflowId": positional[0], "intent": "cancel"}
		if *reason != "" {
			asked["summary"] = *reason
		}
		r, err := c.command(ctx, o, asked)
		if err != nil {
			return err
		}
		if r.WorkflowID == "" || *c.asJSON {
			return p.printReply(r, *c.asJSON)
		}
		_, err = fmt.Fprintf(p.stdout, "%s is %s: %s\n", printable(r.WorkflowID), printable(r.Status), orDash(r.Reason))
		return err
	})
}
