package workflow

// The measures of a picture, in pixels.
const (
	lineHeight  = 15
	stateHeight = 38
	rowGap      = 22 // between rows
	boxGap      = 26 // between boxes of a row
	loopReach   = 30 // of a loop, before its label
	startReach  = 34 // of the mark before the first state
	margin      = 24
	maxLabels   = 10 // lines of one label
)

// textWidth is about how wide a text is in the font of the pictures. Wide scripts take twice the place.
func textWidth(text string) int {
	n := 0
	for _, r := range text {
		if n++; r >= 0x1100 {
			n++
		}
	}
	return (n*15 + 1) / 2
}

// shownLabels are the lines of a label.
func (p *drawn) shownLabels(n int) []string {
	labels := p.lines[n].labels
	if len(labels) <= maxLabels {
		return labels
	}
	return append(labels[:maxLabels-1:maxLabels-1], counting(len(labels)-maxLabels+1)+" more")
}

func (p *drawn) labelWidth(n int) int {
	width := 0
	for _, text := range p.shownLabels(n) {
		width = max(width, textWidth(text))
	}
	return width
}

// measure gives every box its size.
func (l *layout) measure() {
	for i := range l.boxes {
		b := &l.boxes[i]
		switch {
		case i < len(l.names):
			l.measureState(i, b)
		case b.line >= 0:
			b.left, b.right = 6, l.labelWidth(b.line)+10
			b.height = len(l.shownLabels(b.line)) * lineHeight
		default:
			b.left, b.right = 3, 3
		}
	}
}

func (l *layout) measureState(i int, b *box) {
	half := textWidth(l.names[i])/2 + 22
	b.left, b.right, b.height = half, half, stateHeight
	if i == l.start {
		b.left += startReach
	}
	lines, reach := 0, 0
	for _, n := range l.loops[i] {
		lines += len(l.shownLabels(n))
		reach = max(reach, loopReach+l.labelWidth(n)+6)
	}
	b.right += reach
	b.height = max(b.height, lines*lineHeight+len(l.loops[i])*6+8)
}

// half is half the width of the drawn state.
func (l *layout) half(i int) int { return textWidth(l.names[i])/2 + 22 }

// place gives every box its middle: first down, row by row; then across, near to its neighbours.
func (l *layout) place() {
	y := margin + lineHeight*2
	for _, row := range l.rows {
		tallest := 0
		for _, b := range row {
			tallest = max(tallest, l.boxes[b].height)
		}
		for _, b := range row {
			l.boxes[b].y = y + tallest/2
		}
		y += tallest + rowGap
	}
	for _, row := range l.rows {
		x := 0
		for _, b := range row {
			l.boxes[b].x = x + l.boxes[b].left
			x += l.boxes[b].left + l.boxes[b].right + boxGap
		}
	}
	const rounds = 24
	for round := range rounds {
		for r := range l.rows {
			if round%2 == 1 {
				r = len(l.rows) - 1 - r
			}
			l.settle(l.rows[r])
		}
	}
	l.shift()
}

// settle moves the boxes of a row to where they wish to be, as far as their neighbours in the row let them: the middle
// of the two ways of giving in.
func (l *layout) settle(row []int) {
	wish, right := make([]int, len(row)), make([]int, len(row))
	for i, b := range row {
		wish[i] = l.wish(b)
	}
	copy(right, wish)
	for i := 1; i < len(row); i++ {
		wish[i] = max(wish[i], wish[i-1]+l.apart(row[i-1], row[i]))
	}
	for i := len(row) - 2; i >= 0; i-- {
		right[i] = min(right[i], right[i+1]-l.apart(row[i], row[i+1]))
	}
	for i, b := range row {
		l.boxes[b].x = floorHalf(wish[i] + right[i])
	}
}

// floorHalf halves, always to the left, so that what is apart stays apart.
func floorHalf(n int) int { return n >> 1 }

func (l *layout) apart(a, b int) int { return l.boxes[a].right + boxGap + l.boxes[b].left }

func (l *layout) wish(b int) int {
	box := &l.boxes[b]
	sum, n := 0, len(box.up)+len(box.down)
	if n == 0 {
		return box.x
	}
	for _, other := range box.up {
		sum += l.boxes[other].x
	}
	for _, other := range box.down {
		sum += l.boxes[other].x
	}
	return sum / n
}

// shift moves everything to where the picture begins.
func (l *layout) shift() {
	least := 0
	for i, b := range l.boxes {
		if left := b.x - b.left; i == 0 || left < least {
			least = left
		}
	}
	for i := range l.boxes {
		l.boxes[i].x += margin - least
	}
}

// size is that of the picture without its legend.
func (l *layout) size() (width, height int) {
	for _, b := range l.boxes {
		width, height = max(width, b.x+b.right), max(height, b.y+b.height/2)
	}
	return width + margin, height + margin
}
