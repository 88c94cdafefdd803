package praxec

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/tools/definition"
)

// defaultHits is how many things a search finds that says no limit.
const defaultHits = 10

// maxWords bounds the words of a query that count.
const maxWords = 32

// found is the answer to a search.
type found struct {
	Query string  `json:"query"`
	Kind  *string `json:"kind"`
	Items []hit   `json:"items"`
	Links []link  `json:"links"`
}

type hit struct {
	Score float64 `json:"score"`
	Item  *item   `json:"item"`
}

// item is one thing that was found. Members that say nothing are absent.
type item struct {
	ID          string           `json:"id"`
	Kind        string           `json:"kind"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Tags        []string         `json:"tags"`
	Examples    []jsontext.Value `json:"examples,omitempty"`
	Aliases     []string         `json:"aliases,omitempty"`
	Links       []link           `json:"links"`
	Verb        string           `json:"verb,omitzero"`
	Source      string           `json:"source,omitzero"`
	Lifecycle   string           `json:"lifecycle,omitzero"`
}

// search finds workflows and capabilities, and scripts where they can be found at all. Only what the caller may use
// is looked at.
func (q *request) search(a *asked) (any, error) {
	answer := found{Query: *a.query, Kind: a.kind, Items: []hit{}, Links: []link{q.homeLink()}}
	for _, r := range q.ranked(*a.query, or(a.kind, ""), a.page(defaultHits, maxHits)) {
		answer.Items = append(answer.Items, hit{Score: r.score, Item: q.item(r.entry)})
	}
	return answer, nil
}

// rank is an entry and how well it matches.
type rank struct {
	*entry
	score float64
}

// ranked are the best matches: by score, and then by id.
func (q *request) ranked(query, kind string, limit int) []rank {
	var scores []float64
	if strings.TrimSpace(query) != "" {
		words := wordsOf(query)
		scores = q.catalog.index.scores(words[:min(len(words), maxWords)])
	}
	var best []rank
	for n, e := range q.catalog.entries {
		score := 1.0
		if scores != nil {
			score = scores[n]
		}
		full := len(best) == limit
		if score <= 0 || full && score <= best[limit-1].score || !e.is(kind) || !q.sees(e) {
			continue
		}
		if full {
			best = best[:limit-1]
		}
		at, _ := slices.BinarySearchFunc(best, score, func(r rank, score float64) int {
			if r.score >= score { // those of an equal score come by id, as the entries do
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, rank{e, score})
	}
	return best
}

// is tells whether a search of this kind looks at the entry: without a kind, guidance is left out.
func (e *entry) is(kind string) bool {
	if kind == "" {
		return e.Kind != definition.Skill
	}
	return string(e.Kind) == kind
}

// item is an entry as callers see it.
func (q *request) item(e *entry) *item {
	it := &item{
		ID: e.ID, Kind: string(e.Kind), Title: cmp.Or(e.Title, e.ID), Description: e.Description, Tags: e.Tags,
		Examples: e.Examples, Aliases: e.Aliases, Links: []link{}, Verb: e.Verb, Source: e.Source, Lifecycle: e.Lifecycle,
	}
	if it.Tags == nil {
		it.Tags = []string{}
	}
	switch e.Kind {
	case definition.Workflow:
		it.Links = append(it.Links, q.started(e, e.ID, emptyObject))
	case definition.Capability:
		name, _ := jsontext.AppendQuote(nil, e.ID)
		input := slices.Concat(jsontext.Value(`{"capability":`), name, jsontext.Value(`}`))
		it.Links = append(it.Links, q.started(e, definition.ProxyID, input))
	default:
		it.Links = append(it.Links, q.toQuery("describe", args{Subject: e.ID}))
	}
	return it
}

// started is the link of an item that starts its definition.
func (q *request) started(e *entry, definition string, input jsontext.Value) link {
	l := q.toCommand("start", args{DefinitionID: definition, Input: input})
	l.ItemSchema = e.InputSchema
	return l
}
