package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json/jsontext"

	"prax/server/control"
	"prax/tools"
)

// call calls a tool with exactly a client's rights.
func (p *program) call(args []string) error {
	f := p.flags("call", "--as CLIENT TOOL [JSON] [flags]",
		"Calls a tool with exactly the rights of a client, as that client's user. JSON is the arguments, {} when missing.").withSettings("PRAX_DATA", "MCP_CLIENTS_PATH", "PRAX_CONFIG")
	as, asJSON := f.asClient(), f.Bool("json", false, "print the whole result as JSON")
	f.meant = map[string]string{"client": "as"}
	positional, err := f.parse(args, 1, 2)
	if err != nil {
		return err
	}
	if *as == "" {
		return f.usage("--as CLIENT is missing")
	}
	arguments := jsontext.Value("{}")
	if len(positional) > 1 {
		arguments = jsontext.Value(positional[1])
	}
	// That names are not repeated, and the rest, is for whoever judges the call.
	if !arguments.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return usage(argumentsHint, "arguments are not JSON")
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	result, err := p.callTool(ctx, s, *as, positional[0], arguments)
	if err != nil {
		return explainCall(err, *as, positional[0])
	}
	return p.printResult(result, *asJSON)
}

// tooManyHint says where the limits of a client are.
const tooManyHint = "its limits are rate in clients.json, else PRAX_RATE and PRAX_MAX_INFLIGHT; what its agent sends counts too"

// argumentsHint shows what arguments look like.
const argumentsHint = `arguments are one JSON object, as '{"query":"coffee"}'`

func (p *program) callTool(ctx context.Context, s *settings, as, tool string, arguments jsontext.Value) (_ *tools.Result, err error) {
	o, end, err := p.caller(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	return o.Call(ctx, as, tool, arguments)
}

func explainCall(err error, as, tool string) error {
	switch {
	case errors.Is(err, control.ErrNoClient):
		return failed("prax client list names the clients", "%q: %w", as, err)
	case errors.Is(err, control.ErrTooMany):
		return failed(tooManyHint, "%q: %w", as, err)
	case errors.Is(err, tools.ErrUnknownTool):
		return failed("prax access --as "+as+" says what it may use", "%w: %s", err, tool)
	case errors.Is(err, tools.ErrArguments):
		return failed(argumentsHint, "%w", err)
	}
	return err
}

// printResult prints what a tool gave. A tool's own failure fails the command.
func (p *program) printResult(r *tools.Result, asJSON bool) error {
	if asJSON {
		if err := p.printJSON(shownResult(r)); err != nil {
			return err
		}
	}
	var texts []string
	for _, block := range r.Content {
		if block.Type == "text" {
			texts = append(texts, block.Text)
		} else {
			texts = append(texts, fmt.Sprintf("(%s %s, %d bytes)", block.Type, block.MIMEType, len(block.Data)))
		}
	}
	text := strings.Join(texts, "\n")
	switch {
	case r.IsError && asJSON:
		return &failure{code: exitFailed, err: errShown}
	case r.IsError:
		return failed("", "%s", strings.TrimPrefix(text, "Tool error: "))
	case asJSON:
		return nil
	}
	_, err := fmt.Fprintln(p.stdout, printableText(text))
	return err
}

// shownResult is a result with the names that callers see.
func shownResult(r *tools.Result) any {
	type block struct {
		Type string `json:"type"`
		Text string `json:"text,omitzero"`
	}
	shown := struct {
		Content    []block                   `json:"content"`
		Structured jsontext.Value            `json:"structuredContent,omitzero"`
		IsError    bool                      `json:"isError"`
		Meta       map[string]jsontext.Value `json:"_meta,omitempty"`
	}{[]block{}, r.Structured, r.IsError, r.Meta}
	for _, b := range r.Content {
		shown.Content = append(shown.Content, block{b.Type, b.Text})
	}
	return shown
}
