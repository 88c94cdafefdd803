package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/server/control"
	"prax/store"
	"prax/tools"
	"prax/tools/praxec"
	"prax/tools/runner"
)

// workflowSettings is what the commands about workflows read.
var workflowSettings = []string{"PRAX_DATA", "MCP_CLIENTS_PATH", "PRAX_CONFIG"}

// workflowCommand is one command on workflows: its flags, and what it needs to act.
type workflowCommand struct {
	*flags
	writes bool
	as     *string
	asJSON *bool
}

// workflowFlags starts the flags of a command on workflows.
func (p *program) workflowFlags(path, synopsis, summary string, writes bool) *workflowCommand {
	f := p.flags(path, synopsis, summary).withSettings(workflowSettings...)
	f.meant = map[string]string{"client": "as", "arguments": "choose", "filter": "status"}
	return &workflowCommand{
		flags: f, writes: writes,
		as:     f.String("as", "", "act with exactly the rights of this `CLIENT`; without it, as the operator, a person who oversees everybody"),
		asJSON: f.Bool("json", false, "print JSON"),
	}
}

// asWord is the --as that was given, for a command that is to be copied: without it, another would act.
func (c *workflowCommand) asWord() string {
	if *c.as == "" {
		return ""
	}
	return " --as " + shellWord(*c.as)
}

// act does f in the running server, or else on the files: read-only unless it writes.
func (c *workflowCommand) act(f func(ctx context.Context, o operator) error) error {
	if *c.as == "" && c.said("as") { // "$UNSET" does not mean the operator
		return c.usage("--as is empty: leave it out, or say whose rights are meant")
	}
	return c.operate(func(ctx context.Context, s *settings) (operator, func() error, error) {
		return c.p.workflowOperator(ctx, s, c.writes, *c.as != "")
	}, func(ctx context.Context, o operator) error { return c.explain(f(ctx, o)) })
}

func (p *program) workflowOperator(ctx context.Context, s *settings, writes, clients bool) (operator, func() error, error) {
	o, end, running, err := dial(s)
	if err != nil || running {
		return o, end, err
	}
	a, err := p.workflowApp(ctx, s, writes)
	if err != nil {
		return nil, nil, explainOpen(err)
	}
	a.quiet = true
	a.openDefinitions()
	if writes && a.defined != nil && !a.defined.Status().OK {
		return nil, nil, errors.Join(failed("prax check names what is wrong with it", "%s cannot be used", s.Config), a.close())
	}
	if clients {
		if err := a.openClients(); err != nil {
			return nil, nil, errors.Join(err, a.close())
		}
	}
	return control.NewOperator(a.controlConfig(), os.Getuid()), a.finish(ctx), nil
}

// workflowApp is an app on the files. What is wrong with the definitions is told by a sentence of the command.
func (p *program) workflowApp(ctx context.Context, s *settings, writes bool) (*app, error) {
	out := output{log: slog.New(slog.DiscardHandler)}
	if writes {
		return openApp(ctx, s, out, p.now)
	}
	return openAppReadOnly(s, out, p.now)
}

// explain says what may be done about an error.
func (c *workflowCommand) explain(err error) error {
	switch {
	case errors.Is(err, control.ErrNoClient):
		return failed("prax client list names the clients", "%q: %w", *c.as, err)
	case errors.Is(err, control.ErrTooMany):
		return failed(tooManyHint, "%q: %w", *c.as, err)
	case errors.Is(err, tools.ErrUnknownTool):
		return failed("prax access --as "+*c.as+" says what it may use", "%q may not use workflows in this way: %w", *c.as, err)
	case errors.Is(err, tools.ErrArguments):
		return failed(argumentsHint, "%w", err)
	case errors.Is(err, runner.ErrUnknownInstance):
		return failed("prax workflow list shows those that there are", "%w", err)
	case errors.Is(err, runner.ErrUnknownDefinition):
		return failed("prax check says what the file of definitions defines", "%w", err)
	case errors.Is(err, runner.ErrUnknownApproval):
		return failed("prax approvals list shows those that are open", "%w", err)
	case errors.Is(err, runner.ErrUnknownAttempt):
		return failed("prax operations list shows those that run or are in doubt", "%w", err)
	case errors.Is(err, store.ErrReadOnly):
		return failed("start the server, which does it", "%w", err)
	}
	return err
}

// query asks praxec.query.
func (c *workflowCommand) query(ctx context.Context, o operator, arguments map[string]any) (*reply, error) {
	return c.drive(ctx, o, praxec.Query, arguments)
}

// command asks praxec.command.
func (c *workflowCommand) command(ctx context.Context, o operator, arguments map[string]any) (*reply, error) {
	return c.drive(ctx, o, praxec.Command, arguments)
}

func (c *workflowCommand) drive(ctx context.Context, o operator, tool string, arguments map[string]any) (*reply, error) {
	text, err := compact(arguments)
	if err != nil {
		return nil, err
	}
	return c.send(ctx, o, tool, text)
}

func (c *workflowCommand) send(ctx context.Context, o operator, tool string, arguments jsontext.Value) (*reply, error) {
	r, err := o.Drive(ctx, control.Request{As: *c.as, Tool: tool, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	return readReply(r.Structured)
}

// object is an argument of the command line that has to be a JSON object; nil for "".
func (c *workflowCommand) object(text, what string) (jsontext.Value, error) {
	if text == "" {
		return nil, nil
	}
	// That names are not repeated, and the rest, is for whoever judges the call.
	v := jsontext.Value(text)
	if !v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) || !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, usage(what+` is one JSON object, as '{"ticket":"T-1"}'`, "%s is no JSON object", what)
	}
	return v, nil
}
