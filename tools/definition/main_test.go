package definition_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"prax/auth"
	"prax/tools"
	"prax/tools/definition"
	"prax/tools/schema"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
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

var kinds = definition.Kinds{
	Tools: map[string]func() definition.Executor{"echo": func() definition.Executor { return &echo{} }},
	Specs: workflow.Specs{
		Executors: map[string]func() workflow.Spec{
			"probe":  func() workflow.Spec { return &probe{} },
			"rest":   func() workflow.Spec { return &probe{} },
			"tool":   func() workflow.Spec { return &calls{} },
			"script": func() workflow.Spec { return &runs{} },
		},
		Connections: map[string]func() workflow.ConnectionSpec{"probe": func() workflow.ConnectionSpec { return &line{} }},
	},
}

// own are the tools that exist already.
var own = []*tools.Tool{{Name: "clock", Tier: auth.Low}, {Name: "note_create", Tier: auth.Medium}, {Name: "note_delete", Tier: auth.High}, {Name: "praxec.query", Tier: auth.Low}, {Name: "note.mark", Tier: auth.Medium, Idempotent: true}}

// probe is a kind of executor with an effect, with keys of each sort.
type probe struct {
	Connection string            `json:"connection"`
	Method     string            `json:"method"`
	Target     string            `json:"target"`
	Args       []string          `json:"args"`
	Env        map[string]string `json:"env"`
	Strict     *bool             `json:"strict"`
	Body       any               `json:"body"`

	dir  string
	args []expr.Path
}

// Check wants literal targets and readable paths; an argument "danger" makes it HIGH.
func (p *probe) Check(w workflow.Surroundings) (tier auth.Tier, found []schema.Violation) {
	if strings.HasPrefix(p.Target, "$") {
		found = append(found, schema.Violation{Path: "/target", Message: "must be a literal"})
	}
	for i, text := range p.Args {
		if text == "danger" {
			tier = auth.High
		}
		path, err := expr.ParsePath(text, w.Roots)
		if strings.HasPrefix(text, "$.") && err != nil {
			found = append(found, schema.Violation{Path: fmt.Sprint("/args/", i), Message: "is no path: " + err.Error()})
		}
		p.args = append(p.args, path)
	}
	if w.Connection != nil && p.Connection != "" {
		if c, there := w.Connection(p.Connection); !there || c.Name != p.Connection {
			found = append(found, schema.Violation{Path: "/connection", Message: "is not there"})
		}
	}
	p.dir = w.Dir
	return tier, found
}

// line is a kind of connection.
type line struct {
	Address string            `json:"address"`
	Env     map[string]string `json:"env"`

	dir string
}

func (l *line) CheckConnection(dir string) (found []schema.Violation) {
	if l.dir = dir; l.Address == "" {
		found = append(found, schema.Violation{Message: "has no address"})
	}
	return found
}

// calls is a kind that has the tier of a tool.
type calls struct {
	Tool      string `json:"tool"`
	Arguments any    `json:"arguments"`
}

func (c *calls) Check(w workflow.Surroundings) (auth.Tier, []schema.Violation) {
	if w.Tool == nil {
		return auth.TierUnknown, nil
	}
	tier, there := w.Tool(c.Tool)
	if !there {
		return tier, []schema.Violation{{Path: "/tool", Message: "is no tool"}}
	}
	return tier, nil
}

// runs is a kind that needs a script.
type runs struct {
	Subject string `json:"subject"`

	script *workflow.Guidance
}

func (r *runs) Check(w workflow.Surroundings) (auth.Tier, []schema.Violation) {
	g, there := w.Script(r.Subject)
	if !there {
		return auth.TierUnknown, []schema.Violation{{Path: "/subject", Message: "is no script"}}
	}
	r.script = g
	return auth.TierUnknown, nil
}

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
