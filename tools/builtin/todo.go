package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

// The statuses of a todo.
const (
	todoOpen = "open"
	todoDone = "done"
)

const (
	defaultAssignee = "user"
	maxTask         = 1024 // characters
)

// todo is a todo in results.
type todo struct {
	ID        string `json:"id"`
	Number    int64  `json:"number"`
	Task      string `json:"task"`
	Assignee  string `json:"assignee"`
	Status    string `json:"status"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

var todoProperties = []string{
	`"id":{"type":"string"}`, `"number":{"type":"integer"}`, `"task":{"type":"string"}`, `"assignee":{"type":"string"}`, `"status":{"enum":["open","done"]}`,
	`"created_at":{"type":"string","format":"date-time"}`, `"updated_at":{"type":"string","format":"date-time"}`,
}

func newTodo(d store.Document) (todo, error) {
	number, err := strconv.ParseInt(d.Key, 10, 64)
	if err != nil {
		return todo{}, fmt.Errorf("number of todo %s: %w", d.ID, err)
	}
	return todo{d.ID, number, d.Body, d.Title, d.Status, stamp(d.Created), stamp(d.Updated)}, nil
}

// todos are documents as they look in results, by number.
func todos(found []store.Document) ([]todo, error) {
	list := make([]todo, 0, len(found))
	for _, d := range found {
		t, err := newTodo(d)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b todo) int { return cmp.Compare(a.Number, b.Number) })
	return list, nil
}

// String is a todo's line in texts.
func (t todo) String() string {
	mark := " "
	if t.Status == todoDone {
		mark = "x"
	}
	text := fmt.Sprintf("  %d. [%s] %s", t.Number, mark, t.Task)
	if t.Assignee != defaultAssignee {
		text += " (" + t.Assignee + ")"
	}
	return text
}

type todoArguments struct {
	Task     string `json:"task"`
	Assignee string `json:"assignee"`
}

func todoAdd() *tools.Tool {
	return &tools.Tool{
		Name:        "todo_add",
		Title:       "Add a todo",
		Description: "Add a task to your list. Returns its number, which no other task ever gets.",
		Tier:        auth.Medium,
		Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["task"],"properties":{` +
			`"task":{"type":"string","minLength":1,"maxLength":` + strconv.Itoa(maxTask) + `,"description":"What is to be done, on one line"},` +
			`"assignee":{"type":"string","default":"user","maxLength":64,"description":"Who is to do it"}}}`),
		Output: jsontext.Value(object(todoProperties...)),
		Handler: handle(todoArguments{}, func(ctx context.Context, call *tools.Call, a todoArguments) (*tools.Result, error) {
			task, err := name("task", a.Task)
			if err != nil {
				return nil, err
			}
			stored, err := addTodo(ctx, call, store.Document{Body: task, Title: cmp.Or(line(a.Assignee), defaultAssignee)})
			if err != nil {
				return nil, err
			}
			made, err := newTodo(stored)
			if err != nil {
				return nil, err
			}
			return result(fmt.Sprintf("Added #%d: %s", made.Number, made.Task), made)
		}),
	}
}

func addTodo(ctx context.Context, call *tools.Call, d store.Document) (stored store.Document, err error) {
	d.User, d.Kind, d.Status, d.Source = call.Principal.User, store.Todo, todoOpen, call.Principal.Client
	err = change(ctx, call, func(tx store.Tx) error {
		number, err := tx.NextNumber(call.Principal.Scope(), store.Todo)
		if err != nil {
			return err
		}
		next := d
		next.Key = strconv.FormatInt(number, 10)
		stored, err = tx.PutDocument(next)
		return err
	})
	return stored, err
}

// missingTodos refuses numbers that the caller's list does not have.
func missingTodos(numbers []int64) error {
	text := make([]string, len(numbers))
	for i, n := range numbers {
		text[i] = "#" + strconv.FormatInt(n, 10)
	}
	return &tools.Error{
		Code:    tools.CodeNotFound,
		Message: "your list does not have " + strings.Join(text, ", ") + ": nothing was changed",
		Hint:    "see the numbers that there are with todo_list and show_completed",
	}
}

// findTodos are the caller's todos of these numbers: all of them, or an error that names the missing.
func findTodos(tx store.Documents, s auth.Scope, numbers []int64) ([]store.Document, error) {
	var found []store.Document
	var missing []int64
	for _, n := range numbers {
		d, err := tx.KeyedDocument(s, store.Todo, "", strconv.FormatInt(n, 10))
		switch {
		case errors.Is(err, store.ErrNotFound):
			missing = append(missing, n)
		case err != nil:
			return nil, err
		default:
			found = append(found, d)
		}
	}
	if missing != nil {
		return nil, missingTodos(missing)
	}
	return found, nil
}
