package executor

import (
	"strings"

	"prax/auth"
	"prax/tools/schema"
	"prax/tools/workflow"
)

// kindCLI is the name of the kind, of executors and of connections.
const kindCLI = "cli"

// CLI runs a program. The program is a literal, here or in a connection. An argument is a literal, or a path as a whole,
// which becomes one element of argv whatever its value is: no shell has a say in it.
type CLI struct {
	Connection            string            `json:"connection"`
	Command               string            `json:"command"` // a name that is looked up in PATH, or an absolute path
	Args                  []string          `json:"args"`
	Env                   map[string]string `json:"env"`
	WorkingDirectory      string            `json:"workingDirectory"`
	TreatNonZeroAsFailure *bool             `json:"treatNonZeroAsFailure"` // nil: true

	part part
}

// Check implements [workflow.Spec]. The least tier is HIGH when what a caller says could be run as code.
func (s *CLI) Check(w workflow.Surroundings) (auth.Tier, []schema.Violation) {
	var found violations
	switch {
	case s.Connection == "" && s.Command == "":
		found.add("", "must have a connection or a command")
	case s.Connection != "" && s.Command != "":
		found.add("/command", "stands beside a connection, which brings its own: leave one out")
	case s.Command != "":
		found.add("/command", programDefect(s.Command))
	}
	s.part = found.part(w, s.Args, s.Env, s.WorkingDirectory, s.Connection != "")
	command, tier := unescaped(s.Command), auth.Low
	if c := found.connection(w, s.Connection); c != nil {
		command, tier = c.Spec.(*CLIConnection).program, c.Tier
	}
	return max(tier, s.part.tier(command)), found
}

// programDefect says why a text is no program; "" when it is one. A relative path would depend on where the server was
// started.
func programDefect(text string) string {
	switch {
	case strings.HasPrefix(text, "$."):
		return "must be a literal: what is run is never a caller's choice"
	case strings.Contains(text, "/") && !strings.HasPrefix(text, "/"):
		return "must be a name, or an absolute path: one that is relative to its file stands in a connection only"
	}
	return literalDefect(text)
}
