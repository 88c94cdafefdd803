package praxec

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/store/digest"
)

// observed is the answer to the question what happened.
type observed struct {
	Resource  resource  `json:"resource"`
	Result    outcome   `json:"result"`
	Count     int       `json:"count"`
	Truncated bool      `json:"truncated"`
	NextSince string    `json:"next_since,omitzero"`
	Events    []auditOf `json:"events"`
	Note      string    `json:"note"`
	Links     []link    `json:"links"`
}

// auditOf is one event as praxec has it.
type auditOf struct {
	ID            string         `json:"id"`
	Timestamp     string         `json:"timestamp"`
	WorkflowID    string         `json:"workflow_id,omitzero"`
	CorrelationID string         `json:"correlation_id"`
	Actor         string         `json:"actor,omitzero"`
	EventType     string         `json:"event_type"`
	Payload       jsontext.Value `json:"payload"`
	TraceID       string         `json:"trace_id,omitzero"`
	RunID         string         `json:"run_id,omitzero"`
}

// The bounds of one answer: events that say no limit, at most, and bytes of them.
const (
	usualEvents  = 200
	maxEvents    = 1000
	maxEventSize = 1 << 20
)

// observe tells what happened to the caller's user's workflows, of definitions that the caller may use: the newest without `since`, in the order in which it
// happened; from then on with it.
func (q *request) observe(ctx context.Context, a *asked) (any, error) {
	var since time.Time
	if a.since != nil {
		var err error
		if since, err = time.Parse(time.RFC3339, *a.since); err != nil {
			r := reader{}
			r.wrong("since", "must be a time such as 2026-01-31T08:00:00Z")
			return refused{Error: r.invalid(), Links: []link{q.toQuery("observe", args{Observe: true}), q.homeLink()}}, nil
		}
	}
	w := window{limit: a.page(usualEvents, maxEvents), since: since, granted: q.granted}
	err := q.call.View(ctx, func(tx store.Tx) error {
		w.reset()
		return tx.Observed(q.p.Scope(), w.add)
	})
	if err != nil {
		return nil, err
	}
	return q.observed(&w), nil
}

// window keeps the events that an answer has: of those since a time the oldest, else the newest.
type window struct {
	limit   int
	since   time.Time
	granted func(definition string) bool
	groups  []group // the newest first
	events  int
	bytes   int
	dropped bool
}

// group is the events of one change.
type group struct {
	at     time.Time
	events []auditOf
	bytes  int
}

func (w *window) reset() { w.groups, w.events, w.bytes, w.dropped = nil, 0, 0, false }

// add takes the next older event, and tells whether one that is older still could matter.
func (w *window) add(e store.Event) bool {
	if e.At.Before(w.since) {
		return false
	}
	definition, g := expand(e)
	if len(g.events) == 0 || definition != "" && !w.granted(definition) {
		return true
	}
	w.groups, w.events, w.bytes = append(w.groups, g), w.events+len(g.events), w.bytes+g.bytes
	if !w.over() {
		return true
	}
	if w.since.IsZero() {
		if len(w.groups) > 1 {
			w.drop(len(w.groups) - 1)
		}
		w.dropped = true
		return false
	}
	for w.over() && w.groups[0].at.After(g.at) {
		w.dropNewest()
	}
	return true
}

// dropNewest drops all of the newest instant: whoever goes on from the one before misses nothing.
func (w *window) dropNewest() {
	for newest := w.groups[0].at; w.groups[0].at.Equal(newest); {
		w.drop(0)
	}
}

func (w *window) over() bool { return w.events > w.limit || w.bytes > maxEventSize }

func (w *window) drop(n int) {
	w.events, w.bytes, w.dropped = w.events-len(w.groups[n].events), w.bytes-w.groups[n].bytes, true
	w.groups = slices.Delete(w.groups, n, n+1)
}

// expand makes the events of a change single ones, and tells of which definition they are; "" for none.
func expand(e store.Event) (definition string, g group) {
	var detail struct {
		WorkflowID    string `json:"workflow_id"`
		DefinitionID  string `json:"definition_id"`
		CorrelationID string `json:"correlation_id"`
		TraceID       string `json:"trace_id"`
		RunID         string `json:"run_id"`
		Events        []struct {
			Type    string         `json:"event_type"`
			Payload jsontext.Value `json:"payload"`
		} `json:"events"`
	}
	g = group{at: e.At}
	if json.Unmarshal([]byte(e.Detail), &detail) != nil {
		return "", g
	}
	seal := digest.Hex([]byte(stamp(e.At) + e.RequestID + e.Detail))
	for n, one := range detail.Events {
		g.events = append(g.events, auditOf{
			ID: "evt_" + seal[:26] + "_" + strconv.Itoa(n), Timestamp: stamp(e.At), WorkflowID: detail.WorkflowID,
			CorrelationID: detail.CorrelationID, Actor: e.Client, EventType: one.Type, Payload: one.Payload,
			TraceID: detail.TraceID, RunID: detail.RunID,
		})
		g.bytes += len(one.Payload) + 256
	}
	return detail.DefinitionID, g
}

const observedNote = "Your own events, in the order in which they happened. What was refused, and what was described, can be a moment late."

func (q *request) observed(w *window) observed {
	answer := observed{
		Resource: resource{Type: "audit", ID: "own"}, Result: outcome{Status: "ok"}, Count: w.events, Truncated: w.dropped,
		Events: []auditOf{}, Note: observedNote, Links: []link{q.homeLink()},
	}
	for _, g := range slices.Backward(w.groups) {
		answer.Events = append(answer.Events, g.events...)
	}
	next := w.since
	if len(w.groups) > 0 {
		next = w.groups[0].at.Add(time.Millisecond)
	}
	if !next.IsZero() {
		answer.NextSince = stamp(next)
		answer.Links = append(answer.Links, q.toQuery("observe_next", args{Observe: true, Since: answer.NextSince}))
	}
	return answer
}
