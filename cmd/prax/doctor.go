package main

import (
	"cmp"
	"context"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"prax/cmd/prax/doctor"
)

// doctor looks for what goes wrong in the field.
func (p *program) doctor(args []string) error {
	f := p.flags("doctor", "[--json] [flags]",
		"Looks for what goes wrong in the field, and says what to do about each thing: files that others can read or change, or that another user\n"+
			"made; files mounted by themselves, data on network drives or in synchronised folders; room on the disk, the clock, the port; what was left by\n"+
			"who was killed; clients that are out or soon will be, names in allow that grant nothing, tokens in plain text; work that waits or is in doubt;\n"+
			"what tailscale serve hands on. It changes nothing, and works with a running server and without. Give it the settings that the server has.\n"+
			"Exit code 1: there is an error; 78: a setting that cannot be read; 0: neither, though there may be warnings.").withSettings()
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	s, unread, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	facts := p.facts(ctx, s)
	set, problems := s.defineAll()
	facts.Unread, facts.Judged = unread, p.judged(s, problems)
	if facts.Files, err = p.readFiles(f, s, facts.Clients.Plain > 0); err != nil {
		return err
	}
	facts.Files = append(facts.Files, connectionFiles(set)...)
	report := doctor.Examine(ctx, facts)
	if *asJSON {
		err = p.printJSON(report)
	} else {
		err = p.printReport(report)
	}
	if err == nil && !report.OK {
		return &failure{code: exitFailed, err: errShown}
	}
	return err
}

// severity is how bad a finding is, in front of it.
func (p *program) severity(word string) string {
	colour := yellow
	if word == doctor.Error {
		colour = red
	}
	return p.coloured(p.stdout, colour, word+":")
}

// printReport prints what was found, the errors first, or that nothing was.
func (p *program) printReport(r doctor.Report) error {
	found := slices.Clone(r.Findings)
	slices.SortStableFunc(found, func(a, b doctor.Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	errors := 0
	for _, one := range found {
		fmt.Fprintf(p.stdout, "%s %s (%s)\n", p.severity(one.Severity), printable(one.Text), one.Code)
		if one.Hint != "" {
			fmt.Fprintf(p.stdout, "  hint: %s\n", printable(one.Hint))
		}
		if one.Severity == doctor.Error {
			errors++
		}
	}
	verdict := "all is well"
	if len(found) > 0 {
		verdict = count(errors, "error") + " and " + count(len(found)-errors, "warning")
	}
	_, err := fmt.Fprintf(p.stdout, "%s; looked at: %s\n", verdict, printable(strings.Join(r.Looked, ", ")))
	return err
}
