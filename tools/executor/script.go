package executor

import (
	"prax/auth"
	"prax/tools/schema"
	"prax/tools/workflow"
)

// kindScript is the name of the kind.
const kindScript = "script"

// Script runs a script of the library, which the definition has pinned by its hash. A connection, of the kind cli, gives
// it the directory and the environment to run in; its command is not used.
type Script struct {
	Subject               string            `json:"subject"`
	Connection            string            `json:"connection"`
	Args                  []string          `json:"args"`
	Env                   map[string]string `json:"env"`
	WorkingDirectory      string            `json:"workingDirectory"`
	TreatNonZeroAsFailure *bool             `json:"treatNonZeroAsFailure"` // nil: true

	part   part
	script *workflow.Guidance // nil: not known
}

// Check implements [workflow.Spec]. The least tier is HIGH when what a caller says could be run as code.
func (s *Script) Check(w workflow.Surroundings) (auth.Tier, []schema.Violation) {
	var found violations
	switch {
	case s.Subject == "":
		found.add("", "must have a subject")
	case w.Script != nil:
		script, ok := w.Script(s.Subject)
		switch {
		case !ok || !script.Script:
			found.add("/subject", "names no script of the library")
		default:
			s.script = script
		}
	}
	s.part = found.part(w, s.Args, s.Env, s.WorkingDirectory, s.Connection != "")
	tier := auth.Low
	if c := found.connection(w, s.Connection); c != nil {
		tier = c.Tier
	}
	return max(tier, s.part.tier("")), found
}
