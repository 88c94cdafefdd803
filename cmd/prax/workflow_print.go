package main

import (
	"fmt"
	"io"
	"strings"

	"prax/store"
)

// printReply prints an answer. One that is an error fails the command.
func (p *program) printReply(r *reply, asJSON bool) error {
	if asJSON {
		if err := p.printJSON(r.raw); err != nil {
			return err
		}
	} else if err := printInstance(p.stdout, r); err != nil {
		return err
	}
	switch {
	case r.Error == nil || r.Error.Code == "":
		return nil
	case asJSON:
		return &failure{code: exitFailed, err: errShown}
	}
	return failed(r.Error.Hint, "%s: %s", r.Error.Code, r.Error.Message)
}

func printInstance(out io.Writer, r *reply) error {
	if r.Workflow.ID == "" {
		return nil // a refusal, which is told as an error
	}
	w := newTable(out)
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, printable(text))
		}
	}
	line("workflow", r.Workflow.ID)
	line("definition", fmt.Sprintf("%s, version %d", r.Workflow.DefinitionID, r.Workflow.Definition))
	line("state", fmt.Sprintf("%s, version %d", r.Workflow.State, r.Workflow.Version))
	line("status", strings.TrimSuffix(r.Result.Status+": "+r.Result.Reason, ": "))
	line("summary", r.Summary)
	line("goal", r.Guidance.Goal)
	line("to do", r.Guidance.Instructions)
	line("context", r.shownContext())
	for _, g := range r.gates() {
		line("waits for", g.told())
	}
	if a := r.Attempt; a != nil {
		line("operation", a.told())
		line("to settle it", a.settling())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return printMoves(out, r.moves())
}

// maxContext bounds the context in a table, in bytes.
const maxContext = 2000

func (r *reply) shownContext() string {
	if len(r.Context) > maxContext {
		return fmt.Sprintf("%d bytes, which --json prints", len(r.Context))
	}
	return string(r.Context)
}

// told is what the workflow waits for in one line.
func (a replyAttempt) told() string {
	what := "runs"
	if a.Status == string(store.AttemptUnknown) {
		what = "is in doubt: it may have happened"
	}
	return fmt.Sprintf("%s of %s (%s) %s, since %s, try %d", a.ID, a.Transition, a.Kind, what, seconds(a.Since), a.Tries)
}

// settling is the commands that settle it; "" while it runs.
func (a replyAttempt) settling() string {
	if a.Status != string(store.AttemptUnknown) {
		return ""
	}
	return settling(a.ID)
}

// told is a gate in one line.
func (g waiting) told() string {
	text := "a person to take " + g.Transition
	if g.Approval != nil {
		text = "an answer to " + g.Approval.ID + ", about " + g.Transition
	}
	if g.Prompt != "" {
		text += ": " + g.Prompt
	}
	return text
}

// printMoves is a table of what can be done now.
func printMoves(out io.Writer, moves []replyLink) error {
	if len(moves) == 0 {
		return nil
	}
	w := newTable(out)
	fmt.Fprintln(w, "\nLINK\tACTOR\tNEEDS\tBLOCKED\tTITLE")
	for _, l := range moves {
		blocked := ""
		if l.Blocked != nil {
			blocked = l.Blocked.Code
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", printable(l.Rel), orDash(l.Actor), orDash(strings.Join(l.required(), ",")), orDash(blocked), orDash(l.Title))
	}
	return w.Flush()
}
