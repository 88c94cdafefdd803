package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"prax/server/control"
	"prax/store"
)

// operationsList lists what runs and what is in doubt.
func (p *program) operationsList(args []string) error {
	c := p.workflowFlags("operations list", "[--status WORD] [--user USER] [-n NUMBER] [--json] [flags]",
		"Lists what runs outside of prax on behalf of workflows and of tools, and what is in doubt because it may have happened: everybody's, or\n"+
			"with --as those that the client may see, the newest first. prax operations reconcile settles what is in doubt.", false)
	status := c.String("status", "", "those that are running, unknown, done, kept, failed, applied or not_applied, a `WORD`; running and unknown when missing")
	user := c.String("user", "", "those of this `USER`")
	most := c.Int("n", 50, "at most this `NUMBER`")
	if _, err := c.parse(args, 0, 0); err != nil {
		return err
	}
	wanted, ok := statusesOf(*status)
	if !ok {
		return c.usage("--status is running, unknown, done, kept, failed, applied or not_applied, not %q", *status)
	}
	if *most < 1 || *most > maxListed {
		return c.usage("-n is a number from 1 to %d", maxListed)
	}
	return c.act(func(ctx context.Context, o operator) error {
		var list []control.Operation
		for _, one := range wanted {
			found, err := listOperations(ctx, o, control.OperationFilter{As: *c.as, Status: one, User: *user}, *most)
			if err != nil {
				return err
			}
			list = append(list, found...)
		}
		slices.SortStableFunc(list, func(a, b control.Operation) int { return b.Created.Compare(a.Created) })
		list = list[:min(len(list), *most)]
		if *c.asJSON {
			return p.printJSON(map[string]any{"operations": append([]control.Operation{}, list...)})
		}
		return p.printOperations(list)
	})
}

// statusesOf are those that --status means.
func statusesOf(text string) ([]store.AttemptStatus, bool) {
	switch s := store.AttemptStatus(text); s {
	case "":
		return []store.AttemptStatus{store.AttemptUnknown, store.AttemptRunning}, true
	case store.AttemptRunning, store.AttemptUnknown, store.AttemptDone, store.AttemptKept, store.AttemptFailed, store.AttemptApplied, store.AttemptNotApplied:
		return []store.AttemptStatus{s}, true
	}
	return nil, false
}

// listOperations reads pages until there are enough.
func listOperations(ctx context.Context, o operator, f control.OperationFilter, most int) (all []control.Operation, err error) {
	for {
		f.Limit = min(most-len(all), store.MaxPage)
		page, err := o.Operations(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Next == 0 || len(page.Items) == 0 || len(all) >= most {
			return all[:min(len(all), most)], nil
		}
		f.Before = page.Next
	}
}

func (p *program) printOperations(list []control.Operation) error {
	w := newTable(p.stdout)
	fmt.Fprintln(w, "OPERATION\tSTATUS\tAGE\tUSER\tCLIENT\tWHAT\tWORKFLOW")
	doubtful := false
	for _, a := range list {
		doubtful = doubtful || a.Status == store.AttemptUnknown
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", orDash(a.ID), a.Status, age(p.now(), a.Created), printable(a.User), orDash(a.Client),
			printable(whatOf(a)), orDash(a.Workflow))
	}
	if err := w.Flush(); err != nil || !doubtful {
		return err
	}
	_, err := fmt.Fprintln(p.stderr, "prax: hint: prax operations show ID says what is known of one in doubt, and how to settle it")
	return err
}

// whatOf is what an operation is for, in a few words.
func whatOf(a control.Operation) string {
	if a.Workflow == "" {
		return a.Tool + " (" + a.Kind + ")"
	}
	if a.Transition == "" {
		return a.Definition + ": " + a.State + " (" + a.Kind + ")"
	}
	return a.Definition + ": " + a.Transition + " (" + a.Kind + ")"
}

// age is how long ago something was, in its largest unit.
func age(now, at time.Time) string {
	d := max(now.Sub(at), 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}
