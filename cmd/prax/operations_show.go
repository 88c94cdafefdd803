package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"prax/server/control"
	"prax/store"
)

// operationsShow shows all that is known of an operation.
func (p *program) operationsShow(args []string) error {
	c := p.workflowFlags("operations show", "ID [--json] [flags]",
		"Shows what is known of an operation: whose it is, what it is for, how often it was tried and what came of it. What exactly was done\n"+
			"is not shown: its digest is.", false)
	positional, err := c.parse(args, 1, 1)
	if err != nil {
		return err
	}
	return c.act(func(ctx context.Context, o operator) error {
		a, err := o.Operation(ctx, control.OneOperation{As: *c.as, ID: positional[0]})
		if err != nil {
			return err
		}
		if *c.asJSON {
			return p.printJSON(a)
		}
		return p.printOperation(a)
	})
}

func (p *program) printOperation(a control.Operation) error {
	w := newTable(p.stdout)
	for _, line := range [][2]string{
		{"operation", a.ID}, {"status", string(a.Status)}, {"of", a.User}, {"as", a.Client}, {"tool", a.Tool},
		{"workflow", versionOf(a)}, {"definition", a.Definition}, {"state", a.State}, {"transition", a.Transition},
		{"executor", a.Kind + fallbackOf(a)}, {"tier", a.Tier}, {"does", string(a.Does)}, {"digest", a.Digest}, {"idempotency key", a.Key}, {"approval", a.Approval},
		{"tries", strconv.Itoa(a.Tries)}, {"part of", a.Parent}, {"worker", a.Worker}, {"alive until", moment(leaseOf(a))},
		{"failure", a.Class}, {"message", a.Message}, {"output", bytesOf(a.OutputBytes)}, {"settled by", a.SettledBy}, {"note", a.Note},
		{"request", a.RequestID}, {"correlation", a.Correlation},
		{"begun", moment(a.Created)}, {"updated", moment(a.Updated)}, {"ended", moment(a.Ended)},
	} {
		if line[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", line[0], printable(line[1]))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return p.hintAt(a)
}

// hintAt says how to settle an operation that is in doubt, or to end one that runs.
func (p *program) hintAt(a control.Operation) (err error) {
	switch {
	case a.Status == store.AttemptUnknown:
		_, err = fmt.Fprintf(p.stderr, "prax: hint: find out whether it happened, then %s\n", settling(printable(a.ID)))
	case a.Status == store.AttemptRunning && a.Workflow != "":
		_, err = fmt.Fprintf(p.stderr, "prax: hint: prax workflow cancel %s ends it with its workflow\n", printable(a.Workflow))
	}
	return err
}

// settling is the commands that settle an operation in doubt.
func settling(id string) string {
	return "prax operations reconcile " + id + " --applied, or --not-applied"
}

func versionOf(a control.Operation) string {
	if a.Workflow == "" {
		return ""
	}
	return fmt.Sprintf("%s, version %d", a.Workflow, a.Version)
}

func fallbackOf(a control.Operation) string {
	if a.Choice == 0 {
		return ""
	}
	return fmt.Sprintf(", fallback %d", a.Choice)
}

// leaseOf is until when the worker of a running operation is taken to be alive.
func leaseOf(a control.Operation) time.Time {
	if a.Status != store.AttemptRunning {
		return time.Time{}
	}
	return a.Lease
}

func bytesOf(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes are kept", n)
}

// moment is a time as it is shown; "" for none.
func moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return formatTime(at)
}
