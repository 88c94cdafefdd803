package main

import (
	"context"
	"fmt"
	"time"

	"prax/server/control"
	"prax/store"
)

// approvalsList lists what waits for a person.
func (p *program) approvalsList(args []string) error {
	c := p.workflowFlags("approvals list", "[--json] [flags]",
		"Lists what waits for a person, the oldest first: everybody's, or with --as what the client may see. What has an approval is answered\n"+
			"by prax approvals approve or reject; what has none by prax workflow submit, of its owner or, where a person has to, of who oversees.", false)
	if _, err := c.parse(args, 0, 0); err != nil {
		return err
	}
	return c.act(func(ctx context.Context, o operator) error {
		r, err := c.query(ctx, o, map[string]any{"approvals": true, "limit": store.MaxPage})
		if err != nil {
			return err
		}
		if *c.asJSON || r.Error != nil {
			return p.printReply(r, *c.asJSON)
		}
		return p.printWaiting(r)
	})
}

func (p *program) printWaiting(r *reply) error {
	w := newTable(p.stdout)
	fmt.Fprintln(w, "APPROVAL\tWORKFLOW\tDEFINITION\tSTATE\tTRANSITION\tASKED BY\tSINCE\tEXPIRES")
	for _, g := range r.Waiting {
		id, by, expires := "", "", ""
		if g.Approval != nil {
			id, by, expires = g.Approval.ID, g.Approval.AskedBy, g.Approval.Expires
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", orDash(id), orDash(g.Workflow), orDash(g.Definition), orDash(g.State),
			orDash(g.Transition), orDash(by), seconds(g.Since), seconds(expires))
	}
	if err := w.Flush(); err != nil || !r.Truncated {
		return err
	}
	_, err := fmt.Fprintln(p.stderr, "prax: hint: there may be more: answer some of these first")
	return err
}

// seconds is a time of an answer as it is shown.
func seconds(stamp string) string {
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return orDash(stamp)
	}
	return formatTime(at)
}

// approvalsShow shows what an approval is about.
func (p *program) approvalsShow(args []string) error {
	c := p.workflowFlags("approvals show", "ID [--json] [flags]",
		"Shows what an approval is about: everything that an answer binds, and its digest, which an answer names.", false)
	positional, err := c.parse(args, 1, 1)
	if err != nil {
		return err
	}
	return c.act(func(ctx context.Context, o operator) error {
		a, err := o.Approval(ctx, control.Question{As: *c.as, ID: positional[0]})
		if err != nil {
			return err
		}
		if *c.asJSON {
			return p.printJSON(a)
		}
		return p.printApproval(a)
	})
}

func (p *program) printApproval(a control.Approval) error {
	w := newTable(p.stdout)
	for _, line := range [][2]string{
		{"approval", a.ID}, {"status", string(a.Status)}, {"workflow", fmt.Sprintf("%s, version %d", a.Workflow, a.Version)},
		{"of", a.User}, {"definition", a.Definition}, {"transition", a.Transition}, {"tier", a.Tier}, {"queue", a.Queue},
		{"asked by", a.AskedBy}, {"asked", formatTime(a.Created)}, {"expires", formatTime(a.Expires)},
		{"answered by", a.AnsweredBy}, {"digest", a.Digest},
	} {
		if line[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", line[0], printable(line[1]))
		}
	}
	fmt.Fprintln(w, "material:")
	if err := w.Flush(); err != nil {
		return err
	}
	return p.printJSON(a.Material)
}
