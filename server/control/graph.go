package control

import (
	"context"
	"errors"

	"prax/store"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// The formats of a drawing.
const (
	Mermaid = "mermaid" // text
	SVG     = "svg"
)

// Drawing asks for the graph of a definition that is in force, or of that which an instance has pinned.
type Drawing struct {
	As     string `json:"as,omitzero"`
	ID     string `json:"id"`
	Format string `json:"format"`
}

// Graph is a drawing.
type Graph struct {
	Text string `json:"text"`
}

// ErrFormat says that no drawing has that format.
var ErrFormat = errors.New("a drawing is mermaid or svg")

// Graph draws a definition: its states, what leads where, and who takes it there. The error is
// runner.ErrUnknownDefinition when the id is neither that of a definition nor that of an instance.
func (o *Operator) Graph(ctx context.Context, d Drawing) (g Graph, err error) {
	act := o.on(o.begin("workflow/graph", d.As, ""), detail{As: d.As, Workflow: d.ID})
	err = o.reading(act, d.As, func(w runner.Work) error {
		found, err := o.drawable(ctx, w, d.ID)
		if err != nil {
			return err
		}
		g, err = Draw(found, d.Format)
		return err
	})
	return g, err
}

func (o *Operator) drawable(ctx context.Context, w runner.Work, id string) (*workflow.Definition, error) {
	if o.cfg.Definitions != nil && store.Granted(w.Principal.Workflows, id) {
		if d := o.cfg.Definitions(id); d != nil {
			return d, nil
		}
	}
	a, err := o.cfg.Runner.Get(ctx, w, id)
	if errors.Is(err, runner.ErrUnknownInstance) {
		return nil, runner.ErrUnknownDefinition
	}
	if err != nil {
		return nil, err
	}
	return a.Definition, nil
}

// Draw is a definition in a format.
func Draw(d *workflow.Definition, format string) (Graph, error) {
	switch format {
	case Mermaid:
		return Graph{d.Mermaid()}, nil
	case SVG:
		return Graph{string(d.SVG())}, nil
	}
	return Graph{}, ErrFormat
}
