package workflow

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shape is how a state is drawn.
type shape byte

const (
	shapePlain shape = iota // an agent decides
	shapeGate               // a person is asked
	shapeChain              // the server goes on by itself
	shapeFinal
	shapeSuccess // a terminal state with this outcome
	shapeFailure
)

// shape tells what a state is, to whom looks at it.
func (d *Definition) shape(s *State) shape {
	switch {
	case s.Terminal && s.Outcome == "success":
		return shapeSuccess
	case s.Terminal && s.Outcome == "failure":
		return shapeFailure
	case s.Terminal:
		return shapeFinal
	case len(d.automatic(s)) > 0:
		return shapeChain
	}
	if s.HumanState {
		return shapeGate
	}
	for _, t := range s.Transitions {
		if t.Actor == Human || t.asks() {
			return shapeGate
		}
	}
	return shapePlain
}

// stroke is how a transition is drawn.
type stroke byte

const (
	byAgent stroke = iota
	byPerson
	byServer
	byTime
)

// drawn is a picture of a definition without places: nodes are numbered as the states.
type drawn struct {
	names  []string
	shapes []shape
	lines  []line
	start  int // -1: none
}

// line joins all that leads from one state to another in the same way.
type line struct {
	from, to int
	stroke   stroke
	labels   []string
}

// draw collects what a picture shows. What leads to a state that is not there is left out.
func (d *Definition) draw() drawn {
	p := drawn{start: -1}
	index := make(map[string]int, len(d.States))
	for i, s := range d.States {
		index[s.Name] = i
		p.names = append(p.names, legible(s.Name, maxLabel))
		p.shapes = append(p.shapes, d.shape(s))
	}
	if i, known := index[d.Initial]; known {
		p.start = i
	}
	seen := map[joint]int{}
	for i, s := range d.States {
		for _, t := range s.Transitions {
			for n, target := range t.leads() {
				p.join(seen, index, joint{i, -1, strokeOf(t)}, target, t.label(n))
			}
		}
	}
	p.timeouts(d, seen, index)
	return p
}

// joint is what makes two lines one.
type joint struct {
	from, to int
	stroke   stroke
}

func (p *drawn) join(seen map[joint]int, index map[string]int, key joint, target, label string) {
	to, known := index[target]
	if !known {
		return
	}
	key.to = to
	n, there := seen[key]
	if !there {
		n = len(p.lines)
		seen[key] = n
		p.lines = append(p.lines, line{from: key.from, to: to, stroke: key.stroke})
	}
	p.lines[n].labels = append(p.lines[n].labels, legible(label, maxLabel))
}

// timeouts are drawn from every state that can be left, where there are few; where there are many, from the first.
func (p *drawn) timeouts(d *Definition, seen map[joint]int, index map[string]int) {
	const few = 4
	if d.Timeout <= 0 || d.OnTimeout == "" {
		return
	}
	var from []int
	for i, s := range d.States {
		if !s.Terminal && s.Name != d.OnTimeout {
			from = append(from, i)
		}
	}
	label := "after " + d.Timeout.String()
	if len(from) > few {
		from, label = from[:1], label+", wherever it is"
	}
	for _, i := range from {
		p.join(seen, index, joint{i, -1, byTime}, d.OnTimeout, label)
	}
}

func strokeOf(t *Transition) stroke {
	switch {
	case t.Actor == Human, t.asks():
		return byPerson
	case t.Actor == Deterministic:
		return byServer
	}
	return byAgent
}

// label is what a line says of a transition that takes its nth way.
func (t *Transition) label(n int) string {
	text := t.Name
	if len(t.Guards) > 0 {
		text += " [guarded]"
	}
	switch {
	case n < len(t.Branches):
		text += " / branch " + strconv.Itoa(n+1)
	case n > 0:
		text += " / else"
	}
	return text
}

// maxLabel bounds a name in a picture, in characters.
const maxLabel = 48

// legible is a text without what would not be seen, or would change how the rest is, and short.
func legible(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > most {
			b.WriteRune('…')
			break
		}
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			r = '\u00b7'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// leads are the states that a transition leads to: those of its branches, and then its target.
func (t *Transition) leads() []string {
	targets := make([]string, 0, len(t.Branches)+1)
	for _, b := range t.Branches {
		targets = append(targets, b.Target)
	}
	return append(targets, t.Target)
}
