package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"prax/tools"
)

// flags are the flags and positional arguments of one command.
type flags struct {
	*flag.FlagSet
	p        *program
	path     string            // "client add"
	synopsis string            // "NAME [flags]"
	summary  string            // what the command does, for its help
	meant    map[string]string // flags that are looked for here in vain, and the one that is meant
	given    map[string]string // settings given by flag, by variable
	env      *string
	dev      *bool
}

// said tells whether a flag stands on the command line, be it with nothing.
func (f *flags) said(name string) (found bool) {
	f.Visit(func(fl *flag.Flag) { found = found || fl.Name == name })
	return found
}

// flags starts the flags of a command.
func (p *program) flags(path, synopsis, summary string) *flags {
	f := &flags{
		FlagSet: flag.NewFlagSet(path, flag.ContinueOnError),
		p:       p, path: path, synopsis: synopsis, summary: summary,
		given: map[string]string{},
	}
	f.SetOutput(io.Discard)
	return f
}

// withSettings adds --env, --dev and the flags of these settings, for a command that reads no other.
// Without names it is every setting that is not a secret.
func (f *flags) withSettings(names ...string) *flags {
	f.env = f.String("env", "", "read settings from `FILE` instead of config.env")
	f.dev = f.Bool("dev", false, "the trial server of serve --dev: its data and its clients")
	for _, v := range variables {
		if v.flag == "" || len(names) > 0 && !slices.Contains(names, v.name) {
			continue
		}
		f.Var(&settingFlag{variable: v, given: f.given}, v.flag, v.note)
	}
	return f
}

// parse reads args, flags and positional arguments in any order, `--` ending the flags. It wants
// least to most positional arguments; a negative most is no limit.
func (f *flags) parse(args []string, least, most int) ([]string, error) {
	if f.p.declared != nil {
		f.p.declared(f)
		return nil, errHelp
	}
	var positional []string
	for len(args) > 0 {
		if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
			f.printHelp(f.p.stdout)
			return nil, errHelp
		} else if err != nil {
			return nil, f.refused(err)
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

// refused words what the flag package says. A flag that this command does not take may be one of
// another command, or near one of its own: it is named, because what it was to restrict would not be.
func (f *flags) refused(err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return f.usage("%s", f.misread(err.Error()))
	}
	name = strings.TrimPrefix(name, "-")
	if meant := f.meant[strings.ReplaceAll(name, "_", "-")]; meant != "" {
		return f.usage("unknown flag --%s: prax %s calls it --%s", name, f.path, meant)
	}
	if slices.ContainsFunc(variables, func(v variable) bool { return v.flag == name }) {
		return f.usage("unknown flag --%s: it is a setting that prax %s does not use", name, f.path)
	}
	var own []string
	f.VisitAll(func(fl *flag.Flag) { own = append(own, fl.Name) })
	if near := tools.Nearest(name, own); near != "" {
		return f.usage("unknown flag --%s: did you mean --%s?", name, near)
	}
	return f.usage("unknown flag --%s", name)
}

// unread is how the flag package says that a value is none of its own kinds; it has no more to say than that.
var unread = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-(.+): (?:parse error|value out of range)$`)
})

// misread words what the flag package says of a flag that this command takes.
func (f *flags) misread(text string) string {
	if name, alone := strings.CutPrefix(text, "flag needs an argument: -"); alone {
		return "--" + name + " needs an argument"
	}
	said := unread().FindStringSubmatch(text)
	if said == nil {
		return text
	}
	kind, _ := flag.UnquoteUsage(f.Lookup(said[2]))
	if kind == "" { // a switch
		kind = "true or false"
	}
	return fmt.Sprintf("--%s takes %s, not %s", said[2], kind, said[1])
}

func (f *flags) printHelp(w io.Writer) {
	fmt.Fprintf(w, "usage: prax %s %s\n\n%s\n", f.path, f.synopsis, f.summary)
	var own, common [][2]string
	f.VisitAll(func(fl *flag.Flag) {
		arg, note := flag.UnquoteUsage(fl)
		if s, setting := fl.Value.(*settingFlag); setting {
			common = append(common, [2]string{s.variable.flagText(), s.variable.flagNote()})
		} else {
			own = append(own, [2]string{strings.TrimSpace("--" + fl.Name + " " + strings.ToUpper(arg)), note})
		}
	})
	printSection(w, "flags", own)
	printSection(w, "settings, which are also variables (prax config show)", common)
}

func printSection(w io.Writer, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	table := newTable(w)
	for _, row := range rows {
		fmt.Fprintf(table, "  %s\t%s\n", row[0], row[1])
	}
	_ = table.Flush() // to a terminal or a pipe; nobody to tell when it is gone
}

// settingFlag is the flag of one setting: it keeps the text for the settings to parse, so that a
// flag is judged and refused exactly as its variable is.
type settingFlag struct {
	variable variable
	given    map[string]string
}

func (s *settingFlag) String() string { return "" }

// Set takes the text.
func (s *settingFlag) Set(text string) error {
	s.given[s.variable.name] = text
	return nil
}

// IsBoolFlag lets --insecure-bind stand alone.
func (s *settingFlag) IsBoolFlag() bool { return s.variable.boolean }

// flagText is the flag as the help shows it.
func (v variable) flagText() string {
	if v.boolean {
		return "--" + v.flag
	}
	return "--" + v.flag + " VALUE"
}

// flagNote is the line beside it, with the default.
func (v variable) flagNote() string {
	if v.initial == "" {
		return v.note
	}
	return v.note + " (" + v.initial + ")"
}
