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

// maxEntries bounds a scratchpad: it is read as a whole.
const maxEntries = 50

// entry is an entry of the scratchpad in results.
type entry struct {
	ID         string  `json:"id"`
	Key        string  `json:"key"`
	Content    string  `json:"content"`
	Importance float64 `json:"importance"`
	Version    int64   `json:"version"`
	CreatedAt  string  `json:"created_at"`
	UpdatedAt  string  `json:"updated_at"`
}

var entryProperties = []string{
	`"id":{"type":"string"}`, `"key":{"type":"string"}`, `"content":{"type":"string"}`, `"importance":{"type":"number"}`, `"version":{"type":"integer"}`,
	`"created_at":{"type":"string","format":"date-time"}`, `"updated_at":{"type":"string","format":"date-time"}`,
}

func newEntry(d store.Document) entry {
	return entry{d.ID, d.Key, d.Body, d.Importance, d.Version, stamp(d.Created), stamp(d.Updated)}
}

const keySchema = `"key":{"type":"string","minLength":1,"maxLength":160,"description":"The name of the entry"}`

type scratchArguments struct {
	Key        string  `json:"key"`
	Content    string  `json:"content"`
	Importance float64 `json:"importance"`
}

func (a scratchArguments) size() int { return len(a.Content) }

func scratchWrite(turns *store.Turns) *tools.Tool {
	return &tools.Tool{
		Name:  "memory_stm_write",
		Title: "Write to the scratchpad",
		Description: "Keep a note for the work at hand under a key; an entry of that key is replaced. The scratchpad has 50 entries " +
			"of at most 64 KiB. What should last belongs in memory_remember.",
		Tier:       auth.Medium,
		Idempotent: true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["key","content"],"properties":{` + keySchema + `,` +
			`"content":{"type":"string","minLength":1,"maxLength":65536,"description":"What to keep"},` +
			`"importance":{"type":"number","minimum":0,"maximum":1,"default":0.5,"description":"0 trivial to 1 vital"}}}`),
		Output:  jsontext.Value(object(entryProperties...)),
		Handler: handle(scratchArguments{Importance: 0.5}, byTurns(turns, scratchArguments.size, saveScratch)),
	}
}

func saveScratch(ctx context.Context, call *tools.Call, a scratchArguments) (*tools.Result, error) {
	key, err := name("key", a.Key)
	if err != nil {
		return nil, err
	}
	body, err := content("content", a.Content)
	if err != nil {
		return nil, err
	}
	stored, err := writeScratch(ctx, call, store.Document{Key: key, Body: body, Importance: a.Importance})
	if err != nil {
		return nil, err
	}
	return result(fmt.Sprintf("Saved to scratchpad: [%s] %s", key, clip(body, 100, "")), newEntry(stored))
}

// writeScratch stores an entry in place of the one that has its key.
func writeScratch(ctx context.Context, call *tools.Call, d store.Document) (stored store.Document, err error) {
	d.User, d.Kind, d.Source = call.Principal.User, store.Scratch, call.Principal.Client
	err = change(ctx, call, func(tx store.Tx) error {
		next := d
		kept, err := tx.KeyedDocument(call.Principal.Scope(), store.Scratch, "", d.Key)
		switch {
		case err == nil:
			next.ID, next.Version = kept.ID, kept.Version
			err = outOfTurn(ctx, kept)
		case errors.Is(err, store.ErrNotFound):
			err = roomForEntry(tx, call.Principal.Scope())
		}
		if err != nil {
			return err
		}
		stored, err = tx.PutDocument(next)
		return err
	})
	return stored, err
}

func roomForEntry(tx store.Documents, s auth.Scope) error {
	kept, err := tx.ListDocuments(s, store.Filter{Kind: store.Scratch, Limit: maxEntries, Bare: true})
	if err == nil && len(kept) >= maxEntries {
		err = &tools.Error{
			Code:    tools.CodeQuota,
			Message: fmt.Sprintf("your scratchpad is full: it has %d entries", maxEntries),
			Hint:    "write over an entry, or remove one with memory_stm_delete; memory_remember keeps what should last",
		}
	}
	return err
}

func scratchRead() *tools.Tool {
	return &tools.Tool{
		Name:        "memory_stm_read",
		Title:       "Read the scratchpad",
		Description: "Read one entry of the scratchpad by its key, or all of them, the one written last first.",
		Tier:        auth.Low,
		Timeout:     searchTimeout,
		Idempotent:  true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"properties":{` +
			`"key":{"type":"string","default":"","maxLength":160,"description":"Only the entry of this name; empty: all"}}}`),
		Output: listSchema(entryProperties...),
		Handler: handle(scratchArguments{}, func(ctx context.Context, call *tools.Call, a scratchArguments) (*tools.Result, error) {
			var found []store.Document
			err := call.View(ctx, func(tx store.Tx) (err error) {
				found, err = readScratch(tx, call.Principal.Scope(), line(a.Key))
				return err
			})
			if err != nil {
				return nil, err
			}
			return scratchResult(found)
		}),
	}
}

func readScratch(tx store.Documents, s auth.Scope, key string) ([]store.Document, error) {
	if key == "" {
		return tx.ListDocuments(s, store.Filter{Kind: store.Scratch, Limit: maxEntries})
	}
	d, err := tx.KeyedDocument(s, store.Scratch, "", key)
	if err != nil {
		return nil, noEntry(err, key)
	}
	return []store.Document{d}, nil
}

func noEntry(err error, key string) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return &tools.Error{
		Code:    tools.CodeNotFound,
		Message: "no entry found with key: " + store.SafeString(key),
		Hint:    "list all entries with memory_stm_read and no key",
	}
}

func scratchResult(found []store.Document) (*tools.Result, error) {
	if len(found) == 0 {
		return result("The scratchpad is empty.", listOf[entry](nil))
	}
	lines := make([]string, 0, len(found))
	list := make([]entry, 0, len(found))
	for _, d := range found {
		lines = append(lines, fmt.Sprintf("[%s] (importance=%.1f) %s", d.Key, d.Importance, hang(d.Body)))
		list = append(list, newEntry(d))
	}
	return result(strings.Join(lines, "\n"), listOf(list))
}

func scratchDelete(turns *store.Turns) *tools.Tool {
	return &tools.Tool{
		Name:        "memory_stm_delete",
		Title:       "Delete from the scratchpad",
		Description: "Remove one entry from the scratchpad by its key, when the work that it was for is done.",
		Tier:        auth.Medium,
		Idempotent:  true,
		Input:       jsontext.Value(`{"type":"object","additionalProperties":false,"required":["key"],"properties":{` + keySchema + `}}`),
		Output:      jsontext.Value(object(entryProperties...)),
		Handler:     handle(scratchArguments{}, byTurns(turns, scratchArguments.size, deleteScratch)),
	}
}

func deleteScratch(ctx context.Context, call *tools.Call, a scratchArguments) (*tools.Result, error) {
	key, err := name("key", a.Key)
	if err != nil {
		return nil, err
	}
	var removed store.Document
	err = change(ctx, call, func(tx store.Tx) (err error) {
		scope := call.Principal.Scope()
		if removed, err = tx.KeyedDocument(scope, store.Scratch, "", key); err != nil {
			return noEntry(err, key)
		}
		if err := outOfTurn(ctx, removed); err != nil {
			return err
		}
		return tx.DeleteDocument(scope, removed.ID)
	})
	if err != nil {
		return nil, err
	}
	return result("Deleted scratchpad entry: "+key, newEntry(removed))
}
