package main

import (
	"fmt"
	"io"
	"time"

	"prax/auth/clients"
	"prax/server"
)

// finding is one thing that check has to say.
type finding struct {
	Severity string `json:"severity"` // error or warning
	Code     string `json:"code"`     // never changes, for scripts
	File     string `json:"file,omitzero"`
	Line     int    `json:"line,omitzero"`
	Column   int    `json:"column,omitzero"`
	Client   string `json:"client,omitzero"`
	Workflow string `json:"workflow,omitzero"`
	Text     string `json:"text"`

	Transitions []string `json:"transitions,omitzero"` // the way through the workflow that shows it

	fails bool
	line  string // as it is printed
}

// verdict is what check prints with --json.
type verdict struct {
	OK       bool      `json:"ok"`
	File     string    `json:"file,omitzero"`
	Clients  int       `json:"clients"`              // that would be live
	Defined  string    `json:"definitions,omitzero"` // the file of definitions
	Tools    int       `json:"defined_tools,omitzero"`
	Flows    int       `json:"workflows,omitzero"`
	Refused  int       `json:"refused"`
	Expired  int       `json:"expired"`
	Disabled int       `json:"disabled"`
	Waiting  int       `json:"waiting"` // none of whose tokens is good yet
	Findings []finding `json:"findings"`
	Omitted  int       `json:"omitted,omitzero"` // findings beyond those
	Reaches  []reach   `json:"reaches,omitzero"` // what clients reach through grants of workflows
	Off      string    `json:"off,omitzero"`     // why /mcp would not be there

	Certificate *certificateShown `json:"certificate,omitzero"` // that https would be served by
}

// check judges clients.json, the definitions and the settings as a start would, and changes nothing. It fails for what
// would put somebody out, and for names in allow that grant nothing.
func (p *program) check(args []string) error {
	f := p.flags("check", "[--json] [flags]",
		"Judges clients.json, the definitions and the settings as a start would, with file and line, and proves of each workflow what can be\n"+
			"proven without running it: that its states can be reached and can end, that chains end, that guards can hold, that what is read was\n"+
			"written, that somebody can answer its gates. Exit code 1: an error, or a warning of a name in allow that grants nothing or of a\n"+
			"member that nothing reads; 78: a setting that cannot be read; 0: none of these, though there may be\n"+
			"other warnings, as of a client that has expired.").withSettings()
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	s, warnings, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	v := p.judge(s, warnings)
	if *asJSON {
		err = p.printJSON(v)
	} else {
		v.print(p.stdout)
	}
	if err == nil && !v.OK {
		return &failure{code: exitFailed, err: errShown}
	}
	return err
}

func (p *program) judge(s *settings, warnings []string) verdict {
	set, problems := s.defineAll()
	defined := declared(set)
	report := clients.Check(s.clientsConfig(nil), newCatalogue(defined), p.now())
	v := verdict{
		OK: true, File: report.Path, Clients: report.Clients, Refused: report.Refused, Expired: report.Expired,
		Disabled: report.Disabled, Waiting: report.Waiting, Findings: []finding{}, Omitted: report.Omitted(),
		Defined: s.definitionFile(), Tools: len(defined), Flows: workflowsOf(set),
	}
	v.OK = !report.Fails
	for _, text := range warnings {
		v.add(setting("unknown-setting", "warning", text))
	}
	v.judgeSettings(s, p.now())
	for _, p := range problems {
		v.add(finding{
			Severity: p.Severity(), Code: string(p.Code), File: p.File, Line: p.Line, Column: p.Column,
			Text: p.Text, fails: p.IsError(), line: p.String(),
		})
	}
	for _, f := range append(p.proofs(s, set), unresolved(s, set)...) {
		v.add(f)
	}
	v.Reaches = p.reaches(s, set)
	for _, p := range report.Problems {
		v.add(finding{
			Severity: p.Severity(), Code: string(p.Code), File: p.File, Line: p.Line, Column: p.Column,
			Client: p.Client, Text: p.Text, fails: p.FailsCheck(), line: p.String(),
		})
	}
	if !s.Enabled {
		v.Off = "MCP_SERVER_ENABLED is not true: /mcp would answer 404"
	} else if report.Clients == 0 {
		v.add(setting("nobody", "error", "MCP_SERVER_ENABLED is true and no client would be live: /mcp would answer 404"))
	}
	return v
}

// judgeSettings says what a start with these settings would be refused or warned for.
func (v *verdict) judgeSettings(s *settings, now time.Time) {
	if err := server.CheckBind(s.Addr, s.tls(), s.InsecureBind); err != nil {
		v.add(setting("open-bind", "error", err.Error()))
	}
	if s.Publish {
		if err := server.CheckPublic(s.PublicURL); err != nil {
			v.add(setting("publish", "error", "PRAX_PUBLISH: "+err.Error()))
		}
	}
	if err := s.checkMetrics(); err != nil {
		v.add(setting("open-metrics", "error", err.Error()))
	}
	v.judgeCertificate(s, now)
	v.judgeNotify(s.Notify)
}

func setting(code, severity, text string) finding {
	return finding{
		Severity: severity, Code: code, Text: text, fails: severity == "error",
		line: fmt.Sprintf("%s: %s (%s)", severity, text, code),
	}
}

func (v *verdict) add(f finding) {
	v.OK = v.OK && !f.fails
	v.Findings = append(v.Findings, f)
}

// alsoWaiting tells of the few clients whose tokens are not good yet.
func alsoWaiting(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d waiting", n)
}

func (v *verdict) print(w io.Writer) {
	for _, f := range v.Findings {
		fmt.Fprintln(w, printable(f.line))
	}
	if v.Omitted > 0 {
		fmt.Fprintf(w, "%d more\n", v.Omitted)
	}
	out := v.Refused + v.Expired + v.Disabled + v.Waiting
	fmt.Fprintf(w, "%s would be live, %d out (%d refused, %d expired, %d disabled%s)\n",
		count(v.Clients, "client"), out, v.Refused, v.Expired, v.Disabled, alsoWaiting(v.Waiting))
	if v.Defined != "" {
		fmt.Fprintf(w, "%s of %s would be there\n", count(v.Tools, "tool"), printable(v.Defined))
	}
	if v.Flows > 0 {
		fmt.Fprintf(w, "%s of it would be there\n", count(v.Flows, "workflow"))
	}
	if c := v.Certificate; c != nil {
		fmt.Fprintf(w, "https would be served as %s, until %s\n", printable(orNobody(c.Names)), c.Until.Format(time.RFC3339))
	}
	printReaches(w, v.Reaches)
	if v.Off != "" {
		fmt.Fprintf(w, "off: %s\n", v.Off)
	}
}
