package main

import (
	"context"
	"fmt"

	"prax/server/control"
	"prax/store"
)

// maxListed bounds what one command lists.
const maxListed = 10_000

// workflowList lists instances.
func (p *program) workflowList(args []string) error {
	c := p.workflowFlags("workflow list", "[--status WORD] [--definition ID] [--user USER] [-n NUMBER] [--json] [flags]",
		"Lists workflows, the newest first: everybody's, or with --as those that the client may see.", false)
	status := c.String("status", "", "those that are open, completed or cancelled, a `WORD`; all when missing")
	definition := c.String("definition", "", "those of this definition, by `ID`")
	user := c.String("user", "", "those of this `USER`")
	most := c.Int("n", 50, "at most this `NUMBER`")
	if _, err := c.parse(args, 0, 0); err != nil {
		return err
	}
	switch store.Status(*status) {
	case "", store.Open, store.Completed, store.Cancelled:
	default:
		return c.usage("--status is open, completed or cancelled, not %q", *status)
	}
	if *most < 1 || *most > maxListed {
		return c.usage("-n is a number from 1 to %d", maxListed)
	}
	return c.act(func(ctx context.Context, o operator) error {
		l := control.Listing{As: *c.as, Definition: *definition, Status: store.Status(*status), User: *user}
		list, err := listInstances(ctx, o, l, *most)
		if err != nil {
			return err
		}
		if *c.asJSON {
			return p.printJSON(map[string]any{"workflows": list})
		}
		return p.printInstances(list)
	})
}

// listInstances reads pages until there are enough.
func listInstances(ctx context.Context, o operator, l control.Listing, most int) ([]control.Instance, error) {
	all := []control.Instance{}
	for {
		l.Limit = min(most-len(all), store.MaxPage)
		page, err := o.Instances(ctx, l)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Next == 0 || len(all) >= most {
			return all[:min(len(all), most)], nil
		}
		l.Before = page.Next
	}
}

func (p *program) printInstances(list []control.Instance) error {
	w := newTable(p.stdout)
	fmt.Fprintln(w, "WORKFLOW\tDEFINITION\tSTATE\tVERSION\tSTATUS\tUSER\tCLIENT\tUPDATED\tSUMMARY")
	for _, i := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", i.ID, printable(i.DefinitionID), printable(i.State), i.Version, i.Status,
			printable(i.User), printable(i.Client), formatTime(i.Updated), orDash(inOneLine(i.Summary)))
	}
	return w.Flush()
}
