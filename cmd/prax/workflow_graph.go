package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"prax/server/control"
)

// workflowGraph draws a definition.
func (p *program) workflowGraph(args []string) error {
	c := p.workflowFlags("workflow graph", "ID [--format mermaid|svg] [-o FILE] [flags]",
		"Draws a definition that is in force, or that of the workflow ID: its states and what leads from one to the other.\n"+
			"Ends, gates of a person and what the server does by itself look different. Without -o it is printed.", false)
	format := c.String("format", "", "mermaid or svg, a `WORD`; by the name of FILE when missing, or mermaid")
	file := c.String("o", "", "write it to `FILE`")
	positional, err := c.parse(args, 1, 1)
	if err != nil {
		return err
	}
	as := formatFor(*format, *file)
	if as != control.Mermaid && as != control.SVG {
		return c.usage("--format is mermaid or svg, not %q", as)
	}
	draw := func(ctx context.Context, o operator) error {
		g, err := o.Graph(ctx, control.Drawing{As: *c.as, ID: positional[0], Format: as})
		if err != nil {
			return err
		}
		return p.writeGraph(g.Text, as, *file, *c.asJSON)
	}
	if *c.as == "" {
		if drawn, err := c.drawFile(positional[0], as, *file); drawn || err != nil {
			return err
		}
	}
	return c.act(draw)
}

// formatFor is the format that was asked for, or else what the name of the file says.
func formatFor(format, file string) string {
	switch {
	case format != "":
		return format
	case strings.EqualFold(filepath.Ext(file), ".svg"):
		return control.SVG
	}
	return control.Mermaid
}

// drawFile draws from the file of definitions where no server runs: for that, there need not be a store.
func (c *workflowCommand) drawFile(id, format, file string) (bool, error) {
	s, _, err := c.p.loadSettings(c.flags)
	if err != nil {
		return false, err
	}
	_, end, running, err := dial(s)
	if err != nil {
		return false, err
	}
	if running {
		return false, end()
	}
	set, err := s.definitionSet()
	if err != nil {
		return false, err
	}
	d := set.Definition(id)
	if d == nil {
		return false, nil
	}
	g, err := control.Draw(d, format)
	if err != nil {
		return false, err
	}
	return true, c.p.writeGraph(g.Text, format, file, *c.asJSON)
}

func (p *program) writeGraph(text, format, file string, asJSON bool) error {
	if asJSON {
		return p.printJSON(map[string]string{"format": format, "text": text})
	}
	if file == "" {
		_, err := io.WriteString(p.stdout, printableText(strings.TrimSuffix(text, "\n"))+"\n")
		return err
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the drawing: %w", err)
	}
	return nil
}
