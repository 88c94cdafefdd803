package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"prax/auth"
	"prax/auth/clients"
)

// clientList prints the clients of clients.json and of the settings, without secrets.
func (p *program) clientList(args []string) error {
	f := p.flags("client list", "[--all] [--json] [flags]",
		"Prints the clients, whom they act as, when they were last used, and what they may use. A client that is out is shown with its state;\n"+
			"prax check says why. EXPIRES is when the last of its tokens ends, marked as soon within 7 days; TOKENS says when the next of several does.").withSettings(grantSettings...)
	all := f.Bool("all", false, "clients too that are in the file no more, with when they were last used")
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	listed, report := clients.List(s.clientsConfig(nil), s.catalogue(), p.now())
	if !report.OK && !exists(s.ClientsPath) {
		return noClientsFile(s.ClientsPath)
	}
	if !report.OK && len(report.Problems) > 0 {
		return failed("prax check says more", "%s", report.Problems[0])
	}
	gone := p.fillUses(s, listed)
	if *all {
		listed = append(listed, gone...)
	}
	if *asJSON {
		return p.printJSON(map[string]any{"clients": append([]clients.Listed{}, listed...)})
	}
	return p.printClients(listed)
}

func (p *program) printClients(listed []clients.Listed) error {
	w := newTable(p.stdout)
	fmt.Fprintln(w, "NAME\tUSER\tSTATE\tEXPIRES\tLAST USED\tTOKENS\tROLES\tALLOW")
	for _, c := range listed {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", printable(c.Name), orDash(c.UserID), c.State, p.expiry(&c), lastUse(c.LastUsed), liveTokens(&c),
			orDash(strings.Join(c.Roles, ",")), orDash(strings.Join(c.Allow, ",")))
	}
	return w.Flush()
}

// liveTokens is how many tokens of a client are good now, and of several when the next one ends.
func liveTokens(c *clients.Listed) string {
	n := c.LiveTokens()
	if end := c.NextEnd(); n > 1 && !end.IsZero() {
		return fmt.Sprintf("%d, one until %s", n, formatTime(end))
	}
	return strconv.Itoa(n)
}

// expiry is when a client is out.
func (p *program) expiry(c *clients.Listed) string {
	switch {
	case c.State == clients.Gone:
		return "-"
	case c.Expires.IsZero():
		return "never"
	case c.State == clients.Live && c.Expires.Before(p.now().Add(auth.Soon)):
		return formatTime(c.Expires) + " (soon)"
	}
	return formatTime(c.Expires)
}

func lastUse(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return formatTime(at)
}

// usesPatience bounds how long a list waits for when its clients were used.
const usesPatience = 5 * time.Second

// fillUses adds when each client and token was used last, and returns the clients that are known for nothing else any
// more. A list without that is a list all the same: what goes wrong is a note.
func (p *program) fillUses(s *settings, listed []clients.Listed) (gone []clients.Listed) {
	if !exists(filepath.Join(s.Data, "prax.db")) {
		return nil // no server has run
	}
	uses, err := p.readUses(s)
	if err != nil {
		p.noteOf("when clients were used last is not known: %v", err)
		return nil
	}
	for i := range listed {
		uses.fill(&listed[i])
	}
	return uses.rest()
}

func (p *program) readUses(s *settings) (u lastUses, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), usesPatience)
	defer cancel()
	o, end, err := p.auditor(s)
	if err != nil {
		return u, err
	}
	list, err := o.Uses(ctx)
	if ended := end(); err == nil {
		err = ended
	}
	if err != nil {
		return u, err
	}
	return newLastUses(s.Data, list)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return printable(text)
}
