package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"prax/tools"
)

// command is one subcommand, or a group of them.
type command struct {
	name    string
	summary string // one line, shown by the help of what is above
	run     func(p *program, args []string) error
	sub     []command // of a group; run is nil then
}

// commands is everything prax can be asked to do, in the order of the help.
func commands() []command {
	return []command{
		{name: "serve", summary: "serve tools to agents (--dev: a ready-made trial server)", run: (*program).serve},
		{name: "check", summary: "judge clients.json and the settings, as a start would", run: (*program).check},
		{name: "doctor", summary: "look for what goes wrong in the field, and say what to do", run: (*program).doctor},
		{name: "client", summary: "add, rotate, revoke and list clients", sub: []command{
			{name: "add", summary: "add a client and print its token once", run: (*program).clientAdd},
			{name: "rotate", summary: "give a client a new token", run: (*program).clientRotate},
			{name: "revoke", summary: "remove a client", run: (*program).clientRevoke},
			{name: "list", summary: "list the clients, without secrets", run: (*program).clientList},
		}},
		{name: "token", summary: "hash a token, say whose it is, make and revoke signed ones", sub: []command{
			{name: "hash", summary: "print the token_sha256 of a token on standard input", run: (*program).tokenHash},
			{name: "inspect", summary: "say which client a token on standard input belongs to", run: (*program).tokenInspect},
			{name: "jwt", summary: "make a signed token that stands for a client for a while", run: (*program).tokenJWT},
			{name: "revoke", summary: "end one signed token", run: (*program).tokenRevoke},
		}},
		{name: "access", summary: "explain what a client may use, and why", run: (*program).access},
		{name: "call", summary: "call a tool with a client's rights", run: (*program).call},
		{name: "workflow", summary: "start workflows, move them, and see where they are", sub: []command{
			{name: "list", summary: "list workflows, the newest first", run: (*program).workflowList},
			{name: "show", summary: "say where a workflow is, and what can be done now", run: (*program).workflowShow},
			{name: "start", summary: "start a workflow", run: (*program).workflowStart},
			{name: "submit", summary: "take a transition", run: (*program).workflowSubmit},
			{name: "run", summary: "start a workflow and follow its links", run: (*program).workflowRun},
			{name: "cancel", summary: "end a workflow where it is", run: (*program).workflowCancel},
			{name: "history", summary: "print every step of a workflow", run: (*program).workflowHistory},
			{name: "graph", summary: "draw a definition", run: (*program).workflowGraph},
		}},
		{name: "approvals", summary: "answer what waits for a person", sub: []command{
			{name: "list", summary: "list what waits for a person", run: (*program).approvalsList},
			{name: "show", summary: "show what an approval is about", run: (*program).approvalsShow},
			{name: "approve", summary: "say yes to exactly what was shown", run: (*program).approvalsApprove},
			{name: "reject", summary: "say no", run: (*program).approvalsReject},
		}},
		{name: "operations", summary: "see what runs or is in doubt, and settle it", sub: []command{
			{name: "list", summary: "list what runs and what is in doubt, the newest first", run: (*program).operationsList},
			{name: "show", summary: "show one, and how to settle it", run: (*program).operationsShow},
			{name: "reconcile", summary: "say whether what is in doubt happened", run: (*program).operationsReconcile},
		}},
		{name: "lexicon", summary: "say what the words of workflows mean", sub: []command{
			{name: "define", summary: "define a term for everybody, or give it aliases", run: (*program).lexiconDefine},
			{name: "list", summary: "print every term, and what waits for a definition", run: (*program).lexiconList},
			{name: "accept", summary: "make a user's own term everybody's", run: (*program).lexiconAccept},
			{name: "remove", summary: "take a term away", run: (*program).lexiconRemove},
			{name: "history", summary: "print the versions of a term", run: (*program).lexiconHistory},
		}},
		{name: "audit", summary: "read and verify the audit log", sub: []command{
			{name: "tail", summary: "print the newest events", run: (*program).auditTail},
			{name: "export", summary: "print every event as JSON lines", run: (*program).auditExport},
			{name: "verify", summary: "recompute the chain and compare it with its signed head", run: (*program).auditVerify},
			{name: "archive", summary: "move the oldest events to a file", run: (*program).auditArchive},
		}},
		{name: "backup", summary: "write a backup of everything that prax keeps", run: (*program).backup},
		{name: "restore", summary: "put a backup back", run: (*program).restore},
		{name: "bench", summary: "measure a server under load, and check every answer", run: (*program).bench},
		{name: "health", summary: "ask the running server whether it is well", run: (*program).health},
		{name: "config", summary: "show the settings in force", sub: []command{
			{name: "show", summary: "print every setting, its value and where it comes from", run: (*program).configShow},
		}},
		{name: "completion", summary: "print a script that completes commands and flags in a shell", run: (*program).completion},
		{name: "version", summary: "print the version", run: (*program).version},
	}
}

