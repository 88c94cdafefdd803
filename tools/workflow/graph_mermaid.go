package workflow

import (
	"fmt"
	"strings"
)

// Mermaid is the definition as text of a flowchart that Mermaid draws: the same text for the same definition. States
// in which a person is asked are hexagons, those which the server leaves by itself have double sides, and terminal ones
// round ends; a person's transitions are thick, the server's dotted. Names are written so that nothing in them is
// read as Mermaid.
func (d *Definition) Mermaid() string {
	p := d.draw()
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	if p.start >= 0 {
		fmt.Fprintf(&b, "  start((\" \")) --> s%d\n", p.start)
	}
	for i, name := range p.names {
		form := mermaidShapes[p.shapes[i]]
		fmt.Fprintf(&b, "  s%d%s\"%s\"%s:::%s\n", i, form.opens, mermaidText(name), form.closes, form.class)
	}
	for _, l := range p.lines {
		labels := make([]string, 0, len(l.labels))
		for _, text := range l.labels {
			labels = append(labels, mermaidText(text))
		}
		fmt.Fprintf(&b, "  s%d %s|\"%s\"| s%d\n", l.from, mermaidArrows[l.stroke], strings.Join(labels, "<br/>"), l.to)
	}
	b.WriteString(mermaidClasses)
	return b.String()
}

var mermaidShapes = [...]struct{ opens, closes, class string }{
	shapePlain:   {"[", "]", "plain"},
	shapeGate:    {"{{", "}}", "gate"},
	shapeChain:   {"[[", "]]", "chain"},
	shapeFinal:   {"([", "])", "final"},
	shapeSuccess: {"([", "])", "success"},
	shapeFailure: {"([", "])", "failure"},
}

var mermaidArrows = [...]string{byAgent: "-->", byPerson: "==>", byServer: "-.->", byTime: "--o"}

const mermaidClasses = `  classDef plain fill:#ffffff,stroke:#4b5563,color:#111827
  classDef gate fill:#fef3c7,stroke:#b45309,color:#111827,stroke-width:2px
  classDef chain fill:#e0e7ff,stroke:#4338ca,color:#111827,stroke-dasharray:5 3
  classDef final fill:#e5e7eb,stroke:#111827,color:#111827,stroke-width:2px
  classDef success fill:#dcfce7,stroke:#15803d,color:#111827,stroke-width:2px
  classDef failure fill:#fee2e2,stroke:#b91c1c,color:#111827,stroke-width:2px
`

// mermaidText is a text within quotes: all but letters, digits and a few harmless marks become entities.
func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x80 && !strings.ContainsRune(" .,:/()-_[]+?!", r) && !isAlphanumeric(r) {
			fmt.Fprintf(&b, "#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isAlphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
