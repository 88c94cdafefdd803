package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxFollowed bounds how many links one run follows: a workflow may lead in a circle.
const maxFollowed = 100

// choice is a link that is to be followed, with its arguments.
type choice struct {
	transition string
	arguments  jsontext.Value
}

// workflowRun starts an instance and follows its links.
func (p *program) workflowRun(args []string) error {
	c := p.workflowFlags("workflow run", "DEFINITION [INPUT] [--choose NAME[=ARGUMENTS]]… [flags]",
		"Starts a workflow and follows the links of each answer, until it is over, or where a person is asked, arguments are needed or there is\n"+
			"more than one way: there it prints the links and stops, which is no failure. --choose, once for each such place, says which way.\n"+
			"An open approval is left to prax approvals.", true)
	f := c.startFlags()
	var choices []choice
	c.Func("choose", "follow the link `NAME` where there is a choice; NAME={…} with these arguments", func(text string) error {
		name, arguments, _ := strings.Cut(text, "=")
		object, err := c.object(arguments, "ARGUMENTS")
		choices = append(choices, choice{name, object})
		return err
	})
	definition, input, err := c.parseStart(args)
	if err != nil {
		return err
	}
	return c.act(func(ctx context.Context, o operator) error {
		r, err := c.start(ctx, o, definition, input, f)
		if err != nil {
			return err
		}
		return c.run(ctx, o, r, choices)
	})
}

// run follows links from one answer to the next.
func (c *workflowCommand) run(ctx context.Context, o operator, r *reply, choices []choice) error {
	for followed := 0; followed < maxFollowed; followed++ {
		link, arguments, chosen, err := r.next(choices)
		if err != nil || link == nil {
			return c.stopped(r, choices, err)
		}
		c.trace(r, link.Rel)
		if chosen {
			choices = choices[1:]
		}
		if r, err = c.follow(ctx, o, *link, arguments, ""); err != nil {
			return err
		}
	}
	return c.stopped(r, nil, failed("prax workflow show "+r.Workflow.ID+" says where it is", "stopped after %d links: it may lead in a circle", maxFollowed))
}

// next is the link to follow: nil where it is over or for somebody to decide.
func (r *reply) next(choices []choice) (*replyLink, jsontext.Value, bool, error) {
	if r.Error != nil || len(r.moves()) == 0 || r.open() != nil {
		return nil, nil, false, nil
	}
	var free []replyLink
	for _, l := range r.moves() {
		if l.Blocked == nil {
			free = append(free, l)
		}
	}
	if len(free) == 1 && free[0].Actor != "human" && len(free[0].required()) == 0 && !isNext(choices, free[0].read().Transition) {
		return &free[0], nil, false, nil
	}
	if len(choices) == 0 {
		return nil, nil, false, nil
	}
	link, err := r.followable(choices[0].transition)
	return &link, choices[0].arguments, true, err
}

func isNext(choices []choice, transition string) bool {
	return len(choices) > 0 && choices[0].transition == transition
}

// trace prints that a link is followed.
func (c *workflowCommand) trace(r *reply, rel string) {
	if !*c.asJSON {
		fmt.Fprintf(c.p.stdout, "%s, version %d: %s\n", printable(r.Workflow.State), r.Workflow.Version, printable(rel))
	}
}

// stopped prints where a run has come to, and fails for what went wrong.
func (c *workflowCommand) stopped(r *reply, left []choice, why error) error {
	if err := c.p.printReply(r, *c.asJSON); err != nil {
		return err
	}
	if why == nil && len(left) > 0 {
		return failed("", "the link %q was not come to", left[0].transition)
	}
	return why
}
