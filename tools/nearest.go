package tools

import "strings"

// Nearest is the one of candidates that s was probably meant to be; "" when none is near: capitals,
// _, - and . aside, a third of it may be wrong, and three letters at most.
func Nearest(s string, candidates []string) string {
	plain := plainly(s)
	best, distance := "", min(len(plain)/3, 3)+1
	for _, c := range candidates {
		if d := editDistance(plain, plainly(c)); d < distance {
			best, distance = c, d
		}
	}
	return best
}

func plainly(s string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(s))
}

// editDistance counts the letters to add, drop or change (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
