package praxec_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"prax/tools/definition"
	"prax/tools/praxec"
)

// oracle is the scoring as it is documented, field by field and word by word.
func oracle(query string, it definition.Item) (sum float64) {
	split := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	}
	for _, token := range split(query) {
		for _, field := range []struct {
			weight float64
			text   string
		}{
			{6, cmp.Or(it.Title, it.ID)}, {5, it.ID}, {3, strings.Join(it.Tags, " ")}, {3, strings.Join(it.Aliases, " ")},
			{2, it.Description}, {1, it.Text},
		} {
			switch {
			case strings.Contains(strings.ToLower(field.text), token):
				sum += field.weight
			case len(token) >= 4:
				best := 0.0
				for _, word := range split(field.text) {
					best = max(best, jaccard(token, word))
				}
				if best > 0.3 {
					sum += field.weight * best * 0.5
				}
			}
		}
	}
	return sum
}

func jaccard(a, b string) float64 {
	grams := func(word string) map[string]bool {
		set := map[string]bool{}
		for i := 0; i+3 <= len(word); i++ {
			set[word[i:i+3]] = true
		}
		return set
	}
	of, with := grams(a), grams(b)
	shared := 0
	for g := range of {
		if with[g] {
			shared++
		}
	}
	if all := len(of) + len(with) - shared; all > 0 {
		return float64(shared) / float64(all)
	}
	return 0
}

// TestScores: a search finds what the documented scoring finds, with the same scores, in order.
func TestScores(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	words := []string{"order", "orders", "reorder", "ordering", "border", "deploy", "deployed", "tickte", "ticket", "straße", "naïve", "a", "ab", "x1", "2026", "_", "é"}
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), 0, 5), func(s []string) string { return strings.Join(s, " ") })
	rapid.Check(t, func(t *rapid.T) {
		set := &definition.Set{}
		for n := range rapid.IntRange(1, 12).Draw(t, "items") {
			set.Items = append(set.Items, definition.Item{
				ID: fmt.Sprintf("i%02d.%s", n, rapid.SampledFrom(words).Draw(t, "id")), Kind: definition.Workflow,
				Title: text.Draw(t, "title"), Description: text.Draw(t, "description"), Text: text.Draw(t, "text"),
				Tags: strings.Fields(text.Draw(t, "tags")), Aliases: strings.Fields(text.Draw(t, "aliases")),
			})
		}
		query := cmp.Or(text.Draw(t, "query"), "order")
		h.set.Store(set)
		var want []definition.Item
		for _, it := range set.Items {
			if oracle(query, it) > 0 {
				want = append(want, it)
			}
		}
		slices.SortStableFunc(want, func(a, b definition.Item) int {
			return cmp.Or(cmp.Compare(oracle(query, b), oracle(query, a)), cmp.Compare(a.ID, b.ID))
		})
		got := decoded(h, h.raw(agent, praxec.Query, show(map[string]any{"query": query, "limit": 50})))["items"].([]any)
		if len(got) != len(want) {
			t.Fatalf("%q: %d found, want %d", query, len(got), len(want))
		}
		for n, one := range got {
			id, score := answer(one.(map[string]any)).text("item.id"), one.(map[string]any)["score"].(float64)
			if id != want[n].ID || math.Abs(score-oracle(query, want[n])) > 1e-9 {
				t.Fatalf("%q: %d is %s with %v, want %s with %v", query, n, id, score, want[n].ID, oracle(query, want[n]))
			}
		}
	})
}

// many is a set of so many things to find.
func many(n int) *definition.Set {
	set := &definition.Set{}
	for i := range n {
		set.Items = append(set.Items, definition.Item{
			ID: fmt.Sprintf("team%d.flow-%d", i%40, i), Kind: definition.Workflow, Title: fmt.Sprintf("Flow %d of team %d", i, i%40),
			Description: fmt.Sprintf("Moves the orders of region %d to the warehouse %d and tells who is on call.", i%97, i%13),
			Tags:        []string{"orders", fmt.Sprintf("region%d", i%97)},
			Text:        fmt.Sprintf("start pick pack ship step%d confirm the delivery and close the order number %d", i%211, i),
		})
	}
	return set
}

// TestLongSearch: of a query with very many words so many count, over very many things too.
func TestLongSearch(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.set.Store(many(2000))
	most := h.query(agent, `{"query":"`+strings.Repeat("deliver ", 32)+`"}`)
	more := h.query(agent, `{"query":"`+strings.Repeat("deliver ", 127)+`"}`)
	equal(t, "the scores", more.text("items.0.score"), most.text("items.0.score"))
	equal(t, "so many", len(more["items"].([]any)), 10)
	equal(t, "no more than there is room for", len(h.query(agent, `{"query":"","limit":100000}`)["items"].([]any)), 200)
}

// BenchmarkSearch: over very many things, against a few.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := open(b, "testdata/cases.yaml")
			h.set.Store(many(n))
			for b.Loop() {
				h.raw(agent, praxec.Query, `{"query":"orders warehuose 7","kind":"workflow"}`)
			}
		})
	}
}

// BenchmarkSubmit: a move with everything around it, against the reading of what came of it.
func BenchmarkSubmit(b *testing.B) {
	h := open(b, "testdata/cases.yaml")
	a := h.start(agent, "release", `{}`)
	b.Run("submit", func(b *testing.B) {
		for b.Loop() {
			a = h.submit(agent, a, "wait", `{}`)
		}
	})
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			h.raw(agent, praxec.Query, `{"workflowId":"`+a.id()+`"}`)
		}
	})
}
