package workflow

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
)

// MaxDrawn is how many states an SVG shows. A larger definition is one for [Definition.Mermaid].
const MaxDrawn = 400

// SVG is the definition as a picture: the same bytes for the same definition, with nothing in it that runs or is
// loaded. States stand below those that lead to them. Those in which a person is asked have points at their sides, those
// which the server leaves by itself a dashed line around them, and terminal ones round ends and a double line; a person's
// transitions are thick, the server's dashed. A definition that is too large to be read so gives a picture that says
// it.
func (d *Definition) SVG() []byte {
	if len(d.States) > MaxDrawn {
		return refusedSVG(d)
	}
	l, fits := d.draw().lay()
	if !fits {
		return refusedSVG(d)
	}
	width, height := l.size()
	s := &svg{layout: l}
	s.open(d, max(width, legendWidth), height+legendHeight)
	for _, w := range l.wires {
		s.wire(w)
	}
	for i := range l.names {
		s.state(i)
	}
	for _, b := range l.boxes[len(l.names):] {
		if b.line >= 0 {
			s.label(b.x+6, b.y, l.lines[b.line].stroke, l.shownLabels(b.line))
		}
	}
	s.legend(height)
	s.b.WriteString("</svg>\n")
	return []byte(s.b.String())
}

func refusedSVG(d *Definition) []byte {
	var s svg
	s.open(d, 620, 120)
	fmt.Fprintf(&s.b, "<text x=\"24\" y=\"80\">%d states, or the ways between them, are too many for a picture: take Mermaid</text>\n", len(d.States))
	s.b.WriteString("</svg>\n")
	return []byte(s.b.String())
}

func counting(n int) string { return strconv.Itoa(n) }

// svg writes a picture.
type svg struct {
	*layout
	b strings.Builder
}

const svgStyle = `<style>
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#111827}
.title{font-weight:bold;font-size:14px}
.mid{text-anchor:middle}
.label{paint-order:stroke;stroke:#ffffff;stroke-width:4px;stroke-linejoin:round}
.box{stroke-width:1.5;stroke:#4b5563;fill:#ffffff}
.gate{stroke-width:2;stroke:#b45309;fill:#fef3c7}
.chain{stroke-width:1.5;stroke:#4338ca;fill:#e0e7ff;stroke-dasharray:6 4}
.final{stroke-width:2;stroke:#111827;fill:#e5e7eb}
.success{stroke-width:2;stroke:#15803d;fill:#dcfce7}
.failure{stroke-width:2;stroke:#b91c1c;fill:#fee2e2}
.line{fill:none;stroke:#4b5563;stroke-width:1.4}
.person{stroke:#b45309;stroke-width:3}
.server{stroke:#4338ca;stroke-dasharray:6 4}
.time{stroke:#6b7280;stroke-dasharray:2 4}
</style>
`

// arrows are the heads of lines: one for each colour.
var arrows = [...]struct{ id, class, colour string }{
	byAgent:  {"a", "line", "#4b5563"},
	byPerson: {"p", "line person", "#b45309"},
	byServer: {"s", "line server", "#4338ca"},
	byTime:   {"t", "line time", "#6b7280"},
}

func (s *svg) open(d *Definition, width, height int) {
	name := legible(d.ID, 120)
	if d.Title != "" {
		name = legible(d.Title, 120) + " (" + name + ")"
	}
	name = html.EscapeString(name)
	fmt.Fprintf(&s.b, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
		width, height, width, height)
	fmt.Fprintf(&s.b, "<title>%s</title>\n%s<defs>\n", name, svgStyle)
	for _, a := range arrows {
		fmt.Fprintf(&s.b, "<marker id=\"%s\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"10\" markerHeight=\"10\""+
			" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"%s\"/></marker>\n", a.id, a.colour)
	}
	s.b.WriteString("</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n")
	fmt.Fprintf(&s.b, "<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>\n", margin, margin+4, name)
}

// state draws one, with its mark and its loops.
func (s *svg) state(i int) {
	b := s.boxes[i]
	s.shape(s.shapes[i], b.x, b.y, s.half(i), b.height)
	fmt.Fprintf(&s.b, "<text class=\"mid\" x=\"%d\" y=\"%d\">%s</text>\n", b.x, b.y+4, html.EscapeString(s.names[i]))
	if i == s.start {
		left := b.x - s.half(i)
		fmt.Fprintf(&s.b, "<circle cx=\"%d\" cy=\"%d\" r=\"5\" fill=\"#111827\"/>\n", left-startReach+8, b.y)
		s.path(byAgent, fmt.Sprintf("M%d %dH%d", left-startReach+13, b.y, left-1))
	}
	y := b.y - b.height/2 + 4
	for _, n := range s.loops[i] {
		labels := s.shownLabels(n)
		tall := len(labels)*lineHeight + 6
		right, middle, reach := b.x+s.half(i), y+tall/2, min(tall/3, 10)
		s.path(s.lines[n].stroke, fmt.Sprintf("M%d %dC%d %d %d %d %d %d", right, middle-reach,
			right+loopReach, middle-reach-6, right+loopReach, middle+reach+6, right+1, middle+reach))
		s.label(right+loopReach-2, middle, s.lines[n].stroke, labels)
		y += tall
	}
}

