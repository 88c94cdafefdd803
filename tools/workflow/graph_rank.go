package workflow

import (
	"cmp"
	"slices"
)

// layout gives a picture its places. States stand in rows; between two rows there is one for what lies between:
// the labels of the lines that pass. Only whole numbers are used, so that a picture is the same everywhere.
type layout struct {
	drawn
	boxes []box   // the states, then the knots of the lines
	wires []wire  // the lines that are not loops
	loops [][]int // by state: the lines that lead back to it
	rows  [][]int // boxes from left to right
}

// box is a state, or a knot: where a line crosses a row.
type box struct {
	row         int
	x, y        int // of the middle
	left, right int // how far it reaches from x
	height      int
	line        int // whose label a knot carries; -1: none
	up, down    []int
}

// wire is a line with its knots, from the upper state to the lower one.
type wire struct {
	line     int
	path     []int // boxes
	reversed bool  // it leads upwards
}

// lay makes the layout; false when it would have too many knots to be read.
func (p drawn) lay() (*layout, bool) {
	l := &layout{drawn: p, boxes: make([]box, len(p.names)), loops: make([][]int, len(p.names))}
	level := p.levels()
	deepest := 0
	for i := range l.boxes {
		l.boxes[i] = box{row: 2 * level[i], line: -1}
		deepest = max(deepest, 2*level[i])
	}
	for n, one := range p.lines {
		if one.from == one.to {
			l.loops[one.from] = append(l.loops[one.from], n)
			continue
		}
		if l.wire(n, one); len(l.boxes) > maxKnots {
			return nil, false
		}
	}
	l.rows = make([][]int, deepest+1)
	for i, b := range l.boxes {
		l.rows[b.row] = append(l.rows[b.row], i)
	}
	l.measure()
	l.arrange()
	l.place()
	return l, true
}

// maxKnots bounds the boxes of a picture.
const maxKnots = 20_000

// wire ties a line from row to row. The knot next to where it begins carries the label.
func (l *layout) wire(n int, one line) {
	w := wire{line: n}
	upper, lower := one.from, one.to
	if l.boxes[upper].row > l.boxes[lower].row {
		upper, lower, w.reversed = lower, upper, true
	}
	first, last := l.boxes[upper].row+1, l.boxes[lower].row-1
	labelled := first
	if w.reversed {
		labelled = last
	}
	w.path = []int{upper}
	for row := first; row <= last; row++ {
		knot := box{row: row, line: -1}
		if row == labelled {
			knot.line = n
		}
		l.boxes = append(l.boxes, knot)
		w.path = append(w.path, len(l.boxes)-1)
	}
	w.path = append(w.path, lower)
	for i := range len(w.path) - 1 {
		a, b := w.path[i], w.path[i+1]
		l.boxes[a].down = append(l.boxes[a].down, b)
		l.boxes[b].up = append(l.boxes[b].up, a)
	}
	l.wires = append(l.wires, w)
}

// levels are how far down each state stands: below all that leads to it, but for what leads back.
func (p *drawn) levels() []int {
	order, back := p.descend()
	level := make([]int, len(p.names))
	out := p.outgoing()
	for i := len(order) - 1; i >= 0; i-- {
		from := order[i]
		for _, n := range out[from] {
			if to := p.lines[n].to; !back[n] && to != from {
				level[to] = max(level[to], level[from]+1)
			}
		}
	}
	return level
}

func (p *drawn) outgoing() [][]int {
	out := make([][]int, len(p.names))
	for n, l := range p.lines {
		out[l.from] = append(out[l.from], n)
	}
	return out
}

// descend goes down all lines, depth first: states in the order in which they are done with, and the lines that lead
// back to a state on the way.
func (p *drawn) descend() (done []int, back []bool) {
	out, back := p.outgoing(), make([]bool, len(p.lines))
	const fresh, open, closed = 0, 1, 2
	mark, next := make([]int, len(p.names)), make([]int, len(p.names))
	roots := make([]int, 0, len(p.names)+1)
	if p.start >= 0 {
		roots = append(roots, p.start)
	}
	for i := range p.names {
		roots = append(roots, i)
	}
	for _, root := range roots {
		if mark[root] != fresh {
			continue
		}
		mark[root] = open
		for stack := []int{root}; len(stack) > 0; {
			at := stack[len(stack)-1]
			if next[at] == len(out[at]) {
				mark[at] = closed
				done, stack = append(done, at), stack[:len(stack)-1]
				continue
			}
			n := out[at][next[at]]
			next[at]++
			switch to := p.lines[n].to; mark[to] {
			case open:
				back[n] = true
			case fresh:
				mark[to] = open
				stack = append(stack, to)
			}
		}
	}
	return done, back
}

// arrange orders each row so that lines cross less: by where a box's neighbours stand, from above and from below in
// turn.
func (l *layout) arrange() {
	const sweeps = 16
	position := make([]int, len(l.boxes))
	number := func(row []int) {
		for i, b := range row {
			position[b] = i
		}
	}
	for _, row := range l.rows {
		number(row)
	}
	for sweep := range sweeps {
		for r := range l.rows {
			row, above := l.rows[r], true
			if sweep%2 == 1 {
				row, above = l.rows[len(l.rows)-1-r], false
			}
			l.sort(row, position, above)
			number(row)
		}
	}
}

func (l *layout) sort(row, position []int, above bool) {
	wish := make(map[int]int, len(row))
	for _, b := range row {
		neighbours := l.boxes[b].down
		if above {
			neighbours = l.boxes[b].up
		}
		wish[b] = position[b] * 1000
		if len(neighbours) > 0 {
			sum := 0
			for _, n := range neighbours {
				sum += position[n]
			}
			wish[b] = sum * 1000 / len(neighbours)
		}
	}
	slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(wish[a], wish[b]) })
}
