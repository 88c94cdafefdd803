package main

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// startFlags are what a start can be told beside its definition and input.
type startFlags struct{ run, trace *string }

func (c *workflowCommand) startFlags() startFlags {
	return startFlags{
		run:   c.String("run-id", "", "a `NAME` for this run, which its user can use once"),
		trace: c.String("trace-id", "", "a `NAME` that every event of the workflow repeats"),
	}
}

// parseStart reads what is started, and with what.
func (c *workflowCommand) parseStart(args []string) (definition string, input jsontext.Value, err error) {
	positional, err := c.parse(args, 1, 2)
	if err != nil {
		return "", nil, err
	}
	input, err = c.object(second(positional), "INPUT")
	return positional[0], input, err
}

// workflowStart starts an instance.
func (p *program) workflowStart(args []string) error {
	c := p.workflowFlags("workflow start", "DEFINITION [INPUT] [--run-id NAME] [flags]",
		"Starts a workflow. It belongs to the operator, or with --as to the client's user. INPUT is a JSON object, {} when missing.", true)
	f := c.startFlags()
	definition, input, err := c.parseStart(args)
	if err != nil {
		return err
	}
	return c.act(func(ctx context.Context, o operator) error {
		r, err := c.start(ctx, o, definition, input, f)
		if err != nil {
			return err
		}
		return p.printReply(r, *c.asJSON)
	})
}

func (c *workflowCommand) start(ctx context.Context, o operator, definition string, input jsontext.Value, f startFlags) (*reply, error) {
	asked := map[string]any{"definitionId": definition}
	if input != nil {
		asked["input"] = input
	}
	if *f.run != "" {
		asked["runId"] = *f.run
	}
	if *f.trace != "" {
		asked["traceId"] = *f.trace
	}
	return c.command(ctx, o, asked)
}

// second is the second of one or two arguments; "" when there is one.
func second(positional []string) string {
	if len(positional) < 2 {
		return ""
	}
	return positional[1]
}