func (s *svg) shape(is shape, x, y, half, height int) {
	top, tall := y-height/2, height
	switch is {
	case shapeGate:
		fmt.Fprintf(&s.b, "<path class=\"gate\" d=\"M%d %dL%d %dH%dL%d %dL%d %dH%dz\"/>\n",
			x-half, y, x-half+12, top, x+half-12, x+half, y, x+half-12, top+tall, x-half+12)
	case shapeChain:
		s.rect("chain", x-half, top, 2*half, tall, 4)
	case shapeFinal, shapeSuccess, shapeFailure:
		class := map[shape]string{shapeFinal: "final", shapeSuccess: "success", shapeFailure: "failure"}[is]
		s.rect(class, x-half, top, 2*half, tall, tall/2)
		s.rect(class, x-half+4, top+4, 2*half-8, tall-8, tall/2-4)
	default:
		s.rect("box", x-half, top, 2*half, tall, 8)
	}
}

func (s *svg) rect(class string, x, y, width, height, round int) {
	fmt.Fprintf(&s.b, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>\n", class, x, y, width, height, round)
}

func (s *svg) path(by stroke, d string) {
	fmt.Fprintf(&s.b, "<path class=\"%s\" marker-end=\"url(#%s)\" d=\"%s\"/>\n", arrows[by].class, arrows[by].id, d)
}

// label writes lines of text, with their middle at a height.
func (s *svg) label(x, y int, by stroke, labels []string) {
	y -= len(labels) * lineHeight / 2
	for n, text := range labels {
		fmt.Fprintf(&s.b, "<text class=\"label\" x=\"%d\" y=\"%d\" style=\"fill:%s\">%s</text>\n",
			x, y+n*lineHeight+11, arrows[by].colour, html.EscapeString(text))
	}
}

// wire draws a line through its knots.
func (s *svg) wire(w wire) {
	type point struct{ x, y int }
	var points []point
	for n, at := range w.path {
		b := s.boxes[at]
		switch n {
		case 0:
			points = append(points, point{s.port(at, w.path[1], b.down), b.y + b.height/2})
		case len(w.path) - 1:
			points = append(points, point{s.port(at, w.path[n-1], b.up), b.y - b.height/2})
		default:
			points = append(points, point{b.x, b.y - b.height/2}, point{b.x, b.y + b.height/2})
		}
	}
	if w.reversed {
		slices.Reverse(points)
	}
	var d strings.Builder
	fmt.Fprintf(&d, "M%d %d", points[0].x, points[0].y)
	for n := 1; n < len(points); n++ {
		a, b := points[n-1], points[n]
		if a.x == b.x {
			fmt.Fprintf(&d, "V%d", b.y)
			continue
		}
		middle := (a.y + b.y) / 2
		fmt.Fprintf(&d, "C%d %d %d %d %d %d", a.x, middle, b.x, middle, b.x, b.y)
	}
	s.path(s.lines[w.line].stroke, d.String())
}

// port is where a line meets a state: its lines stand side by side, in the order of where they go.
func (s *svg) port(state, towards int, all []int) int {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(s.boxes[a].x, s.boxes[b].x) })
	room := s.half(state) - 16
	return s.boxes[state].x - room + 2*room*(slices.Index(sorted, towards)+1)/(len(sorted)+1)
}

const (
	legendWidth  = 760
	legendHeight = 64
)

// legend tells what the shapes and the lines mean.
func (s *svg) legend(y int) {
	x := margin
	for _, one := range []struct {
		shape shape
		text  string
	}{{shapePlain, "agent"}, {shapeGate, "person"}, {shapeChain, "server"}, {shapeFinal, "end"}, {shapeSuccess, "success"}, {shapeFailure, "failure"}} {
		half := textWidth(one.text)/2 + 14
		s.shape(one.shape, x+half, y+14, half, 24)
		fmt.Fprintf(&s.b, "<text class=\"mid\" x=\"%d\" y=\"%d\">%s</text>\n", x+half, y+18, one.text)
		x += 2*half + 16
	}
	x = margin
	for by, text := range [...]string{byAgent: "an agent's", byPerson: "a person's", byServer: "the server's", byTime: "timeout"} {
		s.path(stroke(by), fmt.Sprintf("M%d %dh38", x, y+44))
		s.label(x+46, y+44, stroke(by), []string{text})
		x += 46 + textWidth(text) + 24
	}
}
