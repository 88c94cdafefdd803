package main

import "context"

// workflowShow says where an instance is, and what can be done now.
func (p *program) workflowShow(args []string) error {
	c := p.workflowFlags("workflow show", "ID [--json] [flags]",
		"Says where a workflow is and what can be done now. --json prints all that the answer has, with the links to copy.", false)
	positional, err := c.parse(args, 1, 1)
	if err != nil {
		return err
	}
	return c.act(func(ctx context.Context, o operator) error {
		r, err := c.query(ctx, o, map[string]any{"workflowId": positional[0]})
		if err != nil {
			return err
		}
		return p.printReply(r, *c.asJSON)
	})
}
