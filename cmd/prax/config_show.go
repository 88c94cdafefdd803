package main

import (
	"fmt"
)

// shownSetting is one row of `prax config show`.
type shownSetting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// configShow prints every setting in force and its source, secrets masked.
func (p *program) configShow(args []string) error {
	f := p.flags("config show", "[--json] [flags]", "Prints every setting, its value and where it comes from. Secrets are masked.").withSettings()
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	s, warnings, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	for _, warning := range warnings {
		fmt.Fprintf(p.stderr, "prax: warning: %s\n", printable(warning))
	}
	rows := s.shown()
	if *asJSON {
		return p.printJSON(map[string]any{"settings": rows, "warnings": append([]string{}, warnings...)})
	}
	w := newTable(p.stdout)
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\n", row.Name, printable(row.Value), printable(row.Source))
	}
	return w.Flush()
}

func (s *settings) shown() []shownSetting {
	rows := make([]shownSetting, len(variables))
	for i, v := range variables {
		in := s.values[v.name]
		rows[i] = shownSetting{v.name, v.mask(in.text), in.source}
		if in.text == "" {
			rows[i].Value, rows[i].Source = "-", "unset"
		}
	}
	return rows
}
