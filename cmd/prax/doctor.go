package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"prax/auth/clients"
	"prax/cmd/prax/doctor"
	"prax/server"
	"prax/server/control"
	"prax/store/sqlite"
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
	facts.Unread, facts.Judged = unread, p.judged(s)
	if facts.Files, err = p.readFiles(f, s, facts.Clients.Plain > 0); err != nil {
		return err
	}
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

// facts gathers what there is to examine.
func (p *program) facts(ctx context.Context, s *settings) doctor.Facts {
	facts := doctor.Facts{
		Now: p.now(), UID: os.Getuid(), Version: readBuild().Version,
		Data: s.Data, Addr: s.Addr, Enabled: s.Enabled,
		Open: func() (doctor.Store, error) { return sqlite.OpenReadOnly(s.Data) },
		Word: shellWord, Machine: doctor.ThisMachine(p.variable("PATH")),
	}
	if s.PublicURL != nil {
		facts.Public = s.PublicURL.String()
	}
	facts.Listed, facts.Clients = clients.List(s.clientsConfig(nil), s.catalogue(), facts.Now)
	facts.Server, facts.Down = runningServer(ctx, s)
	return facts
}

// judged is what prax check would say of the address, the certificate and the definitions, as far as a doctor does not look
// at that by itself.
func (p *program) judged(s *settings) []doctor.Finding {
	var v verdict
	v.judgeCertificate(s, p.now())
	if err := server.CheckBind(s.Addr, s.tls(), s.InsecureBind); err != nil {
		v.add(setting("open-bind", "error", err.Error()))
	}
	_, problems := s.defineAll()
	for _, problem := range problems {
		if problem.IsError() {
			v.add(setting("definitions", "error", "the definitions cannot be used: "+problem.String()))
			break
		}
	}
	var found []doctor.Finding
	for _, one := range v.Findings {
		if one.Code != "tls-key-mode" {
			found = append(found, doctor.Finding{Severity: one.Severity, Code: doctor.Code(one.Code), Text: one.Text, Hint: "prax check"})
		}
	}
	return found
}

// runningServer is the one that runs with the data; nil when none does.
func runningServer(ctx context.Context, s *settings) (*doctor.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, tellPatience)
	defer cancel()
	c, err := control.Dial(filepath.Join(s.Data, control.SocketName))
	if errors.Is(err, control.ErrNoServer) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer c.Close()
	now, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	return &doctor.Server{Version: now.Version, Addr: now.Addr, Enabled: now.Enabled, Digest: now.Registry.Digest}, nil
}

// readFiles are the files beside the data that a server with these settings reads.
func (p *program) readFiles(f *flags, s *settings, plainTokens bool) ([]doctor.File, error) {
	layer, err := p.fileLayer(f)
	if err != nil {
		return nil, err
	}
	files := []doctor.File{
		{Path: s.ClientsPath, What: "the file of clients", Secret: plainTokens, Watched: true},
		{Path: s.Config, What: "the definitions", Watched: true},
		{Path: layer.source, What: "the file of settings", Secret: slices.ContainsFunc(variables, func(v variable) bool { return v.secret && layer.texts[v.name] != "" })},
	}
	if s.TLSKey != "" {
		files = append(files, doctor.File{Path: s.TLSCert, What: "the certificate", Watched: true}, doctor.File{Path: s.TLSKey, What: "the key of the certificate", Secret: true, Watched: true})
	}
	for _, v := range variables {
		if _, path, found := strings.Cut(s.values[v.name].source, fromFile); found && v.secret {
			files = append(files, doctor.File{Path: path, What: "the file of " + v.name, Secret: true})
		}
	}
	return slices.DeleteFunc(files, func(f doctor.File) bool { return f.Path == "" }), nil
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
