package main

import (
	"context"
	"fmt"

	"prax/server/control"
)

// approvalsApprove says yes to exactly what was shown.
func (p *program) approvalsApprove(args []string) error { return p.answer(args, "approve", true) }

// approvalsReject says no.
func (p *program) approvalsReject(args []string) error { return p.answer(args, "reject", false) }

// answer answers an approval: never without the digest of what was looked at, which is shown again.
func (p *program) answer(args []string, verb string, yes bool) error {
	c := p.workflowFlags("approvals "+verb, "ID --digest HEX [--note TEXT] [flags]",
		"Answers an approval, and moves the workflow by it. --digest is that of what was looked at: prax approvals show has it.\n"+
			"Without --digest, shows what the approval is about, and answers nothing.", true)
	digest := c.String("digest", "", "the digest of the material, `HEX`; required")
	note := c.String("note", "", "why, a `TEXT` that is kept with the evidence")
	positional, err := c.parse(args, 1, 1)
	if err != nil {
		return err
	}
	return c.act(func(ctx context.Context, o operator) error {
		a, err := o.Approval(ctx, control.Question{As: *c.as, ID: positional[0]})
		if err != nil {
			return err
		}
		if !*c.asJSON {
			if err := p.printApproval(a); err != nil {
				return err
			}
		}
		if *digest == "" {
			return usage("prax approvals "+verb+" "+a.ID+" --digest "+a.Digest+c.asWord()+" answers what is shown", "--digest HEX is missing: nothing was answered")
		}
		r, err := o.Resolve(ctx, control.Verdict{As: *c.as, ID: a.ID, Digest: *digest, Approve: yes, Note: *note})
		if err != nil {
			return err
		}
		return p.printResolved(r, *c.asJSON)
	})
}

func (p *program) printResolved(r control.Resolved, asJSON bool) error {
	if asJSON {
		if err := p.printJSON(r); err != nil {
			return err
		}
	} else if r.Moved {
		if _, err := fmt.Fprintf(p.stdout, "%s is in %s, version %d: %s\n", printable(r.Workflow), printable(r.State), r.Version, r.Status); err != nil {
			return err
		}
	}
	switch {
	case r.Refused == nil:
		return nil
	case asJSON:
		return &failure{code: exitFailed, err: errShown}
	}
	return failed(r.Refused.Hint, "%s: %s", r.Refused.Code, r.Refused.Message)
}
