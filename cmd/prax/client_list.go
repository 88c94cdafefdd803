package main

import (
	"fmt"
	"strings"

	"prax/auth/clients"
)

// clientList prints the clients of clients.json and of the settings, without secrets.
func (p *program) clientList(args []string) error {
	f := p.flags("client list", "[--json] [flags]",
		"Prints the clients, whom they act as, and what they may use. A client that is out is shown with its state; prax check says why.").withSettings(grantSettings...)
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
	if *asJSON {
		return p.printJSON(map[string]any{"clients": append([]clients.Listed{}, listed...)})
	}
	w := newTable(p.stdout)
	fmt.Fprintln(w, "NAME\tUSER\tSTATE\tEXPIRES\tROLES\tALLOW")
	for _, c := range listed {
		expires := "never"
		if !c.Expires.IsZero() {
			expires = formatTime(c.Expires)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", printable(c.Name), printable(c.UserID), c.State, expires,
			orDash(strings.Join(c.Roles, ",")), orDash(strings.Join(c.Allow, ",")))
	}
	return w.Flush()
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return printable(text)
}
