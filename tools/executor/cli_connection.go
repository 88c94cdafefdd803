package executor

import (
	"path/filepath"
	"strings"

	"prax/tools/schema"
)

// CLIConnection is a program, with the directory and the environment that it runs in. The values of the environment may
// have secrets: ${env:NAME} and ${file:/path}, which are resolved when it is run.
type CLIConnection struct {
	Command          string            `json:"command"` // a name that is looked up in PATH, or a path
	WorkingDirectory string            `json:"workingDirectory"`
	Env              map[string]string `json:"env"`

	program string // Command, a path made absolute
	dir     string // absolute: WorkingDirectory, or that of the file
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
	s.program = s.Command
	if strings.Contains(s.Command, "/") {
		s.program = found.absolute("/command", dir, s.Command)
	}
	found.add("/workingDirectory", literalDefect(s.WorkingDirectory))
	s.dir = found.absolute("/workingDirectory", dir, s.WorkingDirectory)
	return found
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
