package executor

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"prax/tools/schema"
	"prax/tools/secret"
)

// CLIConnection is a program, with the directory and the environment that it runs in. The values of the environment may
// have secrets: ${env:NAME} and ${file:/path}, which are resolved when it is run.
type CLIConnection struct {
	Command          string            `json:"command"` // a name that is looked up in PATH, or a path
	WorkingDirectory string            `json:"workingDirectory"`
	Env              map[string]string `json:"env"`

	program string // Command, a path made absolute
	dir     string // absolute: WorkingDirectory, or that of the file
	env     map[string]secret.Text
}

// CheckConnection implements [workflow.ConnectionSpec].
func (s *CLIConnection) CheckConnection(dir string) []schema.Violation {
	var found violations
	switch {
	case s.Command == "":
		found.add("", "must have a command")
	case strings.HasPrefix(s.Command, "$."):
		found.add("/command", "must be a literal: what is run is never a caller's choice")
	default:
		found.add("/command", literalDefect(s.Command))
	}
	s.program = unescaped(s.Command)
	if strings.Contains(s.Command, "/") {
		s.program = found.absolute("/command", dir, s.program)
	}
	found.add("/workingDirectory", literalDefect(s.WorkingDirectory))
	s.dir = found.absolute("/workingDirectory", dir, unescaped(s.WorkingDirectory))
	s.env = found.environment(s.Env)
	return found
}

// environment parses variables whose values may have secrets.
func (f *violations) environment(env map[string]string) map[string]secret.Text {
	parsed := make(map[string]secret.Text, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		at := "/env/" + schema.Escape(name)
		f.add(at, nameDefect(name))
		text, err := secret.Parse(env[name])
		switch {
		case err != nil:
			f.add(at, err.Error())
		case strings.ContainsRune(env[name], 0):
			f.add(at, "must be text without NUL")
		}
		parsed[name] = text
	}
	return parsed
}

// absolute is a path that starts in the folder of the file when it is relative.
func (f *violations) absolute(at, dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		f.add(at, "must be an absolute path here, as the working directory of the server is gone")
	}
	return absolute
}