// dispatch finds the command that args begin with and runs it.
func dispatch(p *program, path string, table []command, args []string) error {
	if len(args) == 0 || isHelp(args[0]) {
		return p.help(path, table, args)
	}
	if path == "prax" && (args[0] == "--version" || args[0] == "-version") {
		return p.version(args[1:])
	}
	i := slices.IndexFunc(table, func(c command) bool { return c.name == args[0] })
	if i < 0 {
		return unknownCommand(path, table, args[0])
	}
	c := table[i]
	if c.run == nil {
		return dispatch(p, path+" "+c.name, c.sub, args[1:])
	}
	return c.run(p, args[1:])
}

// unknownCommand says so, with what was probably meant: a name that is near, or a command of the one group that has it.
func unknownCommand(path string, table []command, name string) error {
	meant := ""
	if near := tools.Nearest(name, namesOf(table)); near != "" {
		meant = ": did you mean " + path + " " + near + "?"
	} else if groups := groupsOf(table, name); len(groups) == 1 {
		meant = ": did you mean " + path + " " + groups[0] + " " + name + "?"
	}
	return usage(path+" help lists the commands", "unknown command %q%s", strings.TrimPrefix(path+" "+name, "prax "), meant)
}

func namesOf(table []command) (names []string) {
	for _, c := range table {
		names = append(names, c.name)
	}
	return names
}

// groupsOf are the groups that have a command of this name.
func groupsOf(table []command, name string) (groups []string) {
	for _, c := range table {
		if slices.Contains(namesOf(c.sub), name) {
			groups = append(groups, c.name)
		}
	}
	return groups
}

func isHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}

// help prints the commands of a table; `help NAME…` the help of that one. A group named without a
// command prints its help too, and fails: nothing was done.
func (p *program) help(path string, table []command, args []string) error {
	if len(args) > 1 && args[0] == "help" {
		return dispatch(p, path, table, append(slices.Clone(args[1:]), "--help"))
	}
	printCommands(p.stdout, path, table)
	if len(args) == 0 && path != "prax" {
		return &failure{code: exitUsage, err: errShown}
	}
	return nil
}

func printCommands(w io.Writer, path string, table []command) {
	if path == "prax" {
		fmt.Fprint(w, "prax serves an operator's tools to agents that hold a bearer token, and to nobody else.\n\n")
	}
	fmt.Fprintf(w, "usage: %s COMMAND [flags]\n\n", path)
	width := columnOf(table)
	for _, c := range table {
		name := c.spelled()
		if len(name) > width { // its summary goes below it, in the column of the others
			fmt.Fprintf(w, "  %s\n", name)
			name = ""
		}
		fmt.Fprintf(w, "  %-*s  %s\n", width, name, c.summary)
	}
	fmt.Fprintf(w, "\n%s COMMAND -h explains one.", path)
	if path == "prax" {
		fmt.Fprint(w, " To try it: prax serve --dev")
	}
	fmt.Fprintln(w)
}

// maxColumn bounds how far a long name moves the summaries of all commands to the right.
const maxColumn = 36

// columnOf is how wide the column of names is: as the longest that is within bounds.
func columnOf(table []command) (width int) {
	for _, c := range table {
		if n := len(c.spelled()); n <= maxColumn {
			width = max(width, n)
		}
	}
	return width
}

// spelled is the command's name, with the commands of a group: client add|rotate.
func (c command) spelled() string {
	names := make([]string, len(c.sub))
	for i, sub := range c.sub {
		names[i] = sub.name
	}
	return strings.TrimSpace(c.name + " " + strings.Join(names, "|"))
}
