package builtin

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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

// The bounds of what is ranked. Candidates are large and many at will, and ranking them whole takes
// seconds: what one talks about is mostly said where it begins.
const (
	maxRanked    = 4 << 10 // bytes of a document
	maxRankedAll = 2 << 20 // bytes of all candidates, in equal parts
)

// find is the caller's documents for a text: those that have one of its words, or else, among the
// newest, those that have it as a substring. What a caller writes is text, never query syntax.
func find(ctx context.Context, tx store.Documents, s auth.Scope, kind store.Kind, namespace, text string) ([]store.Document, error) {
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
	return having(ctx, newest, strings.TrimSpace(text), searched)
}

// having is those documents whose text contains the literal, whatever their case.
func having(ctx context.Context, docs []store.Document, literal string, text func(store.Document) string) ([]store.Document, error) {
	literal = strings.ToLower(literal)
	var kept []store.Document
	for _, d := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if strings.Contains(strings.ToLower(text(d)), literal) {
			kept = append(kept, d)
		}
	}
	return kept, nil
}

// searched is the text of a document that a search looks at.
func searched(d store.Document) string {
	return d.Title + "\n" + d.Key + "\n" + d.Body + "\n" + strings.Join(d.Tags, "\n")
}

// rank orders documents by BM25 × (0.5 + importance) × 2^(−age ÷ half-life), best first; among equals
// the newer, then the smaller id. Of each document only the first 4 KiB are looked at, and of all
// together 2 MiB: a word that stands only behind that counts as a substring does. The same documents
// give the same order on every store. The error is that of ctx.
func rank(ctx context.Context, docs []store.Document, text string, now time.Time, halfLife time.Duration) ([]store.Document, error) {
	relevance, err := bm25(ctx, docs, store.QueryWords(text))
	if err != nil {
		return nil, err
	}
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
	return ordered, nil
}

// bm25 is the relevance of each document among these.
func bm25(ctx context.Context, docs []store.Document, words []store.Word) ([]float64, error) {
	query := newQuery(words)
	bound := min(maxRanked, maxRankedAll/max(1, len(docs)))
	counts := make([][]int, len(docs)) // by document and word
	lengths := make([]float64, len(docs))
	having := make([]float64, len(words)) // documents, by word
	total := 0.0
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		counts[i], lengths[i] = query.occurrences(beginning(d, bound))
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
	return scores, nil
}

// beginning is the document with n bytes of text at most: of its title, key, tags and body, in this
// order.
func beginning(d store.Document, n int) store.Document {
	lead := func(text string) string {
		end := min(n, len(text))
		for end < len(text) && end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		n -= end
		return text[:end]
	}
	d.Title, d.Key = lead(d.Title), lead(d.Key)
	tags := make([]string, len(d.Tags))
	for i, tag := range d.Tags {
		tags[i] = lead(tag)
	}
	d.Tags = tags
	d.Body = lead(d.Body)
	return d
}

// query is the words of a query, for counting them.
type query struct {
	words []store.Word
	whole map[string]int // where a word is that matches no other than itself
	parts []int          // where the others are
}

func newQuery(words []store.Word) query {
	q := query{words: words, whole: map[string]int{}}
	for i, word := range words {
		if word.Prefix {
			q.parts = append(q.parts, i)
		} else {
			q.whole[word.Text] = i
		}
	}
	return q
}

// occurrences is how often each word is in the document, and how many words the document has.
func (q query) occurrences(d store.Document) (counts []int, length float64) {
	counts = make([]int, len(q.words))
	for token := range d.EachWord() {
		length++
		if i, found := q.whole[token]; found {
			counts[i]++
		}
		for _, i := range q.parts {
			if q.words[i].Matches(token) {
				counts[i]++
			}
		}
	}
	return counts, length
}
