package tools

// Nearest is the one of candidates that s was probably meant to be; "" when none is near: capitals,
// _, - and . aside, a third of it may be wrong, and three letters at most.
func Nearest(s string, candidates []string) string {
	plain := fold(s)
	best, distance := "", min(len(plain)/3, 3)+1
	for _, c := range candidates {
		if d := editDistance(plain, fold(c)); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// editDistance counts the letters to add, drop, change, or swap with their neighbour (optimal string
// alignment).
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
