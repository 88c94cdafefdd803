package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"prax/tools"
)

// value is the text of a setting and where it comes from, in words.
type value struct {
	text   string
	source string
}

// sourceDefault is the source of a setting that nobody set, sourceDev that of one that --dev sets.
const (
	sourceDefault = "the default"
	sourceDev     = "--dev"
)

// fromFile stands between the source of a NAME_FILE and the path of that file.
const fromFile = ", from the file "

// envFile is read when no --env names another.
const envFile = "config.env"

// maxSecretFile bounds what a NAME_FILE may hold.
const maxSecretFile = 64 << 10

// layer is one place settings come from; a later layer overrides an earlier one. An empty text is
// as good as none: compose files set variables to nothing to say that they are unset.
type layer struct {
	source string
	texts  map[string]string
}

// loadSettings reads the table of variables from config.env, the environment and the flags, each
// over the one before. It returns what the operator should be warned of. Every error names the
// variable, its value unless it is a secret, and where it was set.
func (p *program) loadSettings(f *flags) (*settings, []string, error) {
	file, err := p.fileLayer(f)
	if err != nil {
		return nil, nil, err
	}
	environ := layer{"the environment", environment(p.environ)}
	layers := []layer{file, environ, {"a flag", f.given}}
	if f.isDev() {
		if layers, err = devLayers(f, file, environ); err != nil {
			return nil, nil, err
		}
	}
	s := &settings{values: map[string]value{}, home: environ.texts["HOME"]}
	var problems []error
	for _, v := range variables {
		if err := s.settle(v, layers); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return nil, nil, badConfig("prax config show -h lists the settings", "%w", errors.Join(problems...))
	}
	return s, unknownNames(file, environ), nil
}

func (p *program) fileLayer(f *flags) (layer, error) {
	name, required := envFile, false
	if f.env != nil && *f.env != "" {
		name, required = *f.env, true
	}
	text, err := readRegular(name, maxFile)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return layer{source: name}, nil
	}
	if err != nil {
		return layer{}, badConfig("", "settings: %w", err)
	}
	texts, err := parseEnvFile(string(text))
	if err != nil {
		return layer{}, badConfig("a line is NAME=value, or # and a remark", "%s:%w", name, err)
	}
	return layer{name, texts}, nil
}

// environment is the process's variables by name.
func environment(environ []string) map[string]string {
	texts := make(map[string]string, len(environ))
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		texts[name] = text
	}
	return texts
}

// settle finds the text of v in the highest layer that has one, and parses it.
func (s *settings) settle(v variable, layers []layer) error {
	in := value{v.initial, sourceDefault}
	for _, l := range layers {
		found, err := l.text(v)
		if err != nil {
			return err
		}
		if found.text != "" {
			in = found
		}
	}
	s.values[v.name] = in
	if in.text == "" {
		return nil
	}
	if err := v.parse(s, in.text); err != nil {
		return v.refused(in, err)
	}
	return nil
}

// refused says that a setting cannot be read, and why. What stands before an @ in an address is a
// user and a password: it is not shown, and neither is the reason, which quotes parts of the text.
func (v variable) refused(in value, err error) error {
	at := strings.LastIndexByte(in.text, '@')
	if v.secret || at < 0 {
		return fmt.Errorf("%s=%s (%s): %w", v.name, v.mask(in.text), in.source, err)
	}
	return fmt.Errorf("%s=(hidden)%s (%s): cannot be read, and what is before the @ is not shown: an address has no user and no password here",
		v.name, in.text[at:], in.source)
}

// text is what the layer says of v: its value, or for a secret the trimmed content of the file that
// NAME_FILE names. Both at once is a mistake that must not pick a token by luck.
func (l layer) text(v variable) (value, error) {
	plain := strings.TrimSpace(l.texts[v.name])
	file := ""
	if v.secret {
		file = l.texts[v.name+"_FILE"]
	}
	switch {
	case file == "":
		return value{plain, l.source}, nil
	case plain != "":
		return value{}, fmt.Errorf("%s and %s_FILE (%s): set one of them", v.name, v.name, l.source)
	}
	text, err := readSecret(file)
	if err != nil {
		return value{}, fmt.Errorf("%s_FILE=%s (%s): %w", v.name, file, l.source, err)
	}
	return value{text, l.source + fromFile + file}, nil
}

func readSecret(name string) (string, error) {
	text, err := readRegular(name, maxSecretFile)
	if err != nil {
		return "", errors.Unwrap(err) // the name is said already
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" {
		return "", errors.New("the file is empty")
	}
	return secret, nil
}

// mask is text as it may be shown.
func (v variable) mask(text string) string {
	if v.secret && text != "" {
		return "(set, not shown)"
	}
	return text
}

// unknownNames are warnings about names that nothing reads: of config.env every one, since it is
// ours alone; of the environment those that begin with PRAX_, but for the one in which client add leaves a
// caller's token, and those that begin with MCP_, which others may have too, when they are near to one of ours.
func unknownNames(file, environ layer) []string {
	var warnings []string
	warn := func(l layer, mine func(string) bool) {
		for name, text := range l.texts {
			if text != "" && mine(name) && !known(name) {
				warnings = append(warnings, fmt.Sprintf("%s (%s) is not known to this version and has no effect%s", name, l.source, meant(name)))
			}
		}
	}
	warn(file, func(string) bool { return true })
	warn(environ, func(name string) bool {
		return strings.HasPrefix(name, "PRAX_") && name != "PRAX_TOKEN" || strings.HasPrefix(name, "MCP_") && meant(name) != ""
	})
	slices.Sort(warnings)
	return warnings
}

// meant says which setting an unknown name is near to; "" when it is near to none.
func meant(name string) string {
	var names []string
	for _, v := range variables {
		names = append(names, v.name)
	}
	if near := tools.Nearest(name, names); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}

func known(name string) bool {
	return slices.ContainsFunc(variables, func(v variable) bool {
		return name == v.name || v.secret && name == v.name+"_FILE"
	})
}
