package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

const maxRecalled = 20

// memory is a memory in results.
type memory struct {
	ID         string   `json:"id"`
	Content    string   `json:"content"`
	Source     string   `json:"source"`
	Importance float64  `json:"importance"`
	Tags       []string `json:"tags"`
	CreatedAt  string   `json:"created_at"`
}

var memoryProperties = []string{
	`"id":{"type":"string"}`, `"content":{"type":"string"}`, `"source":{"type":"string"}`, `"importance":{"type":"number"}`,
	`"tags":{"type":"array","items":{"type":"string"}}`, `"created_at":{"type":"string","format":"date-time"}`,
}

func newMemory(d store.Document) memory {
	return memory{ID: d.ID, Content: d.Body, Source: d.Source, Importance: d.Importance, Tags: d.Tags, CreatedAt: stamp(d.Created)}
}

type recallArguments struct {
	Query string  `json:"query"`
	TopK  float64 `json:"top_k"`
}

func memoryRecall(c Config) *tools.Tool {
	return &tools.Tool{
		Name:        "memory_recall",
		Title:       "Recall memories",
		Description: "Search what was remembered earlier. The most relevant, important and recent memories come first.",
		Tier:        auth.Low,
		Timeout:     searchTimeout,
		Idempotent:  true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["query"],"properties":{` +
			`"query":{"type":"string","minLength":1,"maxLength":4096,"description":"What to look for, in plain words"},` +
			`"top_k":{"type":"integer","default":5,"description":"How many memories to return, 1 to 20"}}}`),
		Output: listSchema(memoryProperties...),
		Handler: handle(recallArguments{TopK: 5}, func(ctx context.Context, call *tools.Call, a recallArguments) (*tools.Result, error) {
			found, err := recall(ctx, c, call, a.Query)
			if err != nil {
				return nil, err
			}
			return recallResult(found[:min(len(found), clamp(a.TopK, 1, maxRecalled))])
		}),
	}
}

func recall(ctx context.Context, c Config, call *tools.Call, query string) ([]store.Document, error) {
	if strings.TrimSpace(query) == "" {
		return nil, misfit("query", "must not be blank")
	}
	var found []store.Document
	err := call.View(ctx, func(tx store.Tx) (err error) {
		found, err = find(ctx, tx, call.Principal.Scope(), store.Memory, "", query)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rank(ctx, found, query, c.Now(), c.HalfLife)
}

func recallResult(found []store.Document) (*tools.Result, error) {
	if len(found) == 0 {
		return result("No relevant memories found.", listOf[memory](nil))
	}
	lines := make([]string, 0, len(found))
	list := make([]memory, 0, len(found))
	for _, d := range found {
		heading := fmt.Sprintf("- [%s, %s, imp=%.1f]", d.Source, d.Created.UTC().Format("2006-01-02"), d.Importance)
		lines = append(lines, heading+"\n"+indent(d.Body))
		list = append(list, newMemory(d))
	}
	return result(strings.Join(lines, "\n"), listOf(list))
}

type rememberArguments struct {
	Content    string  `json:"content"`
	Importance float64 `json:"importance"`
	Tags       string  `json:"tags"`
}

func (a rememberArguments) size() int { return len(a.Content) }

func memoryRemember(turns *store.Turns) *tools.Tool {
	return &tools.Tool{
		Name:        "memory_remember",
		Title:       "Remember",
		Description: "Remember a fact, preference or event for later. Returns the id of the memory. At most 64 KiB, 32 tags.",
		Tier:        auth.Medium,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["content"],"properties":{` +
			`"content":{"type":"string","minLength":1,"maxLength":65536,"description":"What to remember"},` +
			`"importance":{"type":"number","minimum":0,"maximum":1,"default":0.5,"description":"0 trivial to 1 vital"},` +
			`"tags":{"type":"string","default":"","description":"Tags, separated by commas: at most 32 of 64 bytes"}}}`),
		Output:  jsontext.Value(object(memoryProperties...)),
		Handler: handle(rememberArguments{Importance: 0.5}, byTurns(turns, rememberArguments.size, remember)),
	}
}

func remember(ctx context.Context, call *tools.Call, a rememberArguments) (*tools.Result, error) {
	body, err := content("content", a.Content)
	if err != nil {
		return nil, err
	}
	tags, err := tagsOf(a.Tags)
	if err != nil {
		return nil, err
	}
	stored, err := put(ctx, call, store.Document{Kind: store.Memory, Body: body, Tags: tags, Importance: a.Importance})
	if err != nil {
		return nil, err
	}
	return result(fmt.Sprintf("Remembered (id=%s): %s", stored.ID, clip(stored.Body, 100, "")), newMemory(stored))
}

type forgetArguments struct {
	ID string `json:"memory_id"`
}

func memoryForget(turns *store.Turns) *tools.Tool {
	return &tools.Tool{
		Name:        "memory_forget",
		Title:       "Forget",
		Description: "Delete one memory for good, by the full id that memory_recall and memory_remember return.",
		Tier:        auth.High,
		Idempotent:  true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["memory_id"],"properties":{` +
			`"memory_id":{"type":"string","minLength":1,"maxLength":128,"description":"The full id of the memory"}}}`),
		Output:  jsontext.Value(object(`"id":{"type":"string"}`, `"forgotten":{"const":true}`)),
		Handler: handle(forgetArguments{}, byTurns(turns, func(forgetArguments) int { return 0 }, forget)),
	}
}

func forget(ctx context.Context, call *tools.Call, a forgetArguments) (*tools.Result, error) {
	id := strings.TrimSpace(a.ID)
	scope := call.Principal.Scope()
	err := change(ctx, call, func(tx store.Tx) error {
		d, err := tx.Document(scope, id)
		if err != nil {
			return err
		}
		if d.Kind != store.Memory {
			return store.ErrNotFound
		}
		if err := outOfTurn(ctx, d); err != nil {
			return err
		}
		return tx.DeleteDocument(scope, id)
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, &tools.Error{Code: tools.CodeNotFound, Message: "no memory of yours has this id", Hint: "take the full id from memory_recall"}
	}
	if err != nil {
		return nil, err
	}
	return result(fmt.Sprintf("Forgotten (id=%s).", id), struct {
		ID        string `json:"id"`
		Forgotten bool   `json:"forgotten"`
	}{id, true})
}
