package builtin

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

type todoListArguments struct {
	Completed bool `json:"show_completed"`
}

func todoList() *tools.Tool {
	return &tools.Tool{
		Name:        "todo_list",
		Title:       "List todos",
		Description: "List the open tasks by their numbers, and the completed ones if you ask for them: the 1,000 that changed last.",
		Tier:        auth.Low,
		Timeout:     searchTimeout,
		Idempotent:  true,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"properties":{` +
			`"show_completed":{"type":"boolean","default":false,"description":"Whether completed tasks are listed too"}}}`),
		Output: listSchema(todoProperties...),
		Handler: handle(todoListArguments{}, func(ctx context.Context, call *tools.Call, a todoListArguments) (*tools.Result, error) {
			filter := store.Filter{Kind: store.Todo}
			if !a.Completed {
				filter.Status = todoOpen
			}
			var found []store.Document
			err := call.View(ctx, func(tx store.Tx) (err error) {
				found, err = tx.ListDocuments(call.Principal.Scope(), filter)
				return err
			})
			if err != nil {
				return nil, err
			}
			return todoListResult(found, a.Completed)
		}),
	}
}

func todoListResult(found []store.Document, completed bool) (*tools.Result, error) {
	list, err := todos(found)
	if err != nil {
		return nil, err
	}
	switch {
	case len(list) == 0 && completed:
		return result("No todos: todo_add makes one.", listOf(list))
	case len(list) == 0:
		return result("No open todos.", listOf(list))
	}
	lines := []string{"Todos:"}
	for _, t := range list {
		lines = append(lines, t.String())
	}
	return result(strings.Join(lines, "\n"), listOf(list))
}
