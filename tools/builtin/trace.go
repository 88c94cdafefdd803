package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

const maxFound = 20

// trace is one call of the user in results. Why a call was denied is not in it: that would tell a
// tool that exists from one that does not.
type trace struct {
	ID       string  `json:"trace_id"`
	At       string  `json:"at"`
	Status   string  `json:"status"`
	Code     string  `json:"code"`
	Tool     string  `json:"tool"`
	Method   string  `json:"method"`
	Client   string  `json:"client"`
	Duration float64 `json:"duration_ms"`
}

var traceProperties = []string{
	`"trace_id":{"type":"string"}`, `"at":{"type":"string","format":"date-time"}`, `"status":{"type":"string"}`, `"code":{"type":"string"}`,
	`"tool":{"type":"string"}`, `"method":{"type":"string"}`, `"client":{"type":"string"}`, `"duration_ms":{"type":"number"}`,
}

func newTrace(e store.Event) trace {
	t := trace{
		ID: e.RequestID, At: stamp(e.At), Status: e.Outcome, Code: e.Code, Tool: e.Tool, Method: e.Method, Client: e.Client,
		Duration: float64(e.Duration.Microseconds()) / 1000,
	}
	if t.Status == tools.OutcomeDenied {
		// The event has the declared spelling of a tool that exists, and what was asked of one that
		// does not: here both look the same.
		t.Tool = tools.Spelling(t.Tool, auth.Underscore)
	}
	return t
}

func (t trace) trigger() string { return t.Method + " " + t.Tool + " (" + t.Client + ")" }

type traceArguments struct {
	Query string  `json:"query"`
	TopK  float64 `json:"top_k"`
}

func traceSearch() *tools.Tool {
	return &tools.Tool{
		Name:  "trace_search",
		Title: "Search own calls",
		Description: "Search your own earlier tool calls by tool, method, status, error code or client name. " +
			"The best matches come first, the newest among equals. A call appears a moment after it ended.",
		Tier:       auth.Low,
		Timeout:    searchTimeout,
		Idempotent: true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["query"],"properties":{` +
			`"query":{"type":"string","minLength":1,"maxLength":1024,"description":"Words such as memory_recall, error or TIMEOUT"},` +
			`"top_k":{"type":"integer","default":5,"description":"How many calls to return, 1 to 20"}}}`),
		Output: listSchema(append(slices.Clone(traceProperties), `"score":{"type":"number"}`)...),
		Handler: handle(traceArguments{TopK: 5}, func(ctx context.Context, call *tools.Call, a traceArguments) (*tools.Result, error) {
			if strings.TrimSpace(a.Query) == "" {
				return nil, misfit("query", "must not be blank")
			}
			best := newBest(a.Query, clamp(a.TopK, 1, maxFound))
			err := call.View(ctx, func(tx store.Tx) error {
				best.reset()
				return tx.Traces(call.Principal.Scope(), func(t store.Trace) bool { return best.add(newTrace(t.Event)) })
			})
			if err != nil {
				return nil, err
			}
			return traceSearchResult(best.found)
		}),
	}
}

// hit is a trace with the share of the query's words that it has.
type hit struct {
	trace
	Score float64 `json:"score"`
}

// best keeps the traces that match a query best, in order.
type best struct {
	words []string
	limit int
	found []hit
}

func newBest(query string, limit int) *best {
	words := strings.Fields(strings.ToLower(query))
	return &best{words: words[:min(len(words), store.MaxQueryWords)], limit: limit}
}

func (b *best) reset() { b.found = b.found[:0] }

// add takes the next newest trace, and tells whether older ones could still matter.
func (b *best) add(t trace) bool {
	text := strings.ToLower(strings.Join([]string{t.ID, t.Tool, t.Method, t.Status, t.Code, t.Client}, "\n"))
	matched := 0
	for _, word := range b.words {
		if strings.Contains(text, word) {
			matched++
		}
	}
	if matched == 0 {
		return true
	}
	b.found = append(b.found, hit{t, float64(matched) / float64(len(b.words))})
	slices.SortStableFunc(b.found, func(x, y hit) int { return -cmp.Compare(x.Score, y.Score) })
	b.found = b.found[:min(len(b.found), b.limit)]
	return len(b.found) < b.limit || b.found[b.limit-1].Score < 1
}

func traceSearchResult(found []hit) (*tools.Result, error) {
	if len(found) == 0 {
		return result("No matching traces found.", listOf[hit](nil))
	}
	lines := []string{fmt.Sprintf("Found %d trace(s):", len(found))}
	for _, h := range found {
		lines = append(lines,
			fmt.Sprintf("  %s  score=%.2f  status=%s  tools=1  %s", h.ID, h.Score, h.Status, strings.TrimSuffix(h.At, "Z")),
			"    trigger: "+clip(h.trigger(), 140, "..."))
	}
	return result(strings.Join(lines, "\n"), listOf(found))
}

type detailArguments struct {
	ID string `json:"trace_id"`
}

func traceDetail() *tools.Tool {
	return &tools.Tool{
		Name:        "trace_detail",
		Title:       "Show one call",
		Description: "Show one of your own earlier tool calls by its trace id, which trace_search gives and every answer's request id is.",
		Tier:        auth.Low,
		Timeout:     searchTimeout,
		Idempotent:  true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["trace_id"],"properties":{` +
			`"trace_id":{"type":"string","minLength":1,"maxLength":128,"description":"The id of the call"}}}`),
		Output: jsontext.Value(object(traceProperties...)),
		Handler: handle(detailArguments{}, func(ctx context.Context, call *tools.Call, a detailArguments) (*tools.Result, error) {
			id := strings.TrimSpace(a.ID)
			if id == "" {
				return nil, misfit("trace_id", "must not be blank")
			}
			var found store.Trace
			err := call.View(ctx, func(tx store.Tx) (err error) {
				found, err = tx.Trace(call.Principal.Scope(), id)
				return err
			})
			if errors.Is(err, store.ErrNotFound) {
				return nil, &tools.Error{Code: tools.CodeNotFound, Message: "no call of yours has this trace id", Hint: "find it with trace_search; a call appears a moment after it ended"}
			}
			if err != nil {
				return nil, err
			}
			return traceDetailResult(newTrace(found.Event))
		}),
	}
}

func traceDetailResult(t trace) (*tools.Result, error) {
	raw, err := json.Marshal(t, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode trace: %w", err)
	}
	status := t.Status
	if t.Code != "" {
		status += " (" + t.Code + ")"
	}
	return result(strings.Join([]string{
		"Trace " + t.ID,
		"Status: " + status,
		"Trigger: " + clip(t.trigger(), 300, "..."),
		"Started: " + t.At,
		"Nodes: 1",
		fmt.Sprintf("  #1 [%s] %s  tools=1  %.1fs", t.Status, t.Tool, t.Duration/1000),
		"Raw: " + string(raw),
	}, "\n"), t)
}
