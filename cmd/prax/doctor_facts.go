package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prax/auth/clients"
	"prax/cmd/prax/doctor"
	"prax/server/control"
	"prax/store/sqlite"
	"prax/tools/definition"
)

// facts gathers what there is to examine.
func (p *program) facts(ctx context.Context, s *settings) doctor.Facts {
	facts := doctor.Facts{
		Now: p.now(), UID: os.Getuid(), Version: readBuild().Version,
		Data: s.Data, Addr: s.Addr, Metrics: s.values["PRAX_METRICS_ADDR"].text, Enabled: s.Enabled,
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

// judged is what prax check would say of the settings and the definitions, as far as a doctor does not look at that by itself.
func (p *program) judged(s *settings, problems definition.Problems) []doctor.Finding {
	var v verdict
	v.judgeSettings(s, p.now())
	for _, problem := range problems {
		if problem.IsError() {
			v.add(setting("definitions", "error", "the definitions cannot be used: "+problem.String()))
			break
		}
	}
	var found []doctor.Finding
	for _, one := range v.Findings {
		if one.Code != "tls-key-mode" {
			found = append(found, doctor.Finding{Severity: one.Severity, Code: doctor.Code(one.Code), Text: one.Text, Hint: settingHint(one.Code)})
		}
	}
	return found
}

// settingHint is what to do about a finding of the settings.
func settingHint(code string) string {
	switch code {
	case "tls-expires", "tls-expired":
		return "renew it; the server takes the new files by itself"
	case "tls-unusable":
		return "put a certificate and the key that it was made with there; a running server takes them by itself"
	}
	return "prax check"
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

// connectionFiles are those that connections take secrets from, each once.
func connectionFiles(set *definition.Set) (files []doctor.File) {
	if set == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(set.Connections)) {
		for _, text := range references(set.Connections[name]) {
			for _, reference := range text.Names() {
				path, isFile := strings.CutPrefix(reference, "file:")
				if isFile && !slices.ContainsFunc(files, func(f doctor.File) bool { return f.Path == path }) {
					files = append(files, doctor.File{Path: path, What: "a secret of the connection " + name, Secret: true})
				}
			}
		}
	}
	return files
}
