package main

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxInput bounds what is read from standard input and from answers.
const maxInput = 1 << 20

// printJSON prints v as indented JSON with its members in a fixed order.
func (p *program) printJSON(v any) error {
	text, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	_, err = fmt.Fprintf(p.stdout, "%s\n", text)
	return err
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
