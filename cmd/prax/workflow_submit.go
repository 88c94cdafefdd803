package main

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
)

// workflowSubmit takes a transition.
func (p *program) workflowSubmit(args []string) error {
	c := p.workflowFlags("workflow submit", "ID TRANSITION [ARGUMENTS] [--version NUMBER] [--summary TEXT] [flags]",
		"Takes a transition by the link that the workflow has for it now. ARGUMENTS is a JSON object; what the link brings when missing.\n"+
			"What waits for an answer to an approval is answered by prax approvals.", true)
	version := c.Int64("version", 0, "take it only if the workflow has still this version, a `NUMBER`")
	summary := c.String("summary", "", "what was done, a `TEXT` that is kept with the workflow")
	positional, err := c.parse(args, 2, 3)
	if err != nil {
		return err
	}
	arguments, err := c.object(strings.Join(positional[2:], ""), "ARGUMENTS")
	if err != nil {
		return err
	}
	return c.act(func(ctx context.Context, o operator) error {
		r, err := c.query(ctx, o, map[string]any{"workflowId": positional[0]})
		if err != nil {
			return err
		}
		if r.Error != nil && r.Error.Code != "" {
			return p.printReply(r, *c.asJSON)
		}
		if *version != 0 && r.Workflow.Version != *version {
			return failed("prax workflow show "+positional[0]+" says what can be done now", "the workflow has version %d, not %d", r.Workflow.Version, *version)
		}
		link, err := r.followable(positional[1])
		if err != nil {
			return err
		}
		if r, err = c.follow(ctx, o, link, arguments, *summary); err != nil {
			return err
		}
		return p.printReply(r, *c.asJSON)
	})
}

// followable is the link of a transition, if it can be followed now.
func (r *reply) followable(transition string) (replyLink, error) {
	if g := r.open(); g != nil && g.Transition == transition {
		return replyLink{}, failed("prax approvals show "+g.Approval.ID+" shows what it is about; prax approvals approve answers it",
			"%s waits for an answer to %s", transition, g.Approval.ID)
	}
	link, found := r.move(transition)
	switch {
	case !found && r.Attempt != nil && r.Attempt.Status == string(store.AttemptUnknown):
		return link, failed("to settle it: "+settling(r.Attempt.ID), "the workflow waits for %s, which is in doubt", r.Attempt.ID)
	case !found && r.Attempt != nil:
		return link, failed("prax operations show "+r.Attempt.ID+" shows it; prax workflow cancel "+r.Workflow.ID+" ends it", "the workflow waits for %s, which runs", r.Attempt.ID)
	case !found && len(r.moves()) == 0:
		return link, failed("", "the state %s has no links", r.Workflow.State)
	case !found:
		return link, failed("there are "+strings.Join(r.rels(), ", "), "the state %s has no link %q", r.Workflow.State, transition)
	case link.Blocked != nil:
		return link, failed("", "%s: %s: %s", transition, link.Blocked.Code, link.Blocked.Reason)
	}
	return link, nil
}

func (r *reply) rels() (rels []string) {
	for _, l := range r.moves() {
		rels = append(rels, l.Rel)
	}
	return rels
}

// follow sends a link as it stands, but for its arguments when there are others.
func (c *workflowCommand) follow(ctx context.Context, o operator, l replyLink, arguments jsontext.Value, summary string) (*reply, error) {
	args, err := l.with(arguments, summary)
	if err != nil {
		return nil, err
	}
	return c.send(ctx, o, strings.ReplaceAll(l.Method, "_", "."), args)
}
