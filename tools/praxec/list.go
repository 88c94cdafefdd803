package praxec

import (
	"cmp"
	"context"
	"strings"

	"prax/store"
)

// instances is the answer to a question for the caller's own workflows.
type instances struct {
	Query string       `json:"query"`
	Kind  string       `json:"kind"`
	Items []listedItem `json:"items"`
	Links []link       `json:"links"`
}

type listedItem struct {
	Workflow named   `json:"workflow"`
	Result   outcome `json:"result"`
	RunID    string  `json:"runId,omitzero"`
	Summary  string  `json:"summary,omitzero"`
	Started  string  `json:"startedAt"`
	Updated  string  `json:"updatedAt"`
	Links    []link  `json:"links"`
}

// The bounds of a list of workflows.
const (
	usualInstances = 20
	maxScanned     = 2000 // that one question looks at
)

// listInstances lists the caller's own workflows, the newest first: those that have every word of the query in their id,
// definition, state, status, run id or summary.
func (q *request) listInstances(ctx context.Context, a *asked) (any, error) {
	words := strings.Fields(strings.ToLower(or(a.query, "")))
	answer := instances{Query: or(a.query, ""), Kind: kindInstance, Items: []listedItem{}, Links: []link{q.homeLink()}}
	limit := a.page(usualInstances, store.MaxPage)
	filter := store.InstanceFilter{User: q.p.User, Limit: store.MaxPage}
	if a.before != nil {
		filter.Before = *a.before
	}
	if len(words) == 0 {
		filter.Limit = limit
	}
	for scanned := 0; scanned < maxScanned; {
		page, err := q.Runner.List(ctx, q.work(), filter)
		if err != nil {
			return nil, err
		}
		waits, err := q.waits(ctx, page.Instances)
		if err != nil {
			return nil, err
		}
		for n, i := range page.Instances {
			filter.Before = i.Number
			if !has(i.Instance, words) {
				continue
			}
			answer.Items = append(answer.Items, q.listed(i.Instance, waits[i.ID]))
			if len(answer.Items) == limit && (n+1 < len(page.Instances) || page.Next != 0) {
				return q.andOlder(answer, a, filter.Before), nil
			}
		}
		if page.Next == 0 {
			return answer, nil
		}
		scanned, filter.Before = scanned+len(page.Instances)+1, page.Next
	}
	return q.andOlder(answer, a, filter.Before), nil
}

// andOlder adds the link to those that were started before.
func (q *request) andOlder(answer instances, a *asked, before int64) instances {
	next := searching(answer.Query, kindInstance)
	next.Before = before
	if a.limit != nil {
		next.Limit = *a.limit
	}
	answer.Links = append(answer.Links, q.toQuery("next", next))
	return answer
}

func has(i store.Instance, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(strings.Join([]string{i.ID, i.DefinitionID, i.State, string(i.Status), i.RunID, i.Summary}, "\n"))
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// maxShown bounds a summary in a list.
const maxShown = 200

// listed is one of them. waits is its status while it waits for an attempt; "": it waits for none.
func (q *request) listed(i store.Instance, waits string) listedItem {
	it := listedItem{
		Workflow: nameOf(i), Result: outcome{Status: cmp.Or(waits, waiting)}, RunID: i.RunID, Summary: i.Summary,
		Started: stamp(i.Created), Updated: stamp(i.Updated), Links: []link{q.getLink(i.ID)},
	}
	if text := []rune(i.Summary); len(text) > maxShown {
		it.Summary = string(text[:maxShown]) + "…"
	}
	switch i.Status {
	case store.Completed:
		it.Result.Status = completed
	case store.Cancelled:
		it.Result.Status = cancelled
	}
	return it
}
