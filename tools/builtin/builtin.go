package builtin

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

// DefaultHalfLife is the age at which a memory counts half.
const DefaultHalfLife = 168 * time.Hour

// searchTimeout bounds a search: a common word among very many documents must not hold the reader that
// others wait for.
const searchTimeout = 5 * time.Second

// Config is what the tools depend on besides the store of the registry that runs them.
type Config struct {
	HalfLife time.Duration    // of relevance, by age; 0: DefaultHalfLife
	Now      func() time.Time // nil: time.Now
}

// Tools are the built-in tools, a fresh list of them.
func Tools(c Config) []*tools.Tool {
	if c.HalfLife <= 0 {
		c.HalfLife = DefaultHalfLife
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	turns := &store.Turns{}
	list := []*tools.Tool{
		clock(c),
		memoryRecall(c), memoryRemember(turns), memoryForget(turns), scratchWrite(turns), scratchRead(), scratchDelete(turns),
		knowledgeSearch(c), knowledgeNamespaces(), knowledgeAdd(turns), knowledgeDelete(turns),
		noteCreate(turns), noteRead(), noteList(), noteSearch(c), noteUpdate(turns), noteDelete(turns),
		conversationSearch(), conversationAppend(turns),
		todoAdd(), todoList(), todoComplete(turns), todoRemove(turns),
		traceSearch(), traceDetail(),
	}
	for _, t := range list {
		t.Heeds = t.Tier == auth.Low // they read; a change on its way to the disk cannot be called back
	}
	return list
}

// handle is the handler of a tool with arguments A, of which the absent ones are as in defaults. The
// schema has been checked by then.
func handle[A any](defaults A, f func(ctx context.Context, c *tools.Call, a A) (*tools.Result, error)) tools.Handler {
	return func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
		a := defaults
		if err := json.Unmarshal(c.Arguments, &a); err != nil {
			return nil, fmt.Errorf("decode arguments: %w", err)
		}
		return f(ctx, c, a)
	}
}

// result is a text and the same as an object.
func result(text string, structured any) (*tools.Result, error) {
	raw, err := json.Marshal(structured, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	res := tools.Text(text)
	res.Structured = raw
	return res, nil
}

// items is how every list looks as an object.
type items[T any] struct {
	Items []T `json:"items"`
	Count int `json:"count"`
}

func listOf[T any](list []T) items[T] { return items[T]{Items: list, Count: len(list)} }

// listSchema is the output schema of a list of objects with these properties, all of them required.
func listSchema(properties ...string) jsontext.Value {
	return jsontext.Value(`{"type":"object","additionalProperties":false,"required":["items","count"],"properties":{` +
		`"items":{"type":"array","items":` + object(properties...) + `},"count":{"type":"integer","minimum":0}}}`)
}

// object is the schema of an object with exactly these properties, each given as `"name":{…}`.
func object(properties ...string) string {
	names := make([]string, len(properties))
	for i, p := range properties {
		names[i], _, _ = strings.Cut(p, ":")
	}
	return `{"type":"object","additionalProperties":false,"required":[` + strings.Join(names, ",") + `],"properties":{` + strings.Join(properties, ",") + `}}`
}

// misfit refuses one argument for what a schema cannot say.
func misfit(argument, format string, args ...any) error {
	return tools.InvalidArguments(tools.Violation{Path: "/" + argument, Message: fmt.Sprintf(format, args...)})
}

// clamp brings a number that a caller gave within the range that the tool has.
func clamp(n, low, high float64) int { return int(max(low, min(n, high))) }

// clip is the first n characters of s, and more when something was left out.
func clip(s string, n int, more string) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i] + more
		}
		n--
	}
	return s
}

// stamp is a time in results: UTC, RFC 3339.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// hang keeps further lines of a text below its first.
func hang(s string) string { return strings.ReplaceAll(s, "\n", "\n  ") }

// indent keeps text of several lines below its heading.
func indent(s string) string { return "  " + hang(s) }
