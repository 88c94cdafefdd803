package builtin

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"prax/auth"
	"prax/store"
)

// The constants of BM25 under their usual names and with their usual values.
const (
	k1 = 1.2  // how soon more of a word stops counting
	b  = 0.75 // how much a long text is held against it
)

// minRelevance is that of a candidate in which none of the words is: one found as a substring.
const minRelevance = 0.01

// find is the caller's documents for a text: those that have one of its words, or else, among the
// newest, those that have it as a substring. What a caller writes is text, never query syntax.
func find(tx store.Documents, s auth.Scope, kind store.Kind, namespace, text string) ([]store.Document, error) {
	if words := store.QueryWords(text); len(words) > 0 {
		found, err := tx.SearchDocuments(s, store.Query{Kind: kind, Namespace: namespace, Words: words})
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	newest, err := tx.ListDocuments(s, store.Filter{Kind: kind, Namespace: namespace})
	if err != nil {
		return nil, err
	}
	literal := strings.ToLower(strings.TrimSpace(text))
	return slices.DeleteFunc(newest, func(d store.Document) bool {
		return !strings.Contains(strings.ToLower(searched(d)), literal)
	}), nil
}

// searched is the text of a document that a search looks at.
func searched(d store.Document) string {
	return d.Title + "\n" + d.Key + "\n" + d.Body + "\n" + strings.Join(d.Tags, "\n")
}

// rank orders documents by BM25 × (0.5 + importance) × 2^(−age ÷ half-life), best first; among equals
// the newer, then the smaller id. The same documents give the same order on every store.
func rank(docs []store.Document, text string, now time.Time, halfLife time.Duration) []store.Document {
	relevance := bm25(docs, store.QueryWords(text))
	type scored struct {
		document store.Document
		score    float64
	}
	all := make([]scored, len(docs))
	for i, d := range docs {
		age := max(0, now.Sub(d.Updated))
		decay := math.Exp2(-age.Hours() / halfLife.Hours())
		all[i] = scored{d, max(relevance[i], minRelevance) * (0.5 + d.Importance) * decay}
	}
	slices.SortFunc(all, func(x, y scored) int {
		return cmp.Or(cmp.Compare(y.score, x.score), y.document.Updated.Compare(x.document.Updated), cmp.Compare(x.document.ID, y.document.ID))
	})
	ordered := make([]store.Document, len(all))
	for i := range all {
		ordered[i] = all[i].document
	}
	return ordered
}

// bm25 is the relevance of each document among these.
func bm25(docs []store.Document, words []store.Word) []float64 {
	counts := make([][]int, len(docs)) // by document and word
	lengths := make([]float64, len(docs))
	having := make([]float64, len(words)) // documents, by word
	total := 0.0
	for i, d := range docs {
		tokens := d.Words()
		counts[i] = occurrences(tokens, words)
		lengths[i] = float64(len(tokens))
		total += lengths[i]
		for w, n := range counts[i] {
			having[w] += min(1, float64(n))
		}
	}
	mean := max(1, total/max(1, float64(len(docs))))
	scores := make([]float64, len(docs))
	for i := range docs {
		for w, n := range counts[i] {
			rarity := math.Log1p((float64(len(docs)) - having[w] + 0.5) / (having[w] + 0.5))
			often := float64(n)
			scores[i] += rarity * often * (k1 + 1) / (often + k1*(1-b+b*lengths[i]/mean))
		}
	}
	return scores
}

func occurrences(tokens []string, words []store.Word) []int {
	counts := make([]int, len(words))
	for _, token := range tokens {
		for w, word := range words {
			if word.Matches(token) {
				counts[w]++
			}
		}
	}
	return counts
}
