package workflow

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"prax/tools/workflow/expr"
)

// another marks a text that stands for every other.
const another = "\x00"

// maxLength bounds the lists that stand for a length.
const maxLength = 200

// represent gives values that stand for all values of some kinds, as far as comparisons with literals can tell them
// apart: for each literal itself, and what lies between and around. It is exact when every value behaves as one of
// those does.
func represent(list []expr.Comparison, of kinds) (values []any, exact bool) {
	r := representation{exact: true, texts: []string{another}}
	plain := false
	for _, one := range list {
		if one.Len {
			r.length(one.Literal)
		} else {
			plain = true
			r.compare(one)
		}
	}
	if len(r.lengths) > 0 && plain {
		r.exact = false // how long a value is, and what it is, hang together
	}
	for _, v := range r.all() {
		if kindOf(v)&of != 0 {
			values = append(values, v)
		}
	}
	return values, r.exact
}

type representation struct {
	numbers []float64
	texts   []string
	lengths []int
	more    []any
	exact   bool
}

func (r *representation) compare(one expr.Comparison) {
	switch one.Op {
	case "starts_with":
		if text, ok := one.Literal.(string); ok && !one.Swapped {
			r.literal(text)
			return
		}
		r.exact = false
		r.literal(one.Literal)
	case "contains":
		r.exact = false
		r.literal(one.Literal)
		r.more = append(r.more, []any{one.Literal})
	case "in":
		list, _ := one.Literal.([]any)
		for _, v := range list {
			r.literal(v)
		}
	default:
		r.literal(one.Literal)
	}
}

func (r *representation) literal(v any) {
	switch v := v.(type) {
	case float64:
		r.numbers = append(r.numbers, v)
	case string:
		r.texts = append(r.texts, v, v+another)
	case []any:
		r.more = append(r.more, v)
	}
}

// length is one that len is compared with.
func (r *representation) length(v any) {
	n, ok := v.(float64)
	if !ok {
		return
	}
	if n = math.Floor(n); n > maxLength {
		r.exact = false
		return
	}
	for _, near := range []float64{n - 1, n, n + 1} {
		if near >= 0 {
			r.lengths = append(r.lengths, int(near))
		}
	}
}

// all are the values, the most usual first.
func (r *representation) all() []any {
	var all []any
	for _, n := range between(r.numbers) {
		all = append(all, n)
	}
	slices.Sort(r.texts)
	for _, text := range slices.Compact(r.texts) {
		all = append(all, text)
	}
	all = append(all, true, false, nil, []any{}, map[string]any{})
	slices.Sort(r.lengths)
	for _, n := range slices.Compact(r.lengths) {
		if n > 0 {
			all = append(all, make([]any, n))
		}
	}
	return append(all, r.more...)
}

// between are some numbers, and one in each of the ranges around them: a whole one, too, where there is one.
func between(numbers []float64) []float64 {
	if len(numbers) == 0 {
		return []float64{0}
	}
	slices.SortFunc(numbers, cmp.Compare[float64])
	numbers = slices.Compact(numbers)
	least, most := numbers[0]-1, numbers[len(numbers)-1]+1
	all := []float64{math.Floor(least), least, most, math.Ceil(most)}
	for i, n := range numbers {
		all = append(all, n)
		if i+1 == len(numbers) {
			break
		}
		middle := n + (numbers[i+1]-n)/2
		for _, one := range []float64{math.Floor(middle), middle, math.Ceil(middle)} {
			if n < one && one < numbers[i+1] {
				all = append(all, one)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// word is a value for a sentence.
func word(v any) string {
	if text, ok := v.(string); ok && strings.HasSuffix(text, another) {
		return "another text"
	}
	if list, ok := v.([]any); ok && len(list) > 3 {
		return "a long list"
	}
	return spell(v)
}
