package definition_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"prax/tools"
	"prax/tools/definition"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is a kind of executor with a key of each sort.
type echo struct {
	Say   string  `json:"say"`
	Times int     `json:"times"`
	Loud  bool    `json:"loud"`
	Rate  float64 `json:"rate"`
	Parts []part  `json:"parts"`
}

type part struct {
	Name *string `json:"name"`
}

// Compile refuses to say "no", or much.
func (e *echo) Compile(t *tools.Tool) (tools.Handler, []tools.Violation) {
	if e.Say == "no" {
		return nil, []tools.Violation{{Path: "/say", Message: "must not be no"}}
	}
	if len(e.Say) > 1000 {
		return nil, []tools.Violation{{Path: "/say", Message: "must not be " + e.Say}}
	}
	t.Idempotent = true
	return func(context.Context, *tools.Call) (*tools.Result, error) { return tools.Text(e.Say), nil }, nil
}

var kinds = definition.Kinds{Tools: map[string]func() definition.Executor{"echo": func() definition.Executor { return &echo{} }}}

// write makes a file in a directory of its own.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// one is a file with one capability, which has these further lines.
func one(lines string) string {
	return "version: \"1.0.0\"\ncapabilities:\n  a.b:\n    description: D.\n    risk: low\n    expose: tool\n    executor: { kind: echo }\n" + lines
}
