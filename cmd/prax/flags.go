package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// flags are the flags and positional arguments of one command.
type flags struct {
	*flag.FlagSet
	p        *program
	path     string // "client add"
	synopsis string // "NAME [flags]"
	summary  string // what the command does, for its help
	settings bool   // takes the settings as flags too
	given    map[string]string
	env      *string
}

// flags starts the flags of a command. Those with settings also take --env and one flag for each
// setting that is not a secret.
func (p *program) flags(path, synopsis, summary string) *flags {
	f := &flags{
		FlagSet: flag.NewFlagSet(path, flag.ContinueOnError),
		p:       p, path: path, synopsis: synopsis, summary: summary,
		given: map[string]string{},
	}
	f.SetOutput(io.Discard)
	return f
}

// withSettings adds the flags of the settings, for a command that reads them.
func (f *flags) withSettings() *flags {
	f.settings = true
	f.env = f.String("env", "", "read settings from `FILE` instead of config.env")
	for _, v := range variables {
		if v.flag == "" {
			continue
		}
		f.Var(&settingFlag{name: v.name, boolean: v.boolean, given: f.given}, v.flag, v.note)
	}
	return f
}

// assume gives a setting as if by its flag, unless that was given.
func (f *flags) assume(name, text string) {
	if f.given[name] == "" {
		f.given[name] = text
	}
}

// parse reads args, flags and positional arguments in any order, `--` ending the flags. It wants
// least to most positional arguments; a negative most is no limit.
func (f *flags) parse(args []string, least, most int) ([]string, error) {
	var positional []string
	for len(args) > 0 {
		if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
			f.printHelp(f.p.stdout)
			return nil, errHelp
		} else if err != nil {
			return nil, f.usage("%s", strings.TrimPrefix(err.Error(), "flag "))
		}
		rest := f.Args()
		if n := len(args) - len(rest); n > 0 && args[n-1] == "--" {
			positional = append(positional, rest...)
			break
		}
		if len(rest) == 0 {
			break
		}
		positional, args = append(positional, rest[0]), rest[1:]
	}
	if len(positional) < least {
		return nil, f.usage("an argument is missing: prax %s %s", f.path, f.synopsis)
	}
	if most >= 0 && len(positional) > most {
		return nil, f.usage("one argument too many: %q", positional[most])
	}
	return positional, nil
}

func (f *flags) usage(format string, args ...any) error {
	return usage("prax "+f.path+" -h explains it", format, args...)
}

func (f *flags) printHelp(w io.Writer) {
	fmt.Fprintf(w, "usage: prax %s %s\n\n%s\n", f.path, f.synopsis, f.summary)
	var own, common []string
	f.VisitAll(func(fl *flag.Flag) {
		arg, note := flag.UnquoteUsage(fl)
		line := fmt.Sprintf("  %-26s %s", strings.TrimSpace("--"+fl.Name+" "+strings.ToUpper(arg)), note)
		if _, setting := fl.Value.(*settingFlag); setting {
			common = append(common, line)
		} else {
			own = append(own, line)
		}
	})
	printSection(w, "flags", own)
	printSection(w, "settings, which are also variables (prax config show)", common)
}

func printSection(w io.Writer, title string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n%s:\n%s\n", title, strings.Join(lines, "\n"))
	}
}

// settingFlag is the flag of one setting: it keeps the text for the settings to parse, so that a
// flag is judged and refused exactly as its variable is.
type settingFlag struct {
	name    string
	boolean bool
	given   map[string]string
}

func (s *settingFlag) String() string { return "" }

// Set takes the text.
func (s *settingFlag) Set(text string) error {
	s.given[s.name] = text
	return nil
}

// IsBoolFlag lets --insecure-bind stand alone.
func (s *settingFlag) IsBoolFlag() bool { return s.boolean }
