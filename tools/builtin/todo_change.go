package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

type todoChangeArguments struct {
	Numbers []float64 `json:"item_ids"`
}

// size is what the tasks of so many numbers may have.
func (a todoChangeArguments) size() int { return maxTask * len(a.Numbers) }

const todoChangeSchema = `{"type":"object","additionalProperties":false,"required":["item_ids"],"properties":{` +
	`"item_ids":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"integer","minimum":1,"maximum":9007199254740992},` +
	`"description":"Their numbers, as todo_list shows them: all of them, or none if one is missing"}}}`

func todoComplete(turns *store.Turns) *tools.Tool {
	return &tools.Tool{
		Name:        "todo_complete",
		Title:       "Complete todos",
		Description: "Mark tasks as done, by their numbers. They stay on the list, where todo_list shows them with show_completed.",
		Tier:        auth.Medium,
		Idempotent:  true,
		Input:       jsontext.Value(todoChangeSchema),
		Output:      listSchema(todoProperties...),
		Handler: todoChange(turns, "Marked #%d as done!", func(tx store.Tx, call *tools.Call, d store.Document) (store.Document, error) {
			if d.Status == todoDone {
				return d, nil
			}
			d.Status, d.Source = todoDone, call.Principal.Client
			return tx.PutDocument(d)
		}),
	}
}

func todoRemove(turns *store.Turns) *tools.Tool {
	return &tools.Tool{
		Name:        "todo_remove",
		Title:       "Remove todos",
		Description: "Take tasks off the list, by their numbers. A number that was removed is not given again.",
		Tier:        auth.Medium,
		Idempotent:  true,
		Input:       jsontext.Value(todoChangeSchema),
		Output:      listSchema(todoProperties...),
		Handler: todoChange(turns, "Removed #%d.", func(tx store.Tx, call *tools.Call, d store.Document) (store.Document, error) {
			return d, tx.DeleteDocument(call.Principal.Scope(), d.ID)
		}),
	}
}

// todoChange does one thing to each of the todos that a call names, in one transaction, and says so
// of each.
func todoChange(turns *store.Turns, saying string, each func(store.Tx, *tools.Call, store.Document) (store.Document, error)) tools.Handler {
	return handle(todoChangeArguments{}, byTurns(turns, todoChangeArguments.size, func(ctx context.Context, call *tools.Call, a todoChangeArguments) (*tools.Result, error) {
		var changed []store.Document
		err := change(ctx, call, func(tx store.Tx) error {
			found, err := findTodos(tx, call.Principal.Scope(), a.numbers())
			if err != nil {
				return err
			}
			for i := range found {
				if found[i], err = each(tx, call, found[i]); err != nil {
					return err
				}
			}
			changed = found
			return nil
		})
		if err != nil {
			return nil, err
		}
		list, err := todos(changed)
		if err != nil {
			return nil, err
		}
		lines := make([]string, len(list))
		for i, t := range list {
			lines[i] = fmt.Sprintf(saying, t.Number)
		}
		return result(strings.Join(lines, "\n"), listOf(list))
	}))
}

// numbers are the numbers that were given, each once, in order.
func (a todoChangeArguments) numbers() []int64 {
	var all []int64
	for _, n := range a.Numbers {
		all = append(all, int64(n))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
