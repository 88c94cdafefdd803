package tools

// Admission lets one attempt call one tool, whatever the allowlist of the principal that it acts for says. It is made by
// [Admit], which tools/runner alone calls, once the move has been judged: it is the only way to run a HIGH tool, or to
// reach across a border. The zero Admission admits nothing.
type Admission struct {
	attempt  string
	tool     string
	granted  bool
	approved bool
}

// Admit admits an attempt to a tool. granted: the operator wrote down that the definition may use it, which holds for
// LOW and MEDIUM tools; approved: a person approved exactly this call, and the approval is used up by the attempt.
func Admit(attempt, tool string, granted, approved bool) Admission {
	return Admission{attempt: attempt, tool: tool, granted: granted, approved: approved}
}
