package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxInput bounds what is read from standard input.
const maxInput = 1 << 20

// output is where a server logs: text on a terminal, JSON elsewhere.
type output struct {
	stderr io.Writer
	log    *slog.Logger
	access io.Writer // of access records; nil when the level leaves them out
	text   bool
}

func (p *program) output(level slog.Level) output {
	out := output{stderr: p.stderr, text: isTerminal(p.stderr)}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: withoutEmpty}
	if out.text {
		out.log = slog.New(slog.NewTextHandler(p.stderr, options))
	} else {
		out.log = slog.New(slog.NewJSONHandler(p.stderr, options))
	}
	if level <= slog.LevelInfo {
		out.access = p.stderr
	}
	return out
}

// withoutEmpty leaves out attributes that say nothing.
func withoutEmpty(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindString && a.Value.String() == "" {
		return slog.Attr{}
	}
	return a
}

// count is a number of things: 1 client, 2 clients.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// printJSON prints v as indented does.
func (p *program) printJSON(v any) error {
	text, err := indented(v)
	if err == nil {
		_, err = p.stdout.Write(text)
	}
	return err
}

// indented is v as indented JSON with its members in a fixed order, and a line break. What a terminal
// would obey is escaped: such characters stand within strings only, so that it means the same.
func indented(v any) ([]byte, error) {
	text, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("print JSON: %w", err)
	}
	return []byte(escaped(string(text)) + "\n"), nil
}

// readInput is all of standard input, at most maxInput bytes.
func (p *program) readInput() (string, error) {
	text, err := io.ReadAll(io.LimitReader(p.stdin, maxInput+1))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	if len(text) > maxInput {
		return "", fmt.Errorf("standard input is larger than %d bytes", maxInput)
	}
	return string(text), nil
}
